#include "cli/loading.h"

#include <algorithm>
#include <span>
#include <string>
#include <utility>

#include "cli/interrupt.h"
#include "cli/progress.h"
#include "fmt/core.h"
#include "lib/base/counted.h"
#include "lib/measure/engine.h"
#include "lib/placement/gates.h"

namespace railgauge {
namespace {

// Windows that grow beyond it would leave no time for rounds.
constexpr Nanoseconds kLongestWindow = std::chrono::seconds{1};
// How often the windows of a set may prove too short: each time costs a round.
constexpr uint32_t kMostLengthenings = 3;

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
    const RoundLimits limits = LoadRoundLimits();
    timing_ = plan_.timing;
    uint32_t lost = 0;  // rounds whose windows were too short
    Progress progress(set.title);
    for (uint32_t round = 1; round <= limits.most + lost; ++round) {
      const Nanoseconds taken = MeasuringClock::now() - start;
      if (round > limits.enough + lost && taken + taken / round > share) return round - 1 - lost;
      if (!RunRound(set, round, round <= limits.enough + lost, limits.most + lost, progress)) {
        return round - 1 - lost;
      }
      if (lost < kMostLengthenings && Lengthen()) ++lost;
    }
    return limits.most;
  }

  Loaded Take() { return {std::move(samples_), std::move(written_), false}; }

 private:
  // Returns whether it was finished. Where it was not, and is `needed`, rows say why.
  bool RunRound(const LoadSet& set, uint32_t round, bool needed, uint32_t rounds,
                Progress& progress) {
    const std::vector<LoadWindow> windows = PlanRound(set, round);
    for (size_t i = 0; i < windows.size(); ++i) {
      if (over()) {
        if (needed) Skip(std::span(windows).subspan(i));
        return false;
      }
      Measure(windows[i]);
      progress.Update((round - 1) * windows.size() + i + 1, rounds * windows.size(),
                      windows[i].cells.front().load);
    }
    return true;
  }

  void Measure(const LoadWindow& window) {
    std::vector<GroupMember> members;
    for (const Cell& cell : window.cells) {
      const auto far = plan_.far_ends.find(cell.nic.address);
      members.push_back(
          {cell, far == plan_.far_ends.end() ? std::nullopt : std::optional(far->second)});
    }
    WindowRequest request;
    request.timing = timing_;
    request.round = window.round;
    const std::vector<Sample> samples = engine_.MeasureTogether(members, request);
    if (const auto longer = LongerWindow(samples)) {
      wanted_window_ = std::max(wanted_window_, *longer);
    }
    for (const Sample& sample : samples) Keep(sample);
  }

  // Whether the windows of the round that is over proved too short; later ones are longer then.
  bool Lengthen() {
    const Nanoseconds wanted = std::min(std::exchange(wanted_window_, {}), kLongestWindow);
    if (wanted <= timing_.window) return false;
    timing_.window = wanted;
    return true;
  }

  void Skip(std::span<const LoadWindow> windows) {
    Sample sample;
    sample.status = SampleStatus::kSkipped;
    if (Interrupted()) {
      sample.skip_cause = SkipCause::kInterrupted;
      sample.reason = "interrupted";
    } else if (const auto gone = engine_.peer_gone()) {
      sample.skip_cause = SkipCause::kPeerGone;
      sample.reason = "the peer is gone: " + *gone;
    } else {
      sample.skip_cause = SkipCause::kNoTime;
      sample.reason = "no time left in the budget (--time-budget=" + plan_.budget_text + ")";
    }
    for (const LoadWindow& window : windows) {
      sample.round = window.round;
      for (const Cell& cell : window.cells) {
        sample.cell = cell;
        Keep(sample);
      }
    }
  }

  void Keep(const Sample& sample) {
    if (written_) written_ = directory_.Append(sample);
    samples_.push_back(sample);
  }

  Engine& engine_;
  const LoadPlan& plan_;
  RunDirectory& directory_;
  MeasuringClock::time_point deadline_;
  WindowTiming timing_;           // of the set's windows
  Nanoseconds wanted_window_{0};  // that those of the round should have had
  std::vector<Sample> samples_;
  Status written_;
};

std::string TooFewRounds(const LoadSet& set, uint32_t rounds) {
  return fmt::format(
      "{}: time for {} of the {} rounds that decide something: raise --time-budget or select less",
      set.title, rounds, LoadRoundLimits().enough);
}

}  // namespace

RoundLimits LoadRoundLimits() {
  return {static_cast<uint32_t>(JudgeGates().min_rounds), kLoadRounds};
}

std::vector<std::string> WhatHasNoTime(const LoadPlan& plan) {
  const RoundLimits limits = LoadRoundLimits();
  const auto rounds = RoundsWithin(plan.sets, limits, plan.timing, plan.budget);
  std::vector<std::string> sentences;
  for (size_t i = 0; i < plan.sets.size(); ++i) {
    if (rounds[i] < limits.enough) sentences.push_back(TooFewRounds(plan.sets[i], rounds[i]));
  }
  return sentences;
}

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
    if (rounds >= LoadRoundLimits().enough || Interrupted() || engine->peer_gone()) continue;
    session.notes.push_back(TooFewRounds(plan.sets[i], rounds));
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
