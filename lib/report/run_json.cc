#include "lib/report/run_json.h"

#include <algorithm>
#include <cmath>
#include <ctime>

#include "fmt/core.h"
#include "lib/report/schema.h"
#include "nlohmann/json.hpp"

namespace railgauge {
namespace {

using Json = nlohmann::ordered_json;

Json Text(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }

template <typename T>
Json Number(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

// The fields that NICs and GPUs share.
Json Position(const PciPosition& position) {
  Json bridges = Json::array();
  for (const PciAddress& bridge : position.bridges) bridges.push_back(bridge.ToString());
  const Json speed = position.link_speed ? Json(position.link_speed->value) : Json(nullptr);
  return {{"pci_address", position.address.ToString()},
          {"numa_node", Number(position.numa_node)},
          {"host_bridge", Text(position.host_bridge)},
          {"bridges", bridges},
          {"link_speed_bytes_per_second", speed}};
}

Json NicJson(const Nic& nic, const std::vector<NicFacts>& all_facts) {
  Json json = Position(nic.position);
  json["name"] = Text(nic.name);
  json["device_id"] = fmt::format("{:04x}", nic.device_id);
  const auto facts = std::find_if(all_facts.begin(), all_facts.end(), [&](const NicFacts& f) {
    return f.address == nic.position.address;
  });
  const bool known = facts != all_facts.end();
  json["firmware"] = known ? Text(facts->firmware) : Json(nullptr);
  json["p2p_provider"] = known ? Text(facts->p2p_provider) : Json(nullptr);
  json["capabilities"] = known ? Json(facts->capabilities) : Json(nullptr);
  return json;
}

// A GPU, or an accelerator of another kind.
Json ProcessorJson(const PciPosition& position, uint16_t vendor_id, uint16_t device_id,
                   const std::string& model) {
  Json json = Position(position);
  json["vendor_id"] = fmt::format("{:04x}", vendor_id);
  json["device_id"] = fmt::format("{:04x}", device_id);
  json["model"] = Text(model);
  return json;
}

// What CUDA says of the GPU at `address`; null when it does not show it.
Json CudaJson(const std::vector<CudaGpuFacts>& gpus, const PciAddress& address) {
  for (const CudaGpuFacts& gpu : gpus) {
    if (gpu.address != address) continue;
    Json attributes = Json::object();
    for (const auto& [name, value] : gpu.attributes) attributes[name] = Number(value);
    return {{"ordinal", gpu.ordinal},
            {"name", Text(gpu.name)},
            {"memory_bytes", gpu.memory.count},
            {"attributes", attributes}};
  }
  return nullptr;
}

// What "gpu3" means in this run; null where CUDA shows no GPU. Also of GPUs that PCI does not show.
Json CudaOrderJson(std::vector<CudaGpuFacts> gpus) {
  if (gpus.empty()) return nullptr;
  std::sort(gpus.begin(), gpus.end(),
            [](const CudaGpuFacts& a, const CudaGpuFacts& b) { return a.ordinal < b.ordinal; });
  Json order = Json::array();
  for (const CudaGpuFacts& gpu : gpus) order.push_back(gpu.address.ToString());
  return order;
}

Json BufferJson(const BufferFacts& buffer) {
  return {{"place", buffer.place.ToString()},
          {"role", buffer.role},
          {"bytes", buffer.length.count},
          {"pages", Text(buffer.pages)},
          {"huge_page_fraction", Number(buffer.huge_share)},
          {"place_verified", Number(buffer.place_verified)},
          {"unverified_reason", Text(buffer.unverified_reason)},
          {"dmabuf_mapping", Text(buffer.dmabuf_mapping)},
          {"no_dmabuf_reason", Text(buffer.no_dmabuf_reason)},
          {"checked_by", Text(buffer.checked_by)},
          {"checked_by_reason", Text(buffer.checked_by_reason)}};
}

Json MachineJson(const RunInfo& info) {
  const Machine& machine = info.machine;
  Json numa_nodes = Json::array(), gpus = Json::array(), nics = Json::array();
  for (const NumaNode& node : machine.numa_nodes) {
    numa_nodes.push_back({{"os_index", node.os_index},
                          {"memory_bytes", node.memory.count},
                          {"cpu_count", node.cpus.size()}});
  }
  for (const Gpu& gpu : machine.gpus) {
    gpus.push_back(ProcessorJson(gpu.position, gpu.vendor_id, gpu.device_id, gpu.model));
    gpus.back()["cuda"] = CudaJson(info.cuda, gpu.position.address);
  }
  for (const Nic& nic : machine.nics) nics.push_back(NicJson(nic, info.nics));
  Json accelerators = Json::array();
  for (const Accelerator& item : machine.accelerators) {
    accelerators.push_back(
        ProcessorJson(item.position, item.vendor_id, item.device_id, item.model));
  }
  Json others = Json::array();
  for (const PciAddress& address : machine.other_rdma_devices) others.push_back(address.ToString());
  return {{"instance_type", Text(info.run.instance_type)},
          {"instance_id", Text(info.run.instance_id)},
          {"availability_zone", Text(info.availability_zone)},
          {"image_id", Text(info.image_id)},
          {"hostname", Text(info.run.host)},
          {"kernel", Text(info.kernel)},
          {"efa_driver_version", Text(info.driver_version)},
          {"shows_pci", machine.shows_pci},
          {"flat", machine.flat},
          {"numa_nodes", numa_nodes},
          {"gpus", gpus},
          {"nics", nics},
          {"other_rdma_devices", others},
          {"accelerators", accelerators}};
}

Json PeerJson(const std::optional<PeerFacts>& peer) {
  if (!peer) return nullptr;
  return {{"software", Text(peer->software)},
          {"hostname", Text(peer->host)},
          {"instance_id", Text(peer->instance_id)},
          {"instance_type", Text(peer->instance_type)},
          {"platform", Text(peer->platform)}};
}

}  // namespace

std::string FormatUtc(std::chrono::system_clock::time_point time) {
  const auto whole = std::chrono::floor<std::chrono::seconds>(time);
  const auto millis = std::chrono::duration_cast<std::chrono::milliseconds>(time - whole).count();
  const std::time_t seconds = std::chrono::system_clock::to_time_t(whole);
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z", parts.tm_year + 1900,
                     parts.tm_mon + 1, parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec,
                     millis);
}

std::string RunJson(const RunInfo& info) {
  Json thresholds = Json::array();
  for (const Threshold& threshold : info.thresholds) {
    thresholds.push_back(
        {{"name", threshold.name}, {"value", threshold.value}, {"reason", Text(threshold.reason)}});
  }
  Json buffers = Json::array();
  for (const BufferFacts& buffer : info.buffers) buffers.push_back(BufferJson(buffer));
  const Json json = {{"schema_version", kSchemaVersion},
                     {"run_id", info.run.run_id},
                     {"platform", info.run.platform},
                     {"scenario", Text(info.scenario)},
                     {"start", FormatUtc(info.start)},
                     {"end", info.end ? Json(FormatUtc(*info.end)) : Json(nullptr)},
                     {"exit_status", Number(info.exit_status)},
                     {"command_line", info.command_line},
                     {"versions", info.versions},
                     {"machine", MachineJson(info)},
                     {"thresholds", thresholds},
                     {"notes", info.notes},
                     {"peer", PeerJson(info.peer)},
                     {"queue_pairs", Number(info.queue_pairs)},
                     {"buffers", buffers},
                     {"cuda_order", CudaOrderJson(info.cuda)},
                     {"command", Text(info.command)}};
  // Names come from outside and may be no UTF-8; such bytes are replaced. A number that is not
  // finite is written as null.
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace railgauge
