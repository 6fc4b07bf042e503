#include "lib/fleet/fleet_table.h"

#include <unistd.h>

#include <algorithm>
#include <set>
#include <utility>

#include "fmt/core.h"
#include "lib/base/counted.h"
#include "lib/base/file.h"
#include "lib/base/quoted.h"
#include "lib/placement/consistency.h"
#include "lib/placement/run_table.h"
#include "lib/report/report_file.h"
#include "lib/report/run_index.h"
#include "lib/report/run_state.h"
#include "lib/stats/median.h"

namespace railgauge {
namespace {

struct CellKey {
  FleetGroup group;
  MemoryPlace place;
  friend auto operator<=>(const CellKey&, const CellKey&) = default;
};

using RelationOf = std::map<std::pair<PciAddress, MemoryPlace>, Relation>;

// What the windows of a NIC alone are worth.
struct Tally {
  size_t windows = 0;  // that were measured
  size_t invalid = 0;
  size_t wrong_data = 0;  // of these
  size_t other_slot = 0;
  size_t disturbed = 0;
  size_t counted = 0;
  std::string why_invalid;  // of the first
  std::string why_wrong;    // of the first with other data
  std::string why_not;      // of the first that was not measured
};

void AddUncounted(const Sample& sample, Tally& tally) {
  const std::string word(ToString(sample.status));
  if (!IsContradicted(sample.status)) {
    if (tally.why_not.empty()) tally.why_not = word + ": " + sample.reason;
    return;
  }
  ++tally.windows;
  if (tally.invalid++ == 0) tally.why_invalid = word + ": " + sample.reason;
  if (sample.status != SampleStatus::kWrongData) return;
  if (tally.wrong_data++ == 0) tally.why_wrong = sample.reason;
}

NoEvidence WhyNoEvidence(const Tally& tally) {
  using Cause = NoEvidence::Cause;
  if (tally.disturbed > 0) {
    return {Cause::kDisturbed, fmt::format("The measuring thread was kept from its CPU in {} of {}",
                                           tally.disturbed, Counted(tally.windows, "window"))};
  }
  if (tally.other_slot > 0) return {Cause::kPeer, "The other node has no NIC in the same slot"};
  if (!tally.why_not.empty()) return {Cause::kOther, "It was not measured: " + tally.why_not};
  return {Cause::kNoRow,
          "It has no row in samples.csv: the run ended before it, or the file was cut"};
}

constexpr char kLoopback[] = "loopback";
constexpr char kCopyAgain[] = "Copy the run directory again";

// The census has all NICs of the machine that run.json lists, or what --nics chose of them. A file
// that is cut off at the end of a row looks whole, and a NIC that it lacks then is none that the
// machine lacks.
Status CheckCensusIsOfMachine(const RunState& state, const RecordedRun& run) {
  if (state.nics.empty()) return {};
  const std::set<PciAddress> listed(state.nics.begin(), state.nics.end());
  std::set<PciAddress> asked;
  for (const RecordedRow<CensusRow>& recorded : run.census) {
    const PciAddress& nic = recorded.row.nic.address;
    if (!asked.insert(nic).second || listed.contains(nic)) continue;
    return Fail(MakeError("read", run.census_path,
                          fmt::format("it has NIC {}, and run.json beside it does not list it, so "
                                      "one of the two is another machine's",
                                      nic.ToString()),
                          kCopyAgain));
  }
  if (state.selected_nics) return {};
  for (const PciAddress& nic : listed) {
    if (asked.contains(nic)) continue;
    return Fail(MakeError("read", run.census_path,
                          fmt::format("it has no row of NIC {}, which run.json beside it lists, so "
                                      "it was cut off",
                                      nic.ToString()),
                          kCopyAgain));
  }
  return {};
}

// That its windows were measured with, which is one for all of them; empty: none was measured.
std::string PeerOf(const RecordedRun& run) {
  for (const RecordedRow<Sample>& recorded : run.samples) {
    if (IsMeasured(recorded.row.status)) return recorded.row.peer;
  }
  return "";
}

Status CheckHasPeer(const RecordedRun& run) {
  if (PeerOf(run) != kLoopback) return {};
  return Fail(MakeError("use", run.samples_path,
                        "it was measured in loopback, so it tells of no other node",
                        "Measure the pair with: railgauge fleet run"));
}

// A file that somebody copied in part. What is in it is not read here: a fleet has many.
Status CheckTopologyIsWhole(const std::string& directory) {
  const std::string path = directory + "/topology.xml";
  if (::access(path.c_str(), F_OK) != 0) return {};
  RAILGAUGE_ASSIGN_OR_RETURN(const std::string xml, ReadRegularFile(path, size_t{64} << 20));
  constexpr std::string_view kEnd = "</topology>";
  const size_t last = xml.find_last_not_of(" \r\n\t");
  const std::string_view whole =
      last == std::string::npos ? std::string_view() : std::string_view(xml).substr(0, last + 1);
  if (whole.ends_with(kEnd)) return {};
  return Fail(MakeError("read topology XML", path,
                        whole.empty() ? "it is empty" : "it is cut off, or no topology",
                        kCopyAgain));
}

// Of two reasons the first; a file may be short for both.
void NoteCutShort(std::string why, RunGroups& out) {
  if (!out.cut_short.empty()) out.cut_short += "; ";
  out.cut_short += why;
}

// Both files' rows, and what run.json says of them.
Result<RecordedRun> ReadRun(const std::string& directory, RunGroups& out) {
  const std::string census = ReportPath<CensusRow>(directory);
  const std::string samples = ReportPath<Sample>(directory);
  RAILGAUGE_ASSIGN_OR_RETURN(const std::vector<IndexedRun> runs, IndexRuns(census, samples));
  if (runs.size() > 1) {
    return Fail(MakeError("read", directory, "it holds " + Counted(runs.size(), "run"),
                          "Keep the one that belongs there"));
  }
  if (runs.empty() || runs.front().census.empty()) {
    return Fail(MakeError("read", census, "it has no row: the run ended before its census"));
  }
  RAILGAUGE_ASSIGN_OR_RETURN(RunReader reader, RunReader::Open(census, samples));
  RAILGAUGE_ASSIGN_OR_RETURN(RecordedRun run, reader.Read(runs.front()));
  RAILGAUGE_RETURN_IF_ERROR(CheckRecording(run));
  RAILGAUGE_RETURN_IF_ERROR(CheckTopologyIsWhole(directory));
  RAILGAUGE_RETURN_IF_ERROR(CheckTablesAreOf(run.run, directory));
  RAILGAUGE_RETURN_IF_ERROR(CheckHasPeer(run));
  const std::string json = directory + "/run.json";
  if (::access(json.c_str(), F_OK) == 0) {
    RAILGAUGE_ASSIGN_OR_RETURN(const std::string content, ReadRegularFile(json, size_t{64} << 20));
    RAILGAUGE_ASSIGN_OR_RETURN(RunState state, ParseRunState(content, json));
    RAILGAUGE_RETURN_IF_ERROR(CheckIsOfRun(state, run.run, json));
    RAILGAUGE_RETURN_IF_ERROR(CheckCensusIsOfMachine(state, run));
    out.output = std::move(state.output);
    if (const std::string peer = PeerOf(run);
        !state.peer.empty() && !peer.empty() && peer != state.peer) {
      return Fail(MakeError("read", json,
                            fmt::format("by it the other end was host {}, and in samples.csv {}",
                                        Quoted(state.peer), Quoted(peer)),
                            kCopyAgain));
    }
    out.peer = std::move(state.peer);
    out.knows_nics = !state.nics.empty();
    out.selected_nics = state.selected_nics;
    if (!state.ended) NoteCutShort("the run did not end", out);
  } else {
    NoteCutShort("it has no run.json, so it may not have ended", out);
  }
  if (EndsInsideLine(samples)) {
    NoteCutShort(samples + " ends inside a line, so it was cut off: that line is left out", out);
  }
  return run;
}

void TakeCensus(const RecordedRun& run, RunGroups& out, RelationOf& relations) {
  out.run = run.run;
  for (const RecordedRow<CensusRow>& recorded : run.census) {
    const CensusRow& row = recorded.row;
    relations[{row.nic.address, row.place}] = row.relation;
    if (out.nics.empty() || out.nics.back().address != row.nic.address) {
      out.nics.push_back(row.nic);
    }
  }
}

using WindowsOf = std::map<CellKey, std::vector<double>>;  // throughputs

void TakeSample(const Sample& sample, const RelationOf& relations, RunGroups& out, Tally& tally,
                WindowsOf& windows) {
  const Cell& cell = sample.cell;
  if (!IsMeasured(sample.status) || !sample.throughput) return AddUncounted(sample, tally);
  ++tally.windows;
  out.peer = sample.peer;
  out.partners.insert(sample.partner.address);
  if (sample.partner.address != cell.nic.address) {
    ++out.other_slot;
    ++tally.other_slot;
    return;
  }
  if (sample.disturbed == true) {
    ++out.disturbed;
    ++tally.disturbed;
    return;
  }
  ++tally.counted;
  const Relation relation = relations.at({cell.nic.address, cell.place});
  const FleetGroup group{out.run.instance_type, cell.nic.address, cell.operation, cell.direction,
                         cell.place.kind,       relation,         cell.size,      out.run.platform};
  windows[{group, cell.place}].push_back(sample.throughput->value);
}

void AddMedians(WindowsOf& windows, RunGroups& out) {
  std::vector<double> places;
  for (auto at = windows.begin(); at != windows.end();) {
    const FleetGroup& group = at->first.group;
    places.clear();
    for (; at != windows.end() && at->first.group == group; ++at) {
      places.push_back(MedianInPlace(at->second));
    }
    out.medians.emplace_back(group, MedianInPlace(places));
  }
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
  RAILGAUGE_ASSIGN_OR_RETURN(RecordedRun run, ReadRun(directory, out));
  out.contradicting_rows = MarkContradicted(run);
  RelationOf relations;
  TakeCensus(run, out, relations);
  std::map<PciAddress, Tally> tallies;
  for (const NicKey& nic : out.nics) tallies[nic.address];
  WindowsOf windows;
  for (const RecordedRow<Sample>& recorded : run.samples) {
    const Sample& sample = recorded.row;
    ++out.rows;
    if (out.cut_short.empty()) out.cut_short = WhyCutShort(sample);
    out.measured += IsMeasured(sample.status) ? 1 : 0;
    out.measured_disturbed += IsMeasured(sample.status) && sample.disturbed == true ? 1 : 0;
    if (sample.cell.load != "alone") continue;
    TakeSample(sample, relations, out, tallies[sample.cell.nic.address], windows);
  }
  AddMedians(windows, out);
  for (const auto& [nic, tally] : tallies) {
    if (tally.invalid > 0) {
      out.invalid[nic] =
          fmt::format("{} of {} {} not valid: {}", tally.invalid, Counted(tally.windows, "window"),
                      tally.invalid == 1 ? "is" : "are", tally.why_invalid);
      if (tally.wrong_data > 0) {
        out.wrong_data[nic] = fmt::format("in {} of {}: {}", tally.wrong_data,
                                          Counted(tally.windows, "window"), tally.why_wrong);
      }
    } else if (tally.counted == 0) {
      out.no_evidence[nic] = WhyNoEvidence(tally);
    }
  }
  return out;
}

std::string WhyNotWhole(const RunGroups& run) {
  if (!run.cut_short.empty()) return run.cut_short;
  if (run.contradicting_rows > 0) {
    return fmt::format(
        "{} of its samples.csv {}, so the file was changed", Counted(run.contradicting_rows, "row"),
        run.contradicting_rows == 1 ? "contradicts itself" : "contradict themselves");
  }
  if (run.measured == 0) {
    const std::string why = run.no_evidence.empty() ? "" : run.no_evidence.begin()->second.why;
    return "none of its windows was measured" + (why.empty() ? "" : ": " + why);
  }
  for (const auto& [nic, lack] : run.no_evidence) {
    if (lack.cause == NoEvidence::Cause::kDisturbed) return kDisturbed;
    if (lack.cause == NoEvidence::Cause::kNoRow) {
      return fmt::format("its samples.csv has no row of NIC {}, so it was cut", nic.ToString());
    }
  }
  return 2 * run.measured_disturbed > run.measured ? kDisturbed : "";
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
  run.peer = groups.peer;
  run.output = groups.output;
  run.partners.assign(groups.partners.begin(), groups.partners.end());
  run.knows_nics = groups.knows_nics;
  run.selected_nics = groups.selected_nics;
  run.rows = groups.rows;
  run.other_slot = groups.other_slot;
  run.disturbed = groups.disturbed;
  for (const NicKey& nic : groups.nics) {
    const uint32_t slot = SlotNumber(nic);
    if (const auto why = groups.invalid.find(nic.address); why != groups.invalid.end()) {
      run.invalid[slot] = why->second;
    }
    if (const auto why = groups.wrong_data.find(nic.address); why != groups.wrong_data.end()) {
      run.wrong_data[slot] = why->second;
    }
    if (const auto why = groups.no_evidence.find(nic.address); why != groups.no_evidence.end()) {
      run.no_evidence[slot] = why->second;
    }
  }
  runs_.push_back(std::move(run));
}

void FleetTable::Drop(std::span<const std::string> unusable) {
  RAILGAUGE_CHECK(unusable.size() == runs_.size());
  size_t kept = 0;
  for (size_t i = 0; i < runs_.size(); ++i) {
    if (!unusable[i].empty()) continue;
    if (kept != i) runs_[kept] = std::move(runs_[i]);
    ++kept;
  }
  runs_.resize(kept);
}

}  // namespace railgauge
