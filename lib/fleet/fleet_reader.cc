#include "lib/fleet/fleet_reader.h"

#include <algorithm>
#include <atomic>
#include <optional>
#include <thread>

#include "fmt/core.h"

namespace railgauge {
namespace {

// Runs whose groups wait to be put in the table, for each thread.
constexpr size_t kBatch = 32;

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
      const std::string run = name(pair.initiator) + " with " + name(pair.target);
      const Result<RunGroups>& groups = *batch[i];
      if (!groups) {
        records.notes.push_back(run + ": " + groups.error().ToString());
        continue;
      }
      if (!groups->cut_short.empty()) records.notes.push_back(run + ": " + groups->cut_short);
      records.rows += groups->rows;
      records.other_slot += groups->other_slot;
      records.disturbed += groups->disturbed;
      records.table.Add(pair, *groups);
    }
  }
  return records;
}

}  // namespace railgauge
