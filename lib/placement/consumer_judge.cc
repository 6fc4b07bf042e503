#include "lib/placement/consumer_judge.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "fmt/core.h"
#include "lib/placement/ceilings.h"
#include "lib/placement/certainty.h"
#include "lib/placement/comparison.h"
#include "lib/placement/coverage.h"
#include "lib/placement/findings.h"
#include "lib/placement/others_nics.h"
#include "lib/placement/partner_blame.h"
#include "lib/placement/sentences.h"
#include "lib/placement/sharing.h"

namespace railgauge {
namespace {

// From the one that hides the others to the one that any other hides.
constexpr std::array kSeverity = {Verdict::kWrong,   Verdict::kOversubscribed, Verdict::kSlow,
                                  Verdict::kInvalid, Verdict::kUndecided,      Verdict::kNoisy,
                                  Verdict::kOk};

size_t SeverityOf(Verdict verdict) {
  return static_cast<size_t>(std::find(kSeverity.begin(), kSeverity.end(), verdict) -
                             kSeverity.begin());
}

// Something found about the consumer.
struct Concern {
  Verdict verdict = Verdict::kOk;
  double loss = 0;  // the greater of two equal verdicts is told
  std::string sentence;
  std::vector<NicKey> best;  // the NICs that the consumer should have; empty: no better are known
  std::optional<Comparison> comparison;
};

// A chosen NIC against a rival.
struct Match {
  const MeasuredCell* cell;
  const MeasuredCell* rival;
  bool idle;
  Reserve reserve;
  Comparison comparison;
};

class ConsumerJudge {
 public:
  ConsumerJudge(const Evidence& evidence, const Assignment& assignment,
                std::set<PciAddress>& promised)
      : evidence_(evidence), assignment_(assignment), promised_(promised) {}

  PlacementRow Judge() {
    for (const Operation operation : {Operation::kRead, Operation::kWrite}) {
      const Coverage coverage = CoverageOfChosen(evidence_, assignment_, operation);
      something_measured_ |= coverage.measured;
      Add(coverage);
    }
    Add(CoverageOfOthers(evidence_, assignment_));
    for (const NicKey& nic : assignment_.nics) {
      for (const Dimension& dimension : kDimensions) {
        const MeasuredCell* cell = CellOf(nic, dimension);
        if (cell == nullptr || !cell->measured()) continue;
        if (!CheckPartner(nic, *cell)) {
          CheckRivals(nic, *cell, dimension);
          CheckClass(nic, *cell);
        }
        CheckFindings(nic, *cell);
      }
    }
    CheckSharing();
    if (const auto why = WhyUncertain(evidence_, assignment_)) {
      concerns_.push_back({Verdict::kNoisy, 0, *why, {}, {}});
    }
    return Row();
  }

 private:
  const MeasuredCell* CellOf(const NicKey& nic, const Dimension& dimension) const {
    return evidence_.table().Find(nic.address, assignment_.consumer, dimension);
  }
  const JudgeGates& gates() const { return evidence_.gates(); }
  std::string Consumer() const { return assignment_.consumer.ToString(); }
  // What looks slow in disturbed windows alone is told as that (WhyUncertain).
  bool Disturbed(const MeasuredCell& cell) const {
    return DoubtOf(evidence_, cell) == Doubt::kDisturbed;
  }

  void Add(const Coverage& coverage);
  // Whether the cell says nothing of `nic`, since its partner may be what is slow.
  bool CheckPartner(const NicKey& nic, const MeasuredCell& cell);
  void CheckRivals(const NicKey& nic, const MeasuredCell& cell, const Dimension& dimension);
  void CheckClass(const NicKey& nic, const MeasuredCell& cell);
  void CheckFindings(const NicKey& nic, const MeasuredCell& cell);
  void CheckSharing();
  void CheckOthersNics();
  void AddWrong(const NicKey& nic, const Match& match, const Dimension& dimension);
  // A rival that is better beyond doubt, where too few windows say whether it could be had.
  void AddReserved(const NicKey& nic, const Match& match);
  void NoteRegret(const Comparison& comparison, bool free);
  std::vector<NicKey> Replacements(const NicKey& nic, const Dimension& dimension, size_t count);
  PlacementRow Row();

  const Evidence& evidence_;
  const Assignment& assignment_;
  std::set<PciAddress>& promised_;
  std::vector<Concern> concerns_;
  std::vector<std::string> notes_;
  std::optional<Comparison> free_regret_, other_regret_;
  std::optional<Match> differs_;  // the worst that is slower, but not by enough to count
  bool something_measured_ = false;
  bool class_noted_ = false;
};

void ConsumerJudge::Add(const Coverage& coverage) {
  if (coverage.verdict) {
    concerns_.push_back({*coverage.verdict, 0, coverage.sentence, {}, {}});
  } else if (!coverage.sentence.empty()) {
    notes_.push_back(coverage.sentence);
  }
}

void ConsumerJudge::NoteRegret(const Comparison& comparison, bool free) {
  std::optional<Comparison>& worst = free ? free_regret_ : other_regret_;
  const auto key = [](const Comparison& c) {
    return std::pair(c.outcome == Outcome::kUnproven, c.ratio);
  };
  if (!worst || key(comparison) < key(*worst)) worst = comparison;
}

bool ConsumerJudge::CheckPartner(const NicKey& nic, const MeasuredCell& cell) {
  const Blame blame = BlameFor(evidence_, cell);
  if (blame != Blame::kPartner && blame != Blame::kEither) return false;
  const double median = evidence_.classes().Of(cell)->median;
  concerns_.push_back(
      {Verdict::kUndecided,
       1 - *cell.median / median,
       fmt::format(
           "{} gives {} with {} at the other end, where the median of its class is {} ({}), "
           "but {}: measure against another host (--peer) to tell.",
           NameOf(nic), RateOf(cell), NameOf(*cell.partner), RateOf(median), MeasureOf(cell),
           WhyNotOwn(blame, cell)),
       {},
       {}});
  return true;
}

void ConsumerJudge::CheckRivals(const NicKey& nic, const MeasuredCell& cell,
                                const Dimension& dimension) {
  std::optional<Match> worse, reserved, noisy, suspected;
  // The rounds were made against the fastest rivals of the screening. Where those turned out to be
  // no better, a rival that looked slower then raises no suspicion by its single window.
  double fastest_cleared = 0;
  for (const Rival& rival : evidence_.RivalsOf(assignment_, nic.address, dimension)) {
    const Match match{&cell, rival.cell, rival.idle, rival.reserve,
                      evidence_.Compare(cell, *rival.cell, gates().bad_placement)};
    const Comparison& comparison = match.comparison;
    const auto keep_worst = [&](std::optional<Match>& kept) {
      if (!kept || comparison.ratio < kept->comparison.ratio) kept = match;
    };
    const bool proven = comparison.outcome != Outcome::kUnproven;
    if (rival.free || comparison.outcome == Outcome::kNotWorse) {
      NoteRegret(comparison, rival.free);
    }
    if (rival.reserve != Reserve::kNone && comparison.outcome == Outcome::kWorse) {
      keep_worst(reserved);
      continue;
    }
    if (!rival.free) continue;
    if (proven) {
      for (const Window& window : rival.cell->windows) {
        if (window.round == 0) fastest_cleared = std::max(fastest_cleared, window.value);
      }
    }
    if (comparison.outcome == Outcome::kWorse) keep_worst(worse);
    if (comparison.outcome == Outcome::kDiffers) keep_worst(differs_);
    if (comparison.outcome == Outcome::kNoisy) keep_worst(noisy);
    if (!proven && comparison.ratio < 1 - gates().bad_placement) keep_worst(suspected);
  }
  if (worse) return AddWrong(nic, *worse, dimension);
  if (reserved) AddReserved(nic, *reserved);
  if (noisy) {
    concerns_.push_back(
        {Verdict::kNoisy,
         1 - noisy->comparison.ratio,
         fmt::format("The rounds of {} against {} spread too much to tell ({}; {}): measure again "
                     "on a quiet machine or for longer.",
                     NameOf(nic), NameOf(noisy->rival->cell.nic), MeasureOf(cell),
                     LossOf(noisy->comparison)),
         {},
         noisy->comparison});
  }
  if (suspected && !Disturbed(cell) &&
      (1 - gates().differs) * *suspected->rival->median > fastest_cleared) {
    concerns_.push_back(
        {Verdict::kUndecided,
         1 - suspected->comparison.ratio,
         fmt::format("{} looks worse than {} ({}; {}) but was not measured in turn with it often "
                     "enough: allow more time (--time-budget).",
                     NameOf(nic), NameOf(suspected->rival->cell.nic), MeasureOf(cell),
                     LossOf(suspected->comparison)),
         {},
         suspected->comparison});
  }
}

// The NICs to use in place of `count` chosen ones that are worse than free rivals.
std::vector<NicKey> ConsumerJudge::Replacements(const NicKey& nic, const Dimension& dimension,
                                                size_t count) {
  const double now = *CellOf(nic, dimension)->median;
  std::vector<NicKey> fresh, already_promised;
  for (const Rival& rival : evidence_.RivalsOf(assignment_, nic.address, dimension)) {
    if (!rival.free || rival.reserve != Reserve::kNone) continue;
    if (now >= (1 - gates().bad_placement) * *rival.cell->median) continue;
    const NicKey& key = rival.cell->cell.nic;
    (promised_.contains(key.address) ? already_promised : fresh).push_back(key);
  }
  fresh.insert(fresh.end(), already_promised.begin(), already_promised.end());
  if (fresh.size() > count) fresh.resize(count);
  return fresh;
}

void ConsumerJudge::AddWrong(const NicKey& nic, const Match& match, const Dimension& dimension) {
  // The chosen NICs that a free rival beats by the margin, proven or not: all should be replaced.
  std::vector<NicKey> kept;
  for (const NicKey& chosen : assignment_.nics) {
    const MeasuredCell* cell = CellOf(chosen, dimension);
    const bool bad =
        chosen == nic || (cell != nullptr && cell->measured() &&
                          *cell->median < (1 - gates().bad_placement) * *match.rival->median);
    if (!bad) kept.push_back(chosen);
  }
  std::vector<NicKey> use = Replacements(nic, dimension, assignment_.nics.size() - kept.size());
  if (use.empty()) use = {match.rival->cell.nic};
  std::vector<MemoryPlace> partners;
  for (const NicKey& replacement : use) {
    for (const MemoryPlace& user : evidence_.Users(replacement.address)) {
      if (std::find(partners.begin(), partners.end(), user) == partners.end()) {
        partners.push_back(user);
      }
    }
  }
  Concern concern;
  concern.verdict = Verdict::kWrong;
  concern.loss = 1 - match.comparison.ratio;
  concern.comparison = match.comparison;
  concern.sentence =
      fmt::format("{} gives {} where {}{} gives {} ({}; {}): use {}{}{}.", NameOf(nic),
                  RateOf(*match.cell), match.idle ? "idle " : "", NameOf(match.rival->cell.nic),
                  RateOf(*match.rival), MeasureOf(*match.cell), LossOf(match.comparison),
                  ListOf(use), kept.empty() ? "" : fmt::format(" beside {}", ListOf(kept)),
                  partners.empty() ? "" : fmt::format(", in exchange with {}", ListOf(partners)));
  concern.best = kept;
  concern.best.insert(concern.best.end(), use.begin(), use.end());
  concerns_.push_back(std::move(concern));
}

void ConsumerJudge::AddReserved(const NicKey& nic, const Match& match) {
  const NicKey& rival = match.rival->cell.nic;
  const std::string what =
      match.reserve == Reserve::kOtherDimension
          ? std::string("how it is in the other direction or operation")
          : fmt::format("what an exchange would cost {}", ListOf(evidence_.Users(rival.address)));
  concerns_.push_back(
      {Verdict::kUndecided,
       1 - match.comparison.ratio,
       fmt::format("{} is better than {} ({}; {}), but {} was measured in too few windows: allow "
                   "more time (--time-budget).",
                   NameOf(rival), NameOf(nic), MeasureOf(*match.cell), LossOf(match.comparison),
                   what),
       {},
       match.comparison});
}

void ConsumerJudge::CheckClass(const NicKey& nic, const MeasuredCell& cell) {
  const auto standing = evidence_.classes().Of(cell);
  if (!standing || !standing->suspect) return;
  const Comparison comparison = evidence_.CompareWithClass(cell);
  std::string ceiling = CeilingPhrase(evidence_.machine(), cell);
  if (!ceiling.empty()) ceiling = fmt::format(", {},", ceiling);
  const std::string gap =
      fmt::format("{} gives {}{} where the median of {} {} cells is {} ({}; {})", NameOf(nic),
                  RateOf(cell), ceiling, standing->members,
                  ToString(evidence_.relations().Of(nic.address, assignment_.consumer)),
                  RateOf(standing->median), MeasureOf(cell), LossOf(comparison));
  Concern concern;
  concern.loss = 1 - comparison.ratio;
  if (comparison.outcome == Outcome::kWorse) {
    concern.verdict = Verdict::kSlow;
    concern.sentence = gap + ", and no better NIC is free: have this NIC checked.";
  } else if (comparison.outcome == Outcome::kNoisy) {
    concern.verdict = Verdict::kNoisy;
    concern.sentence = gap + "; the rounds spread too much to tell: measure again for longer.";
  } else if (comparison.outcome == Outcome::kUnproven && !Disturbed(cell) &&
             (comparison.ratio < 1 - gates().bad_placement || comparison.interval)) {
    concern.verdict = Verdict::kUndecided;
    concern.sentence =
        gap + "; it looks slow but was not measured often enough: allow more time (--time-budget).";
  } else {
    return;
  }
  concerns_.push_back(std::move(concern));
}

// Of a cell with two speeds a median says nothing, and of a class with two, belonging to it.
void ConsumerJudge::CheckFindings(const NicKey& nic, const MeasuredCell& cell) {
  const CellFindings& findings = evidence_.findings().Of(cell);
  if (findings.two_speeds) {
    concerns_.push_back(
        {Verdict::kNoisy,
         1 - findings.two_speeds->low / findings.two_speeds->high,
         fmt::format("{} has two speeds ({}): {}. Find out what decides which.", NameOf(nic),
                     MeasureOf(cell), NameBoth(*findings.two_speeds, "windows")),
         {},
         {}});
    return;
  }
  const bool slow_half = findings.class_two_speeds &&
                         *cell.median < (1 - gates().differs) * findings.class_two_speeds->high;
  if (slow_half && !class_noted_) {
    class_noted_ = true;
    notes_.push_back(
        fmt::format("{} is among the slower {} cells, which have two speeds ({}): {}.", NameOf(nic),
                    ToString(evidence_.relations().Of(nic.address, assignment_.consumer)),
                    MeasureOf(cell), NameBoth(*findings.class_two_speeds, "cells")));
  }
}

void ConsumerJudge::CheckSharing() {
  std::vector<NicKey> shared;
  for (const NicKey& nic : assignment_.nics) {
    if (evidence_.Users(nic.address).size() > 1) shared.push_back(nic);
  }
  if (shared.empty()) return;
  // In the decision's order, so that every one of them comes to the same mover.
  std::vector<MemoryPlace> users, others;
  for (const Assignment& assignment : evidence_.decision().assignments) {
    const bool shares = std::any_of(shared.begin(), shared.end(), [&](const NicKey& nic) {
      const std::vector<MemoryPlace>& all = evidence_.Users(nic.address);
      return std::find(all.begin(), all.end(), assignment.consumer) != all.end();
    });
    if (!shares) continue;
    users.push_back(assignment.consumer);
    if (assignment.consumer != assignment_.consumer) others.push_back(assignment.consumer);
  }
  const auto relief = FindRelief(evidence_, users, shared, promised_);
  if (!relief) return CheckOthersNics();
  Concern concern;
  concern.verdict = relief->sure ? Verdict::kOversubscribed : Verdict::kUndecided;
  concern.sentence = fmt::format("{} also {} {} while {} {} idle", ListOf(shared),
                                 shared.size() == 1 ? "serves" : "serve", ListOf(others),
                                 ListOf(relief->idle), relief->idle.size() == 1 ? "is" : "are");
  if (!relief->sure) {
    concern.sentence += fmt::format(
        ", and too few windows say whether {} would gain by {}: allow more time "
        "(--time-budget).",
        relief->mover.ToString(), relief->idle.size() == 1 ? "it" : "them");
    concerns_.push_back(std::move(concern));
    return;
  }
  concern.sentence += fmt::format(": give {} {} instead.", relief->mover.ToString(),
                                  relief->idle.size() == 1 ? "it" : "them");
  if (relief->mover == assignment_.consumer) {
    for (const NicKey& nic : assignment_.nics) {
      if (std::find(shared.begin(), shared.end(), nic) == shared.end()) concern.best.push_back(nic);
    }
    concern.best.insert(concern.best.end(), relief->idle.begin(), relief->idle.end());
  }
  concerns_.push_back(std::move(concern));
}

void ConsumerJudge::CheckOthersNics() {
  const auto found = FindOthersNics(evidence_, assignment_);
  if (!found) return;
  Concern concern;
  concern.verdict = found->sure ? Verdict::kOversubscribed : Verdict::kUndecided;
  concern.loss = 1 - found->ratio;
  concern.comparison = Comparison();
  concern.comparison->ratio = found->ratio;
  const bool leaves = found->keep.size() < assignment_.nics.size();
  concern.sentence = fmt::format(
      "{} also {} {}: with its share of each NIC {} gets {:.0f} % less ({}) than if every consumer "
      "left to the others the NICs that are nearer to them",
      ListOf(found->shared), found->shared.size() == 1 ? "serves" : "serve", ListOf(found->with),
      Consumer(), 100 * concern.loss, ToString(found->dimension));
  if (!found->sure) {
    concern.sentence += ", but this rests on too few windows: allow more time (--time-budget).";
  } else if (leaves) {
    concern.best = found->keep;
    concern.sentence += fmt::format(": use {} alone.", ListOf(found->keep));
  } else {
    concern.sentence += fmt::format(": leave {} to it.", ListOf(found->shared));
  }
  concerns_.push_back(std::move(concern));
}

PlacementRow ConsumerJudge::Row() {
  if (!something_measured_ && concerns_.empty()) {
    concerns_.push_back({Verdict::kUndecided,
                         0,
                         fmt::format("Nothing of {} was measured with its NICs: see why in "
                                     "samples.csv, and run again.",
                                     Consumer()),
                         {},
                         {}});
  }
  PlacementRow row;
  row.consumer = assignment_.consumer;
  row.chosen = assignment_.nics;
  std::optional<Comparison> regret = free_regret_ ? free_regret_ : other_regret_;
  const auto worst =
      std::min_element(concerns_.begin(), concerns_.end(), [](const Concern& a, const Concern& b) {
        return std::pair(SeverityOf(a.verdict), -a.loss) <
               std::pair(SeverityOf(b.verdict), -b.loss);
      });
  if (worst == concerns_.end()) {
    row.verdict = Verdict::kOk;
    row.reason =
        fmt::format("No NIC that is free or worth exchanging was measured to be better than {}.",
                    ListOf(row.chosen));
    if (differs_) {
      notes_.push_back(fmt::format("{} is a little faster than {} ({}; {}), which does not count.",
                                   NameOf(differs_->rival->cell.nic),
                                   NameOf(differs_->cell->cell.nic), MeasureOf(*differs_->cell),
                                   LossOf(differs_->comparison)));
    }
  } else {
    row.verdict = worst->verdict;
    row.reason = worst->sentence;
    row.best = worst->best;
    const bool of_shares = worst->verdict == Verdict::kOversubscribed && worst->comparison;
    if (worst->verdict == Verdict::kWrong || of_shares) regret = worst->comparison;
    for (const NicKey& nic : row.best) {
      if (evidence_.Idle(nic.address)) promised_.insert(nic.address);
    }
  }
  for (const std::string& note : notes_) row.reason += " " + note;
  const auto clamp = [](double ratio) { return std::clamp(1 - ratio, 0.0, 1.0); };
  if (something_measured_) row.regret = regret ? clamp(regret->ratio) : 0;
  if (regret && regret->interval) {
    row.regret_low = clamp(regret->interval->interval.high);
    row.regret_high = clamp(regret->interval->interval.low);
    row.regret_confidence = regret->interval->confidence;
    row.regret_rounds = regret->rounds;
    row.regret_adjusted_p_value = regret->adjusted_p_value;
  }
  return row;
}

}  // namespace

PlacementRow JudgeConsumer(const Evidence& evidence, const Assignment& assignment,
                           std::set<PciAddress>& promised) {
  return ConsumerJudge(evidence, assignment, promised).Judge();
}

}  // namespace railgauge
