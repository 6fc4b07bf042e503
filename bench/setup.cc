#include "bench/setup.h"

#include <chrono>
#include <random>
#include <utility>

#include "lib/base/file.h"
#include "lib/base/pci_address.h"
#include "lib/report/run_directory.h"
#include "lib/topology/load.h"
#include "lib/topology/names.h"
#include "lib/verbs/platform.h"

namespace railgauge {
namespace {

RunIdentity IdentityOf(const Machine& machine) {
  RunIdentity run;
  run.run_id = MakeRunId(std::chrono::system_clock::now(), std::random_device{}());
  run.host = machine.hostname;
  const auto tag = ReadAttribute("/sys/devices/virtual/dmi/id/board_asset_tag");
  if (tag && tag->starts_with("i-")) run.instance_id = *tag;
  run.instance_type = machine.instance_type;
  std::vector<std::string> firmwares;
  for (const Nic& nic : machine.nics) {
    firmwares.push_back(
        ReadAttribute("/sys/class/infiniband/" + nic.name + "/fw_ver").value_or(""));
  }
  run.platform = PlatformOfAll(firmwares);
  return run;
}

}  // namespace

Result<BenchSetup> SetUpBench(const BenchFlags& flags) {
  RAILGAUGE_ASSIGN_OR_RETURN(Machine machine, LoadLiveMachine());
  RAILGAUGE_RETURN_IF_ERROR(machine.CheckHasNics());
  std::vector<std::string> notes;
  auto opened = CudaDriver::Open();
  if (!opened) notes.push_back(opened.error().ToString());
  CudaDriver cuda = opened ? *std::move(opened) : CudaDriver::Absent(notes.back());
  std::vector<PciAddress> cuda_order;
  for (const CudaGpu& gpu : cuda.gpus()) cuda_order.push_back(gpu.address);

  std::vector<NicKey> nics;
  for (const Nic& nic : machine.nics) nics.push_back(nic.key());
  if (!flags.nics.empty()) {
    RAILGAUGE_ASSIGN_OR_RETURN(nics, ResolveNics(machine, flags.nics));
  }
  std::vector<MemoryPlace> places = machine.Places();
  if (!flags.places.empty()) {
    RAILGAUGE_ASSIGN_OR_RETURN(places, ResolvePlaces(machine, flags.places, cuda_order));
  }
  RunIdentity run = IdentityOf(machine);
  return BenchSetup{std::move(machine), std::move(cuda), std::move(nics),
                    std::move(places),  std::move(run),  std::move(notes)};
}

}  // namespace railgauge
