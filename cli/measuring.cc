#include "cli/measuring.h"

#include <algorithm>

#include "cli/interrupt.h"
#include "cli/progress.h"
#include "lib/base/counted.h"
#include "lib/measure/engine.h"
#include "lib/placement/shortlist.h"

namespace railgauge {
namespace {

// The screening finds what to doubt; what it leaves is for proof.
constexpr double kScreeningShare = 0.8;
constexpr uint32_t kRounds = 9;
constexpr uint32_t kMoreRounds = 6;  // when nine were too noisy: fifteen in all

constexpr uint32_t kMoreWindows = 2;  // of cells that the screening suspects: three in all

// Runs plans one after the other until `deadline` and keeps what they give.
class Campaign {
 public:
  Campaign(Engine& engine, RunDirectory& directory, MeasuringClock::time_point deadline)
      : engine_(engine), directory_(directory), deadline_(deadline) {}

  // Returns how many windows of the plan were left when time ran out.
  size_t Run(const Plan& plan, const std::string& what) {
    if (plan.windows.empty()) return 0;
    Progress progress(what);
    size_t done = 0;
    engine_.MeasureAll(
        plan,
        [&](const Sample& sample) {
          samples_.push_back(sample);
          if (written_) written_ = directory_.Append(sample);
          progress.Update(++done, plan.windows.size(),
                          sample.cell.nic.name + " " + sample.cell.place.ToString());
        },
        [&] { return stopped(); });
    return plan.windows.size() - done;
  }

  bool out_of_time() const {
    return !Interrupted() && written_ && MeasuringClock::now() >= deadline_;
  }
  bool stopped() const { return Interrupted() || !written_ || out_of_time(); }
  const std::vector<Sample>& samples() const { return samples_; }
  Measured Take() { return {std::move(samples_), std::move(written_), false}; }

 private:
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

// The screening's windows again for as many of the suspects, the farthest from their class first,
// as fit the budget.
Plan RescreeningPlan(std::span<const Cell> suspects, Nanoseconds budget) {
  Plan plan;
  for (const Cell& cell : suspects) {
    for (uint32_t i = 0; i < kMoreWindows; ++i) plan.windows.push_back({cell, 0});
    if (EstimateDuration(plan) <= budget) continue;
    plan.windows.resize(plan.windows.size() - kMoreWindows);
    break;
  }
  return plan;
}

}  // namespace

Plan ScreeningPlan(const Session& session, const MeasuringRequest& request) {
  ScreeningRequest screening;
  for (const PciAddress& address : session.nics) {
    screening.nics.push_back(session.machine.FindNic(address)->key());
  }
  screening.places = session.places;
  screening.sizes = request.sizes;
  screening.budget = std::chrono::duration_cast<Nanoseconds>(request.budget * kScreeningShare);
  return PlanScreening(screening);
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
  const Plan screening = ScreeningPlan(session, request);
  if (!screening.left_out.empty()) {
    session.notes.push_back(std::to_string(screening.left_out.size()) + " of " +
                            Counted(screening.left_out.size() + screening.windows.size(), "cell") +
                            " had no time in the budget: raise --time-budget or select less");
  }
  if (const size_t left_over = campaign.Run(screening, "screening");
      left_over > 0 && campaign.out_of_time()) {
    session.notes.push_back(std::to_string(left_over) + " of " +
                            Counted(screening.windows.size(), "cell") +
                            " not measured: the others took longer than planned and the time "
                            "budget is used up");
  }
  const std::vector<Cell> suspects =
      WorthMoreWindows(session.machine, census, campaign.samples(), decision, gates);
  if (!engine->peer_gone()) {
    campaign.Run(RescreeningPlan(suspects, left() / 4), "more windows");
  }
  std::vector<CellPair> pairs =
      Shortlist(session.machine, census, campaign.samples(), decision, gates);
  if (!campaign.stopped() && !engine->peer_gone()) {
    // Half of what is left now, so that noisy pairs can have their second helping.
    const auto enough = static_cast<uint32_t>(gates.min_rounds);
    campaign.Run(PairsPlan(pairs, 1, kRounds, enough, left() * 2 / 3), "paired rounds");
    pairs = StillInDoubt(session.machine, census, campaign.samples(), decision, pairs, gates);
  }
  if (!campaign.stopped() && !engine->peer_gone()) {
    campaign.Run(PairsPlan(pairs, kRounds + 1, kMoreRounds, 1, left()), "more rounds");
  }
  for (const std::string& warning : engine->warnings()) session.notes.push_back(warning);
  session.buffers = engine->buffers();
  Measured measured = campaign.Take();
  if (const auto gone = engine->peer_gone()) {
    session.notes.push_back("the peer is gone, judged by what was measured until then: " + *gone);
    measured.peer_gone = true;
  }
  return measured;
}

}  // namespace railgauge
