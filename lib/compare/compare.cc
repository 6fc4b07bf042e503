#include "lib/compare/compare.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <span>
#include <tuple>
#include <utility>

#include "fmt/core.h"
#include "lib/base/counted.h"
#include "lib/base/units.h"
#include "lib/stats/false_discovery.h"
#include "lib/stats/paired_ratio.h"
#include "lib/stats/ratio_outcome.h"

namespace railgauge {
namespace {

// The two directions in which a run may differ.
enum Side { kSlow, kFast, kSides };

// What a set of values proves, on both sides. Of the fast one, values are turned over, so that the
// one rule of OutcomeOf serves both.
struct Proof {
  std::optional<PairedRatio> paired[kSides];
  Outcome outcome[kSides] = {Outcome::kUnproven, Outcome::kUnproven};
  double adjusted_p[kSides] = {1, 1};

  bool decided() const { return paired[kSlow].has_value(); }
  bool Worse(Side side) const { return outcome[side] == Outcome::kWorse; }
};

struct Candidate {
  const Reading* reading = nullptr;
  const BaselineRow* row = nullptr;
  double ratio = 1;
  Proof own;
  const Proof* nic = nullptr;
  const Proof* all = nullptr;  // of its class
};

// A NIC in one operation, direction and size, wherever it goes.
using NicKeyOf = std::tuple<std::string, Operation, Direction, Bytes, uint32_t>;
NicKeyOf NicGroupOf(const SlotCell& cell) {
  return {cell.nic_slot, cell.operation, cell.direction, cell.size, cell.depth};
}
SlotCell ClassOf(SlotCell cell) {
  cell.nic_slot.clear();
  return cell;
}

struct Reference {
  double median = 0, low = 0, high = 0;
};

// `values` against a reference that is itself uncertain: what accuses is held against its far end,
// and what clears, which takes less certainty, against its median.
std::optional<PairedRatio> Prove(std::span<const double> values, const Reference& reference,
                                 const JudgeGates& gates) {
  std::vector<PairedRound> accuse, clear;
  for (const double value : values) {
    accuse.push_back({value, reference.low});
    clear.push_back({value, reference.high});
  }
  const PairedOptions options = {.confidence = gates.confidence, .clearance = gates.clearance};
  const auto accusing = ComparePaired(accuse, options);
  auto result = ComparePaired(clear, options);
  if (!accusing || !result || !accusing->interval || !result->interval ||
      result->rounds < gates.min_rounds) {
    return std::nullopt;
  }
  result->ratio *= reference.high / reference.median;
  result->interval->interval.high = accusing->interval->interval.high;
  if (result->not_below) *result->not_below *= reference.high / reference.median;
  result->p_value = accusing->p_value;
  return result;
}

Proof ProveBothSides(std::span<const double> values, const Reference& reference,
                     const JudgeGates& gates) {
  Proof proof;
  std::vector<double> inverse;
  for (const double value : values) {
    if (!(value > 0)) return proof;
    inverse.push_back(1 / value);
  }
  const OutcomeGates limits = {.margin = gates.bad_placement,
                               .differs = std::min(gates.differs, gates.bad_placement),
                               .noisy_width = gates.bad_placement};
  proof.paired[kSlow] = Prove(values, reference, gates);
  proof.paired[kFast] =
      Prove(inverse, {1 / reference.median, 1 / reference.high, 1 / reference.low}, gates);
  for (const Side side : {kSlow, kFast}) {
    proof.outcome[side] = OutcomeOf(proof.paired[side], limits);
  }
  return proof;
}

// What is left of proofs of one kind among all of them.
void AdjustForNumber(std::span<Proof* const> proofs, const JudgeGates& gates) {
  for (const Side side : {kSlow, kFast}) {
    std::vector<double> p_values;
    for (const Proof* proof : proofs) {
      if (proof->paired[side]) p_values.push_back(proof->paired[side]->p_value);
    }
    const FalseDiscovery budget(std::move(p_values));
    for (Proof* proof : proofs) {
      if (!proof->paired[side]) continue;
      proof->adjusted_p[side] = budget.Adjusted(proof->paired[side]->p_value);
      proof->outcome[side] =
          AmongMany(proof->outcome[side], proof->adjusted_p[side], gates.false_discovery);
    }
  }
}

// The proofs of groups of cells by their ratios.
template <typename Key>
void ProveGroups(std::map<Key, std::vector<double>>& ratios, std::map<Key, Proof>& proofs,
                 const JudgeGates& gates) {
  std::vector<Proof*> all;
  for (const auto& [key, values] : ratios) {
    Proof& proof = proofs[key] = ProveBothSides(values, {1, 1, 1}, gates);
    all.push_back(&proof);
  }
  AdjustForNumber(all, gates);
}

std::string Rate(double value) { return FormatBytesPerSecond({value}); }

// "40 % slower"; of a ratio that the sentence's verdict fits.
std::string Change(double ratio) {
  return fmt::format("{:.0f} % {}", std::abs(1 - ratio) * 100, ratio < 1 ? "slower" : "faster");
}

// Why a change beyond the margin is not certain.
std::string WhyUncertain(const Candidate& candidate) {
  const Reading& reading = *candidate.reading;
  if (reading.all_disturbed) return "the measuring thread was kept from its CPU in every window";
  if (!candidate.row->throughput_low) return "the baseline has too few windows to tell";
  if (candidate.own.decided()) {
    const auto [low, high] = std::minmax_element(reading.values.begin(), reading.values.end());
    return fmt::format("its {} from {} to {} cannot tell", Counted(reading.values.size(), "window"),
                       Rate(*low), Rate(*high));
  }
  return reading.values.size() == 1
             ? "1 window is too few to tell"
             : fmt::format("{} windows are too few to tell", reading.values.size());
}

// The comparison of all cells at once: what one is worth depends on the others.
class Comparer {
 public:
  Comparer(const Baseline& baseline, const RunReadings& run, const JudgeGates& gates)
      : baseline_(baseline), run_(run), gates_(gates) {
    for (const BaselineRow& row : baseline.rows) rows_[row.cell] = &row;
    Match();
    ProveAll();
  }

  bool any_in_common() const { return !candidates_.empty(); }
  RunComparison Finish();

 private:
  void Match();
  void ProveAll();
  ComparisonRow Begin(const SlotCell& cell, const BaselineRow* row) const;
  ComparisonRow RowOf(const Reading& reading, const BaselineRow* row) const;
  ComparisonRow Judge(const Candidate& candidate) const;
  bool Decide(const Candidate& candidate, Side side, ComparisonRow& row) const;
  void TellUndecided(const Candidate& candidate, ComparisonRow& row) const;
  void TellPartners(std::vector<ComparisonRow>& rows) const;

  const Baseline& baseline_;
  const RunReadings& run_;
  const JudgeGates& gates_;
  std::map<SlotCell, const BaselineRow*> rows_;
  std::vector<Candidate> candidates_;
  std::vector<std::pair<const Reading*, const BaselineRow*>> unmeasured_;
  std::vector<const Reading*> new_;
  size_t left_out_ = 0;
  std::map<NicKeyOf, Proof> nics_;
  std::map<SlotCell, Proof> classes_;
};

void Comparer::Match() {
  for (const Reading& reading : run_.readings) {
    const auto found = rows_.find(reading.cell);
    const BaselineRow* row = found == rows_.end() ? nullptr : found->second;
    if (!reading.median) {
      if (row != nullptr) unmeasured_.emplace_back(&reading, row);
    } else if (row == nullptr && (reading.all_disturbed || !(*reading.median > 0))) {
      ++left_out_;
    } else if (row == nullptr) {
      new_.push_back(&reading);
    } else {
      Candidate candidate;
      candidate.reading = &reading;
      candidate.row = row;
      candidate.ratio = *reading.median / row->throughput_median.value;
      candidates_.push_back(candidate);
    }
  }
}

void Comparer::ProveAll() {
  std::vector<Proof*> own;
  std::map<NicKeyOf, std::vector<double>> of_nic;
  std::map<SlotCell, std::vector<double>> of_class;
  for (Candidate& one : candidates_) {
    if (!one.reading->all_disturbed) {
      of_nic[NicGroupOf(one.reading->cell)].push_back(one.ratio);
      of_class[ClassOf(one.reading->cell)].push_back(one.ratio);
    }
    const BaselineRow& row = *one.row;
    if (!row.throughput_low || !row.throughput_high || !(row.throughput_low->value > 0)) continue;
    one.own = ProveBothSides(
        one.reading->values,
        {row.throughput_median.value, row.throughput_low->value, row.throughput_high->value},
        gates_);
    own.push_back(&one.own);
  }
  AdjustForNumber(own, gates_);
  ProveGroups(of_nic, nics_, gates_);
  ProveGroups(of_class, classes_, gates_);
  for (Candidate& one : candidates_) {
    // Proofs of nothing for a group whose cells were all disturbed.
    one.nic = &nics_[NicGroupOf(one.reading->cell)];
    one.all = &classes_[ClassOf(one.reading->cell)];
  }
}

ComparisonRow Comparer::Begin(const SlotCell& cell, const BaselineRow* row) const {
  ComparisonRow result;
  result.cell = cell;
  result.baseline_run_id = baseline_.run.run_id;
  if (row == nullptr) return result;
  result.baseline_run_count = row->run_count;
  result.baseline_sample_count = row->sample_count;
  result.baseline_median = row->throughput_median;
  result.baseline_low = row->throughput_low;
  result.baseline_high = row->throughput_high;
  return result;
}

ComparisonRow Comparer::RowOf(const Reading& reading, const BaselineRow* row) const {
  ComparisonRow result = Begin(reading.cell, row);
  result.nic = reading.nic;
  result.place = reading.place;
  result.sample_count = reading.values.size();
  if (reading.median) result.throughput_median = BytesPerSecond{*reading.median};
  return result;
}

// Whether the cell is beyond the margin on `side`, and certainly so; the row then says by what.
bool Comparer::Decide(const Candidate& candidate, Side side, ComparisonRow& row) const {
  const double ratio = side == kSlow ? candidate.ratio : 1 / candidate.ratio;
  if (!(ratio < 1 - gates_.bad_placement)) return false;
  const std::pair<const Proof*, const char*> kinds[] = {
      {&candidate.own, "windows"}, {candidate.nic, "nic"}, {candidate.all, "class"}};
  for (const auto& [proof, name] : kinds) {
    if (!proof->Worse(side)) continue;
    // The thread that measured may be what was slow.
    if (side == kSlow && proof == &candidate.own && candidate.reading->all_disturbed) continue;
    const PairedRatio& paired = *proof->paired[side];
    row.evidence = name;
    row.adjusted_p_value = proof->adjusted_p[side];
    row.verdict = side == kSlow ? CompareVerdict::kSlower : CompareVerdict::kFaster;
    row.reason =
        fmt::format("{}: {} where the baseline has {}", Change(candidate.ratio),
                    Rate(*candidate.reading->median), Rate(candidate.row->throughput_median.value));
    const double median = side == kSlow ? paired.ratio : 1 / paired.ratio;
    if (row.evidence == "windows") {
      row.reason += fmt::format(", by {}", Counted(paired.rounds, "window"));
    } else if (row.evidence == "nic") {
      row.reason += fmt::format(", and its NIC is {} at the median of {}", Change(median),
                                Counted(paired.rounds, "cell"));
    } else {
      row.reason += fmt::format(", and so are its like: {} at the median of {}", Change(median),
                                Counted(paired.rounds, "cell"));
    }
    return true;
  }
  return false;
}

// Of a cell that is neither slower nor faster for certain: whether it is the same. What it may have
// lost is NOISY; what it may have won is not, since nobody need look for it.
void Comparer::TellUndecided(const Candidate& candidate, ComparisonRow& row) const {
  const bool noisy = candidate.own.outcome[kSlow] == Outcome::kNoisy;
  const double margin = gates_.bad_placement;
  const bool lost = candidate.ratio < 1 - margin, won = 1 / candidate.ratio < 1 - margin;
  row.verdict = noisy || lost ? CompareVerdict::kNoisy : CompareVerdict::kSame;
  if (lost || won) {
    row.reason = fmt::format("{}: {} where the baseline has {}, and {}", Change(candidate.ratio),
                             Rate(*candidate.reading->median),
                             Rate(candidate.row->throughput_median.value), WhyUncertain(candidate));
  } else if (noisy) {
    row.reason = fmt::format(
        "{} where the baseline has {}, and a loss of more than {:.0f} % is not excluded: {}",
        Rate(*candidate.reading->median), Rate(candidate.row->throughput_median.value),
        margin * 100, WhyUncertain(candidate));
  } else if (candidate.own.outcome[kSlow] == Outcome::kDiffers) {
    row.reason = fmt::format("{} beyond doubt, and within the margin of {:.0f} %",
                             Change(candidate.ratio), margin * 100);
  }
}

ComparisonRow Comparer::Judge(const Candidate& candidate) const {
  ComparisonRow row = RowOf(*candidate.reading, candidate.row);
  row.ratio = candidate.ratio;
  if (const auto& paired = candidate.own.paired[kSlow]) {
    row.ratio_low = paired->interval->interval.low;
    row.ratio_high = paired->interval->interval.high;
    row.interval_confidence = paired->interval->confidence;
    row.adjusted_p_value = candidate.own.adjusted_p[kSlow];
  }
  if (!Decide(candidate, kSlow, row) && !Decide(candidate, kFast, row)) {
    TellUndecided(candidate, row);
  }
  return row;
}

// In loopback a transfer passes two NICs: the other one may be what is slow.
void Comparer::TellPartners(std::vector<ComparisonRow>& rows) const {
  const auto lost = [&](const ComparisonRow& row) {
    return row.verdict == CompareVerdict::kSlower ||
           (row.verdict == CompareVerdict::kNoisy && row.ratio < 1 - gates_.bad_placement);
  };
  std::set<PciAddress> slower, worse;
  for (const ComparisonRow& row : rows) {
    if (row.verdict == CompareVerdict::kSlower) slower.insert(row.nic->address);
    if (lost(row)) worse.insert(row.nic->address);
  }
  // Rows of candidates come first, in their order.
  for (size_t i = 0; i < candidates_.size(); ++i) {
    const std::optional<NicKey>& partner = candidates_[i].reading->partner;
    if (!lost(rows[i]) || !partner) continue;
    // Of a NIC that is slow for certain, a partner that may be noise is no excuse.
    const auto& suspects = slower.contains(rows[i].nic->address) ? slower : worse;
    if (!suspects.contains(partner->address)) continue;
    rows[i].reason += fmt::format("; its partner in loopback, {}, {} slower, too, and may be why",
                                  partner->address.ToString(),
                                  slower.contains(partner->address) ? "is" : "looks");
  }
}

RunComparison Comparer::Finish() {
  RunComparison result;
  for (const Candidate& candidate : candidates_) result.rows.push_back(Judge(candidate));
  TellPartners(result.rows);
  for (const Reading* reading : new_) {
    ComparisonRow row = RowOf(*reading, nullptr);
    row.verdict = CompareVerdict::kNew;
    row.reason = "the baseline does not have it";
    result.rows.push_back(std::move(row));
  }
  std::set<SlotCell> seen;
  for (const Candidate& candidate : candidates_) seen.insert(candidate.reading->cell);
  const std::set<SlotCell> seen_measured = seen;
  result.left_out = left_out_;
  for (const auto& [reading, base] : unmeasured_) {
    const bool elsewhere = seen_measured.contains(reading->cell);
    seen.insert(reading->cell);
    if (elsewhere && !reading->went_wrong) continue;
    ComparisonRow row = RowOf(*reading, base);
    row.verdict = elsewhere ? CompareVerdict::kNoisy : CompareVerdict::kMissing;
    row.reason =
        "not measured: " + (reading->why_not.empty() ? "no reason is recorded" : reading->why_not);
    result.rows.push_back(std::move(row));
  }
  for (const auto& [cell, base] : rows_) {
    if (seen.contains(cell)) continue;
    ComparisonRow row = Begin(cell, base);
    row.verdict = CompareVerdict::kMissing;
    row.reason = run_.slots.contains(cell.nic_slot) ? "the run did not measure it"
                                                    : "the machine shows no EFA NIC in this slot";
    result.rows.push_back(std::move(row));
  }
  for (const ComparisonRow& row : result.rows) ++result.counts[row.verdict];
  for (const CompareVerdict verdict : {CompareVerdict::kSlower, CompareVerdict::kMissing,
                                       CompareVerdict::kNoisy, CompareVerdict::kFaster}) {
    if (!result.counts.contains(verdict)) continue;
    result.whole = verdict;
    break;
  }
  return result;
}

}  // namespace

Result<RunComparison> CompareWithBaseline(const Baseline& baseline,
                                          const std::string& baseline_name, const RunReadings& run,
                                          const std::string& run_name, const JudgeGates& gates) {
  RAILGAUGE_ASSIGN_OR_RETURN(const Conditions conditions, ConditionsOf(baseline, baseline_name));
  RAILGAUGE_RETURN_IF_ERROR(CheckComparable(conditions, baseline_name, run.conditions, run_name));
  Comparer comparer(baseline, run, gates);
  if (comparer.any_in_common()) return comparer.Finish();
  return Fail(MakeError("compare", run_name,
                        "none of its cells was measured and is in " + baseline_name,
                        "Measure the same places in the same ways, or make a new baseline"));
}

}  // namespace railgauge
