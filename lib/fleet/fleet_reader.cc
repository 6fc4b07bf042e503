#include "lib/fleet/fleet_reader.h"

#include <algorithm>
#include <atomic>
#include <optional>
#include <thread>

#include "fmt/core.h"
#include "lib/fleet/run_origin.h"

namespace railgauge {
namespace {

// Runs whose groups wait to be put in the table, for each thread.
constexpr size_t kBatch = 32;

std::string NameOf(const FleetPlan& plan, const PlannedPair& pair) {
  return plan.nodes[pair.initiator].name + " with " + plan.nodes[pair.target].name;
}

void LeaveOut(const FleetPlan& plan, const PlannedPair& pair, const std::string& why,
              FleetRecords& records) {
  records.notes.push_back(NameOf(plan, pair) + " does not count: " + why);
  records.unusable.try_emplace(pair.initiator, fmt::format("Its run with {} does not count: {}",
                                                           plan.nodes[pair.target].name, why));
}

}  // namespace

FleetRecords ReadFleet(const FleetTree& tree, const FleetPlan& plan, size_t threads) {
  RAILGAUGE_CHECK(threads > 0);
  FleetRecords records;
  const std::vector<PlannedPair> pairs = tree.RunsThere(plan);
  const auto name = [&](size_t node) -> const std::string& { return plan.nodes[node].name; };
  for (size_t begin = 0; begin < pairs.size(); begin += kBatch * threads) {
    const size_t size = std::min(kBatch * threads, pairs.size() - begin);
    std::vector<std::optional<Result<RunGroups>>> batch(size);
    std::atomic<size_t> next{0};
    const auto read = [&] {
      for (size_t i = next++; i < size; i = next++) {
        const PlannedPair& pair = pairs[begin + i];
        batch[i] = ReadRunGroups(tree.RunPath(name(pair.initiator), name(pair.target)));
      }
    };
    std::vector<std::thread> others;
    for (size_t i = 1; i < threads; ++i) others.emplace_back(read);
    read();
    for (std::thread& other : others) other.join();
    // In the order of the plan, whichever thread was first, so that the result is the same.
    for (size_t i = 0; i < size; ++i) {
      const PlannedPair& pair = pairs[begin + i];
      const Result<RunGroups>& groups = *batch[i];
      if (!groups) {
        LeaveOut(plan, pair, groups.error().ToString(), records);
        continue;
      }
      if (!groups->cut_short.empty()) {
        records.notes.push_back(NameOf(plan, pair) + ": " + groups->cut_short);
      }
      records.rows += groups->rows;
      records.other_slot += groups->other_slot;
      records.disturbed += groups->disturbed;
      records.table.Add(pair, *groups);
    }
  }
  return records;
}

void DropStrayRuns(const FleetPlan& plan, FleetRecords& records) {
  std::vector<RunOrigin> origins;
  for (const FleetRun& run : records.table.runs()) {
    origins.push_back({run.pair, run.run.run_id, run.run.host, run.peer, run.output});
  }
  const std::vector<std::string> why = WhyStray(plan, origins);
  for (size_t i = 0; i < why.size(); ++i) {
    if (!why[i].empty()) LeaveOut(plan, origins[i].pair, why[i], records);
  }
  records.table.Drop(why);
}

}  // namespace railgauge
