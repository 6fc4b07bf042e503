#include "lib/placement/consistency.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "fmt/core.h"
#include "lib/base/quoted.h"
#include "lib/base/units.h"
#include "lib/placement/sentences.h"
#include "lib/report/csv_record.h"
#include "lib/topology/relation.h"
#include "lib/topology/spelling.h"

namespace railgauge {
namespace {

constexpr char kAsWritten[] = "Give the run directory as railgauge wrote it";
constexpr char kLoopback[] = "loopback";

// What a row said first, and others of the run must say, too.
template <typename Value>
struct First {
  Value value;
  size_t line = 0;
};

// Goes through the rows of a run, the census first.
class Checker {
 public:
  explicit Checker(const RecordedRun& run) : run_(run) {}

  Status Check() {
    RAILGAUGE_RETURN_IF_ERROR(CheckIdentity());
    for (const RecordedRow<CensusRow>& recorded : run_.census) {
      RAILGAUGE_RETURN_IF_ERROR(CheckCensusRow(recorded));
    }
    for (const RecordedRow<Sample>& recorded : run_.samples) {
      RAILGAUGE_RETURN_IF_ERROR(CheckSample(recorded.row, recorded.line));
    }
    RAILGAUGE_RETURN_IF_ERROR(CheckCensusIsWhole());
    RAILGAUGE_RETURN_IF_ERROR(CheckWindowsOnce());
    return CheckGroupsHaveMembers();
  }

 private:
  using NicPlace = std::pair<PciAddress, MemoryPlace>;
  using PlaceWay = std::pair<MemoryPlace, RegistrationWay>;

  Status Refuse(const std::string& path, size_t line, std::string reason,
                std::string advice = kAsWritten) const {
    return Fail(CsvError(path, line, std::move(reason), std::move(advice)));
  }

  Status CheckIdentity() const;
  Status CheckCensusRow(const RecordedRow<CensusRow>& recorded);
  Status CheckSameText(const RecordedRow<CensusRow>& recorded, std::string_view column,
                       const std::string& text, const std::optional<MemoryPlace>& place,
                       First<std::string>& first) const;
  Status CheckSample(const Sample& sample, size_t line);
  Status CheckConditions(const Sample& sample, size_t line);
  Status CheckPartnerName(const Sample& sample, size_t line) const;
  Status CheckCensusIsWhole() const;
  Status CheckWindowsOnce() const;
  Status CheckGroupsHaveMembers() const;

  const RecordedRun& run_;
  std::map<PciAddress, First<std::string>> names_;  // of the census, as those below
  std::map<NicPlace, First<Relation>> relations_;
  std::map<NicPlace, First<std::string>> paths_;
  std::map<PciAddress, First<std::string>> access_flags_;
  std::map<std::pair<PciAddress, PlaceWay>, std::vector<const RecordedRow<CensusRow>*>> asked_;
  std::set<PlaceWay> ways_;
  std::optional<First<std::string>> peer_;
  std::map<std::pair<PciAddress, PciAddress>, First<std::optional<BytesPerSecond>>> line_rates_;
  std::map<Bytes, First<uint32_t>> depths_;
};

Status Checker::CheckIdentity() const {
  if (run_.census.empty() && run_.samples.empty()) return {};
  const bool in_census = !run_.census.empty();
  const std::string& path = in_census ? run_.census_path : run_.samples_path;
  const size_t line = in_census ? run_.census.front().line : run_.samples.front().line;
  if (run_.run.run_id.empty()) return Refuse(path, line, "run_id is empty");
  const std::string& platform = run_.run.platform;
  if (platform == "hardware" || platform == "emulated" || platform == "unknown") return {};
  return Refuse(
      path, line,
      fmt::format("platform is '{}', and is hardware, emulated or unknown", Shortened(platform)));
}

Status Checker::CheckCensusRow(const RecordedRow<CensusRow>& recorded) {
  const CensusRow& row = recorded.row;
  const auto fail = [&](std::string reason, const char* advice = kAsWritten) {
    return Refuse(run_.census_path, recorded.line, std::move(reason), advice);
  };
  if (auto why = WhyNeverWritten(row)) return fail(*std::move(why));
  const auto name =
      names_.try_emplace(row.nic.address, First<std::string>{row.nic.name, recorded.line});
  if (const First<std::string>& first = name.first->second; first.value != row.nic.name) {
    return fail(fmt::format("nic_name of {} is '{}', and '{}' in line {}",
                            row.nic.address.ToString(), Shortened(row.nic.name),
                            Shortened(first.value), first.line));
  }
  RAILGAUGE_RETURN_IF_ERROR(CheckSameText(recorded, "pci_path", row.pci_path, row.place,
                                          paths_[{row.nic.address, row.place}]));
  RAILGAUGE_RETURN_IF_ERROR(CheckSameText(recorded, "access_flags", row.access_flags, std::nullopt,
                                          access_flags_[row.nic.address]));
  const auto relation = relations_.try_emplace({row.nic.address, row.place},
                                               First<Relation>{row.relation, recorded.line});
  if (const First<Relation>& first = relation.first->second; first.value != row.relation) {
    return fail(fmt::format("relation of {} and {} is {}, and {} in line {}", NameOf(row.nic),
                            row.place.ToString(), ToString(row.relation), ToString(first.value),
                            first.line));
  }
  ways_.insert({row.place, row.way});
  auto& same = asked_[{row.nic.address, {row.place, row.way}}];
  for (const RecordedRow<CensusRow>* before : same) {
    // With another answer it is the finding census_contradicts_itself.
    if (before->row.status != row.status || before->row.ids != row.ids) continue;
    return fail(fmt::format("the row is in line {} already", before->line), "Give every row once");
  }
  same.push_back(&recorded);
  return {};
}

// What is told of the NIC (at the place) by every row that tells it; `first` is the first.
Status Checker::CheckSameText(const RecordedRow<CensusRow>& recorded, std::string_view column,
                              const std::string& text, const std::optional<MemoryPlace>& place,
                              First<std::string>& first) const {
  if (text.empty() || first.value == text) return {};
  if (first.value.empty()) {
    first = {text, recorded.line};
    return {};
  }
  return Refuse(run_.census_path, recorded.line,
                fmt::format("{} of {}{} is {}, and {} in line {}", column, NameOf(recorded.row.nic),
                            place ? " and " + place->ToString() : "", Quoted(text),
                            Quoted(first.value), first.line));
}

// Of a partner in loopback, which the census need not have.
Status Checker::CheckPartnerName(const Sample& sample, size_t line) const {
  if (sample.peer != kLoopback) return {};
  const auto name = names_.find(sample.partner.address);
  if (name == names_.end() || name->second.value == sample.partner.name) return {};
  return Refuse(run_.samples_path, line,
                fmt::format("partner_name of {} is '{}', and '{}' in line {} of {}",
                            sample.partner.address.ToString(), Shortened(sample.partner.name),
                            Shortened(name->second.value), name->second.line, run_.census_path));
}

// What all measured windows of a run have in common.
Status Checker::CheckConditions(const Sample& sample, size_t line) {
  const auto fail = [&](std::string reason) {
    return Refuse(run_.samples_path, line, std::move(reason));
  };
  if (!peer_) peer_ = First<std::string>{sample.peer, line};
  if (peer_->value != sample.peer) {
    return fail(fmt::format("peer is '{}', and '{}' in line {}: a run has one",
                            Shortened(sample.peer), Shortened(peer_->value), peer_->line));
  }
  const auto rate =
      line_rates_.try_emplace({sample.cell.nic.address, sample.partner.address},
                              First<std::optional<BytesPerSecond>>{sample.line_rate, line});
  if (const auto& first = rate.first->second; first.value != sample.line_rate) {
    const auto text = [](const std::optional<BytesPerSecond>& value) {
      return value ? fmt::format("{:.17g}", value->value) : std::string("empty");
    };
    return fail(fmt::format("line_rate_bytes_per_second of {} with {} is {}, and {} in line {}",
                            NameOf(sample.cell.nic), sample.partner.address.ToString(),
                            text(sample.line_rate), text(first.value), first.line));
  }
  if (sample.cell.load != "alone" || !sample.throughput) return {};
  const auto depth =
      depths_.try_emplace(sample.cell.size, First<uint32_t>{sample.cell.depth, line});
  if (const First<uint32_t>& first = depth.first->second; first.value != sample.cell.depth) {
    return fail(fmt::format("depth of messages of {} is {}, and {} in line {}",
                            FormatBytes(sample.cell.size), sample.cell.depth, first.value,
                            first.line));
  }
  return {};
}

Status Checker::CheckSample(const Sample& sample, size_t line) {
  if (auto why = WhyNeverWritten(sample)) return Refuse(run_.samples_path, line, *std::move(why));
  const Cell& cell = sample.cell;
  const auto missing = [&](const std::string& how) {
    return Refuse(run_.samples_path, line,
                  fmt::format("{} of run '{}' has no row of {} at {}{}, which was measured here",
                              run_.census_path, Shortened(run_.run.run_id), NameOf(cell.nic),
                              cell.place.ToString(), how),
                  "Give the census.csv of the same run, whole");
  };
  if (!relations_.contains({cell.nic.address, cell.place})) return missing("");
  const First<std::string>& name = names_.at(cell.nic.address);
  if (name.value != cell.nic.name) {
    return Refuse(run_.samples_path, line,
                  fmt::format("nic_name of {} is '{}', and '{}' in line {} of {}",
                              cell.nic.address.ToString(), Shortened(cell.nic.name),
                              Shortened(name.value), name.line, run_.census_path));
  }
  RAILGAUGE_RETURN_IF_ERROR(CheckPartnerName(sample, line));
  if (!IsMeasured(sample.status)) return {};
  // That a way does not fit the place is for the window to answer.
  const bool fits = cell.place.is_host() == (sample.way == RegistrationWay::kHost);
  if (fits && !asked_.contains({cell.nic.address, {cell.place, sample.way}})) {
    return missing(fmt::format(" by way {}", ToString(sample.way)));
  }
  return CheckConditions(sample, line);
}

// Every NIC is asked about every place in the same ways.
Status Checker::CheckCensusIsWhole() const {
  if (asked_.size() == names_.size() * ways_.size()) return {};
  for (const auto& [address, name] : names_) {
    for (const PlaceWay& way : ways_) {
      if (asked_.contains({address, way})) continue;
      return Fail(MakeError(
          "read", run_.census_path,
          fmt::format("the census of run '{}' has no row of {} at {} by way {}, so it is cut off",
                      Shortened(run_.run.run_id), NameOf({address, name.value}),
                      way.first.ToString(), ToString(way.second)),
          "Copy the run directory again"));
    }
  }
  return {};
}

// What tells one window of a run from another: windows of one cell never begin at one time.
bool IsSameWindow(const Sample& a, const Sample& b) {
  return a.start_offset == b.start_offset && a.round == b.round && a.way == b.way &&
         a.cell == b.cell;
}

Status Checker::CheckWindowsOnce() const {
  // By time: a run has hundreds of thousands of rows, and cells are slow to compare.
  std::vector<const RecordedRow<Sample>*> windows;
  windows.reserve(run_.samples.size());
  for (const RecordedRow<Sample>& recorded : run_.samples) {
    // Else nothing was measured, for any number of rounds.
    if (recorded.row.duration != Nanoseconds{0}) windows.push_back(&recorded);
  }
  std::sort(windows.begin(), windows.end(), [](const auto* a, const auto* b) {
    return std::tie(a->row.start_offset, a->line) < std::tie(b->row.start_offset, b->line);
  });
  for (size_t i = 0; i < windows.size(); ++i) {
    for (size_t j = i; j-- > 0 && windows[j]->row.start_offset == windows[i]->row.start_offset;) {
      if (!IsSameWindow(windows[i]->row, windows[j]->row)) continue;
      return Refuse(run_.samples_path, windows[i]->line,
                    fmt::format("the window is in line {} already", windows[j]->line),
                    "Give every row once");
    }
  }
  return {};
}

// A group of one would be that one alone. The last row of a run that was killed may be the first of
// its group.
Status Checker::CheckGroupsHaveMembers() const {
  std::map<std::string_view, std::pair<const RecordedRow<Sample>*, bool>> groups;  // first, others
  for (const RecordedRow<Sample>& recorded : run_.samples) {
    const Cell& cell = recorded.row.cell;
    if (cell.load == "alone") continue;
    auto& [first, has_others] = groups.try_emplace(cell.load, &recorded, false).first->second;
    const Cell& other = first->row.cell;
    has_others = has_others || cell.nic != other.nic || cell.direction != other.direction;
  }
  for (const auto& [load, members] : groups) {
    const RecordedRow<Sample>* first = members.first;
    if (members.second || first == &run_.samples.back()) continue;
    return Refuse(run_.samples_path, first->line,
                  fmt::format("load is '{}', and no other NIC has a row of that load",
                              Shortened(std::string(load))));
  }
  return {};
}

// What of the run `machine` does not have.
std::vector<std::string> MissingOf(const RecordedRun& run, const Machine& machine) {
  std::vector<std::string> missing;
  std::set<std::string> all;
  const auto need = [&](const std::string& key, const std::string& name, bool is_there) {
    if (all.insert(key).second && !is_there) missing.push_back(name);
  };
  const auto need_nic = [&](const NicKey& nic) {
    need(nic.address.ToString(), NameOf(nic), machine.FindNic(nic.address) != nullptr);
  };
  const auto need_node = [&](const MemoryPlace& place) {
    if (!place.is_host()) return;
    const std::string name = place.ToString();
    need(name, name, machine.FindNumaNode(place.numa_node) != nullptr);
  };
  for (const RecordedRow<CensusRow>& recorded : run.census) {
    need_nic(recorded.row.nic);
    need_node(recorded.row.place);
  }
  std::set<std::pair<PciAddress, MemoryPlace>> partners;
  for (const RecordedRow<Sample>& recorded : run.samples) {
    const Sample& sample = recorded.row;
    if (!IsMeasured(sample.status) || sample.peer != kLoopback) continue;
    if (!partners.insert({sample.partner.address, sample.partner_place}).second) continue;
    need_nic(sample.partner);
    need_node(sample.partner_place);
  }
  return missing;
}

// How a NIC and a place lie to each other in `machine`, where the census says otherwise.
std::string OtherRelation(const RecordedRun& run, const Machine& machine) {
  for (const RecordedRow<CensusRow>& recorded : run.census) {
    const CensusRow& row = recorded.row;
    const Relation relation =
        RelationOf(machine, *machine.FindNic(row.nic.address), row.place).relation;
    if (relation == row.relation || relation == Relation::kUnknown ||
        row.relation == Relation::kUnknown) {
      continue;
    }
    return fmt::format("{} and {} are {} in it, and {} in {}:{}", NameOf(row.nic),
                       row.place.ToString(), ToString(relation), ToString(row.relation),
                       run.census_path, recorded.line);
  }
  return "";
}

}  // namespace

size_t MarkContradicted(RecordedRun& run) {
  size_t count = 0;
  for (RecordedRow<Sample>& recorded : run.samples) {
    const auto found = FindSelfContradiction(recorded.row);
    if (!found) continue;
    ++count;
    recorded.row.status = found->status;
    recorded.row.reason = fmt::format("the row contradicts itself ({}:{}): {}", run.samples_path,
                                      recorded.line, found->reason);
  }
  return count;
}

Status CheckRecording(const RecordedRun& run) { return Checker(run).Check(); }

Status CheckMachine(const RecordedRun& run, const Machine& machine, const std::string& source) {
  const std::vector<std::string> missing = MissingOf(run, machine);
  constexpr size_t kNamed = 4;
  const std::string& type = run.run.instance_type;
  std::string why;
  if (!missing.empty()) {
    why = "it has no " + JoinSome(missing, kNamed);
  } else {
    why = OtherRelation(run, machine);
  }
  if (why.empty() && !type.empty() && !machine.instance_type.empty() &&
      type != machine.instance_type) {
    why = fmt::format("it is of a {}, and the run of a {}", Shortened(machine.instance_type),
                      Shortened(type));
  }
  if (why.empty()) return {};
  return Fail(MakeError("judge run '" + Shortened(run.run.run_id) + "'", source,
                        "it is the topology of another machine: " + why,
                        fmt::format("Give that of the run's machine{} with --hwloc-xml=FILE",
                                    type.empty() ? "" : ", a " + Shortened(type) + ",")));
}

}  // namespace railgauge
