#include "lib/emulator/preload/switch_watcher.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/prctl.h>
#include <time.h>

#include <string>

#include "lib/base/file.h"
#include "lib/emulator/launcher/environment.h"
#include "lib/emulator/launcher/machine_file.h"
#include "lib/emulator/uverbs/raw_syscall.h"

namespace railgauge {

namespace {
constexpr long kIntervalNs = 20'000'000;
}

void SwitchWatcher::Start(efa::Fabric* fabric, const EmulatedMachine& machine) {
  const int64_t file = RawSyscall(SYS_openat, AT_FDCWD, kSwitchesFile, O_RDONLY | O_CLOEXEC);
  if (file < 0) return;
  auto* watcher = new SwitchWatcher(fabric, machine, static_cast<int>(file));  // lives for ever
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);  // signals are for the application's threads
  pthread_t thread = {};
  pthread_create(&thread, nullptr, Run, watcher);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void* SwitchWatcher::Run(void* watcher) {
  RawSyscall(SYS_prctl, PR_SET_NAME, "efa-switches");
  static_cast<SwitchWatcher*>(watcher)->Loop();
  return nullptr;
}

uint64_t SwitchWatcher::Generation() const {
  uint64_t generation = 0;
  RawSyscall(SYS_pread64, file_, &generation, sizeof generation, 0);
  return generation;
}

void SwitchWatcher::Loop() {
  uint64_t seen = 0;  // the machine may have been switched before this process read it
  for (;;) {
    if (const uint64_t generation = Generation(); generation != seen) {
      seen = generation;
      TakeOver();
    }
    const timespec interval = {.tv_sec = 0, .tv_nsec = kIntervalNs};
    RawSyscall(SYS_nanosleep, &interval, nullptr);
  }
}

void SwitchWatcher::TakeOver() {
  auto machine = ReadFile(kMachineFile).and_then([](const std::string& content) {
    return ParseMachine(content, kMachineFile);
  });
  if (!machine) return;
  fabric_.SetCapacities(0, machine->resources);
  // Only of those that changed, so that a fault which is to start later does so in time.
  for (size_t i = 0; i < machine->nics.size() && i < machine_.nics.size(); ++i) {
    const EmulatedNic& nic = machine->nics[i];
    if (nic.faults != machine_.nics[i].faults) fabric_.SetFaults(0, nic.address, nic.faults);
  }
  machine_ = *std::move(machine);
}

}  // namespace railgauge
