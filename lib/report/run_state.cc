#include "lib/report/run_state.h"

#include "nlohmann/json.hpp"

namespace railgauge {
namespace {

using Json = nlohmann::json;

Error NoRunJson(const std::string& path, std::string reason) {
  return MakeError("read", path, std::move(reason),
                   "Give the run directory as it was written, or remove the file");
}

// The member `name`, or null.
const Json& Member(const Json& object, const char* name) {
  static const Json kNull;
  const auto found = object.find(name);
  return found == object.end() ? kNull : *found;
}

}  // namespace

Result<RunState> ParseRunState(std::string_view content, const std::string& path) {
  const Json root = Json::parse(content.begin(), content.end(), nullptr, false);
  if (!root.is_object()) return Fail(NoRunJson(path, "it is no JSON object, or cut off"));
  const Json& run_id = Member(root, "run_id");
  if (!run_id.is_string()) return Fail(NoRunJson(path, "it has no run_id, so it is no run.json"));
  RunState state;
  state.run_id = run_id.get<std::string>();
  state.ended = Member(root, "end").is_string();
  const Json& order = Member(root, "cuda_order");
  if (order.is_null()) return state;
  if (!order.is_array()) return Fail(NoRunJson(path, "cuda_order is no list of PCI addresses"));
  for (const Json& entry : order) {
    const auto address =
        entry.is_string() ? PciAddress::Parse(entry.get_ref<const std::string&>()) : std::nullopt;
    if (!address) return Fail(NoRunJson(path, "cuda_order is no list of PCI addresses"));
    state.cuda_order.push_back(*address);
  }
  return state;
}

}  // namespace railgauge
