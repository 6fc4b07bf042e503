// NICs at once on an emulated machine: what they do to each other against what the scenario says.
// The machine is scaled, so that a host of two CPUs can keep several NICs busy: what is in flight
// lasts for longer than the threads wait for each other.
#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "fmt/core.h"
#include "gtest/gtest.h"
#include "lib/measure/emulated_engine_testutil.h"
#include "lib/measure/engine.h"
#include "lib/measure/far_ends.h"
#include "lib/measure/load_sets.h"
#include "lib/placement/loaded.h"
#include "lib/scenario/emulated_machine.h"

namespace railgauge {
namespace {

using std::chrono::milliseconds;

class GroupEmulatedTest : public EmulatedEngineTest {
 protected:
  void SetUp() override {
    EmulatedEngineTest::SetUp();
    if (HasFatalFailure()) return;
    for (const Gpu& gpu : machine_.gpus) gpus_.push_back(gpu.position.address);
    far_ends_ = ChooseFarEnds(machine_, gpus_);
  }

  LoadRequest RequestFor(const std::vector<size_t>& nics) const {
    LoadRequest request;
    for (const size_t i : nics) request.nics.push_back(machine_.nics[i].key());
    for (const PciAddress& gpu : gpus_) request.gpus.push_back(MemoryPlace::Gpu(gpu));
    request.kinds = {GroupKind::kSwitch, GroupKind::kNuma};
    request.sizes = {Bytes{256 << 10}};  // more completions in a window of the scaled machine
    return request;
  }

  std::vector<Sample> Measure(const LoadWindow& window) {
    std::vector<GroupMember> members;
    for (const Cell& cell : window.cells) {
      members.push_back({cell, far_ends_.at(cell.nic.address)});
    }
    WindowRequest request;
    request.timing = {milliseconds(10), milliseconds(120)};
    request.round = window.round;
    return engine_->MeasureTogether(members, request);
  }

  // Max-min fair rates of transfers over the scenario's resources, by progressive filling.
  std::vector<double> FairRates(const std::vector<Cell>& cells) const {
    std::vector<std::map<uint32_t, double>> uses;
    for (const Cell& cell : cells) {
      const FarEnd& far = far_ends_.at(cell.nic.address);
      const Direction other =
          cell.direction == Direction::kToMemory ? Direction::kFromMemory : Direction::kToMemory;
      auto& crossed = uses.emplace_back();
      for (const EmulatedPath& path :
           {scenario_.PathOf(cell.nic.address, cell.place, cell.direction),
            scenario_.PathOf(far.nic, far.place, other)}) {
        for (const uint32_t resource : path.resources) crossed[resource] += 1;
      }
    }
    std::vector<double> rates(cells.size(), 0);
    std::vector<bool> fixed(cells.size(), false);
    while (std::find(fixed.begin(), fixed.end(), false) != fixed.end()) {
      double step = 1e18;
      std::map<uint32_t, double> left, open;
      for (size_t i = 0; i < cells.size(); ++i) {
        for (const auto& [resource, times] : uses[i]) {
          left.try_emplace(resource, scenario_.resources[resource].capacity.value);
          left[resource] -= times * rates[i];
          if (!fixed[i]) open[resource] += times;
        }
      }
      for (const auto& [resource, times] : open) step = std::min(step, left[resource] / times);
      for (size_t i = 0; i < cells.size(); ++i) {
        if (fixed[i]) continue;
        rates[i] += step;
        for (const auto& [resource, times] : uses[i]) {
          if (left[resource] / open[resource] <= step * (1 + 1e-9)) fixed[i] = true;
        }
      }
    }
    return rates;
  }

  double FairSum(const std::vector<Cell>& cells) const {
    double sum = 0;
    for (const double rate : FairRates(cells)) sum += rate;
    return sum;
  }

  // What `group` moves together as a share of alone, by the scenario.
  double TrueFactor(const LoadGroup& group) const {
    double alone = 0;
    for (const Cell& cell : group.members) alone += FairSum({cell});
    return FairSum(group.members) / alone;
  }

  // Rounds until every group has nine in which no thread was kept from its CPU: a host that is busy
  // with something else is waited for, until `deadline`.
  std::vector<GroupRow> Judge(const LoadSet& set, std::vector<Sample>* samples,
                              MeasuringClock::time_point deadline) {
    std::vector<GroupRow> rows;
    for (uint32_t round = 1; MeasuringClock::now() < deadline; ++round) {
      for (const LoadWindow& window : PlanRound(set, round)) {
        for (Sample& sample : Measure(window)) {
          if (sample.status == SampleStatus::kOk) {
            EXPECT_EQ(sample.counter_bytes, sample.posted_bytes) << sample.reason;
          } else {
            EXPECT_NE(sample.reason, "");
          }
          samples->push_back(std::move(sample));
        }
      }
      rows = JudgeGroups(machine_, set.groups, *samples);
      if (std::all_of(rows.begin(), rows.end(), [](const auto& row) { return row.rounds >= 9; })) {
        break;
      }
    }
    return rows;
  }

  std::vector<PciAddress> gpus_;
  std::map<PciAddress, FarEnd> far_ends_;
};

void Print(const GroupRow& row, double wanted) {
  fmt::print(
      "{:<20} {:>2} NICs {:>7.3f} GB/s, {:.4f} of alone, configured {:.4f}, {} rounds: {} {}\n",
      row.load, row.nic_count, row.throughput_sum.value_or(BytesPerSecond{}).value / 1e9,
      row.sharing_factor.value_or(0), wanted, row.rounds, ToString(row.sharing), row.resource);
  std::fflush(stdout);
}

TEST_F(GroupEmulatedTest, NicsBelowOneSwitchShareItsUplinkAndNothingBelowIt) {
  const auto deadline = MeasuringClock::now() + std::chrono::minutes(10);
  // Two NICs below each of two switches: the second pair tells the uplink from the node's memory.
  const auto sets = MakeLoadSets(machine_, {}, RequestFor({0, 1, 4, 5}));
  ASSERT_EQ(sets.size(), 4u);
  std::vector<Sample> samples;
  std::vector<LoadGroup> groups;
  for (const LoadSet& set : sets) {
    (void)Judge(set, &samples, deadline);
    groups.insert(groups.end(), set.groups.begin(), set.groups.end());
  }
  const auto rows = JudgeGroups(machine_, groups, samples);
  ASSERT_EQ(rows.size(), 12u);
  for (size_t i = 0; i < rows.size(); ++i) {
    const GroupRow& row = rows[i];
    const bool at_gpus = row.places[0].is_gpu();
    const double wanted = TrueFactor(groups[i]);
    Print(row, wanted);
    ASSERT_GE(row.rounds, 9u) << "this host was too busy to measure: " << row.reason;
    EXPECT_NEAR(wanted, at_gpus ? 1 : 0.63, 1e-6);  // 2 x 12.5 through 15.75
    EXPECT_NEAR(*row.sharing_factor / wanted, 1, 0.03);
    EXPECT_NEAR(row.throughput_sum->value / FairSum(groups[i].members), 1, 0.03);
    EXPECT_EQ(row.sharing, at_gpus ? Sharing::kIndependent : Sharing::kSlowed);
    const std::string resource =
        at_gpus                             ? ""
        : row.load == "switch:0000:44:00.0" ? "the uplink of switch 0000:44:00.0"
        : row.load == "switch:0000:55:00.0" ? "the uplink of switch 0000:55:00.0"
                                            : "within switch:0000:44:00.0, switch:0000:55:00.0";
    EXPECT_EQ(row.resource, resource);
  }
}

TEST_F(GroupEmulatedTest, BothDirectionsAtOnce) {
  const auto deadline = MeasuringClock::now() + std::chrono::minutes(5);
  LoadRequest request = RequestFor({0});
  request.bidirectional = true;
  request.places = {MemoryPlace::NumaNode(0)};
  const auto sets = MakeLoadSets(machine_, {}, request);
  ASSERT_EQ(sets.size(), 1u);
  std::vector<Sample> samples;
  const auto rows = Judge(sets[0], &samples, deadline);
  ASSERT_EQ(rows.size(), 1u);
  const double wanted = TrueFactor(sets[0].groups[0]);
  Print(rows[0], wanted);
  ASSERT_GE(rows[0].rounds, 9u) << "this host was too busy to measure: " << rows[0].reason;
  EXPECT_NEAR(*rows[0].sharing_factor / wanted, 1, 0.03);
  EXPECT_FALSE(rows[0].direction.has_value());
  const auto of = [&](Direction direction) {
    return std::count_if(samples.begin(), samples.end(), [&](const Sample& sample) {
      return sample.cell.load == "bidirectional" && sample.cell.direction == direction;
    });
  };
  EXPECT_GE(of(Direction::kToMemory), 9);
  EXPECT_EQ(of(Direction::kToMemory), of(Direction::kFromMemory));
}

// More threads than this host has CPUs: it ends, and what the scheduler did is not told as what the
// NICs do to each other.
TEST_F(GroupEmulatedTest, AllNicsEndWithHonestNumbers) {
  LoadRequest request = RequestFor({});
  for (const Nic& nic : machine_.nics) request.nics.push_back(nic.key());
  request.kinds = {GroupKind::kAll};
  const LoadGroup group = MakeLoadSets(machine_, {}, request)[0].groups[0];
  ASSERT_EQ(group.members.size(), 32u);
  const std::vector<Sample> samples = Measure({group.members, 1});
  ASSERT_EQ(samples.size(), 32u);
  size_t disturbed = 0, measured = 0;
  for (size_t i = 0; i < samples.size(); ++i) {
    const Sample& sample = samples[i];
    EXPECT_EQ(sample.cell, group.members[i]);
    if (sample.disturbed == true) {
      ++disturbed;
      EXPECT_NE(sample.reason.find("kept from its CPU"), std::string::npos) << sample.reason;
    }
    if (sample.status != SampleStatus::kOk) {
      EXPECT_NE(sample.reason, "");
      continue;
    }
    ++measured;
    EXPECT_EQ(sample.counter_bytes, sample.posted_bytes) << sample.reason;
  }
  fmt::print("{} of 32 measured, {} disturbed\n", measured, disturbed);
  // One window proves nothing, and if threads were disturbed it is no round at all.
  const auto rows = JudgeGroups(machine_, std::vector{group}, samples);
  EXPECT_EQ(rows[0].sharing, Sharing::kUndecided);
}

// Two members for whose transfers one NIC would have to post.
TEST_F(GroupEmulatedTest, ANicPostsForOneMemberOnly) {
  const LoadRequest request = RequestFor({0, 1});
  const LoadGroup group = MakeLoadSets(machine_, {}, request)[0].groups[0];
  const FarEnd far = far_ends_.at(group.members[0].nic.address);
  Cell twice = group.members[0];
  twice.place = MemoryPlace::NumaNode(0);
  WindowRequest window;
  window.timing = {milliseconds(1), milliseconds(5)};
  const std::vector<GroupMember> members = {{group.members[0], far}, {twice, far}};
  const auto samples = engine_->MeasureTogether(members, window);
  EXPECT_NE(samples[0].status, SampleStatus::kSkipped);
  EXPECT_EQ(samples[1].status, SampleStatus::kSkipped);
  EXPECT_NE(samples[1].reason.find("posts for another member"), std::string::npos);
}

}  // namespace
}  // namespace railgauge
