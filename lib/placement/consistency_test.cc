#include "lib/placement/consistency.h"

#include <limits>

#include "gtest/gtest.h"
#include "lib/topology/machine_testutil.h"

namespace railgauge {
namespace {

const NicKey kNic = {{0, 0x4f, 0, 0}, "rdmap79s0"};
const NicKey kOther = {{0, 0x50, 0, 0}, "rdmap80s0"};

// 100 messages of 1 MiB in 10 ms.
Sample GoodSample() {
  Sample sample;
  sample.cell = {
      kNic,   MemoryPlace::NumaNode(0), Operation::kRead, Direction::kToMemory, Bytes{1 << 20}, 16,
      "alone"};
  sample.status = SampleStatus::kOk;
  sample.start_offset = Nanoseconds(1000);
  sample.duration = Nanoseconds(10'000'000);
  sample.completions = 100;
  sample.payload_bytes = 100 << 20;
  sample.throughput = BytesPerSecond{(100 << 20) / 0.01};
  sample.messages_per_second = 1e4;
  sample.partner = kOther;
  sample.posted_bytes = 130 << 20;
  sample.counter_bytes = 130 << 20;
  sample.line_rate = BytesPerSecond{12.5e9};
  sample.post_fraction = 0.1;
  sample.poll_fraction = 0.2;
  sample.idle_fraction = 0.7;
  sample.cpu_bound = false;
  sample.retransmitted_bytes = 0;
  return sample;
}

std::string ContradictionOf(const Sample& sample) {
  const auto found = FindSelfContradiction(sample);
  return found ? std::string(ToString(found->status)) + ": " + found->reason : "";
}

TEST(ConsistencyTest, WhatARunWritesIsConsistent) {
  EXPECT_EQ(ContradictionOf(GoodSample()), "");
  Sample sample = GoodSample();
  sample.status = SampleStatus::kNoCounters;
  sample.counter_bytes.reset();
  sample.retransmitted_bytes.reset();
  EXPECT_EQ(ContradictionOf(sample), "");
  sample = GoodSample();
  sample.line_rate.reset();
  EXPECT_EQ(ContradictionOf(sample), "");
  // Within the tolerance of the proof.
  *(sample = GoodSample()).counter_bytes += 130 << 12;
  EXPECT_EQ(ContradictionOf(sample), "");
  // A window that nothing completed in is slow and contradicts nothing.
  sample = GoodSample();
  sample.completions = sample.payload_bytes = 0;
  sample.throughput = BytesPerSecond{0};
  sample.messages_per_second = 0;
  EXPECT_EQ(ContradictionOf(sample), "");
}

TEST(ConsistencyTest, AMeasuredWindowHasAPartner) {
  Sample sample = GoodSample();
  EXPECT_FALSE(WhyNeverWritten(sample));
  sample.partner = {};
  EXPECT_EQ(WhyNeverWritten(sample), "partner_pci_address is empty of a measured window");
}

TEST(ConsistencyTest, OnlyEvidenceIsHeldAgainstItself) {
  Sample sample = GoodSample();
  sample.throughput = BytesPerSecond{1e300};
  for (const SampleStatus status : {SampleStatus::kSkipped, SampleStatus::kFailed,
                                    SampleStatus::kWrongBytes, SampleStatus::kInvalid}) {
    sample.status = status;
    EXPECT_EQ(ContradictionOf(sample), "");
  }
}

TEST(ConsistencyTest, EditedColumns) {
  Sample sample = GoodSample();
  sample.throughput = BytesPerSecond{1e300};
  EXPECT_EQ(
      ContradictionOf(sample),
      "invalid: a throughput of 1e+300 bytes per second is not 104857600 bytes in 10000000 ns");
  sample = GoodSample();
  sample.throughput->value *= 1.001;
  EXPECT_TRUE(ContradictionOf(sample).starts_with("invalid: a throughput of"));
  sample = GoodSample();
  sample.throughput.reset();
  EXPECT_EQ(ContradictionOf(sample), "invalid: it has no throughput");
  sample = GoodSample();
  sample.duration = Nanoseconds(0);
  EXPECT_EQ(ContradictionOf(sample), "invalid: it has a throughput, and a duration of 0");
  sample = GoodSample();
  sample.completions = 99;
  EXPECT_EQ(ContradictionOf(sample),
            "invalid: 99 completions of 1MiB are not the payload of 104857600 bytes");
  sample.completions = std::numeric_limits<uint64_t>::max();
  EXPECT_TRUE(ContradictionOf(sample).starts_with("invalid: 18446744073709551615 completions"));
}

TEST(ConsistencyTest, EditedCounters) {
  Sample sample = GoodSample();
  sample.counter_bytes = 0;
  EXPECT_EQ(
      ContradictionOf(sample),
      "wrong_bytes: its status is ok, and the device's counter moved by 0 bytes where 136314880 "
      "were posted");
  sample.counter_bytes = *sample.posted_bytes * 2;
  EXPECT_TRUE(ContradictionOf(sample).starts_with("foreign_traffic: "));
  sample.counter_bytes.reset();
  EXPECT_EQ(ContradictionOf(sample),
            "invalid: its status is ok, which a window without counters never has");
  sample = GoodSample();
  sample.posted_bytes = sample.counter_bytes = sample.payload_bytes - 1;
  EXPECT_EQ(ContradictionOf(sample),
            "wrong_bytes: 104857599 bytes were posted, and 104857600 arrived");
}

TEST(ConsistencyTest, ABurstThatNobodySaw) {
  Sample sample = GoodSample();
  // Each of the two may have had what is no burst yet.
  sample.retransmitted_bytes = *sample.posted_bytes / 100;
  EXPECT_EQ(ContradictionOf(sample), "");
  ++*sample.retransmitted_bytes;
  EXPECT_EQ(ContradictionOf(sample),
            "retransmission_burst: its status is ok, and 1363149 bytes were sent again where "
            "136314880 were posted");
  // A machine's only NIC is both.
  sample.partner = kNic;
  sample.retransmitted_bytes = *sample.posted_bytes / 150;
  EXPECT_TRUE(ContradictionOf(sample).starts_with("retransmission_burst: "));
}

TEST(ConsistencyTest, RatesThatNoLineCarries) {
  Sample sample = GoodSample();
  sample.line_rate = BytesPerSecond{8e9};
  EXPECT_EQ(
      ContradictionOf(sample),
      "above_ceiling: it is above the ceiling: 10.49 GB/s where the line rate is 8.00 GB/s at the "
      "most");
  // What was in flight when the window began may have crossed before.
  sample.line_rate = BytesPerSecond{8.6e9};
  EXPECT_EQ(ContradictionOf(sample), "");
  sample = GoodSample();
  sample.line_rate.reset();
  sample.duration = Nanoseconds(100'000);
  sample.throughput = BytesPerSecond{(100 << 20) / 1e-4};
  sample.messages_per_second = 1e6;
  EXPECT_TRUE(ContradictionOf(sample).find("the fastest PCIe slot") != std::string::npos);
}

// A census of two NICs at two nodes, and a window of each NIC at node 0.
RecordedRun GoodRun() {
  RecordedRun run;
  run.run.run_id = "r1";
  run.run.instance_type = "p5.48xlarge";
  run.run.platform = "emulated";
  run.census_path = "census.csv";
  run.samples_path = "samples.csv";
  for (const NicKey& nic : {kNic, kOther}) {
    for (const uint32_t node : {0u, 1u}) {
      CensusRow row;
      row.nic = nic;
      row.place = MemoryPlace::NumaNode(node);
      row.status = CensusStatus::kNoId;
      row.relation = node == 0 ? Relation::kSameNumaNode : Relation::kOtherNumaNode;
      run.census.push_back({row, 2 + run.census.size()});
    }
    Sample sample = GoodSample();
    sample.cell.nic = nic;
    sample.partner = nic == kNic ? kOther : kNic;
    run.samples.push_back({sample, 2 + run.samples.size()});
  }
  return run;
}

std::string RecordingError(const RecordedRun& run) {
  const Status status = CheckRecording(run);
  return status ? "" : status.error().ToString();
}

TEST(ConsistencyTest, ARecording) {
  EXPECT_EQ(RecordingError(GoodRun()), "");
  RecordedRun run = GoodRun();
  EXPECT_EQ(MarkContradicted(run), 0u);
  // Cells that were not reached have rows without a window, one per round.
  Sample skipped;
  skipped.cell = GoodSample().cell;
  skipped.skip_cause = SkipCause::kNoTime;
  skipped.reason = "no time";
  run.samples.insert(run.samples.end(), 2, {skipped, 9});
  EXPECT_EQ(RecordingError(run), "");
  EXPECT_EQ(RecordingError(RecordedRun()), "");
}

TEST(ConsistencyTest, AWindowTwice) {
  RecordedRun run = GoodRun();
  run.samples.push_back({run.samples[1].row, 7});
  EXPECT_EQ(RecordingError(run),
            "read samples.csv:7: the window is in line 3 already. Give every row once.");
  run.samples[2].row.start_offset += Nanoseconds(1);
  EXPECT_EQ(RecordingError(run), "");
}

TEST(ConsistencyTest, ACensusThatIsCutOff) {
  RecordedRun run = GoodRun();
  run.census.pop_back();
  EXPECT_EQ(
      RecordingError(run),
      "read census.csv: the census of run 'r1' has no row of 0000:50:00.0 (rdmap80s0) at numa1 by "
      "way host, so it is cut off. Copy the run directory again.");
  run.census.pop_back();
  EXPECT_EQ(
      RecordingError(run),
      "read samples.csv:3: census.csv of run 'r1' has no row of 0000:50:00.0 (rdmap80s0) at numa0, "
      "which was measured here. Give the census.csv of the same run, whole.");
}

TEST(ConsistencyTest, ValuesThatNothingHas) {
  RecordedRun run = GoodRun();
  run.samples[0].row.post_fraction = 1.5;
  EXPECT_EQ(
      RecordingError(run),
      "read samples.csv:2: post_fraction is 1.5, and a fraction is between 0 and 1. Give the run "
      "directory as railgauge wrote it.");
  run = GoodRun();
  run.samples[1].row.duration = Nanoseconds(-1);
  EXPECT_EQ(
      RecordingError(run),
      "read samples.csv:3: duration_ns is below zero. Give the run directory as railgauge wrote "
      "it.");
  run = GoodRun();
  run.samples[1].row.cell.nic = {};
  EXPECT_TRUE(RecordingError(run).starts_with("read samples.csv:3: the row has no NIC"));
}

TEST(ConsistencyTest, AGroupOfOne) {
  RecordedRun run = GoodRun();
  run.samples[0].row.cell.load = "all";
  EXPECT_EQ(RecordingError(run),
            "read samples.csv:2: load is 'all', and no other NIC has a row of that load. Give the "
            "run directory as railgauge wrote it.");
  run.samples[1].row.cell.load = "all";
  EXPECT_EQ(RecordingError(run), "");
  // What a run that was killed had time for.
  run = GoodRun();
  run.samples[1].row.cell.load = "all";
  EXPECT_EQ(RecordingError(run), "");
}

TEST(ConsistencyTest, ContradictedWindowsAreMarked) {
  RecordedRun run = GoodRun();
  run.samples[1].row.counter_bytes = 0;
  EXPECT_EQ(MarkContradicted(run), 1u);
  EXPECT_EQ(run.samples[0].row.status, SampleStatus::kOk);
  EXPECT_EQ(run.samples[1].row.status, SampleStatus::kWrongBytes);
  EXPECT_TRUE(
      run.samples[1].row.reason.starts_with("the row contradicts itself (samples.csv:3): "));
}

TEST(ConsistencyTest, AnotherMachinesTopology) {
  RecordedRun run = GoodRun();
  const Machine p5 = MakeP5();
  EXPECT_TRUE(CheckMachine(run, p5, "topology.xml"));
  run.census[1].row.relation = Relation::kSameNumaNode;
  const Status elsewhere = CheckMachine(run, p5, "topology.xml");
  ASSERT_FALSE(elsewhere);
  EXPECT_EQ(elsewhere.error().reason,
            "it is the topology of another machine: 0000:4f:00.0 (rdmap79s0) and numa1 are "
            "other_numa_node in it, and same_numa_node in census.csv:3");
  Machine other = p5;
  std::erase_if(other.nics, [](const Nic& nic) { return nic.position.address == kOther.address; });
  other.numa_nodes.pop_back();
  const Status status = CheckMachine(run, other, "other.xml");
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().ToString(),
            "judge run 'r1' other.xml: it is the topology of another machine: it has no numa1, "
            "0000:50:00.0 (rdmap80s0). Give that of the run's machine, a p5.48xlarge, with "
            "--hwloc-xml=FILE.");
  Machine of_type = p5;
  of_type.instance_type = "p5.48xlarge/4";
  EXPECT_EQ(CheckMachine(GoodRun(), of_type, "other.xml").error().reason,
            "it is the topology of another machine: it is of a p5.48xlarge/4, and the run of a "
            "p5.48xlarge");
}

}  // namespace
}  // namespace railgauge
