#include "lib/emulator/uverbs/uverbs_host.h"

#include <algorithm>
#include <cerrno>

#include "lib/emulator/uverbs/raw_syscall.h"

namespace railgauge {

namespace {

// Per function: room for the send rings of many QPs, and one doorbell page per open file.
constexpr uint64_t kLlqBytes = uint64_t{64} << 20;
constexpr uint64_t kDoorbellBytes = uint64_t{256} * Arena::kPageBytes;
// For CQs and receive queues of all functions. Address space, not memory.
constexpr uint64_t kRingPoolBytes = uint64_t{8} << 30;

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
                                                       efa::Fabric::Environment environment) {
  std::unique_ptr<UverbsHost> host(new UverbsHost());
  const uint64_t bar_bytes = machine.nics.size() * (kLlqBytes + kDoorbellBytes);
  RAILGAUGE_ASSIGN_OR_RETURN(host->arena_, Arena::Create(bar_bytes + kRingPoolBytes));
  environment.completion_event = [raw = host.get()](uint32_t, const PciAddress& nic, uint16_t cq) {
    raw->CompletionEvent(nic, cq);
  };
  environment.device_removed = [raw = host.get()](uint32_t, const PciAddress& nic) {
    raw->OnRemoved(nic);
  };
  host->fabric_ = std::make_unique<efa::Fabric>(machine, &host->dma_space_, std::move(environment));

  // All doorbells in one piece: the fault handler then needs one comparison.
  const auto doorbells = host->arena_->Allocate(machine.nics.size() * kDoorbellBytes);
  RAILGAUGE_CHECK(doorbells.has_value());
  host->doorbells_begin_ = *doorbells;
  host->doorbells_end_ = *doorbells + machine.nics.size() * kDoorbellBytes;

  size_t num_cpus = 0;
  for (const EmulatedNumaNode& node : machine.numa_nodes) num_cpus += node.cpus.size();
  for (size_t i = 0; i < machine.nics.size(); ++i) {
    const EmulatedNic& nic = machine.nics[i];
    auto device = std::make_unique<UverbsDevice>();
    device->nic = &nic;
    device->pci = FindPci(machine, nic.address);
    const auto llq = host->arena_->Allocate(kLlqBytes);
    RAILGAUGE_CHECK(llq.has_value());
    device->llq_key = *llq;
    device->doorbell_key = *doorbells + i * kDoorbellBytes;
    device->device = host->fabric_->AddDevice(
        nic.address, {.llq = host->arena_->At(device->llq_key, kLlqBytes),
                      .doorbells = host->arena_->At(device->doorbell_key, kDoorbellBytes)});
    if (device->pci == nullptr || device->device == nullptr) {
      return Fail(MakeError("emulate NIC", nic.name + " at " + nic.address.ToString(),
                            "the scenario has no such PCI function", "Fix " + machine.source_file));
    }
    device->dma_space = &host->dma_space_;
    device->arena = host->arena_.get();
    device->locator = locator;
    device->num_comp_vectors =
        std::clamp<uint32_t>(static_cast<uint32_t>(num_cpus), 1, kMaxCompVectors);
    host->by_address_[nic.address] = device.get();
    host->devices_.push_back(std::move(device));
  }
  return host;
}

UverbsHost::~UverbsHost() {
  files_.clear();   // give everything back to the devices,
  fabric_.reset();  // stop them, and only then take their memory away
}

int UverbsHost::Open(size_t index, bool close_on_exec) {
  if (index >= devices_.size()) return -ENXIO;
  if (devices_[index]->removed) return -ENXIO;
  if (const int error = devices_[index]->OpenError()) return -error;
  const int fd = arena_->Duplicate(close_on_exec);
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
  return offset >= doorbells_begin_ && offset < doorbells_end_;
}

void UverbsHost::StoreDoorbell(uint64_t offset, uint32_t value) {
  if (!IsDoorbellPage(offset)) return;
  const uint64_t in_all = offset - doorbells_begin_;
  devices_[in_all / kDoorbellBytes]->device->Doorbell(in_all % kDoorbellBytes, value);
}

void UverbsHost::OnRemoved(const PciAddress& nic) {
  const auto device = by_address_.find(nic);
  if (device == by_address_.end()) return;
  device->second->removed = true;
  const std::lock_guard lock(files_mutex_);
  for (auto& [fd, file] : files_) {
    if (&file->device() == device->second) file->OnDeviceLost();
  }
}

void UverbsHost::CompletionEvent(const PciAddress& nic, uint16_t cq) {
  const auto device = by_address_.find(nic);
  if (device == by_address_.end()) return;
  const std::lock_guard lock(device->second->events_mutex);
  const auto events = device->second->events.find(cq);
  if (events == device->second->events.end()) return;
  if (events->second->channel->SendCompletion(events->second->user_handle)) ++events->second->sent;
}

}  // namespace railgauge
