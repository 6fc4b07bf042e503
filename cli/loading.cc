#include "cli/loading.h"

#include <algorithm>
#include <string>

#include "cli/interrupt.h"
#include "cli/progress.h"
#include "fmt/core.h"
#include "lib/base/counted.h"
#include "lib/measure/engine.h"
#include "lib/placement/gates.h"

namespace railgauge {
namespace {

// Runs the rounds of sets and keeps what they give.
class LoadCampaign {
 public:
  LoadCampaign(Engine& engine, const LoadPlan& plan, RunDirectory& directory)
      : engine_(engine),
        plan_(plan),
        directory_(directory),
        deadline_(MeasuringClock::now() + plan.budget) {}

  bool over() const {
    return Interrupted() || !written_ || engine_.peer_gone() || MeasuringClock::now() >= deadline_;
  }

  // As many rounds as its share of the time has room for, but not fewer than prove something as
  // long as there is time at all. Returns how many were finished.
  uint32_t Run(const LoadSet& set, size_t sets_left) {
    const auto start = MeasuringClock::now();
    const Nanoseconds share = (deadline_ - start) / static_cast<int64_t>(sets_left);
    const auto enough = static_cast<uint32_t>(JudgeGates().min_rounds);
    Progress progress(set.title);
    for (uint32_t round = 1; round <= kLoadRounds; ++round) {
      const Nanoseconds taken = MeasuringClock::now() - start;
      if (round > enough && taken + taken / round > share) return round - 1;
      const std::vector<LoadWindow> windows = PlanRound(set, round);
      for (size_t i = 0; i < windows.size(); ++i) {
        if (over()) return round - 1;
        Measure(windows[i]);
        progress.Update((round - 1) * windows.size() + i + 1, kLoadRounds * windows.size(),
                        windows[i].cells.front().load);
      }
    }
    return kLoadRounds;
  }

  Loaded Take() { return {std::move(samples_), std::move(written_), false}; }

 private:
  void Measure(const LoadWindow& window) {
    std::vector<GroupMember> members;
    for (const Cell& cell : window.cells) {
      const auto far = plan_.far_ends.find(cell.nic.address);
      members.push_back(
          {cell, far == plan_.far_ends.end() ? std::nullopt : std::optional(far->second)});
    }
    WindowRequest request;
    request.timing = plan_.timing;
    request.round = window.round;
    for (Sample& sample : engine_.MeasureTogether(members, request)) {
      if (written_) written_ = directory_.Append(sample);
      samples_.push_back(std::move(sample));
    }
  }

  Engine& engine_;
  const LoadPlan& plan_;
  RunDirectory& directory_;
  MeasuringClock::time_point deadline_;
  std::vector<Sample> samples_;
  Status written_;
};

}  // namespace

Result<Loaded> MeasureLoad(Session& session, const LoadPlan& plan, RunDirectory& directory,
                           std::unique_ptr<PeerSide> peer) {
  EngineOptions options;
  options.run_start = MeasuringClock::now();
  RAILGAUGE_ASSIGN_OR_RETURN(
      const std::unique_ptr<Engine> engine,
      Engine::Create(session.machine, session.cuda, options, std::move(peer)));
  LoadCampaign campaign(*engine, plan, directory);
  for (size_t i = 0; i < plan.sets.size(); ++i) {
    const uint32_t rounds = campaign.Run(plan.sets[i], plan.sets.size() - i);
    if (rounds >= JudgeGates().min_rounds || Interrupted() || engine->peer_gone()) continue;
    session.notes.push_back(
        fmt::format("{}: time for {} of {} rounds, which prove nothing: raise "
                    "--time-budget or select less",
                    plan.sets[i].title, rounds, kLoadRounds));
  }
  for (const std::string& warning : engine->warnings()) session.notes.push_back(warning);
  Loaded loaded = campaign.Take();
  if (const auto gone = engine->peer_gone()) {
    session.notes.push_back("the peer is gone, judged by what was measured until then: " + *gone);
    loaded.peer_gone = true;
  }
  return loaded;
}

}  // namespace railgauge
