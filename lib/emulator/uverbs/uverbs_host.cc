#include "lib/emulator/uverbs/uverbs_host.h"

#include <algorithm>
#include <cerrno>

#include "lib/emulator/uverbs/raw_syscall.h"

namespace railgauge {

namespace {

constexpr uint32_t kMaxCompVectors = 32;

const EmulatedPciDevice* FindPci(const std::vector<EmulatedPciDevice>& devices,
                                 const PciAddress& address) {
  for (const EmulatedPciDevice& device : devices) {
    if (device.address == address) return &device;
    if (const EmulatedPciDevice* found = FindPci(device.children, address)) return found;
  }
  return nullptr;
}

const EmulatedPciDevice* FindPci(const EmulatedMachine& machine, const PciAddress& address) {
  for (const EmulatedHostBridge& bridge : machine.host_bridges) {
    if (const EmulatedPciDevice* found = FindPci(bridge.children, address)) return found;
  }
  return nullptr;
}

}  // namespace

Result<std::unique_ptr<UverbsHost>> UverbsHost::Create(const EmulatedMachine& machine,
                                                       MemoryLocator* locator,
                                                       std::unique_ptr<Hardware> hardware) {
  std::unique_ptr<UverbsHost> host(new UverbsHost());
  host->hardware_ = std::move(hardware);
  Hardware& functions = *host->hardware_;
  size_t num_cpus = 0;
  for (const EmulatedNumaNode& node : machine.numa_nodes) num_cpus += node.cpus.size();
  for (size_t i = 0; i < machine.nics.size(); ++i) {
    const EmulatedNic& nic = machine.nics[i];
    auto device = std::make_unique<UverbsDevice>();
    device->nic = &nic;
    device->pci = FindPci(machine, nic.address);
    if (device->pci == nullptr) {
      return Fail(MakeError("emulate NIC", nic.name + " at " + nic.address.ToString(),
                            "the scenario has no such PCI function", "Fix " + machine.source_file));
    }
    device->device = functions.device(i);
    device->events = functions.events(i);
    device->dma_space = functions.dma_space();
    device->rings = functions.rings();
    device->llq_key = functions.layout().LlqKey(i);
    device->doorbell_key = functions.layout().DoorbellKey(i);
    device->locator = locator;
    device->num_comp_vectors =
        std::clamp<uint32_t>(static_cast<uint32_t>(num_cpus), 1, kMaxCompVectors);
    host->devices_.push_back(std::move(device));
  }
  functions.SetRemovalListener([raw = host.get()](size_t index) { raw->OnRemoved(index); });
  return host;
}

UverbsHost::~UverbsHost() {
  files_.clear();  // give everything back to the devices before they go
}

int UverbsHost::Open(size_t index, bool close_on_exec) {
  if (index >= devices_.size()) return -ENXIO;
  if (devices_[index]->removed) return -ENXIO;
  if (const int error = devices_[index]->OpenError()) return -error;
  const int fd = hardware_->rings()->Duplicate(close_on_exec);
  if (fd < 0) return fd;
  if (fd >= kMaxFd) {
    RawSyscall(SYS_close, fd);
    return -EMFILE;
  }
  auto file = std::make_shared<UverbsFile>(devices_[index].get());
  const std::lock_guard lock(files_mutex_);
  files_[fd] = std::move(file);
  is_open_[static_cast<size_t>(fd)].store(true, std::memory_order_release);
  return fd;
}

bool UverbsHost::IsOpen(int fd) const {
  return fd >= 0 && fd < kMaxFd &&
         is_open_[static_cast<size_t>(fd)].load(std::memory_order_acquire);
}

std::shared_ptr<UverbsFile> UverbsHost::FileOf(int fd) {
  const std::lock_guard lock(files_mutex_);
  const auto it = files_.find(fd);
  return it == files_.end() ? nullptr : it->second;
}

size_t UverbsHost::IndexOf(int fd) {
  const std::shared_ptr<UverbsFile> file = FileOf(fd);
  for (size_t i = 0; i < devices_.size(); ++i) {
    if (file != nullptr && &file->device() == devices_[i].get()) return i;
  }
  return 0;
}

int UverbsHost::Ioctl(int fd, unsigned long request, void* argument) {
  const std::shared_ptr<UverbsFile> file = FileOf(fd);
  return file == nullptr ? -EBADF : file->Ioctl(request, argument);
}

void UverbsHost::Close(int fd) {
  std::shared_ptr<UverbsFile> closed;  // declared first: destroyed after the lock is released
  const std::lock_guard lock(files_mutex_);
  if (const auto it = files_.find(fd); it != files_.end()) {
    is_open_[static_cast<size_t>(fd)].store(false, std::memory_order_release);
    closed = std::move(it->second);
    files_.erase(it);
    return;
  }
  for (auto& [file_fd, file] : files_) {
    if (file->CloseEventFd(fd)) return;
  }
}

bool UverbsHost::IsDoorbellPage(uint64_t offset) const {
  return hardware_->layout().IsDoorbell(offset);
}

void UverbsHost::StoreDoorbell(uint64_t offset, uint32_t value) {
  hardware_->StoreDoorbell(offset, value);
}

void UverbsHost::OnRemoved(size_t index) {
  devices_[index]->removed = true;
  const std::lock_guard lock(files_mutex_);
  for (auto& [fd, file] : files_) {
    if (&file->device() == devices_[index].get()) file->OnDeviceLost();
  }
}

}  // namespace railgauge
