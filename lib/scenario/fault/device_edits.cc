// Edits of what NICs, GPUs and their surroundings answer and do.
#include <algorithm>
#include <numeric>
#include <string>

#include "fmt/format.h"
#include "fmt/ranges.h"
#include "lib/scenario/fault/edit.h"
#include "lib/scenario/fault/machine_parts.h"

namespace railgauge {
namespace {

using Kind = EmulatedNicFault::Kind;

// As `is:` of the edit nic_fault names them.
constexpr std::string_view kFaultWords[] = {
    "stop_completing", "removed", "counters_stuck",     "counts_as_send",  "completion_errors",
    "retransmissions", "drops",   "receiver_not_ready", "foreign_traffic", "registration_fails",
    "open_fails"};
constexpr Kind kFaultKinds[] = {Kind::kStopCompleting,
                                Kind::kRemoved,
                                Kind::kCountersStuck,
                                Kind::kCountsAsSend,
                                Kind::kCompletionErrors,
                                Kind::kRetransmissions,
                                Kind::kDrops,
                                Kind::kReceiverNotReady,
                                Kind::kForeignTraffic,
                                Kind::kRegistrationFails,
                                Kind::kOpenFails};
static_assert(std::size(kFaultWords) == std::size(kFaultKinds));

void SetFault(const EmulatedNicFault& fault, EmulatedNic* nic) {
  std::erase_if(nic->faults, [&](const EmulatedNicFault& held) {
    return held.kind == fault.kind && held.way == fault.way;
  });
  nic->faults.push_back(fault);
}

Status AddNicFault(const EditArguments& arguments, EmulatedMachine* machine) {
  const std::string word = arguments.Word("is").value_or("");
  const auto* at = std::find(std::begin(kFaultWords), std::end(kFaultWords), word);
  EmulatedNicFault fault;
  fault.kind = kFaultKinds[at - std::begin(kFaultWords)];
  fault.amount = arguments.value().number;
  fault.code = arguments.value().code;
  fault.start = arguments.start();
  const FaultTarget& target = arguments.target();
  for (EmulatedNic& nic : machine->nics) {
    if (!Contains(target.nics, nic.address)) continue;
    if (target.ways.empty()) SetFault(fault, &nic);
    for (const RegistrationWay way : target.ways) {
      fault.way = way;
      SetFault(fault, &nic);
    }
  }
  return {};
}

Status SetReportedRate(const EditArguments& arguments, EmulatedMachine* machine) {
  for (EmulatedNic& nic : machine->nics) {
    if (!Contains(arguments.target().nics, nic.address)) continue;
    nic.model.reported_gb_per_second = arguments.Number("to") * 8 / 1e9;
  }
  return {};
}

Status RefuseQueryMr(const EditArguments& arguments, EmulatedMachine* machine) {
  for (EmulatedNic& nic : machine->nics) {
    if (Contains(arguments.target().nics, nic.address)) nic.model.can_query_mr = false;
  }
  return {};
}

void SetIds(const EditArguments& arguments, InterconnectIds* ids) {
  const auto field = arguments.Word("field");
  std::optional<uint16_t> to;
  if (arguments.Word("to") != "none") to = static_cast<uint16_t>(arguments.value().number);
  if (field == "all" || field == "recv") ids->recv = to;
  if (field == "all" || field == "rdma_read") ids->rdma_read = to;
  if (field == "all" || field == "rdma_recv") ids->rdma_recv = to;
}

Status SetIdsOfNics(const EditArguments& arguments, EmulatedMachine* machine) {
  for (auto* entries : {&machine->host_and_dmabuf_ids, &machine->peer_memory_ids}) {
    for (auto& [pair, ids] : *entries) {
      if (Contains(arguments.target().nics, pair.first)) SetIds(arguments, &ids);
    }
  }
  return {};
}

Status RemovePeerProvider(const EditArguments&, EmulatedMachine* machine) {
  machine->p2p_provider = "none";
  return {};
}

Status RefuseDmabuf(const EditArguments& arguments, EmulatedMachine* machine) {
  for (EmulatedGpu& gpu : machine->gpus) {
    if (Contains(arguments.target().gpus, gpu.address)) gpu.dmabuf = false;
  }
  return {};
}

// The user's order; all GPUs from the last to the first where none is given.
Status SetVisibleGpus(const EditArguments& arguments, EmulatedMachine* machine) {
  std::vector<uint32_t> order = arguments.value().order;
  const size_t count = machine->gpus.size();
  if (order.empty()) {
    order.resize(count);
    std::iota(order.rbegin(), order.rend(), 0u);
  }
  for (const uint32_t index : order) {
    if (index < count) continue;
    return Fail(MakeError("", "", fmt::format("there is no GPU {}", index),
                          fmt::format("The machine has {}", count)));
  }
  machine->surroundings.cuda_visible_devices = fmt::format("{}", fmt::join(order, ","));
  return {};
}

Status SetDeviceMode(const EditArguments& arguments, EmulatedMachine* machine) {
  machine->surroundings.device_mode = arguments.value().code;
  return {};
}

Status SetMemlock(const EditArguments& arguments, EmulatedMachine* machine) {
  machine->surroundings.memlock = Bytes{static_cast<uint64_t>(arguments.value().number)};
  return {};
}

Status SetSeed(const EditArguments& arguments, EmulatedMachine* machine) {
  machine->seed = static_cast<uint64_t>(arguments.value().number);
  return {};
}

constexpr EditParameter kIs[] = {{.name = "is", .required = true, .words = kFaultWords}};
constexpr EditParameter kTo[] = {{.name = "to"}};
constexpr std::string_view kFields[] = {"recv", "rdma_read", "rdma_recv", "all"};
constexpr std::string_view kNone[] = {"none"};
constexpr EditParameter kIds[] = {{.name = "field", .required = true, .words = kFields},
                                  {.name = "to", .required = true, .words = kNone}};

constexpr EditPrimitive kDeviceEdits[] = {
    {"nic_fault", kIs, AddNicFault},
    {"set_reported_rate", kTo, SetReportedRate},
    {"refuse_query_mr", {}, RefuseQueryMr},
    {"set_ids", kIds, SetIdsOfNics},
    {"remove_peer_provider", {}, RemovePeerProvider},
    {"refuse_dmabuf", {}, RefuseDmabuf},
    {"set_visible_gpus", {}, SetVisibleGpus},
    {"set_device_mode", {}, SetDeviceMode},
    {"set_memlock", {}, SetMemlock},
    {"set_seed", {}, SetSeed},
};

}  // namespace

std::span<const EditPrimitive> DeviceEdits() { return kDeviceEdits; }

}  // namespace railgauge
