#include "lib/fleet/measuring_session.h"

#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <utility>

#include "fmt/core.h"
#include "lib/base/file.h"

namespace railgauge {
namespace {

// What `railgauge serve` says when it can be reached.
constexpr std::string_view kServing = "serving on port ";
// The status of a check that did not begin to measure.
constexpr int kExitError = 2;
// At a run whose windows tell of the scheduler: what kept its thread from the CPU may be over.
constexpr size_t kMostAttempts = 3;
// A server that nobody asks, because this process or its launcher is lost, ends by itself.
constexpr std::string_view kServerIdle = "--idle=2min";

std::string Seconds(Nanoseconds duration) {
  return fmt::format("{}s", std::chrono::duration_cast<std::chrono::seconds>(duration).count());
}

// The part of a log that the present attempt wrote.
std::string ContentOf(const std::string& log) { return ReadFile(log).value_or(""); }

// 0 when it is not said yet.
int PortIn(const std::string& log) {
  const size_t at = log.rfind(kServing);
  if (at == std::string::npos) return 0;
  const size_t begin = at + kServing.size(), end = log.find('\n', begin);
  if (end == std::string::npos) return 0;
  int port = 0;
  std::from_chars(log.data() + begin, log.data() + end, port);
  return port;
}

std::string AddressWithPort(const std::string& address, int port) {
  const bool bare_ipv6 = address.find(':') != std::string::npos && !address.starts_with('[');
  return fmt::format("{}{}{}:{}", bare_ipv6 ? "[" : "", address, bare_ipv6 ? "]" : "", port);
}

std::string Ended(const std::string& what, int status, const std::string& log) {
  const std::string last = LastLineOf(log);
  return fmt::format("{} ended with status {}{}{}", what, status, last.empty() ? "" : ": ", last);
}

}  // namespace

std::string LastLineOf(const std::string& log) {
  // Launchers say that the program failed, some at length, behind what it said itself.
  constexpr std::string_view kOurs = "railgauge ";
  constexpr size_t kLines = 20;
  const std::string text = ContentOf(log);
  std::string_view rest = text, last;
  for (size_t i = 0; i < kLines && !rest.empty(); ++i) {
    const size_t end = rest.rfind('\n');
    const size_t begin = end == std::string_view::npos ? 0 : end + 1;
    const std::string_view line = rest.substr(begin);
    rest = rest.substr(0, begin == 0 ? 0 : end);
    if (line.starts_with(kOurs)) return Printable(line);
    const bool says_something =
        std::any_of(line.begin(), line.end(), [](unsigned char c) { return std::isalnum(c) != 0; });
    if (last.empty() && says_something) last = line;
  }
  return Printable(last);
}

MeasuringSession::MeasuringSession(const FleetPlan& plan, const FleetTree& tree,
                                   const LaunchSettings& settings, MeasuringPlanOf what)
    : plan_(plan), tree_(tree), settings_(settings), what_(std::move(what)) {
  RAILGAUGE_CHECK(!what_.steps.empty());
}

std::set<size_t> MeasuringSession::Nodes() const {
  std::set<size_t> nodes;
  for (const MeasuringStep& step : what_.steps) {
    nodes.insert(step.pair.initiator);
    nodes.insert(step.pair.target);
  }
  return nodes;
}

Nanoseconds MeasuringSession::WholeTime() const {
  Nanoseconds whole = settings_.start_deadline + settings_.grace;
  for (const MeasuringStep& step : what_.steps) {
    whole += kMostAttempts * (step.budget + settings_.check_overhead);
  }
  return whole;
}

Result<MeasuringSession::Launched> MeasuringSession::Launch(size_t node, const std::string& role,
                                                            std::vector<std::string> command,
                                                            SessionClock::time_point deadline) {
  const FleetNode& at = plan_.nodes[node];
  const std::string log = tree_.LogPath(fmt::format("{}-{}-{}", what_.name, role, at.name));
  if (role == "serve") static_cast<void>(::unlink(log.c_str()));  // its port was another's
  RAILGAUGE_ASSIGN_OR_RETURN(ChildProcess process,
                             ChildProcess::Start(settings_.launch.Expand(at, node, command), log));
  return Launched{node, log, std::move(process), deadline};
}

void MeasuringSession::Abandon(std::string why, std::optional<size_t> culprit,
                               SessionClock::time_point now) {
  failure_ = std::move(why);
  culprit_ = culprit;
  BeginEnding(now);
}

void MeasuringSession::StartServers(SessionClock::time_point now) {
  state_ = State::kStarting;
  std::set<size_t> targets;
  for (const MeasuringStep& step : what_.steps) targets.insert(step.pair.target);
  for (const size_t node : targets) {
    auto launched =
        Launch(node, "serve",
               {settings_.railgauge, "serve", "--token=" + tree_.TokenPath(), "--listen=:0",
                std::string(kServerIdle), "--deadline=" + Seconds(WholeTime())},
               now + settings_.start_deadline);
    if (!launched) return Abandon(launched.error().ToString(), std::nullopt, now);
    servers_.emplace(node, *std::move(launched));
  }
}

void MeasuringSession::AwaitServers(SessionClock::time_point now) {
  bool all = true;
  for (auto& [node, server] : servers_) {
    if (server.port == 0) server.port = PortIn(ContentOf(server.log));
    if (server.port != 0) continue;
    all = false;
    const std::string what = "railgauge serve at " + plan_.nodes[node].name;
    if (const auto status = server.process.Poll()) {
      return Abandon(Ended(what, *status, server.log), node, now);
    }
    if (now > server.deadline) {
      return Abandon(what + " did not serve within " + FormatDuration(settings_.start_deadline),
                     node, now);
    }
  }
  if (all) StartCheck(now);
}

void MeasuringSession::StartCheck(SessionClock::time_point now) {
  const MeasuringStep& step = what_.steps[step_];
  state_ = State::kChecking;
  if (auto aside = tree_.PutAside(step.output); !aside) {
    return Abandon(aside.error().ToString(), std::nullopt, now);
  }
  const Launched& server = servers_.at(step.pair.target);
  const Nanoseconds most = step.budget + settings_.check_overhead;
  std::vector<std::string> command = {settings_.railgauge, "check"};
  command.insert(command.end(), step.check_flags.begin(), step.check_flags.end());
  command.push_back("--peer=" +
                    AddressWithPort(plan_.nodes[step.pair.target].address, server.port));
  command.push_back("--token=" + tree_.TokenPath());
  command.push_back("--output=" + step.output);
  command.push_back("--deadline=" + Seconds(most));
  auto launched =
      Launch(step.pair.initiator, "check", command, now + most + settings_.start_deadline);
  if (!launched) return Abandon(launched.error().ToString(), std::nullopt, now);
  check_.emplace(*std::move(launched));
}

void MeasuringSession::AwaitCheck(SessionClock::time_point now) {
  const MeasuringStep& step = what_.steps[step_];
  const auto status = check_->process.Poll();
  const std::string what = "railgauge check at " + plan_.nodes[step.pair.initiator].name;
  if (!status) {
    if (now > check_->deadline) {
      Abandon(what + " did not end in its time", step.pair.initiator, now);
    }
    return;
  }
  std::string why = WhyNotWhole(step.output);
  if (why == kDisturbed && ++attempts_ < kMostAttempts) return StartCheck(now);
  if (!why.empty()) {
    // A status of a verdict, and no run to be seen here.
    if (*status != kExitError && why == kNotMeasured) why += " (do all nodes see this folder?)";
    // A server that is gone is at fault, else the one that checked.
    auto& server = servers_.at(step.pair.target);
    const bool server_ended = server.process.Poll().has_value();
    return Abandon(fmt::format("{}; {}", why, Ended(what, *status, check_->log)),
                   server_ended ? step.pair.target : step.pair.initiator, now);
  }
  check_.reset();
  attempts_ = 0;
  if (++step_ == what_.steps.size()) return BeginEnding(now);
  StartCheck(now);
}

void MeasuringSession::BeginEnding(SessionClock::time_point now) {
  state_ = State::kEnding;
  const auto ask = [&](Launched& launched) {
    launched.process.Terminate();
    launched.asked_to_end = true;
    launched.deadline = now + settings_.grace;
  };
  if (check_) ask(*check_);
  // A check that is asked to end still needs its servers to end in order; see AwaitEnds.
  if (check_ && !check_->process.Poll()) return;
  for (auto& [node, server] : servers_) ask(server);
}

void MeasuringSession::AwaitEnds(SessionClock::time_point now) {
  const auto ended = [&](Launched& launched) {
    if (launched.process.Poll()) return true;
    if (now > launched.deadline) launched.process.Kill();
    return false;
  };
  if (check_ && !ended(*check_)) return;
  bool all = true;
  for (auto& [node, server] : servers_) {
    if (!server.asked_to_end && !server.process.Poll()) {
      server.process.Terminate();
      server.asked_to_end = true;
      server.deadline = now + settings_.grace;
    }
    all = ended(server) && all;
  }
  if (!all) return;
  check_.reset();
  servers_.clear();
  state_ = State::kDone;
}

void MeasuringSession::Stop(SessionClock::time_point now, const std::string& why) {
  if (state_ == State::kEnding || state_ == State::kDone) return;
  Abandon(why, std::nullopt, now);
}

void MeasuringSession::Advance(SessionClock::time_point now) {
  switch (state_) {
    case State::kNew:
      return StartServers(now);
    case State::kStarting:
      return AwaitServers(now);
    case State::kChecking:
      return AwaitCheck(now);
    case State::kEnding:
      return AwaitEnds(now);
    case State::kDone:
      return;
  }
}

}  // namespace railgauge
