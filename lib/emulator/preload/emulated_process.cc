#include "lib/emulator/preload/emulated_process.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "lib/base/file.h"
#include "lib/emulator/fabric/remote_hardware.h"
#include "lib/emulator/launcher/environment.h"
#include "lib/emulator/launcher/machine_file.h"
#include "lib/emulator/preload/fault_handler.h"
#include "lib/emulator/preload/safe_copy.h"
#include "lib/emulator/preload/switch_watcher.h"
#include "lib/emulator/uverbs/hosted_fabric.h"
#include "lib/emulator/uverbs/local_hardware.h"
#include "lib/emulator/uverbs/raw_syscall.h"

namespace railgauge {

namespace {

std::atomic<EmulatedProcess*> g_process{nullptr};

// mincore(2): of anonymous memory it says which pages there are.
bool ProbeResidency(uint64_t address, std::vector<bool>* resident) {
  constexpr size_t kChunk = 4096;
  constexpr uint64_t kPage = 4096;
  unsigned char states[kChunk];
  for (size_t done = 0; done < resident->size(); done += kChunk) {
    const size_t count = std::min(kChunk, resident->size() - done);
    if (RawSyscall(SYS_mincore, address + done * kPage, count * kPage, &states[0]) != 0) {
      return false;
    }
    for (size_t i = 0; i < count; ++i) (*resident)[done + i] = (states[i] & 1) != 0;
  }
  return true;
}

void Say(const std::string& message) {
  const std::string line = message + "\n";
  RawSyscall(SYS_write, 2, line.data(), line.size());
}

}  // namespace

NumaPolicy& ThreadPolicy() {
  static thread_local NumaPolicy policy;
  return policy;
}

EmulatedProcess* EmulatedProcess::IfMade() { return g_process.load(std::memory_order_acquire); }

EmulatedProcess* EmulatedProcess::Get() {
  if (EmulatedProcess* process = IfMade()) return process;
  static EmulatedProcess* const made = Make();
  return made;
}

EmulatedProcess* EmulatedProcess::Make() {
  if (std::getenv(kSpecVariable) == nullptr) return nullptr;
  auto machine = ReadFile(kMachineFile).and_then([](const std::string& content) {
    return ParseMachine(content, kMachineFile);
  });
  if (!machine) {
    Say(machine.error().ToString());
    return nullptr;
  }
  auto* process = new EmulatedProcess(*std::move(machine));
  g_process.store(process, std::memory_order_release);
  return process;
}

EmulatedProcess::EmulatedProcess(EmulatedMachine machine)
    : machine_(std::move(machine)),
      numa_(machine_, ProbeResidency),
      affinity_(numa_.cpus()),
      memory_(machine_, numa_, gpus_, [this] { return Here(); }),
      counters_("/sys/class/infiniband"),
      executor_([this] { counters_.Publish(); }) {}

ThreadAffinity::Thread EmulatedProcess::ThisThread() const {
  return {.id = static_cast<pid_t>(RawSyscall(SYS_gettid)), .handle = pthread_self()};
}

size_t EmulatedProcess::CpuLimit() const {
  const IndexSet& cpus = numa_.cpus();
  return cpus.empty() ? 1 : size_t{*cpus.At(cpus.size() - 1)} + 1;
}

uint32_t EmulatedProcess::CurrentCpu() const {
  const IndexSet cpus = affinity_.Get(ThisThread());
  if (cpus.size() != numa_.cpus().size()) return cpus.First().value_or(0);
  // Not pinned: somewhere. The CPUs that both machines have are as good as any.
  unsigned real = 0;
  RawSyscall(SYS_getcpu, &real, nullptr, nullptr);
  return cpus.At(real % cpus.size()).value_or(0);
}

ProcessMemory::Here EmulatedProcess::Here() const {
  const IndexSet cpus = affinity_.Get(ThisThread());
  // A thread that may run anywhere touches its memory from node 0, by convention.
  const bool pinned = cpus.size() != numa_.cpus().size();
  return {pinned ? numa_.NodeOfCpu(cpus.First().value_or(0)) : 0, ThreadPolicy()};
}

Result<std::unique_ptr<Hardware>> EmulatedProcess::MakeHardware() {
  const char* fabric = std::getenv(kFabricVariable);
  if (fabric != nullptr && *fabric != '\0') return JoinFabric(fabric);
  RAILGAUGE_ASSIGN_OR_RETURN(auto host, HostedFabric::Create(std::span(&machine_, 1),
                                                             {.now = Executor::Now,
                                                              .wake = [this] { executor_.Wake(); },
                                                              .completion_event = {},
                                                              .device_removed = {},
                                                              .copy = SafeCopyAll,
                                                              .between_copies = {}}));
  fabric_ = &host->fabric();
  return std::make_unique<LocalHardware>(std::move(host));
}

Result<std::unique_ptr<Hardware>> EmulatedProcess::JoinFabric(const std::string& fabric) {
  const char* node = std::getenv(kNodeVariable);
  const int64_t tree =
      RawSyscall(SYS_openat, AT_FDCWD, "/sys/class/infiniband", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  auto hardware = RemoteHardware::Connect(
      fabric, node == nullptr ? 0 : static_cast<uint32_t>(std::strtoul(node, nullptr, 10)),
      static_cast<int>(tree));
  if (tree >= 0) RawSyscall(SYS_close, tree);
  if (!hardware) return Fail(std::move(hardware).error());
  if ((*hardware)->layout().num_devices != machine_.nics.size()) {
    return Fail(MakeError("join the emulated fabric", fabric, "its machines are other ones"));
  }
  client_ = &(*hardware)->client();
  return std::unique_ptr<Hardware>(*std::move(hardware));
}

void EmulatedProcess::LeaveFabricToParent() {
  if (EmulatedProcess* process = IfMade()) process->client_->LeaveToParent();
}

int EmulatedProcess::StartDevices() {
  const std::lock_guard lock(start_mutex_);
  const auto pid = static_cast<pid_t>(RawSyscall(SYS_getpid));
  if (host() != nullptr) {
    if (pid == started_in_) return 0;
    Say("railgauge emulator: a process whose parent used EFA devices before fork() cannot; open "
        "them after fork() or exec()");
    return -ENODEV;
  }
  auto created = MakeHardware().and_then([this](std::unique_ptr<Hardware> hardware) {
    return UverbsHost::Create(machine_, &memory_, std::move(hardware));
  });
  if (!created) {
    // Once: the next device that is opened fails for the same reason.
    static bool said = false;
    if (!said) Say("railgauge emulator: " + created.error().ToString());
    said = true;
    return -ENODEV;
  }
  owned_host_ = *std::move(created);
  InstallFaultHandler(
      [](uint64_t address) { return IfMade()->IsDoorbell(address); },
      [](uint64_t address, uint32_t value) { return IfMade()->StoreDoorbell(address, value); });
  if (fabric_ != nullptr && !executor_.Start(fabric_)) return -ENOMEM;
  if (fabric_ != nullptr) SwitchWatcher::Start(fabric_, machine_);
  if (client_ != nullptr) pthread_atfork(nullptr, nullptr, LeaveFabricToParent);
  started_in_ = pid;
  host_.store(owned_host_.get(), std::memory_order_release);
  return 0;
}

void EmulatedProcess::PublishCounters() {
  // Before the first device is open there is nothing to say; a forked child has no devices.
  if (host() == nullptr || started_in_ != static_cast<pid_t>(RawSyscall(SYS_getpid))) return;
  if (client_ == nullptr) return counters_.Publish();
  Empty none;
  (void)client_->Call(FabricOp::kPublishCounters, 0, Empty{},
                      &none);  // a lost fabric counts no more
}

int EmulatedProcess::OpenDevice(size_t index, int flags) {
  if (const int error = StartDevices()) return error;
  const int fd = host()->Open(index, (flags & O_CLOEXEC) != 0);
  // The fabric process sees to the files of its own devices.
  if (fd >= 0 && fabric_ != nullptr) {
    counters_.AddDevice(machine_.nics[index].name, host()->device(index).device);
  }
  return fd;
}

void EmulatedProcess::AddDoorbells(uint64_t address, uint64_t length, uint64_t arena_offset) {
  const std::lock_guard lock(doorbells_mutex_);
  doorbells_.Set(address, address + length,
                 static_cast<int64_t>(arena_offset) - static_cast<int64_t>(address));
}

void EmulatedProcess::ForgetMappings(uint64_t address, uint64_t length) {
  constexpr uint64_t kPageMask = 4095;
  numa_.Forget(address, length);
  const std::lock_guard lock(doorbells_mutex_);
  if (!doorbells_.empty()) doorbells_.Erase(address, (address + length + kPageMask) & ~kPageMask);
}

std::optional<uint64_t> EmulatedProcess::DoorbellOffset(uint64_t address) const {
  const std::lock_guard lock(doorbells_mutex_);
  const auto found = doorbells_.Find(address);
  if (!found) return std::nullopt;
  return static_cast<uint64_t>(found->value + static_cast<int64_t>(address));
}

bool EmulatedProcess::StoreDoorbell(uint64_t address, uint32_t value) {
  const auto offset = DoorbellOffset(address);
  if (!offset) return false;
  host()->StoreDoorbell(*offset, value);
  return true;
}

}  // namespace railgauge
