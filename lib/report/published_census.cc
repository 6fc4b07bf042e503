#include "lib/report/published_census.h"

#include <openssl/evp.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <regex>

#include "fmt/core.h"
#include "lib/report/plain_text.h"
#include "lib/report/schema.h"
#include "nlohmann/json.hpp"

namespace railgauge {
namespace {

using Json = nlohmann::ordered_json;

// Of the members of run.json and of its machine.
constexpr const char* kPublicOfRun[] = {"platform", "versions"};
constexpr const char* kPublicOfMachine[] = {
    "instance_type", "kernel", "efa_driver_version", "shows_pci",   "flat", "numa_nodes",
    "gpus",          "nics",   "other_rdma_devices", "accelerators"};

std::string Sha256(const std::string& text) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int size = 0;
  if (EVP_Digest(text.data(), text.size(), digest.data(), &size, EVP_sha256(), nullptr) != 1) {
    return "";
  }
  std::string hex;
  for (unsigned int i = 0; i < size; ++i) hex += fmt::format("{:02x}", digest[i]);
  return hex;
}

// What may name somebody whatever the name is. A network address has at least two groups of
// hexadecimal digits beside a "::", or eight of them; a PCI address has three.
struct Pattern {
  std::regex regex;
  const char* stand_in;
};
const std::vector<Pattern>& Patterns() {
  static const auto& patterns = *new std::vector<Pattern>{
      {std::regex(R"(\b(i|ami|vpc|subnet|eni|sg|acl|vol|snap|r|lt)-[0-9a-f]{8,17}\b)"), "ID"},
      {std::regex(R"(\barn:[^\s,;"]*)"), "ARN"},
      {std::regex(R"([\w.+-]+@[\w-]+(\.[\w-]+)*)"), "USER@HOST"},
      {std::regex(R"(\b[0-9]{12}\b)"), "ACCOUNT"},
      {std::regex(R"(\b[0-9]{1,3}(\.[0-9]{1,3}){3}\b)"), "ADDRESS"},
      {std::regex(R"(\b([0-9a-fA-F]{2}[:-]){5}[0-9a-fA-F]{2}\b)"), "ADDRESS"},
      {std::regex(R"(\b([0-9a-fA-F]{1,4}:){3,7}[0-9a-fA-F]{1,4}\b)"), "ADDRESS"},
      {std::regex(
           R"(\b[0-9a-fA-F]{1,4}(:[0-9a-fA-F]{1,4})*::([0-9a-fA-F]{1,4}(:[0-9a-fA-F]{1,4})*)?)"),
       "ADDRESS"},
      {std::regex(R"(\b(ip|host)-[0-9]{1,3}(-[0-9]{1,3}){3}[\w.-]*)"), "HOST"},
      {std::regex(R"([\w-]+(\.[\w-]+)*\.(internal|amazonaws\.com|local|localdomain)\b)"), "HOST"}};
  return patterns;
}

bool IsNameCharacter(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-' || c == '.';
}

// Every occurrence of `name` that is not part of a longer word.
void ReplaceName(std::string& text, const std::string& name) {
  for (size_t at = text.find(name); at != std::string::npos; at = text.find(name, at)) {
    const size_t end = at + name.size();
    const bool inside = (at > 0 && IsNameCharacter(text[at - 1])) ||
                        (end < text.size() && IsNameCharacter(text[end]) && text[end] != '.');
    if (inside) {
      at = end;
      continue;
    }
    text.replace(at, name.size(), "NAME");
    at += 4;
  }
}

// Absolute paths but those that the kernel gives every machine.
std::string WithoutPaths(std::string_view text) {
  std::string result;
  for (size_t at = 0; at < text.size();) {
    const bool begins = text[at] == '/' && at + 1 < text.size() && IsNameCharacter(text[at + 1]) &&
                        (at == 0 || !IsNameCharacter(text[at - 1]));
    if (!begins) {
      result += text[at++];
      continue;
    }
    size_t end = at;
    while (end < text.size() && (IsNameCharacter(text[end]) || text[end] == '/' ||
                                 text[end] == ':' || text[end] == '+')) {
      ++end;
    }
    const std::string_view path = text.substr(at, end - at);
    const bool kernels =
        path.starts_with("/sys/") || path.starts_with("/proc/") || path.starts_with("/dev/");
    result += kernels ? path : "PATH";
    at = end;
  }
  return result;
}

Json Text(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }

std::string WithoutSecrets(std::string_view text, std::span<const std::string> secrets) {
  std::string result = PlainUtf8(text);
  for (const std::string& secret : secrets) {
    // A single letter or "root" says nothing, and would spoil every sentence.
    if (secret.size() >= 3 && secret != "root") ReplaceName(result, secret);
  }
  return result;
}

// Every text below `json` as `scrub` returns it.
template <typename Function>
void Scrub(Json& json, const Function& scrub) {
  if (json.is_string()) {
    json = scrub(json.get<std::string>());
    return;
  }
  if (!json.is_structured()) return;
  for (Json& member : json) Scrub(member, scrub);
}

// The columns of a row as text: their names and values are those of the CSV file.
template <typename Row>
Json RowJson(const Row& row) {
  Json json = Json::object();
  for (const Column<Row>& column : ColumnsOf<Row>()) {
    json[std::string(column.name)] = Text(PlainUtf8(column.print(row)));
  }
  return json;
}

}  // namespace

std::string WithoutNames(std::string_view text, std::span<const std::string> secrets) {
  std::string result = WithoutSecrets(text, secrets);
  for (const Pattern& pattern : Patterns()) {
    result = std::regex_replace(result, pattern.regex, pattern.stand_in);
  }
  return WithoutPaths(result);
}

std::string PublishedCensus(const RunInfo& info, std::span<const CensusRow> census,
                            std::span<const Finding> findings, const PublishOptions& options) {
  std::vector<std::string> secrets = options.secrets;
  for (const std::string& name : {info.run.host, info.machine.hostname, info.run.instance_id,
                                  info.image_id, info.availability_zone}) {
    secrets.push_back(name);
  }
  // The longest first: a host's whole name before the first part of it.
  std::sort(secrets.begin(), secrets.end(), [](const std::string& a, const std::string& b) {
    return std::pair(b.size(), a) < std::pair(a.size(), b);
  });
  const Json run = Json::parse(RunJson(info));
  Json json = {{"format", "railgauge census"}, {"format_version", 1}};
  for (const char* name : kPublicOfRun) json[name] = run.at(name);
  for (const char* name : kPublicOfMachine) json[name] = run.at("machine").at(name);
  // What devices and the kernel say of themselves; versions look like network addresses.
  Scrub(json, [&](const std::string& text) { return WithoutSecrets(text, secrets); });
  Json rows = Json::array(), found = Json::array(), bridges = Json::array();
  for (const PciBridge& bridge : info.machine.bridges) {
    bridges.push_back({{"pci_address", bridge.address.ToString()},
                       {"acs_redirect", std::string(ToString(bridge.acs_redirect))}});
  }
  for (const CensusRow& row : census) rows.push_back(RowJson(row));
  for (const Finding& finding : findings) found.push_back(RowJson(finding));
  const auto without_names = [&](const std::string& text) { return WithoutNames(text, secrets); };
  Scrub(rows, without_names);
  Scrub(found, without_names);
  json["bridges"] = std::move(bridges);
  json["census"] = std::move(rows);
  json["findings"] = std::move(found);
  const bool hash = options.hash_instance_id && !info.run.instance_id.empty();
  json["instance_id_sha256"] = hash ? Text(Sha256(info.run.instance_id)) : Json(nullptr);
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace railgauge
