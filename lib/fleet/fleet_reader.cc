#include "lib/fleet/fleet_reader.h"

#include <algorithm>
#include <atomic>
#include <optional>
#include <set>
#include <thread>
#include <utility>

#include "fmt/core.h"
#include "lib/base/counted.h"
#include "lib/fleet/run_origin.h"
#include "lib/fleet/sentence.h"

namespace railgauge {
namespace {

// Runs whose groups wait to be put in the table, for each thread.
constexpr size_t kBatch = 32;

std::string NameOf(const FleetPlan& plan, const PlannedPair& pair) {
  return plan.nodes[pair.initiator].name + " with " + plan.nodes[pair.target].name;
}

void LeaveOut(const FleetPlan& plan, const PlannedPair& pair, const std::string& why,
              FleetRecords& records) {
  records.not_whole[pair] = why;
  records.notes.push_back(NameOf(plan, pair) + " does not count: " + why);
  records.unusable.try_emplace(pair.initiator, fmt::format("Its run with {} does not count: {}",
                                                           plan.nodes[pair.target].name, why));
}

void CountRows(FleetRecords& records) {
  records.rows = records.other_slot = records.disturbed = 0;
  for (const FleetRun& run : records.table.runs()) {
    records.rows += run.rows;
    records.other_slot += run.other_slot;
    records.disturbed += run.disturbed;
  }
}

// Machines of several platforms in one fleet are no mistake of a reader, and nobody is told so by
// their rows alone.
void NotePlatforms(FleetRecords& records) {
  std::map<std::string, size_t> platforms;
  for (const FleetRun& run : records.table.runs()) ++platforms[run.run.platform];
  if (platforms.size() < 2) return;
  std::string list;
  for (const auto& [platform, runs] : platforms) {
    list += fmt::format("{}{} of {}", list.empty() ? "" : ", ", Counted(runs, "run"),
                        platform.empty() ? "none" : Printable(platform));
  }
  records.notes.push_back(
      fmt::format("the fleet has runs of several platforms ({}): machines of each are held against "
                  "each other alone",
                  list));
}

// The runs whose census lacks a NIC that another run measured with.
void DoubtCensuses(const FleetPlan& plan, FleetRecords& records) {
  std::map<PciAddress, uint32_t> numbers;
  const std::vector<PciAddress>& slots = records.table.slots();
  for (size_t i = 0; i < slots.size(); ++i) numbers[slots[i]] = static_cast<uint32_t>(i);
  std::map<size_t, std::map<uint32_t, size_t>> seen;  // of nodes: slots, and by which run
  const std::vector<FleetRun>& runs = records.table.runs();
  for (size_t i = 0; i < runs.size(); ++i) {
    for (const PciAddress& partner : runs[i].partners) {
      // One that no census has is missing nowhere.
      const auto number = numbers.find(partner);
      if (number != numbers.end()) seen[runs[i].pair.target].try_emplace(number->second, i);
    }
  }
  for (size_t i = 0; i < runs.size(); ++i) {
    if (runs[i].selected_nics) continue;
    const PlannedPair pair = runs[i].pair;
    const std::set<uint32_t> own(runs[i].slots.begin(), runs[i].slots.end());
    for (const auto& [slot, by] : seen[pair.initiator]) {
      if (own.contains(slot)) continue;
      const std::string why = fmt::format(
          "its census.csv{} no NIC {}, which {} measured with: it was cut off, or the "
          "NIC came or went between the two",
          runs[i].knows_nics ? " and run.json have" : " has", slots[slot].ToString(),
          NameOf(plan, runs[by].pair));
      records.notes.push_back(NameOf(plan, pair) + ": " + why);
      // Only when both are new, one of them can be right.
      records.not_whole[pair] = records.not_whole[runs[by].pair] = why;
      records.table.Doubt(i, slot, why);
    }
  }
}

}  // namespace

size_t ReadingThreads() { return std::clamp<size_t>(std::thread::hardware_concurrency(), 1, 16); }

FleetRecords ReadFleet(const FleetTree& tree, const FleetPlan& plan, size_t threads) {
  RAILGAUGE_CHECK(threads > 0);
  FleetRecords records;
  std::map<size_t, std::string> unreadable;
  const std::vector<PlannedPair> pairs = tree.RunsThere(plan, unreadable);
  for (const auto& [node, why] : unreadable) {
    records.unusable[node] = "Its runs cannot be read: " + WithoutStop(why);
    records.notes.push_back(plan.nodes[node].name + ": " + WithoutStop(why));
  }
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
        LeaveOut(plan, pair, WithoutStop(groups.error().ToString()), records);
        continue;
      }
      records.not_whole[pair] = WhyNotWhole(*groups);
      if (!groups->cut_short.empty()) {
        records.notes.push_back(NameOf(plan, pair) + ": " + groups->cut_short);
      }
      records.table.Add(pair, *groups);
    }
  }
  CountRows(records);
  return records;
}

void HoldRunsAgainstEachOther(const FleetPlan& plan, FleetRecords& records) {
  std::vector<RunOrigin> origins;
  for (const FleetRun& run : records.table.runs()) {
    origins.push_back(
        {run.pair, run.run.run_id, run.run.host, run.peer, run.output, run.run.instance_id});
  }
  const std::vector<std::string> why = WhyStray(plan, origins);
  std::vector<RunOrigin> kept;
  for (size_t i = 0; i < why.size(); ++i) {
    if (why[i].empty()) {
      kept.push_back(origins[i]);
    } else {
      LeaveOut(plan, origins[i].pair, why[i], records);
    }
  }
  records.table.Drop(why);
  CountRows(records);
  DoubtCensuses(plan, records);
  NotePlatforms(records);
  for (std::string& note : NotesOfOneMachine(plan, kept)) {
    records.notes.push_back(std::move(note));
  }
}

}  // namespace railgauge
