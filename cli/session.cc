#include "cli/session.h"

#include <cstdlib>
#include <random>

#include "cli/software_versions.h"
#include "lib/base/file.h"
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

NicFacts ReadNicFacts(const DeviceList& devices, const Nic& nic) {
  NicFacts facts;
  facts.address = nic.position.address;
  facts.p2p_provider = ReadP2pProvider(nic.name);
  if (const auto context = Context::Open(devices, nic.name)) {
    facts.firmware = context->attributes().firmware;
    facts.capabilities = Capabilities(context->attributes());
  } else {
    // sysfs tells the firmware also to those who may not open the device.
    facts.firmware = ReadAttribute("/sys/class/infiniband/" + nic.name + "/fw_ver").value_or("");
  }
  return facts;
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
    session.places = machine.Places();
  } else {
    RAILGAUGE_ASSIGN_OR_RETURN(session.places,
                               ResolvePlaces(machine, options.places, session.cuda_order));
  }
  return {};
}

}  // namespace

Result<Session> OpenSession(const MachineOptions& options) {
  const auto start = std::chrono::system_clock::now();
  RAILGAUGE_ASSIGN_OR_RETURN(Machine machine, options.hwloc_xml.empty()
                                                  ? LoadLiveMachine()
                                                  : LoadMachineFromXml(options.hwloc_xml));
  RAILGAUGE_RETURN_IF_ERROR(machine.CheckHasNics());
  RAILGAUGE_ASSIGN_OR_RETURN(const DeviceList devices, DeviceList::Get());

  std::vector<std::string> notes;
  auto opened = CudaDriver::Open();
  if (!opened) notes.push_back(opened.error().ToString());
  CudaDriver cuda = opened ? *std::move(opened) : CudaDriver::Absent(notes.back());

  Session session{start, std::move(machine), std::move(cuda), {}, ReadMachineFacts(), {}, {}, {},
                  {},    std::move(notes)};
  for (const CudaGpu& gpu : session.cuda.gpus()) session.cuda_order.push_back(gpu.address);
  for (const Nic& nic : session.machine.nics) {
    session.nic_facts.push_back(ReadNicFacts(devices, nic));
  }
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

RunInfo MakeRunInfo(const Session& session, const std::vector<std::string>& command_line) {
  RunInfo info;
  info.run = session.run;
  info.machine = session.machine;
  info.nics = session.nic_facts;
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
  return info;
}

}  // namespace railgauge
