#include "lib/fleet/fleet_runner.h"

#include <poll.h>

#include <algorithm>
#include <set>

namespace railgauge {
namespace {

// How often programs and their logs are looked at. A signal ends the wait.
constexpr int kLookMs = 50;

bool AnyOf(const std::set<size_t>& nodes, const std::set<size_t>& busy) {
  return std::any_of(nodes.begin(), nodes.end(),
                     [&](size_t node) { return busy.count(node) != 0; });
}

}  // namespace

void RunSessions(std::list<MeasuringSession> sessions, const RunnerOptions& options) {
  std::list<MeasuringSession> active;
  while (!sessions.empty() || !active.empty()) {
    const auto now = SessionClock::now();
    if (options.interrupted()) {
      sessions.clear();
      for (MeasuringSession& session : active) session.Stop(now, "interrupted");
    }
    std::set<size_t> busy;
    for (const MeasuringSession& session : active) busy.merge(session.Nodes());
    for (auto next = sessions.begin(); next != sessions.end();) {
      const auto session = next++;
      std::set<size_t> nodes = session->Nodes();
      const bool starts = active.size() < options.parallel && !AnyOf(nodes, busy);
      // Those behind it wait for its nodes, too, or it might wait for ever.
      busy.merge(nodes);
      if (starts) active.splice(active.end(), sessions, session);
    }
    for (auto next = active.begin(); next != active.end();) {
      const auto session = next++;
      session->Advance(SessionClock::now());
      if (!session->done()) continue;
      options.ended(*session);
      active.erase(session);
    }
    if (!active.empty()) ::poll(nullptr, 0, kLookMs);
  }
}

}  // namespace railgauge
