#include "lib/fleet/fleet_table.h"

#include <algorithm>
#include <tuple>

#include "fmt/core.h"
#include "lib/placement/consistency.h"
#include "lib/report/report_file.h"
#include "lib/report/row_stream.h"
#include "lib/stats/median.h"

namespace railgauge {
namespace {

struct CellKey {
  FleetGroup group;
  MemoryPlace place;
  friend auto operator<=>(const CellKey&, const CellKey&) = default;
};

using RelationOf = std::map<std::pair<PciAddress, MemoryPlace>, Relation>;

Status ReadCensus(const std::string& directory, RunGroups& out, RelationOf& relations) {
  RAILGAUGE_ASSIGN_OR_RETURN(auto rows,
                             RowStream<CensusRow>::Open(ReportPath<CensusRow>(directory)));
  while (true) {
    RAILGAUGE_ASSIGN_OR_RETURN(const bool there, rows.Next());
    if (!there) return {};
    RAILGAUGE_ASSIGN_OR_RETURN(const CensusRow row, rows.Parse());
    if (rows.is_new_run()) out.run = rows.run();
    relations[{row.nic.address, row.place}] = row.relation;
    if (out.nics.empty() || out.nics.back().address != row.nic.address) {
      out.nics.push_back(row.nic);
    }
  }
}

bool IsEvidence(const Sample& sample) {
  return sample.cell.load == "alone" && IsMeasured(sample.status) && sample.throughput &&
         !FindSelfContradiction(sample);
}

}  // namespace

std::string PlaceClass(const FleetGroup& group) {
  return fmt::format("{} {}", group.kind == MemoryPlace::Kind::kNumaNode ? "host" : "gpu",
                     ToString(group.relation));
}

std::string_view WhyCutShort(const Sample& sample) {
  if (sample.skip_cause == SkipCause::kInterrupted) return "the run was interrupted";
  const bool lost =
      sample.skip_cause == SkipCause::kPeerGone || sample.reason.starts_with("the peer is gone");
  return lost ? "the run lost its peer" : "";
}

Result<RunGroups> ReadRunGroups(const std::string& directory) {
  RunGroups out;
  RelationOf relations;
  RAILGAUGE_RETURN_IF_ERROR(ReadCensus(directory, out, relations));
  RAILGAUGE_ASSIGN_OR_RETURN(auto rows, RowStream<Sample>::Open(ReportPath<Sample>(directory)));
  std::map<CellKey, std::vector<double>> windows;  // throughputs
  while (true) {
    RAILGAUGE_ASSIGN_OR_RETURN(const bool there, rows.Next());
    if (!there) break;
    RAILGAUGE_ASSIGN_OR_RETURN(const Sample sample, rows.Parse());
    ++out.rows;
    if (out.cut_short.empty()) out.cut_short = WhyCutShort(sample);
    if (!IsEvidence(sample)) continue;
    const Cell& cell = sample.cell;
    if (sample.partner.address != cell.nic.address) {
      ++out.other_slot;
      continue;
    }
    if (sample.disturbed == true) {
      ++out.disturbed;
      continue;
    }
    const auto relation = relations.find({cell.nic.address, cell.place});
    if (relation == relations.end()) continue;
    const FleetGroup group{out.run.instance_type, cell.nic.address, cell.operation, cell.direction,
                           cell.place.kind,       relation->second, cell.size};
    windows[{group, cell.place}].push_back(sample.throughput->value);
  }
  std::vector<double> places;
  for (auto at = windows.begin(); at != windows.end();) {
    const FleetGroup& group = at->first.group;
    places.clear();
    for (; at != windows.end() && at->first.group == group; ++at) {
      places.push_back(MedianInPlace(at->second));
    }
    out.medians.emplace_back(group, MedianInPlace(places));
  }
  return out;
}

uint32_t FleetTable::SlotNumber(const NicKey& nic) {
  const auto [entry, is_new] =
      slot_numbers_.try_emplace(nic.address, static_cast<uint32_t>(slots_.size()));
  if (is_new) {
    slots_.push_back(nic.address);
    names_.push_back(nic.name);
  } else if (names_[entry->second].empty()) {
    names_[entry->second] = nic.name;
  }
  return entry->second;
}

uint32_t FleetTable::GroupNumber(const FleetGroup& group) {
  const auto [entry, is_new] =
      group_numbers_.try_emplace(group, static_cast<uint32_t>(groups_.size()));
  if (is_new) {
    groups_.push_back(group);
    slot_of_group_.push_back(SlotNumber({group.slot, ""}));
  }
  return entry->second;
}

void FleetTable::Add(const PlannedPair& pair, const RunGroups& groups) {
  FleetRun run;
  run.pair = pair;
  run.run = groups.run;
  for (const NicKey& nic : groups.nics) run.slots.push_back(SlotNumber(nic));
  run.values.reserve(groups.medians.size());
  for (const auto& [group, throughput] : groups.medians) {
    run.values.push_back({GroupNumber(group), static_cast<float>(throughput)});
  }
  runs_.push_back(std::move(run));
}

}  // namespace railgauge
