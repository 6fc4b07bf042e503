#include "lib/placement/import/mooncake_topology.h"

#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "lib/base/quoted.h"
#include "lib/placement/import/json_text.h"
#include "lib/topology/names.h"

namespace railgauge {
namespace {

using Json = nlohmann::ordered_json;

size_t LineOfKey(const ImportSource& source, const std::string& key) {
  return LineOf(source, "\"" + key + "\"");
}

// "gpu0" of "cuda:0" (or "hip:0", …), "numa0" of "cpu:0"; empty for what is no place.
std::string PlaceName(std::string_view key) {
  const size_t colon = key.find(':');
  if (colon == std::string_view::npos) return "";
  return (key.starts_with("cpu:") ? "numa" : "gpu") + std::string(key.substr(colon + 1));
}

Status AddEntry(const ImportSource& source, const std::string& key, const Json& lists,
                Decision& decision) {
  const size_t line = LineOfKey(source, key);
  const auto fail = [&] {
    return Fail(ImportError(source, line,
                            "\"" + Shortened(key) +
                                "\" is no place with two lists of NIC names, like \"cuda:0\": "
                                "[[\"rdmap79s0\"], []]",
                            "Give the topology that Mooncake's transfer engine prints or reads"));
  };
  const std::string name = PlaceName(key);
  if (name.empty() || !lists.is_array() || lists.size() != 2) return fail();
  if (!lists[0].is_array() || !lists[1].is_array()) return fail();
  const Json& nics = lists[lists[0].empty() ? 1 : 0];
  if (nics.empty()) return {};
  const auto place = ResolvePlace(source.machine, name, source.cuda_order);
  if (!place) return Fail(AtLine(source, line, place.error()));
  std::set<PciAddress> named;
  for (const Json& nic : nics) {
    if (!nic.is_string()) return fail();
    const auto& text = nic.get_ref<const std::string&>();
    const size_t line_of_nic = LineOf(source, "\"" + text + "\"");
    RAILGAUGE_ASSIGN_OR_RETURN(NicKey key_of_nic, NicAt(source, line_of_nic, text));
    if (!named.insert(key_of_nic.address).second) {
      return Fail(ImportError(
          source, line_of_nic,
          "it names " + key_of_nic.address.ToString() + " twice for \"" + Shortened(key) + "\"",
          "Name every NIC of a list once"));
    }
    AddPair(*place, key_of_nic, decision);
  }
  return {};
}

}  // namespace

Result<Decision> ImportMooncakeTopology(const ImportSource& source) {
  RAILGAUGE_ASSIGN_OR_RETURN(const Json root, ParseJson(source));
  bool has_gpus = false;
  for (const auto& [key, lists] : root.items()) {
    has_gpus = has_gpus || (key.find(':') != std::string::npos && !key.starts_with("cpu:"));
  }
  Decision decision{source.file_name, {}};
  for (const auto& [key, lists] : root.items()) {
    if (has_gpus && key.starts_with("cpu:")) continue;
    RAILGAUGE_RETURN_IF_ERROR(AddEntry(source, key, lists, decision));
  }
  if (decision.assignments.empty()) {
    return Fail(ImportError(source, 1, "it gives no NIC to any place"));
  }
  return decision;
}

}  // namespace railgauge
