#include "cli/session.h"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <random>

#include "cli/software_versions.h"
#include "lib/base/file.h"
#include "lib/base/unique_fd.h"
#include "lib/measure/shape.h"
#include "lib/report/run_directory.h"
#include "lib/topology/load.h"
#include "lib/topology/names.h"
#include "lib/verbs/context.h"
#include "lib/verbs/device_list.h"
#include "lib/verbs/platform.h"

namespace railgauge {
namespace {

std::vector<std::string> Capabilities(const DeviceAttributes& attributes) {
  std::vector<std::string> names;
  if (attributes.rdma_read) names.emplace_back("rdma_read");
  if (attributes.rdma_write) names.emplace_back("rdma_write");
  return names;
}

void AddNicFacts(const DeviceList& devices, const Nic& nic, Session& session) {
  NicFacts facts;
  facts.address = nic.position.address;
  facts.p2p_provider = ReadP2pProvider(nic.name);
  if (const auto context = Context::Open(devices, nic.name)) {
    facts.firmware = context->attributes().firmware;
    facts.capabilities = Capabilities(context->attributes());
    if (facts.capabilities.empty()) session.nics_without_rdma.push_back(facts.address);
  } else {
    // sysfs tells the firmware also to those who may not open the device.
    facts.firmware = ReadAttribute("/sys/class/infiniband/" + nic.name + "/fw_ver").value_or("");
  }
  session.nic_facts.push_back(std::move(facts));
}

// Libraries below do not say that they could not open a file: hwloc shows less of the machine,
// libibverbs lists fewer devices, a firmware version is empty. So it is told before.
Status CheckOpenFiles() {
  constexpr int kNeeded = 16;
  std::vector<UniqueFd> files;
  for (int i = 0; i < kNeeded; ++i) {
    files.emplace_back(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    if (!files.back().valid()) return Fail(ErrnoError(errno, "open", "files"));
  }
  return {};
}

Status Select(const MachineOptions& options, Session& session) {
  const Machine& machine = session.machine;
  if (options.nics.empty()) {
    for (const Nic& nic : machine.nics) session.nics.push_back(nic.position.address);
  } else {
    RAILGAUGE_ASSIGN_OR_RETURN(const auto nics, ResolveNics(machine, options.nics));
    for (const NicKey& nic : nics) session.nics.push_back(nic.address);
  }
  if (options.places.empty()) {
    session.places = session.census_places = machine.Places();
    for (const MemoryPlace& place : machine.UnsupportedPlaces()) {
      session.census_places.push_back(place);
    }
  } else {
    RAILGAUGE_ASSIGN_OR_RETURN(session.places,
                               ResolvePlaces(machine, options.places, session.cuda_order));
    session.census_places = session.places;
  }
  return {};
}

}  // namespace

Result<Session> OpenSession(const MachineOptions& options) {
  const auto start = std::chrono::system_clock::now();
  RAILGAUGE_RETURN_IF_ERROR(CheckOpenFiles());
  RAILGAUGE_ASSIGN_OR_RETURN(Machine machine, options.hwloc_xml.empty()
                                                  ? LoadLiveMachine()
                                                  : LoadMachineFromXml(options.hwloc_xml));
  RAILGAUGE_RETURN_IF_ERROR(machine.CheckHasNics());
  RAILGAUGE_ASSIGN_OR_RETURN(const DeviceList devices, DeviceList::Get());

  std::vector<std::string> notes;
  auto opened = CudaDriver::Open();
  if (!opened) notes.push_back(opened.error().ToString());
  CudaDriver cuda = opened ? *std::move(opened) : CudaDriver::Absent(notes.back());

  Session session{.start = start,
                  .machine = std::move(machine),
                  .cuda = std::move(cuda),
                  .cuda_order = {},
                  .facts = ReadMachineFacts(),
                  .run = {},
                  .nic_facts = {},
                  .nics_without_rdma = {},
                  .nics = {},
                  .places = {},
                  .census_places = {},
                  .notes = std::move(notes),
                  .buffers = {},
                  .peer = {}};
  for (const CudaGpu& gpu : session.cuda.gpus()) session.cuda_order.push_back(gpu.address);
  for (const Nic& nic : session.machine.nics) AddNicFacts(devices, nic, session);
  RAILGAUGE_RETURN_IF_ERROR(Select(options, session));

  session.run.run_id = MakeRunId(start, std::random_device{}());
  session.run.host = session.facts.hostname;
  session.run.instance_id = session.facts.instance_id;
  session.run.instance_type = session.machine.instance_type;
  std::vector<std::string> firmwares;
  for (const NicFacts& nic : session.nic_facts) firmwares.push_back(nic.firmware);
  session.run.platform = PlatformOfAll(firmwares);
  return session;
}

std::string WhyNothingIsMeasurable(const Session& session) {
  const std::vector<PciAddress>& without = session.nics_without_rdma;
  for (const PciAddress& nic : session.nics) {
    if (std::find(without.begin(), without.end(), nic) == without.end()) return "";
  }
  return session.nics.size() == 1
             ? "the NIC has neither RDMA read nor RDMA write, so nothing can be measured with it"
             : "none of the " + std::to_string(session.nics.size()) +
                   " NICs has RDMA read or RDMA write, so nothing can be measured with them";
}

bool CanDo(const Session& session, const PciAddress& nic, Operation operation) {
  const std::vector<PciAddress>& without = session.nics_without_rdma;
  if (std::find(without.begin(), without.end(), nic) != without.end()) return false;
  for (const NicFacts& facts : session.nic_facts) {
    const std::vector<std::string>& can = facts.capabilities;
    if (facts.address != nic || can.empty()) continue;
    const char* name = operation == Operation::kRead ? "rdma_read" : "rdma_write";
    return std::find(can.begin(), can.end(), name) != can.end();
  }
  return true;
}

RunInfo MakeRunInfo(const Session& session, const std::vector<std::string>& command_line) {
  RunInfo info;
  info.run = session.run;
  info.machine = session.machine;
  info.nics = session.nic_facts;
  for (const CudaGpu& gpu : session.cuda.gpus()) {
    info.cuda.push_back({gpu.address, gpu.ordinal, gpu.name, gpu.memory, gpu.attributes});
  }
  info.buffers = session.buffers;
  if (!session.buffers.empty()) info.queue_pairs = kQueuePairs;
  info.availability_zone = session.facts.availability_zone;
  info.image_id = session.facts.image_id;
  info.kernel = session.facts.kernel;
  info.driver_version = session.facts.efa_driver_version;
  info.versions = SoftwareVersions();
  if (!session.cuda.version().empty()) info.versions["cuda-driver"] = session.cuda.version();
  info.command_line = command_line;
  info.start = session.start;
  // The launcher leaves what it was asked for to those who label results.
  if (const char* spec = std::getenv("RAILGAUGE_EMULATED_SPEC")) info.scenario = spec;
  info.notes = session.notes;
  if (session.peer) {
    info.peer = {session.peer->software, session.peer->host, session.peer->instance_id,
                 session.peer->instance_type, session.peer->platform};
  }
  return info;
}

}  // namespace railgauge
