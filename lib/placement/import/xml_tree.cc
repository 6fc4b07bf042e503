#include "lib/placement/import/xml_tree.h"

#include <expat.h>

#include <charconv>
#include <limits>
#include <memory>
#include <system_error>

#include "fmt/core.h"
#include "lib/base/quoted.h"

namespace railgauge {
namespace {

constexpr size_t kMaxDepth = 64;
constexpr size_t kMaxElements = 100'000;

// What Expat's callbacks work on.
struct Builder {
  XML_Parser parser = nullptr;
  std::vector<XmlElement> open;  // from the root down
  XmlElement root;
  size_t elements = 0;
  std::string refused;  // why the parser was stopped

  void Stop(std::string why) {
    refused = std::move(why);
    XML_StopParser(parser, XML_FALSE);
  }
};

void OnStart(void* user, const XML_Char* name, const XML_Char** attributes) {
  auto& builder = *static_cast<Builder*>(user);
  if (builder.open.size() >= kMaxDepth) return builder.Stop("elements nest too deep");
  if (++builder.elements > kMaxElements) return builder.Stop("there are too many elements");
  XmlElement element;
  element.name = name;
  element.line = XML_GetCurrentLineNumber(builder.parser);
  for (; *attributes != nullptr; attributes += 2) {
    element.attributes.emplace_back(attributes[0], attributes[1]);
  }
  builder.open.push_back(std::move(element));
}

void OnEnd(void* user, const XML_Char* /*name*/) {
  auto& builder = *static_cast<Builder*>(user);
  if (builder.open.empty()) return;  // the parser was stopped in OnStart
  XmlElement element = std::move(builder.open.back());
  builder.open.pop_back();
  (builder.open.empty() ? builder.root : builder.open.back().children.emplace_back()) =
      std::move(element);
}

void OnDoctype(void* user, const XML_Char* /*name*/, const XML_Char* /*system*/,
               const XML_Char* /*publicid*/, int /*internal*/) {
  static_cast<Builder*>(user)->Stop("it has a document type, which no NCCL file has");
}

}  // namespace

const std::string* XmlElement::Find(std::string_view attribute) const {
  for (const auto& [key, value] : attributes) {
    if (key == attribute) return &value;
  }
  return nullptr;
}

Result<XmlElement> ParseXml(const ImportSource& source) {
  const std::string_view content = source.content;
  if (content.size() > static_cast<size_t>(std::numeric_limits<int>::max())) {
    return Fail(ImportError(source, 1, "the file is too large"));
  }
  const std::unique_ptr<XML_ParserStruct, decltype(&XML_ParserFree)> parser(
      XML_ParserCreate(nullptr), &XML_ParserFree);
  Builder builder;
  builder.parser = parser.get();
  XML_SetUserData(parser.get(), &builder);
  XML_SetElementHandler(parser.get(), OnStart, OnEnd);
  XML_SetStartDoctypeDeclHandler(parser.get(), OnDoctype);
  if (XML_Parse(parser.get(), content.data(), static_cast<int>(content.size()), XML_TRUE) !=
      XML_STATUS_OK) {
    const size_t line = XML_GetCurrentLineNumber(parser.get());
    if (!builder.refused.empty()) return Fail(ImportError(source, line, builder.refused));
    return Fail(ImportError(
        source, line,
        fmt::format("it is no XML: {}", XML_ErrorString(XML_GetErrorCode(parser.get()))),
        "Give the file as it was written: it may be cut off, or another one"));
  }
  return std::move(builder.root);
}

Result<int64_t> IntegerOf(const ImportSource& source, const XmlElement& element,
                          std::string_view attribute) {
  const std::string* text = element.Find(attribute);
  if (text == nullptr) {
    return Fail(ImportError(source, element.line,
                            fmt::format("<{}> has no attribute {}", element.name, attribute)));
  }
  std::string_view digits = *text;
  const bool hexadecimal = digits.starts_with("0x");
  if (hexadecimal) digits.remove_prefix(2);
  int64_t value = 0;
  const auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), value, hexadecimal ? 16 : 10);
  if (error != std::errc() || end != digits.data() + digits.size()) {
    return Fail(ImportError(source, element.line,
                            fmt::format("{}=\"{}\" of <{}> is no number", attribute,
                                        Shortened(*text), Shortened(element.name))));
  }
  return value;
}

}  // namespace railgauge
