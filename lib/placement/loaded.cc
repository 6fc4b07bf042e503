#include "lib/placement/loaded.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "fmt/core.h"
#include "lib/base/counted.h"
#include "lib/placement/suspects.h"
#include "lib/stats/false_discovery.h"
#include "lib/stats/median.h"
#include "lib/stats/paired_ratio.h"
#include "lib/stats/ratio_outcome.h"

namespace railgauge {
namespace {

constexpr char kAlone[] = "alone";

Cell Alone(Cell cell) {
  cell.load = kAlone;
  return cell;
}

// The samples by cell and round.
class Windows {
 public:
  explicit Windows(std::span<const Sample> samples) {
    for (const Sample& sample : samples) windows_[sample.cell][sample.round] = &sample;
  }

  const std::map<uint32_t, const Sample*>& Of(const Cell& cell) const {
    static const std::map<uint32_t, const Sample*> kNone;
    const auto found = windows_.find(cell);
    return found == windows_.end() ? kNone : found->second;
  }

 private:
  std::map<Cell, std::map<uint32_t, const Sample*>> windows_;
};

bool IsEvidence(const Sample& sample) {
  return IsMeasured(sample.status) && sample.throughput &&
         std::isfinite(sample.throughput->value) && sample.disturbed != true;
}

// One group's rounds, and what keeps others from being some.
struct Rounds {
  std::vector<PairedRound> sums;              // together, alone
  std::vector<std::vector<double>> together;  // by member
  std::vector<const Sample*> example;         // by member, of the last round
  size_t disturbed = 0;                       // rounds
  size_t cpu_bound = 0;                       // windows together
  bool no_time = false;                       // there was none for more rounds
  std::string why_not;                        // the first other reason
};

// Adds one round, or says why it is none.
void AddRound(const LoadGroup& group, const Windows& windows, uint32_t round, Rounds& rounds) {
  PairedRound sums;
  std::vector<const Sample*> together;
  bool disturbed = false;
  for (const Cell& member : group.members) {
    for (const Cell& cell : {member, Alone(member)}) {
      const auto& of_cell = windows.Of(cell);
      const auto found = of_cell.find(round);
      if (found == of_cell.end()) return;
      const Sample& sample = *found->second;
      if (!IsEvidence(sample)) {
        disturbed = disturbed || sample.disturbed == true;
        rounds.no_time = rounds.no_time || sample.skip_cause == SkipCause::kNoTime;
        if (!IsMeasured(sample.status) && rounds.why_not.empty()) rounds.why_not = sample.reason;
        if (!disturbed) return;
        continue;
      }
      const bool is_alone = cell.load == kAlone;
      (is_alone ? sums.denominator : sums.numerator) += sample.throughput->value;
      if (!is_alone) together.push_back(&sample);
    }
  }
  if (disturbed) {
    ++rounds.disturbed;
    return;
  }
  rounds.sums.push_back(sums);
  for (size_t i = 0; i < together.size(); ++i) {
    rounds.together[i].push_back(together[i]->throughput->value);
    rounds.example[i] = together[i];
    rounds.cpu_bound += together[i]->cpu_bound == true ? 1 : 0;
  }
}

Rounds RoundsOf(const LoadGroup& group, const Windows& windows) {
  Rounds rounds;
  rounds.together.resize(group.members.size());
  rounds.example.resize(group.members.size());
  if (group.members.empty()) return rounds;
  for (const auto& [round, sample] : windows.Of(group.members.front())) {
    AddRound(group, windows, round, rounds);
  }
  return rounds;
}

template <typename T, typename Get>
std::vector<T> Distinct(const LoadGroup& group, Get get) {
  std::vector<T> values;
  for (const Cell& member : group.members) {
    if (std::find(values.begin(), values.end(), get(member)) == values.end()) {
      values.push_back(get(member));
    }
  }
  return values;
}

std::optional<BytesPerSecond> MedianRate(std::vector<double> values) {
  const auto median = Median(values);
  return median ? std::optional(BytesPerSecond{*median}) : std::nullopt;
}

GroupRow Describe(const LoadGroup& group, const Rounds& rounds) {
  GroupRow row;
  row.load = group.load;
  row.nics = Distinct<NicKey>(group, [](const Cell& cell) { return cell.nic; });
  row.places = Distinct<MemoryPlace>(group, [](const Cell& cell) { return cell.place; });
  row.nic_count = row.nics.size();
  row.operation = group.members.front().operation;
  row.size = group.members.front().size;
  const auto directions =
      Distinct<Direction>(group, [](const Cell& cell) { return cell.direction; });
  if (directions.size() == 1) row.direction = directions.front();
  row.rounds = rounds.sums.size();
  std::vector<double> together, alone;
  for (const PairedRound& round : rounds.sums) {
    together.push_back(round.numerator);
    alone.push_back(round.denominator);
  }
  row.throughput_sum = MedianRate(together);
  row.alone_throughput_sum = MedianRate(alone);
  for (size_t i = 0; i < group.members.size(); ++i) {
    const auto rate = MedianRate(rounds.together[i]);
    if (!rate || (row.slowest_throughput && *rate >= *row.slowest_throughput)) continue;
    row.slowest_throughput = rate;
    row.slowest_nic = group.members[i].nic;
  }
  return row;
}

std::optional<PairedRatio> RatioOf(const Rounds& rounds, const JudgeGates& gates) {
  return ComparePaired(rounds.sums, {.confidence = gates.confidence, .clearance = gates.clearance});
}

Sharing SharingOf(Outcome outcome) {
  switch (outcome) {
    case Outcome::kNotWorse:
      return Sharing::kIndependent;
    case Outcome::kDiffers:
    case Outcome::kWorse:
      return Sharing::kSlowed;
    case Outcome::kNoisy:
      return Sharing::kNoisy;
    case Outcome::kUnproven:
      break;
  }
  return Sharing::kUndecided;
}

// A group with what is known of it so far.
struct Judged {
  const LoadGroup* group = nullptr;
  Rounds rounds;
  std::optional<PairedRatio> ratio;
  GroupRow row;
  std::set<Cell> members;  // as alone
  std::vector<LoadedMember> loaded;
};

void SetFactor(const JudgeGates& gates, const FalseDiscovery& budget, Judged& judged) {
  if (!judged.ratio) return;
  GroupRow& row = judged.row;
  row.sharing_factor = judged.ratio->ratio;
  if (!judged.ratio->interval || judged.ratio->rounds < gates.min_rounds) return;
  row.sharing_factor_low = judged.ratio->interval->interval.low;
  row.sharing_factor_high = judged.ratio->interval->interval.high;
  row.interval_confidence = judged.ratio->interval->confidence;
  row.adjusted_p_value = budget.Adjusted(judged.ratio->p_value);
  // What differs at all is of interest here, so the margin is that of "differs".
  const Outcome outcome = OutcomeOf(
      judged.ratio,
      {.margin = gates.differs, .differs = gates.differs, .noisy_width = gates.noisy_width});
  row.sharing = SharingOf(AmongMany(outcome, *row.adjusted_p_value, gates.false_discovery));
}

std::string WhyUndecided(const Judged& judged, const JudgeGates& gates) {
  const Rounds& rounds = judged.rounds;
  const size_t done = rounds.disturbed + rounds.sums.size();
  if (rounds.no_time) {
    return fmt::format(
        "There was time for {} of the {} rounds that decide something{}: raise "
        "--time-budget or select less.",
        done, gates.min_rounds,
        rounds.disturbed == 0
            ? ""
            : fmt::format(", and in {} of them a measuring thread was kept from its "
                          "CPU",
                          rounds.disturbed));
  }
  if (rounds.disturbed > 0) {
    return fmt::format(
        "In {} of {} a measuring thread was kept from its CPU, which leaves {} of the {} that "
        "decide something: this host has too few CPUs, or they are busy.",
        rounds.disturbed, Counted(done, "round"), rounds.sums.size(), gates.min_rounds);
  }
  if (!rounds.why_not.empty()) {
    std::string why = rounds.why_not;
    while (why.ends_with('.')) why.pop_back();
    return fmt::format("A member was not measured: {}.", why);
  }
  if (rounds.sums.size() < gates.min_rounds) {
    return fmt::format("It has {} of the {} rounds that decide something.", rounds.sums.size(),
                       gates.min_rounds);
  }
  return "Its rounds prove nothing among so many groups.";
}

std::string LossOf(const GroupRow& row) {
  return fmt::format("Together they move {:.0f} % less than alone",
                     100 * (1 - *row.sharing_factor));
}

// The slowed groups within `judged`, the largest first, no NIC twice.
std::vector<const Judged*> SlowedWithin(const Judged& judged, std::span<const Judged> all) {
  std::vector<const Judged*> within;
  for (const Judged& other : all) {
    if (other.row.sharing == Sharing::kSlowed && other.members.size() < judged.members.size() &&
        std::includes(judged.members.begin(), judged.members.end(), other.members.begin(),
                      other.members.end())) {
      within.push_back(&other);
    }
  }
  std::stable_sort(within.begin(), within.end(), [](const Judged* a, const Judged* b) {
    return a->members.size() > b->members.size();
  });
  std::set<Cell> taken;
  std::erase_if(within, [&](const Judged* other) {
    const auto is_taken = [&](const Cell& cell) { return taken.contains(cell); };
    if (std::any_of(other->members.begin(), other->members.end(), is_taken)) return true;
    taken.insert(other->members.begin(), other->members.end());
    return false;
  });
  return within;
}

// What the group would move if nothing but these slowed it.
double ExpectedOf(const Judged& judged, std::span<const Judged* const> within,
                  const Windows& windows) {
  double sum = 0;
  std::set<Cell> rest = judged.members;
  for (const Judged* other : within) {
    sum += other->row.throughput_sum->value;
    for (const Cell& cell : other->members) rest.erase(cell);
  }
  for (const Cell& cell : rest) {
    std::vector<double> alone;
    for (const auto& [round, sample] : windows.Of(cell)) {
      if (IsEvidence(*sample)) alone.push_back(sample->throughput->value);
    }
    sum += Median(alone).value_or(0);
  }
  return sum;
}

// Names what slows a slowed group.
void NameResource(std::span<const Judged> all, const Windows& windows, const Carried& carried,
                  const JudgeGates& gates, Judged& judged) {
  GroupRow& row = judged.row;
  const auto within = SlowedWithin(judged, all);
  if (!within.empty() &&
      row.throughput_sum->value >= (1 - gates.differs) * ExpectedOf(judged, within, windows)) {
    std::string names;
    for (const Judged* other : within) {
      names += (names.empty() ? "" : ", ") + other->row.load;
    }
    row.resource = "within " + names;
    row.reason = fmt::format("{}, which is what the groups within it lose by themselves: {}.",
                             LossOf(row), names);
    return;
  }
  const Suspects suspects = FindSuspects(judged.loaded, carried, gates.differs);
  row.resource = ListOf(suspects.left);
  const std::string cleared = suspects.cleared.empty()
                                  ? ""
                                  : fmt::format(", but for what carried more in another group: {}",
                                                ListOf(suspects.cleared));
  row.reason =
      suspects.left.empty()
          ? fmt::format("{}; the topology shows nothing that they share{}.", LossOf(row), cleared)
          : fmt::format(
                "{}: most likely they share {}; nothing else that the topology "
                "shows is common to them{}.",
                LossOf(row), row.resource, cleared);
}

void Explain(std::span<const Judged> all, const Windows& windows, const Carried& carried,
             const JudgeGates& gates, Judged& judged) {
  GroupRow& row = judged.row;
  switch (row.sharing) {
    case Sharing::kIndependent:
      row.reason = "Together they move what they move alone.";
      return;
    case Sharing::kNoisy:
      row.reason = "The rounds spread too much to tell.";
      return;
    case Sharing::kUndecided:
      row.reason = WhyUndecided(judged, gates);
      return;
    case Sharing::kSlowed:
      break;
  }
  NameResource(all, windows, carried, gates, judged);
  if (judged.rounds.cpu_bound * 2 > judged.rounds.sums.size() * judged.loaded.size()) {
    row.reason +=
        " But most of their threads had no time to wait for the NIC, so that they, and "
        "not the path, may be the limit.";
  }
}

std::vector<LoadedMember> LoadedMembers(const Machine& machine, const Rounds& rounds) {
  std::vector<LoadedMember> members;
  for (size_t i = 0; i < rounds.together.size(); ++i) {
    const auto rate = Median(rounds.together[i]);
    if (rate) members.push_back({*rate, CrossingsOf(machine, *rounds.example[i])});
  }
  return members;
}

}  // namespace

std::vector<GroupRow> JudgeGroups(const Machine& machine, std::span<const LoadGroup> groups,
                                  std::span<const Sample> samples, const JudgeGates& gates) {
  const Windows windows(samples);
  std::vector<Judged> all;
  std::vector<double> p_values;
  Carried carried;
  for (const LoadGroup& group : groups) {
    if (group.members.empty()) continue;
    Judged& judged = all.emplace_back();
    judged.group = &group;
    judged.rounds = RoundsOf(group, windows);
    judged.ratio = RatioOf(judged.rounds, gates);
    judged.row = Describe(group, judged.rounds);
    for (const Cell& member : group.members) judged.members.insert(Alone(member));
    judged.loaded = LoadedMembers(machine, judged.rounds);
    carried.Add(judged.loaded);
    if (judged.ratio && judged.ratio->interval) p_values.push_back(judged.ratio->p_value);
  }
  const FalseDiscovery budget(p_values);
  for (Judged& judged : all) SetFactor(gates, budget, judged);
  std::vector<GroupRow> rows;
  for (Judged& judged : all) {
    Explain(all, windows, carried, gates, judged);
    rows.push_back(judged.row);
  }
  return rows;
}

int ExitStatusOf(std::span<const GroupRow> rows) {
  const bool decided = std::all_of(rows.begin(), rows.end(), [](const GroupRow& row) {
    return row.sharing == Sharing::kIndependent || row.sharing == Sharing::kSlowed;
  });
  return decided ? 0 : 3;
}

}  // namespace railgauge
