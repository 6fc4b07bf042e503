// What the end-to-end tests share: plain libibverbs on the emulated machine.
//
// The tests run as any tool does: main() restarts itself on the machine that --emulate names, and
// from there on there is only libibverbs with its real EFA provider.
#ifndef RAILGAUGE_LIB_EMULATOR_END_TO_END_RIG_H_
#define RAILGAUGE_LIB_EMULATOR_END_TO_END_RIG_H_

#include <infiniband/efadv.h>
#include <infiniband/verbs.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lib/scenario/emulated_machine.h"

namespace railgauge {

// The scenario that the machine was made from, read anew.
const EmulatedMachine& Scenario();

// The value of a device's hw_counters file.
uint64_t ReadCounter(const std::string& device, const std::string& counter);

// Memory on a NUMA node of the emulated machine, by mmap(2) and mbind(2).
class NodeMemory {
 public:
  NodeMemory(size_t bytes, uint32_t node);
  ~NodeMemory();
  NodeMemory(const NodeMemory&) = delete;
  NodeMemory& operator=(const NodeMemory&) = delete;
  std::byte* data() const { return data_; }
  size_t size() const { return bytes_; }
  void Fill(uint8_t seed);            // byte i is a function of i and seed
  bool IsFilled(uint8_t seed) const;  // with what Fill(seed) wrote
  bool IsFilled(uint8_t seed, size_t begin, size_t end) const;

 private:
  std::byte* data_;
  size_t bytes_;
};

// GPU memory, told to the emulator as its libcuda does.
class GpuMemory {
 public:
  GpuMemory(size_t bytes, int gpu);
  ~GpuMemory();
  GpuMemory(const GpuMemory&) = delete;
  GpuMemory& operator=(const GpuMemory&) = delete;
  void* device_pointer() const { return device_pointer_; }
  std::byte* alias() const { return alias_; }
  // As a dma-buf export; the caller closes it.
  int Export(size_t offset) const;

 private:
  size_t bytes_;
  int memfd_;
  void* device_pointer_;
  std::byte* alias_;
};

template <typename T, int (*destroy)(T*)>
struct Destroyer {
  void operator()(T* object) const { destroy(object); }
};
using Mr = std::unique_ptr<ibv_mr, Destroyer<ibv_mr, ibv_dereg_mr>>;
using Ah = std::unique_ptr<ibv_ah, Destroyer<ibv_ah, ibv_destroy_ah>>;

constexpr int kAllAccess =
    IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_WRITE;

// A device with a PD, a CQ and an SRD queue pair ready to send. RAILGAUGE_CHECKs what must work.
class Nic {
 public:
  explicit Nic(const std::string& name, bool with_events = false);
  ~Nic();
  Nic(const Nic&) = delete;
  Nic& operator=(const Nic&) = delete;

  Mr Register(const NodeMemory& memory, int access = kAllAccess) const;
  Ah AddressOf(const Nic& peer) const { return AddressOf(peer.gid); }
  Ah AddressOf(const ibv_gid& peer) const;

  struct Request {
    bool write = false;
    bool send = false;  // in place of either
    std::optional<uint32_t> immediate;
    ibv_ah* ah = nullptr;
    uint32_t qp_num = 0;
    uint64_t local_address = 0, remote_address = 0;
    uint32_t lkey = 0, rkey = 0, length = 0;
    uint64_t id = 0;
  };
  void Post(const std::vector<Request>& requests);
  void PostReceive(uint32_t lkey, uint64_t address, uint32_t length, uint64_t id = 0);
  // The next completion; empty after five seconds without one.
  std::optional<ibv_wc> WaitForCompletion();

  ibv_context* context = nullptr;
  ibv_pd* pd = nullptr;
  ibv_comp_channel* channel = nullptr;
  ibv_cq* cq = nullptr;
  ibv_qp* qp = nullptr;
  ibv_gid gid = {};
  const std::string name;
};

// A request between the whole of two regions.
Nic::Request Transfer(bool write, const Nic& peer, ibv_ah* ah, const ibv_mr& local,
                      const ibv_mr& remote, uint32_t length);

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_EMULATOR_END_TO_END_RIG_H_
