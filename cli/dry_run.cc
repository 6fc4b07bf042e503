#include "cli/dry_run.h"

#include <set>
#include <string_view>

#include "fmt/core.h"
#include "lib/base/counted.h"
#include "lib/base/units.h"

namespace railgauge {
namespace {

std::string Line(std::string_view step, const std::string& what, std::string_view most,
                 Nanoseconds time) {
  return fmt::format("  {:<13}  {:<63}  {:>7} {:>10}\n", step, what, most, FormatDuration(time));
}

std::string MostLine(std::string_view step, const std::string& what,
                     const MeasuringPlan::Step& planned) {
  return Line(step, fmt::format("up to {} {}", Counted(planned.windows, "window"), what), "at most",
              planned.most);
}

std::string NotPossibleLine(const Plan& screening) {
  std::set<Operation> operations;
  for (const Cell& cell : screening.not_possible) operations.insert(cell.operation);
  std::string lacking;
  for (const Operation operation : operations) {
    lacking += (lacking.empty() ? "RDMA " : " or ") + std::string(ToString(operation));
  }
  return fmt::format("  {} not possible and without windows: the NIC has no {}\n",
                     Counted(screening.not_possible.size(), "cell"), lacking);
}

}  // namespace

std::string FormatMeasuringPlan(const Session& session, const MeasuringRequest& request,
                                const Decision& decision) {
  const MeasuringPlan plan = PlanMeasuring(session, request, decision);
  const Plan& screening = plan.screening;
  std::string text =
      fmt::format("plan: {} x {}, READ and WRITE, both directions, --time-budget={}\n",
                  Counted(session.nics.size(), "NIC"), Counted(session.places.size(), "place"),
                  request.budget_text);
  text +=
      Line("screening",
           fmt::format("{} of {} after {} of warm-up", Counted(screening.windows.size(), "window"),
                       FormatDuration(screening.timing.window),
                       FormatDuration(screening.timing.warm_up)),
           "about", plan.screening_time);
  text += MostLine("more windows", "of cells that were disturbed or look slow", plan.more_windows);
  text +=
      MostLine("paired rounds", fmt::format("in {} rounds of what verdicts hang on", kPairedRounds),
               plan.paired_rounds);
  text +=
      MostLine("more rounds", fmt::format("in {} rounds of what is still in doubt", kMoreRounds),
               plan.more_rounds);
  text +=
      Line("in all", "the screening alone where nothing is in doubt", "at most", request.budget);
  if (!screening.not_possible.empty()) text += NotPossibleLine(screening);
  if (!screening.left_out.empty()) {
    text += fmt::format("  {} without time in the budget: raise --time-budget or select less\n",
                        Counted(screening.left_out.size(), "cell"));
  }
  return text;
}

}  // namespace railgauge
