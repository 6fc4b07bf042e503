#include "lib/report/html/page.h"

#include <initializer_list>

#include "fmt/core.h"
#include "lib/report/bounded_json.h"
#include "nlohmann/json.hpp"

namespace railgauge {
namespace {

using Json = nlohmann::json;

constexpr std::string_view kHole = "@@DATA@@";

std::string Rows(const std::optional<size_t>& rows) {
  return rows ? std::to_string(*rows) : "null";
}

std::string FilesJson(const std::vector<PageFile>& files) {
  std::string json;
  for (const PageFile& file : files) {
    if (!json.empty()) json += ',';
    json += fmt::format(R"({{"name":{},"rows":{},"problem":{}}})", JsonText(file.name),
                        Rows(file.rows), JsonText(file.problem));
  }
  return "[" + json + "]";
}

std::string IdentityJson(const RunIdentity& run) {
  return fmt::format(
      R"({{"run_id":{},"host":{},"instance_id":{},"instance_type":{},"platform":{}}})",
      JsonText(run.run_id), JsonText(run.host), JsonText(run.instance_id),
      JsonText(run.instance_type), JsonText(run.platform));
}

// Of the members of `item` that the page reads without asking, the first that is not there.
std::string MissingOf(const Json& item, std::initializer_list<const char*> strings,
                      std::initializer_list<const char*> arrays) {
  if (!item.is_object()) return "an object";
  for (const char* name : strings) {
    if (!item.contains(name) || !item[name].is_string()) return name;
  }
  for (const char* name : arrays) {
    if (!item.contains(name) || !item[name].is_array()) return name;
  }
  return "";
}

std::string MissingOfMachine(const Json& info) {
  if (!info.is_object() || !info.contains("machine")) return "machine";
  const Json& machine = info["machine"];
  std::string missing = MissingOf(machine, {}, {"numa_nodes", "gpus", "nics"});
  if (!missing.empty()) return missing;
  for (const char* kind : {"gpus", "nics"}) {
    for (const Json& device : machine[kind]) {
      missing = MissingOf(device, {"pci_address"}, {"bridges"});
      if (!missing.empty()) return fmt::format("{} of {}", missing, kind);
    }
  }
  return "";
}

constexpr char kAsWritten[] = "Give the run directory as it was written";

}  // namespace

Status CheckRunJson(const std::string& content, const std::string& file_name) {
  RAILGAUGE_ASSIGN_OR_RETURN(const Json info,
                             ParseBoundedJson<Json>(content, file_name, kAsWritten));
  const std::string missing = MissingOfMachine(info);
  if (missing.empty()) return {};
  return Fail(MakeError("read", file_name, "it does not say: " + missing, kAsWritten));
}

std::string ToJson(const PageData& data) {
  std::string info = "null";
  if (CheckRunJson(data.run_json, "run.json")) {
    info = nlohmann::ordered_json::parse(data.run_json)
               .dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
  }
  std::string tables;
  for (const PageTable& table : data.tables) {
    if (!tables.empty()) tables += ',';
    tables += JsonText(table.name) + ":" + ToJson(table);
  }
  const std::string json = fmt::format(
      R"({{"kind":"run","generator":{},"run":{},"info":{},"judged":{},"how_to_judge":{},)"
      R"("files":{},"tables":{{{}}}}})",
      JsonText(data.generator), IdentityJson(data.run), info, JsonText(data.judged),
      JsonText(data.how_to_judge), FilesJson(data.files), tables);
  return WithoutMarkup(json);
}

std::string WithoutMarkup(std::string_view json) {
  // Outside of strings JSON has no '<'.
  std::string safe;
  safe.reserve(json.size());
  for (const char c : json) {
    if (c == '<') {
      safe += "\\u003c";
    } else {
      safe += c;
    }
  }
  return safe;
}

std::string FillPage(std::string_view page_template, std::string_view json) {
  const size_t hole = page_template.find(kHole);
  if (hole == std::string_view::npos) return std::string(page_template);
  std::string page(page_template.substr(0, hole));
  page += json;
  page += page_template.substr(hole + kHole.size());
  return page;
}

}  // namespace railgauge
