// Devices that do something wrong, driven ring by ring: no system call and no uverbs.
#include <gtest/gtest.h>

#include <vector>

#include "lib/emulator/device/test_rig.h"

namespace railgauge::efa {
namespace {

using Kind = EmulatedNicFault::Kind;

EmulatedMachine MachineWith(const EmulatedNicFault& fault) {
  EmulatedMachine machine = MakeTestMachine();
  machine.nics.front().faults = {fault};  // kNicA
  return machine;
}

// A initiates, B is the target.
struct Pair {
  explicit Pair(const EmulatedNicFault& fault) : rig(MachineWith(fault)) {}
  TestFabric rig;
  TestEnd a{rig, kNicA};
  TestEnd b{rig, kNicB};
  uint16_t to_b = a.Meet(b);
  uint16_t to_a = b.Meet(a);

  // Lets time pass until `end` has a completion of its send queue; the run may have no idle end.
  CompletionStatus Await(TestEnd& end) {
    for (int i = 0; i < 1000; ++i) {
      const auto next = rig.Poll();
      if (const auto completion = end.send_cq.Poll()) return completion->status();
      if (!next) break;
      rig.Advance(std::max(*next - rig.now(), Nanoseconds(0)));
    }
    const auto completion = end.send_cq.Poll();
    EXPECT_TRUE(completion.has_value());
    return completion ? completion->status() : CompletionStatus::kFlushed;
  }

  // When the reading of `bytes` from B was complete, counted from its posting.
  Nanoseconds TimeOfRead(uint32_t bytes) {
    const Nanoseconds start = rig.now();
    a.qp.PostAndRing(MakeRdma(SendOp::kRdmaRead, a, to_b, b, bytes));
    EXPECT_EQ(Await(a), CompletionStatus::kOk);
    return rig.now() - start;
  }
};

TEST(DeviceFaultTest, ANicThatStopsCompletingKeepsItsRequests) {
  Pair pair({.kind = Kind::kStopCompleting, .start = std::chrono::seconds(2)});
  pair.TimeOfRead(1000);
  pair.rig.Advance(std::chrono::seconds(2));
  for (int i = 0; i < 3; ++i) {
    pair.a.qp.Post(MakeRdma(SendOp::kRdmaRead, pair.a, pair.to_b, pair.b, 1000));
  }
  pair.a.qp.RingSend();
  pair.rig.Poll();
  pair.rig.Advance(std::chrono::hours(1));
  EXPECT_FALSE(pair.rig.Poll().has_value());  // nothing is due any more
  EXPECT_FALSE(pair.a.send_cq.Poll().has_value());
  // Its peer hears nothing of it.
  pair.b.qp.PostAndRing(MakeRdma(SendOp::kRdmaRead, pair.b, pair.to_a, pair.a, 1000));
  EXPECT_EQ(pair.Await(pair.b), CompletionStatus::kUnreachRemote);
  // The queue pair can be torn down, and a driver can leave.
  EXPECT_EQ(pair.a.device.DestroyQp(pair.a.qp.handle()), AdminStatus::kSuccess);
  EXPECT_EQ(pair.a.device.DeregMr(pair.a.mr.lkey), AdminStatus::kSuccess);
}

TEST(DeviceFaultTest, WhatIsUnderWayWhenItStopsIsKeptToo) {
  Pair pair({.kind = Kind::kStopCompleting, .start = Nanoseconds(5'000)});
  pair.a.qp.PostAndRing(MakeRdma(SendOp::kRdmaRead, pair.a, pair.to_b, pair.b, 1000));
  pair.rig.RunUntilIdle();
  pair.rig.Advance(std::chrono::seconds(1));
  pair.rig.Poll();
  EXPECT_FALSE(pair.a.send_cq.Poll().has_value());
}

TEST(DeviceFaultTest, ADeviceThatIsGoneIsToldOfAndAnswersNothing) {
  Pair pair({.kind = Kind::kRemoved, .start = std::chrono::seconds(1)});
  pair.TimeOfRead(1000);
  EXPECT_EQ(pair.rig.removals, 0);
  // The poller is asked to come when the device goes.
  const auto next = pair.rig.Poll();
  ASSERT_TRUE(next.has_value());
  pair.rig.Advance(*next - pair.rig.now());
  pair.rig.Poll();
  pair.rig.Poll();
  EXPECT_EQ(pair.rig.removals, 1);
  pair.a.qp.PostAndRing(MakeRdma(SendOp::kRdmaRead, pair.a, pair.to_b, pair.b, 1000));
  pair.rig.Poll();
  EXPECT_FALSE(pair.a.send_cq.Poll().has_value());
  const auto pd = pair.a.device.AllocPd();
  ASSERT_FALSE(pd.has_value());
  EXPECT_EQ(pd.error(), AdminStatus::kNoDevice);
  EXPECT_EQ(pair.a.device.ModifyQp({.qp_handle = pair.a.qp.handle()}), AdminStatus::kNoDevice);
  // What gives something back does.
  EXPECT_EQ(pair.a.device.DestroyQp(pair.a.qp.handle()), AdminStatus::kSuccess);
  EXPECT_EQ(pair.a.device.DeregMr(pair.a.mr.lkey), AdminStatus::kSuccess);
  EXPECT_TRUE(pair.b.device.AllocPd().has_value());
}

TEST(DeviceFaultTest, ErrorCompletionsHaveTheStatusAndAreCounted) {
  Pair pair({.kind = Kind::kCompletionErrors, .amount = 1, .code = 8});
  pair.a.qp.PostAndRing(MakeRdma(SendOp::kRdmaRead, pair.a, pair.to_b, pair.b, 1000));
  EXPECT_EQ(pair.Await(pair.a), CompletionStatus::kAbort);
  EXPECT_EQ(pair.a.device.GetStats().rdma_read_wr_err, 1u);
  pair.b.qp.PostAndRing(MakeRdma(SendOp::kRdmaRead, pair.b, pair.to_a, pair.a, 1000));
  EXPECT_EQ(pair.Await(pair.b), CompletionStatus::kOk);
}

TEST(DeviceFaultTest, DropsCostTheLineAndShowAtBothEnds) {
  Pair healthy({.kind = Kind::kDrops, .amount = 0});
  Pair dropping({.kind = Kind::kDrops, .amount = 1});
  constexpr uint32_t kBytes = 62'500;
  // Every packet crosses twice: 5 µs more at 12.5 GB/s.
  const Nanoseconds more = dropping.TimeOfRead(kBytes) - healthy.TimeOfRead(kBytes);
  EXPECT_EQ(more, Nanoseconds(5'000));
  const DeviceStats receiver = dropping.a.device.GetStats();
  const DeviceStats sender = dropping.b.device.GetStats();
  EXPECT_EQ(receiver.rx_drops, 8u);  // of 8928 bytes each
  EXPECT_EQ(sender.retrans_pkts, 8u);
  EXPECT_GE(sender.retrans_bytes, uint64_t{kBytes});
  EXPECT_EQ(receiver.retrans_pkts, 0u);
  EXPECT_EQ(receiver.rdma_read_bytes, uint64_t{kBytes});
}

TEST(DeviceFaultTest, ARefusedSendIsTriedAgain) {
  Pair pair({.kind = Kind::kReceiverNotReady, .amount = 0.5});
  pair.a.qp.PostReceive(1, pair.a.memory.iova(), pair.a.mr.lkey, 4096);
  pair.a.qp.RingReceive();
  const Nanoseconds start = pair.rig.now();
  pair.b.qp.PostAndRing(MakeSend(pair.b, pair.to_a, pair.a, 1000));
  EXPECT_EQ(pair.Await(pair.b), CompletionStatus::kOk);
  EXPECT_EQ(pair.a.ExpectReceiveCompletion().status(), CompletionStatus::kOk);
  const uint64_t tries = pair.b.device.GetStats().retrans_pkts;
  // Each try costs 100 µs, and this seed has some.
  EXPECT_GE(pair.rig.now() - start, tries * Nanoseconds(100'000));
}

TEST(DeviceFaultTest, AFallBackIsCountedAsSends) {
  Pair pair({.kind = Kind::kCountsAsSend});
  pair.TimeOfRead(1000);
  EXPECT_EQ(pair.a.device.GetStats().rdma_read_bytes, 0u);
  EXPECT_EQ(pair.a.device.GetStats().send_bytes, 1000u);
  EXPECT_EQ(pair.b.device.GetStats().rdma_read_resp_bytes, 0u);
}

TEST(DeviceFaultTest, ForeignTrafficTakesItsShareOfTheLine) {
  EmulatedNicFault foreign{.kind = Kind::kForeignTraffic, .amount = 2.5e9};
  Pair pair(foreign);
  // 62,500 bytes at 10 of 12.5 GB/s.
  EXPECT_EQ(pair.TimeOfRead(62'500) - kBaseLatency, Nanoseconds(6'250));
  EXPECT_GT(pair.a.device.GetStats().rdma_write_recv_bytes, 0u);
  EXPECT_EQ(pair.b.device.GetStats().rdma_write_recv_bytes, 0u);
  ASSERT_TRUE(pair.rig.fabric().SetFaults(0, kNicA, {}));
  EXPECT_EQ(pair.TimeOfRead(62'500) - kBaseLatency, Nanoseconds(5'000));
  EXPECT_FALSE(pair.rig.fabric().SetFaults(0, kGpu, {}));
}

TEST(DeviceFaultTest, CapacitiesChangeWhileItRuns) {
  Pair pair({.kind = Kind::kDrops, .amount = 0});
  EmulatedMachine slower = MakeTestMachine();
  const auto line = slower.LineOf(kNicA, Direction::kToMemory);
  ASSERT_TRUE(line.has_value());
  slower.resources[*line].capacity.value /= 2;
  pair.rig.fabric().SetCapacities(0, slower.resources);
  EXPECT_EQ(pair.TimeOfRead(62'500) - kBaseLatency, Nanoseconds(10'000));
}

}  // namespace
}  // namespace railgauge::efa
