// A machine, a clock and an application for tests of the device model: rings are written and read
// as libefa does, but for the mapping of memory.
#ifndef RAILGAUGE_LIB_EMULATOR_DEVICE_TEST_RIG_H_
#define RAILGAUGE_LIB_EMULATOR_DEVICE_TEST_RIG_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "lib/emulator/device/device.h"
#include "lib/emulator/device/efa_io.h"
#include "lib/scenario/emulated_machine.h"

namespace railgauge::efa {

inline constexpr PciAddress kNicA{0, 0x10, 0, 0};
inline constexpr PciAddress kNicB{0, 0x20, 0, 0};
inline constexpr PciAddress kNicC{0, 0x30, 0, 0};
inline constexpr PciAddress kGpu{0, 0x40, 0, 0};
inline constexpr MemoryPlace kNode0{MemoryPlace::Kind::kNumaNode, 0, {}};
inline constexpr MemoryPlace kNode1{MemoryPlace::Kind::kNumaNode, 1, {}};
inline constexpr MemoryPlace kGpuPlace{MemoryPlace::Kind::kGpu, 0, kGpu};

inline constexpr double kLineRate = 12.5e9;     // each NIC, each direction
inline constexpr double kSocketLinkRate = 8e9;  // between the NICs and node 1, shared by all
inline constexpr double kGpuRate = 10e9;        // to and from the GPU, shared by all
inline constexpr Nanoseconds kBaseLatency{10'000};

// Three NICs with all capabilities, two NUMA nodes, one GPU; ids as IdsOfTest says.
EmulatedMachine MakeTestMachine();

// Page-aligned memory of the application in a DmaSpace.
class TestMemory {
 public:
  TestMemory(DmaSpace* dma_space, uint64_t bytes, const MemoryPlace& place = kNode0,
             RegistrationWay way = RegistrationWay::kHost);
  ~TestMemory();
  TestMemory(const TestMemory&) = delete;
  TestMemory& operator=(const TestMemory&) = delete;

  std::byte* data() const { return data_; }
  uint64_t size() const { return size_; }
  uint64_t dma_address() const { return dma_address_; }
  uint64_t iova() const { return reinterpret_cast<uint64_t>(data_); }

  // Bytes that depend on `seed` and the position.
  void Fill(uint32_t seed);
  bool IsFilled(uint32_t seed, uint64_t offset, uint64_t bytes) const;
  bool IsZero(uint64_t offset, uint64_t bytes) const;

 private:
  DmaSpace* dma_space_;
  std::byte* data_;
  uint64_t size_;
  uint64_t dma_address_;
};

// A fabric with its devices; time is the test's unless `real_clock`.
class TestFabric {
 public:
  explicit TestFabric(const EmulatedMachine& machine = MakeTestMachine(), bool real_clock = false);
  ~TestFabric();

  DmaSpace& dma_space() { return dma_space_; }
  Fabric& fabric() { return *fabric_; }
  LocalDevice& device(const PciAddress& address);
  std::byte* llq(const PciAddress& address);

  Nanoseconds now() const { return Nanoseconds(now_.load()); }
  void Advance(Nanoseconds duration) { now_ += duration.count(); }
  std::optional<Nanoseconds> Poll() { return fabric_->Poll(); }
  // Polls and moves the clock to whatever is due next, until nothing is in flight.
  void RunUntilIdle();

  // Replaces the copies; null is memcpy again.
  std::function<CopyOutcome(void*, const void*, size_t)> copy;

  std::atomic<int> wakes{0};
  int removals = 0;
  std::function<void()> on_wake;
  std::vector<std::pair<PciAddress, uint16_t>> events;

 private:
  struct Bars;

  DmaSpace dma_space_;
  std::atomic<int64_t> now_{1'000'000'000};
  std::unique_ptr<Fabric> fabric_;
  std::vector<std::unique_ptr<Bars>> bars_;
};

struct TestCompletion {
  efa_io_cdesc_common common;
  efa_io_rx_cdesc_ex entry;

  CompletionStatus status() const { return static_cast<CompletionStatus>(common.status); }
  bool is_receive() const {
    return GetField(common.flags, kCompletionQueueType) == EFA_IO_RECV_QUEUE;
  }
  uint32_t op() const { return GetField(common.flags, kCompletionOpType); }
  uint32_t byte_length() const;
};

// A CQ and its reader.
class TestCq {
 public:
  struct Options {
    uint32_t depth = 64;
    uint16_t num_sub_cqs = 2;
    uint32_t entry_size = 32;
    bool set_src_addr = false;
    bool interrupt_mode = false;
  };

  TestCq(TestFabric& rig, const PciAddress& nic, uint16_t uar, const Options& options);
  TestCq(TestFabric& rig, const PciAddress& nic, uint16_t uar) : TestCq(rig, nic, uar, Options()) {}

  uint16_t number() const { return result_.cq; }
  std::optional<TestCompletion> Poll();
  void Arm();
  void Acknowledge() { ++command_sequence_; }  // as after reading an event
  void ReportConsumed(bool arm = false);
  // Entries of that ring that were read so far.
  uint32_t consumed(uint16_t sub_cq) const { return consumed_[sub_cq]; }

 private:
  TestFabric& rig_;
  PciAddress nic_;
  Options options_;
  std::unique_ptr<TestMemory> ring_;
  CreateCqResult result_;
  std::vector<uint32_t> consumed_;
  uint16_t next_ = 0;
  uint16_t total_ = 0;
  uint32_t command_sequence_ = 0;
};

// A QP and its writer.
class TestQp {
 public:
  struct Options {
    QpType type = QpType::kSrd;
    uint32_t sq_depth = 16;
    uint32_t rq_depth = 16;
    bool unsolicited_write_recv = false;
    bool ready = true;  // RTS
  };

  TestQp(TestFabric& rig, const PciAddress& nic, uint16_t pd, uint16_t uar, TestCq& send_cq,
         TestCq& recv_cq, const Options& options);

  const CreateQpResult& result() const { return result_; }
  uint16_t number() const { return result_.qp_num; }
  uint32_t handle() const { return result_.qp_handle; }

  AdminStatus Modify(QpState state);
  void ToReady();
  void ResetIndices() { sq_counter_ = rq_counter_ = 0; }

  // Writes a descriptor; the doorbell is RingSend's or RingReceive's.
  void Post(const efa_io_tx_wqe& wqe);
  void PostReceive(uint16_t req_id, uint64_t address, uint32_t lkey, uint16_t length,
                   bool first = true, bool last = true);
  void RingSend();
  void RingReceive();
  void PostAndRing(const efa_io_tx_wqe& wqe) {
    Post(wqe);
    RingSend();
  }

  static constexpr uint32_t kQkey = 0x11111111;

 private:
  TestFabric& rig_;
  PciAddress nic_;
  Options options_;
  std::unique_ptr<TestMemory> rq_ring_;
  CreateQpResult result_;
  uint16_t sq_counter_ = 0, rq_counter_ = 0;
};

// One end of a conversation: device, PD, UAR, CQs, QP and a registered buffer.
struct TestEnd {
  struct Options {
    MemoryPlace place = kNode0;
    RegistrationWay way = RegistrationWay::kHost;
    uint64_t bytes = 64 * 1024;
    uint32_t permissions = kLocalWrite | kRemoteRead | kRemoteWrite;
    TestCq::Options cq;
    TestQp::Options qp;
  };

  TestEnd(TestFabric& test_rig, const PciAddress& address, const Options& options);
  TestEnd(TestFabric& test_rig, const PciAddress& address)
      : TestEnd(test_rig, address, Options()) {}

  TestFabric& rig;
  PciAddress nic;
  Device& device;
  uint16_t pd, uar;
  TestCq send_cq, recv_cq;
  TestQp qp;
  TestMemory memory;
  RegMrResult mr;

  // Makes handles in both directions; returns this end's for the other.
  uint16_t Meet(TestEnd& other);
  // The next completion of the send queue; a test failure when there is none.
  TestCompletion ExpectSendCompletion();
  TestCompletion ExpectReceiveCompletion();
};

// A request of `initiator` to `target` over `length` bytes at the start of both buffers.
efa_io_tx_wqe MakeRdma(SendOp op, const TestEnd& initiator, uint16_t ah, const TestEnd& target,
                       uint32_t length, uint16_t req_id = 0);
efa_io_tx_wqe MakeSend(const TestEnd& initiator, uint16_t ah, const TestEnd& target,
                       uint32_t length, uint16_t req_id = 0);
void SetImmediate(efa_io_tx_wqe& wqe, uint32_t immediate);

RegMrParams MakeRegMr(uint16_t pd, const TestMemory& memory, uint32_t permissions);

}  // namespace railgauge::efa

#endif  // RAILGAUGE_LIB_EMULATOR_DEVICE_TEST_RIG_H_
