#include "cli/measuring.h"

#include <algorithm>
#include <functional>

#include "cli/interrupt.h"
#include "cli/progress.h"
#include "fmt/core.h"
#include "lib/base/counted.h"
#include "lib/measure/engine.h"
#include "lib/placement/shortlist.h"

namespace railgauge {
namespace {

// The screening finds what to doubt; what it leaves is for proof.
constexpr double kScreeningShare = 0.8;
constexpr uint32_t kMoreWindows = 2;  // of cells in doubt: three in all

// Of the time that the screening leaves, and of what more windows leave of that, so that noisy
// pairs can have their second helping.
constexpr Nanoseconds ForMoreWindows(Nanoseconds left) { return left / 4; }
constexpr Nanoseconds ForPairedRounds(Nanoseconds left) { return left * 2 / 3; }

// More than this share of disturbed windows is worth a word; on a quiet machine it is some
// thousandths.
constexpr double kManyDisturbed = 0.01;

// Runs plans one after the other until `deadline` and keeps what they give.
class Campaign {
 public:
  Campaign(Engine& engine, RunDirectory& directory, MeasuringClock::time_point deadline)
      : engine_(engine), directory_(directory), deadline_(deadline) {}

  // Returns how many windows of the plan were measured before it was stopped, at `until` at the
  // latest.
  size_t Run(const Plan& plan, const std::string& what,
             MeasuringClock::time_point until = MeasuringClock::time_point::max()) {
    if (plan.windows.empty()) return 0;
    Progress progress(what);
    size_t done = 0;
    engine_.MeasureAll(
        plan,
        [&](const Sample& sample) {
          Keep(sample);
          progress.Update(++done, plan.windows.size(),
                          sample.cell.nic.name + " " + sample.cell.place.ToString());
        },
        [&] { return stopped() || MeasuringClock::now() >= until; });
    return done;
  }

  // Adds a row for a cell that was not reached.
  void Skip(const Cell& cell, SkipCause cause, const std::string& reason) {
    Sample sample;
    sample.cell = cell;
    sample.status = SampleStatus::kSkipped;
    sample.skip_cause = cause;
    sample.reason = reason;
    Keep(sample);
  }

  bool out_of_time() const {
    return !Interrupted() && written_ && MeasuringClock::now() >= deadline_;
  }
  bool stopped() const { return Interrupted() || !written_ || out_of_time(); }
  const std::vector<Sample>& samples() const { return samples_; }
  Measured Take() { return {std::move(samples_), std::move(written_), false}; }

 private:
  void Keep(const Sample& sample) {
    samples_.push_back(sample);
    if (written_) written_ = directory_.Append(sample);
  }

  Engine& engine_;
  RunDirectory& directory_;
  MeasuringClock::time_point deadline_;
  std::vector<Sample> samples_;
  Status written_;
};

// Rounds of as many pairs, the most doubtful first, as can have `enough` of them in `budget`: fewer
// rounds would prove nothing, of however many pairs.
Plan PairsPlan(std::span<const CellPair> pairs, uint32_t first_round, uint32_t rounds,
               uint32_t enough, Nanoseconds budget) {
  PairedRequest request;
  for (const CellPair& pair : pairs) request.pairs.emplace_back(pair.cell, pair.other);
  request.rounds = rounds;
  request.seed = first_round;
  request.budget = budget;
  Plan plan = PlanPaired(request);
  while (plan.rounds < enough && request.pairs.size() > 1) {
    const size_t in_time = request.pairs.size() * plan.rounds / enough;
    request.pairs.resize(std::clamp<size_t>(in_time, 1, request.pairs.size() - 1));
    plan = PlanPaired(request);
  }
  for (PlannedWindow& window : plan.windows) window.round += first_round - 1;
  return plan;
}

// More windows of as many of the cells, the first ones first, as fit the budget.
Plan RescreeningPlan(std::span<const Cell> cells, Nanoseconds budget) {
  Plan plan;
  for (const Cell& cell : cells) {
    for (uint32_t i = 0; i < kMoreWindows; ++i) plan.windows.push_back({cell, 0});
    if (EstimateDuration(plan) <= budget) continue;
    plan.windows.resize(plan.windows.size() - kMoreWindows);
    break;
  }
  return plan;
}

// How much longer than its estimate the screening took, at least 1: on a slow path what is in
// flight takes long to drain. Later steps plan with it, or they would begin more pairs than they
// have the time to prove.
double Stretch(Nanoseconds lasted, const Plan& screening) {
  const auto planned = static_cast<double>(EstimateDuration(screening).count());
  return planned > 0 ? std::max(1.0, static_cast<double>(lasted.count()) / planned) : 1.0;
}

Nanoseconds Planned(Nanoseconds real, double stretch) {
  return std::chrono::duration_cast<Nanoseconds>(real / stretch);
}

// The cells that the screening did not reach, each a row.
void SkipTheRest(const Plan& screening, size_t done, const MeasuringRequest& request,
                 Campaign& campaign) {
  const std::string no_time =
      "no time left in the budget (--time-budget=" + request.budget_text + ")";
  const bool interrupted = Interrupted();
  for (size_t i = done; i < screening.windows.size(); ++i) {
    campaign.Skip(screening.windows[i].cell,
                  interrupted ? SkipCause::kInterrupted : SkipCause::kNoTime,
                  interrupted ? "interrupted" : no_time);
  }
  for (const Cell& cell : screening.left_out) campaign.Skip(cell, SkipCause::kNoTime, no_time);
}

// Where there is no time for all cells, no more than its share is spent on them: what is left
// proves what those that were reached make doubtful.
void Screen(const Plan& screening, const MeasuringRequest& request,
            MeasuringClock::time_point share_ends, Campaign& campaign,
            std::vector<std::string>& notes) {
  // Costs nothing but a row each, in which the engine says why.
  Plan not_possible;
  for (const Cell& cell : screening.not_possible) not_possible.windows.push_back({cell, 0});
  for (size_t i = campaign.Run(not_possible, "screening"); i < not_possible.windows.size(); ++i) {
    campaign.Skip(not_possible.windows[i].cell, SkipCause::kNotPossible,
                  "the device lacks the operation");
  }
  const size_t done = screening.left_out.empty() ? campaign.Run(screening, "screening")
                                                 : campaign.Run(screening, "screening", share_ends);
  SkipTheRest(screening, done, request, campaign);
  const size_t cells = screening.left_out.size() + screening.windows.size();
  if (!screening.left_out.empty()) {
    notes.push_back(std::to_string(screening.left_out.size()) + " of " + Counted(cells, "cell") +
                    " had no time in the budget: raise --time-budget or select less");
  }
  const bool late = campaign.out_of_time() ||
                    (!screening.left_out.empty() && MeasuringClock::now() >= share_ends);
  if (done < screening.windows.size() && late && !Interrupted()) {
    notes.push_back(std::to_string(screening.windows.size() - done) + " of " +
                    Counted(screening.windows.size(), "cell") +
                    " not measured: the others took longer than planned and the time for them is "
                    "used up");
  }
}

// The order in which verdicts on the decision need the cells: without those of its pairs none can
// be given, and "no better NIC" takes all NICs at the consumer. The largest size is judged.
std::function<size_t(const Cell&)> ByNeed(const Decision& decision, std::span<const Bytes> sizes) {
  const Bytes judged = sizes.empty() ? Bytes{} : *std::max_element(sizes.begin(), sizes.end());
  return [&decision, judged](const Cell& cell) -> size_t {
    const std::vector<Assignment>& consumers = decision.assignments;
    const auto own = std::find_if(
        consumers.begin(), consumers.end(),
        [&](const Assignment& assignment) { return assignment.consumer == cell.place; });
    if (cell.size != judged) return consumers.size() + 2;
    if (own != consumers.end() && own->Uses(cell.nic.address)) return 0;
    return 1 + static_cast<size_t>(own - consumers.begin());
  };
}

void NoteDisturbed(std::span<const Sample> samples, std::vector<std::string>& notes) {
  size_t windows = 0, disturbed = 0;
  for (const Sample& sample : samples) {
    windows += IsMeasured(sample.status) ? 1 : 0;
    disturbed += IsMeasured(sample.status) && sample.disturbed == true ? 1 : 0;
  }
  if (static_cast<double>(disturbed) <= kManyDisturbed * static_cast<double>(windows)) return;
  notes.push_back(
      fmt::format("the measuring thread was kept from its CPU in {} of {}: the machine is busy, "
                  "and a quieter one measures more surely",
                  disturbed, Counted(windows, "window")));
}

}  // namespace

MeasuringPlan PlanMeasuring(const Session& session, const MeasuringRequest& request,
                            const Decision& decision) {
  ScreeningRequest screening;
  for (const PciAddress& address : session.nics) {
    screening.nics.push_back(session.machine.FindNic(address)->key());
  }
  screening.places = session.places;
  screening.sizes = request.sizes;
  screening.rank = ByNeed(decision, request.sizes);
  screening.can = [&](const NicKey& nic, Operation operation) {
    return CanDo(session, nic.address, operation);
  };
  screening.budget = std::chrono::duration_cast<Nanoseconds>(request.budget * kScreeningShare);
  MeasuringPlan plan;
  plan.screening = PlanScreening(screening);
  plan.screening_time = EstimateDuration(plan.screening);
  const Nanoseconds window =
      WindowTiming().warm_up + WindowTiming().window + PlanCosts().per_window;
  const auto step = [&](Nanoseconds most) {
    return MeasuringPlan::Step{most, static_cast<size_t>(most / window)};
  };
  Nanoseconds left = request.budget - plan.screening_time;
  plan.more_windows = step(ForMoreWindows(left));
  left -= plan.more_windows.most;
  plan.paired_rounds = step(ForPairedRounds(left));
  plan.more_rounds = step(left - plan.paired_rounds.most);
  return plan;
}

Result<Measured> MeasureForDecision(Session& session, const MeasuringRequest& request,
                                    std::span<const CensusRow> census, const Decision& decision,
                                    const JudgeGates& gates, RunDirectory& directory,
                                    std::unique_ptr<PeerSide> peer) {
  const auto start = MeasuringClock::now();
  EngineOptions options;
  options.run_start = start;
  RAILGAUGE_ASSIGN_OR_RETURN(
      const std::unique_ptr<Engine> engine,
      Engine::Create(session.machine, session.cuda, options, std::move(peer)));
  const auto left = [&] { return request.budget - (MeasuringClock::now() - start); };
  // A plan is an estimate; a slow device must not make a short check a long one.
  Campaign campaign(*engine, directory, start + request.budget);
  const Plan screening = PlanMeasuring(session, request, decision).screening;
  const auto screening_start = MeasuringClock::now();
  const auto share_ends =
      start + std::chrono::duration_cast<Nanoseconds>(request.budget * kScreeningShare);
  Screen(screening, request, share_ends, campaign, session.notes);
  const double stretch = Stretch(MeasuringClock::now() - screening_start, screening);
  const auto more_until = MeasuringClock::now() + ForMoreWindows(left());
  std::vector<Cell> doubtful =
      WorthMoreWindows(session.machine, census, campaign.samples(), decision, gates);
  while (!campaign.stopped() && !engine->peer_gone()) {
    const Plan more =
        RescreeningPlan(doubtful, Planned(more_until - MeasuringClock::now(), stretch));
    if (campaign.Run(more, "more windows") == 0) break;
    doubtful = StillDisturbed(session.machine, census, campaign.samples(), decision, gates);
  }
  std::vector<CellPair> pairs =
      Shortlist(session.machine, census, campaign.samples(), decision, gates);
  if (!campaign.stopped() && !engine->peer_gone()) {
    const auto enough = static_cast<uint32_t>(gates.min_rounds);
    const Nanoseconds budget = Planned(ForPairedRounds(left()), stretch);
    campaign.Run(PairsPlan(pairs, 1, kPairedRounds, enough, budget), "paired rounds");
    pairs = StillInDoubt(session.machine, census, campaign.samples(), decision, pairs, gates);
  }
  if (!campaign.stopped() && !engine->peer_gone()) {
    const Nanoseconds budget = Planned(left(), stretch);
    campaign.Run(PairsPlan(pairs, kPairedRounds + 1, kMoreRounds, 1, budget), "more rounds");
  }
  for (const std::string& warning : engine->warnings()) session.notes.push_back(warning);
  session.buffers = engine->buffers();
  NoteDisturbed(campaign.samples(), session.notes);
  Measured measured = campaign.Take();
  if (const auto gone = engine->peer_gone()) {
    session.notes.push_back("the peer is gone, judged by what was measured until then: " + *gone);
    measured.peer_gone = true;
  }
  return measured;
}

}  // namespace railgauge
