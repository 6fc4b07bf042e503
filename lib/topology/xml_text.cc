#include "lib/topology/xml_text.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>
#include <vector>

#include "fmt/core.h"

namespace railgauge {
namespace {

// Real machines stay below 30.
constexpr size_t kMaxDepth = 200;

constexpr std::string_view kBlanks = " \t\r\n";

class Scanner {
 public:
  Scanner(std::string_view text, const std::string& path) : text_(text), path_(path) {}

  Result<std::string> Run();

 private:
  std::string_view rest() const { return text_.substr(position_); }

  // Copies the next `size` bytes to the output, or drops them outside the root element. A line end
  // is one character, as XML has it.
  void Take(size_t size) {
    if (!open_.empty()) {
      std::ranges::copy_if(text_.substr(position_, size), std::back_inserter(output_),
                           [](char c) { return c != '\r'; });
    }
    position_ += size;
  }

  Error ErrorHere(std::string reason) const {
    const auto end = text_.begin() + static_cast<std::ptrdiff_t>(std::min(position_, text_.size()));
    return MakeError("parse topology XML",
                     fmt::format("{}:{}", path_, 1 + std::count(text_.begin(), end, '\n')),
                     std::move(reason), "Export it again with lstopo --of xml --filter io:all");
  }

  Status Skip(std::string_view what, std::string_view end);
  Status CharacterData();
  Status EndTag();
  Status StartTag();
  Status Doctype();
  Result<size_t> TagSize() const;

  std::string_view text_;
  const std::string& path_;
  size_t position_ = 0;
  std::vector<std::string_view> open_;  // names of the elements around position_
  bool root_seen_ = false;
  std::string output_;
};

// "object" of "object type=..." or "object/>".
std::string_view NameAtStart(std::string_view text) {
  return text.substr(0, text.find_first_of(" \t\r\n/>"));
}

// Drops markup up to and including `end`.
Status Scanner::Skip(std::string_view what, std::string_view end) {
  const size_t found = rest().find(end);
  if (found == std::string_view::npos) {
    return Fail(ErrorHere(fmt::format("the file ends inside {}", what)));
  }
  position_ += found + end.size();
  return {};
}

Status Scanner::CharacterData() {
  const std::string_view data = rest().substr(0, rest().find('<'));
  if (open_.empty()) {
    const size_t other = data.find_first_not_of(kBlanks);
    if (other != std::string_view::npos) {
      position_ += other;
      return Fail(ErrorHere(root_seen_ ? "there is text after </topology>" : "this is not XML"));
    }
  }
  Take(data.size());
  return {};
}

// The bytes from '<' to the matching '>', which may stand in a quoted attribute value too.
Result<size_t> Scanner::TagSize() const {
  char quote = 0;
  for (size_t i = 1; i < rest().size(); ++i) {
    const char c = rest()[i];
    if (quote != 0) {
      if (c == quote) quote = 0;
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == '>') {
      return i + 1;
    } else if (c == '<') {
      break;
    }
  }
  return Fail(ErrorHere(
      fmt::format("the tag <{} is cut off", Printable(NameAtStart(rest().substr(1, 40))))));
}

Status Scanner::EndTag() {
  RAILGAUGE_ASSIGN_OR_RETURN(const size_t size, TagSize());
  const std::string_view name = NameAtStart(rest().substr(2));
  if (open_.empty() || open_.back() != name) {
    return Fail(
        ErrorHere(fmt::format("</{}> closes {}", Printable(name.substr(0, 40)),
                              open_.empty() ? "nothing" : fmt::format("<{}>", open_.back()))));
  }
  Take(size);
  open_.pop_back();
  return {};
}

Status Scanner::StartTag() {
  RAILGAUGE_ASSIGN_OR_RETURN(const size_t size, TagSize());
  const std::string_view name = NameAtStart(rest().substr(1));
  if (open_.empty()) {
    if (root_seen_) return Fail(ErrorHere("there is a second root element"));
    if (name != "topology") {
      return Fail(ErrorHere(fmt::format("the root element is <{}>, not hwloc's <topology>",
                                        Printable(name.substr(0, 40)))));
    }
    root_seen_ = true;
  }
  if (open_.size() == kMaxDepth) {
    return Fail(ErrorHere(fmt::format("elements are nested more than {} deep", kMaxDepth)));
  }
  const bool is_empty_element = rest()[size - 2] == '/';
  open_.push_back(name);
  Take(size);
  if (is_empty_element) open_.pop_back();
  return {};
}

// Drops a DOCTYPE. An internal subset, which could define entities, is nothing that hwloc writes.
Status Scanner::Doctype() {
  const std::string_view declaration = rest().substr(0, rest().find('>'));
  if (declaration.find('[') != std::string_view::npos) {
    return Fail(ErrorHere("the DOCTYPE has an internal subset, which hwloc never writes"));
  }
  return Skip("the DOCTYPE", ">");
}

Result<std::string> Scanner::Run() {
  if (text_.find_first_not_of(kBlanks) == std::string_view::npos) {
    return Fail(ErrorHere("the file is empty"));
  }
  if (text_.starts_with("\x1f\x8b")) {
    return Fail(MakeError("parse topology XML", path_, "it is compressed by gzip",
                          "Unpack it first: gunzip FILE"));
  }
  if (text_.find('\0') != std::string_view::npos) {
    return Fail(ErrorHere("this is not XML text, it has NUL bytes"));
  }
  if (rest().starts_with("\xef\xbb\xbf")) position_ += 3;
  while (position_ < text_.size()) {
    Status status;
    if (rest().starts_with("<!--")) {
      status = Skip("a comment", "-->");
    } else if (rest().starts_with("<?")) {
      status = Skip("a processing instruction", "?>");
    } else if (rest().starts_with("<!DOCTYPE") && !root_seen_) {
      status = Doctype();
    } else if (rest().starts_with("<!")) {
      status = Fail(ErrorHere("there is markup that hwloc never writes"));
    } else if (rest().starts_with("</")) {
      status = EndTag();
    } else if (rest().starts_with("<")) {
      status = StartTag();
    } else {
      status = CharacterData();
    }
    RAILGAUGE_RETURN_IF_ERROR(status);
  }
  if (!open_.empty()) {
    return Fail(ErrorHere(fmt::format("the file ends inside <{}>, it is cut off", open_.back())));
  }
  if (!root_seen_) return Fail(ErrorHere("there is no <topology> element"));
  return std::move(output_);
}

}  // namespace

Result<std::string> CleanTopologyXml(std::string_view text, const std::string& path) {
  return Scanner(text, path).Run();
}

}  // namespace railgauge
