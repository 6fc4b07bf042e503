// RDMA between two emulated NICs of the p5: data, statuses, events, counters, rate.
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/mman.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstring>
#include <thread>

#include "lib/emulator/end_to_end/rig.h"

namespace railgauge {
namespace {

constexpr size_t kMiB = size_t{1} << 20;

class Data : public testing::Test {
 protected:
  // Completes one request and returns its status.
  ibv_wc_status Run(const Nic::Request& request) {
    a_.Post({request});
    const auto completion = a_.WaitForCompletion();
    if (!completion) {
      ADD_FAILURE() << "no completion";
      return IBV_WC_GENERAL_ERR;
    }
    return completion->status;
  }

  const std::string& name_a_ = Scenario().nics[0].name;
  const std::string& name_b_ = Scenario().nics[4].name;
  Nic a_{name_a_};
  Nic b_{name_b_};
  Ah to_b_ = a_.AddressOf(b_);
  Ah to_a_ = b_.AddressOf(a_);
  NodeMemory memory_a_{kMiB, 0};
  NodeMemory memory_b_{kMiB, 1};
  Mr mr_a_ = a_.Register(memory_a_);
  Mr mr_b_ = b_.Register(memory_b_);
};

TEST_F(Data, ReadAndWriteOfEverySize) {
  for (const uint32_t length : {1u, 63u, 4096u, 8193u, 65'536u, uint32_t{kMiB}}) {
    memory_a_.Fill(1);
    memory_b_.Fill(2);
    ASSERT_EQ(Run(Transfer(false, b_, to_b_.get(), *mr_a_, *mr_b_, length)), IBV_WC_SUCCESS);
    EXPECT_TRUE(memory_a_.IsFilled(2, 0, length)) << length;
    EXPECT_TRUE(memory_a_.IsFilled(1, length, kMiB)) << length;
    memory_a_.Fill(3);
    ASSERT_EQ(Run(Transfer(true, b_, to_b_.get(), *mr_a_, *mr_b_, length)), IBV_WC_SUCCESS);
    EXPECT_TRUE(memory_b_.IsFilled(3, 0, length)) << length;
    EXPECT_TRUE(memory_b_.IsFilled(2, length, kMiB)) << length;
  }
}

TEST_F(Data, GpuMemoryByBothWays) {
  const GpuMemory gpu(kMiB, 0);
  const int fd = gpu.Export(0);
  constexpr uint64_t kIova = 0x7000000000;
  const Mr dmabuf(ibv_reg_dmabuf_mr(b_.pd, 0, kMiB, kIova, fd, kAllAccess));
  close(fd);
  ASSERT_NE(dmabuf, nullptr);
  memory_a_.Fill(5);
  Nic::Request write = Transfer(true, b_, to_b_.get(), *mr_a_, *dmabuf, kMiB);
  write.remote_address = kIova;
  ASSERT_EQ(Run(write), IBV_WC_SUCCESS);
  EXPECT_EQ(std::memcmp(gpu.alias(), memory_a_.data(), kMiB), 0);
  const Mr peer(ibv_reg_mr(b_.pd, gpu.device_pointer(), kMiB, kAllAccess));
  ASSERT_NE(peer, nullptr);
  memory_a_.Fill(6);
  ASSERT_EQ(Run(Transfer(false, b_, to_b_.get(), *mr_a_, *peer, kMiB)), IBV_WC_SUCCESS);
  EXPECT_TRUE(memory_a_.IsFilled(5));
}

TEST_F(Data, ErrorStatuses) {
  const Nic::Request good = Transfer(false, b_, to_b_.get(), *mr_a_, *mr_b_, 4096);
  Nic::Request bad = good;
  bad.rkey ^= 0x100;
  EXPECT_EQ(Run(bad), IBV_WC_REM_ACCESS_ERR);
  bad = good;
  bad.remote_address += kMiB - 100;
  EXPECT_EQ(Run(bad), IBV_WC_REM_ACCESS_ERR);
  bad = good;
  bad.lkey ^= 1;
  EXPECT_EQ(Run(bad), IBV_WC_LOC_PROT_ERR);
  bad = good;
  bad.qp_num += 1;
  EXPECT_EQ(Run(bad), IBV_WC_REM_INV_RD_REQ_ERR);

  const NodeMemory read_only_memory(4096, 0);
  const Mr read_only = b_.Register(read_only_memory, IBV_ACCESS_REMOTE_READ);
  EXPECT_EQ(Run(Transfer(true, b_, to_b_.get(), *mr_a_, *read_only, 64)), IBV_WC_REM_ACCESS_ERR);
  EXPECT_EQ(Run(Transfer(false, b_, to_b_.get(), *mr_a_, *read_only, 64)), IBV_WC_SUCCESS);
  const Mr not_writable = a_.Register(memory_a_, IBV_ACCESS_REMOTE_READ);
  EXPECT_EQ(Run(Transfer(false, b_, to_b_.get(), *not_writable, *mr_b_, 64)), IBV_WC_LOC_PROT_ERR);

  const Nic stranger(Scenario().nics[8].name);
  const Ah to_stranger = a_.AddressOf(stranger);
  Nic::Request unknown = Transfer(false, stranger, to_stranger.get(), *mr_a_, *mr_b_, 64);
  EXPECT_EQ(Run(unknown), IBV_WC_REM_OP_ERR);  // it has no address handle of ours
  ibv_ah_attr nowhere = {};
  nowhere.is_global = 1;
  nowhere.port_num = 1;
  nowhere.grh.dgid.raw[0] = 0xfe;
  const Ah to_nowhere(ibv_create_ah(a_.pd, &nowhere));
  ASSERT_NE(to_nowhere, nullptr);
  bad = good;
  bad.ah = to_nowhere.get();
  EXPECT_EQ(Run(bad), IBV_WC_RESP_TIMEOUT_ERR);
  EXPECT_EQ(Run(good), IBV_WC_SUCCESS);  // the queue pair is as good as before
}

TEST_F(Data, MemoryThatWasUnmappedIsAnErrorNotACrash) {
  auto* memory = mmap(nullptr, kMiB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  const Mr lost(ibv_reg_mr(b_.pd, memory, kMiB, kAllAccess));
  ASSERT_NE(lost, nullptr);
  munmap(memory, kMiB);
  EXPECT_EQ(Run(Transfer(false, b_, to_b_.get(), *mr_a_, *lost, 4096)), IBV_WC_REM_ACCESS_ERR);
  EXPECT_EQ(Run(Transfer(true, b_, to_b_.get(), *mr_a_, *lost, 4096)), IBV_WC_REM_ACCESS_ERR);
  const Mr local_lost(ibv_reg_mr(a_.pd, memory_a_.data(), kMiB, kAllAccess));
  EXPECT_EQ(Run(Transfer(false, b_, to_b_.get(), *local_lost, *mr_b_, 4096)), IBV_WC_SUCCESS);
}

TEST_F(Data, CompletionEventsWakeASleeper) {
  Nic c(Scenario().nics[8].name, /*with_events=*/true);
  const Ah to_b = c.AddressOf(b_);
  const Ah to_c = b_.AddressOf(c);
  const NodeMemory memory(4096, 0);
  const Mr mr = c.Register(memory);
  for (int round = 0; round < 50; ++round) {
    ASSERT_EQ(ibv_req_notify_cq(c.cq, 0), 0);
    c.Post({Transfer(false, b_, to_b.get(), *mr, *mr_b_, 4096)});
    pollfd ready = {.fd = c.channel->fd, .events = POLLIN, .revents = 0};
    ASSERT_EQ(poll(&ready, 1, 5000), 1) << "round " << round;
    ibv_cq* cq = nullptr;
    void* cookie = nullptr;
    ASSERT_EQ(ibv_get_cq_event(c.channel, &cq, &cookie), 0);
    EXPECT_EQ(cq, c.cq);
    ibv_ack_cq_events(cq, 1);
    ASSERT_TRUE(c.WaitForCompletion().has_value());
  }
}

// At once, as a kernel that asks the device: however busy the host is, a counter holds everything
// that completed before it was opened.
TEST_F(Data, HardwareCountersMove) {
  const uint64_t other = ReadCounter(Scenario().nics[9].name, "rx_bytes");
  for (int round = 0; round < 100; ++round) {
    const uint64_t reads = ReadCounter(name_a_, "rdma_read_wrs");
    const uint64_t read_bytes = ReadCounter(name_a_, "rdma_read_bytes");
    const uint64_t responses = ReadCounter(name_b_, "rdma_read_resp_bytes");
    const uint64_t written = ReadCounter(name_b_, "rdma_write_recv_bytes");
    ASSERT_EQ(Run(Transfer(false, b_, to_b_.get(), *mr_a_, *mr_b_, 10'000)), IBV_WC_SUCCESS);
    ASSERT_EQ(ReadCounter(name_a_, "rdma_read_wrs") - reads, 1u);
    ASSERT_EQ(Run(Transfer(true, b_, to_b_.get(), *mr_a_, *mr_b_, 20'000)), IBV_WC_SUCCESS);
    ASSERT_EQ(ReadCounter(name_b_, "rdma_write_recv_bytes") - written, 20'000u);
    ASSERT_EQ(ReadCounter(name_a_, "rdma_read_bytes") - read_bytes, 10'000u);
    ASSERT_EQ(ReadCounter(name_b_, "rdma_read_resp_bytes") - responses, 10'000u);
  }
  EXPECT_EQ(ReadCounter(Scenario().nics[9].name, "rx_bytes"), other);
}

// The rate of 1 MiB reads and writes over a path, with as many in flight as fill it. A busy host
// takes away from it, so the best of some windows counts. What a device that was kept from its CPU
// is late with comes in a later window, which can then show more than the capacity; but from the
// first doorbell on, dated back by as much as the device forgives a late host (CatchUp::kMost),
// never more can have been moved than the path carries in that time.
TEST_F(Data, RateIsThePaths) {
  // Deep enough that the device has work while this thread does not run.
  constexpr int kDepth = 128, kMostWindows = 20;
  constexpr auto kWindow = std::chrono::milliseconds(100);
  constexpr double kForgivenSeconds = 5e-4;
  const EmulatedMachine& machine = Scenario();
  const PciAddress &a = machine.nics[0].address, &b = machine.nics[4].address;
  const MemoryPlace node0 = MemoryPlace::NumaNode(0), node1 = MemoryPlace::NumaNode(1);
  for (const bool write : {false, true}) {
    const auto [source_nic, source, sink_nic, sink] =
        write ? std::tuple(a, node0, b, node1) : std::tuple(b, node1, a, node0);
    const double capacity =
        std::min(machine.PathOf(source_nic, source, Direction::kFromMemory).capacity.value,
                 machine.PathOf(sink_nic, sink, Direction::kToMemory).capacity.value);
    const Nic::Request request = Transfer(write, b_, to_b_.get(), *mr_a_, *mr_b_, kMiB);
    const auto first_doorbell = std::chrono::steady_clock::now();
    a_.Post(std::vector(kDepth, request));
    double best = 0;
    uint64_t in_all = 0;
    for (int window = 0; window < kMostWindows && best < 0.98 * capacity; ++window) {
      uint64_t completed = 0;
      const auto begin = std::chrono::steady_clock::now();
      // What was completed before the window is not of it.
      for (ibv_wc old; ibv_poll_cq(a_.cq, 1, &old) == 1; ++in_all) a_.Post({request});
      auto now = begin;
      while (now - begin < kWindow) {
        const auto completion = a_.WaitForCompletion();
        ASSERT_TRUE(completion.has_value() && completion->status == IBV_WC_SUCCESS);
        a_.Post({request});
        now = std::chrono::steady_clock::now();
        ++completed;
      }
      const double seconds = std::chrono::duration<double>(now - begin).count();
      const double rate = static_cast<double>(completed) * kMiB / seconds;
      best = std::max(best, rate);
      in_all += completed;
      const double since = std::chrono::duration<double>(now - first_doorbell).count();
      EXPECT_LT(static_cast<double>(in_all) * kMiB, capacity * (since + kForgivenSeconds) * 1.0001);
    }
    for (int i = 0; i < kDepth; ++i) ASSERT_TRUE(a_.WaitForCompletion().has_value());
    std::printf("%s of 1 MiB: %.3f GB/s of %.3f GB/s (%+.2f %%)\n", write ? "write" : "read",
                best / 1e9, capacity / 1e9, 100 * (best / capacity - 1));
    EXPECT_GT(best, capacity * 0.2);
  }
}

}  // namespace
}  // namespace railgauge
