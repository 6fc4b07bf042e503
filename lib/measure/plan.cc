#include "lib/measure/plan.h"

#include <algorithm>
#include <random>
#include <set>

#include "lib/measure/shape.h"

namespace railgauge {
namespace {

std::vector<Cell> CellsOf(const ScreeningRequest& request) {
  std::vector<Cell> cells;
  for (const Bytes size : request.sizes) {
    for (const Operation operation : request.operations) {
      for (const Direction direction : request.directions) {
        for (const MemoryPlace& place : request.places) {
          for (const NicKey& nic : request.nics) {
            Cell cell;
            cell.nic = nic;
            cell.place = place;
            cell.operation = operation;
            cell.direction = direction;
            cell.size = size;
            cell.depth = request.depth != 0 ? request.depth : DefaultDepth(size);
            cells.push_back(std::move(cell));
          }
        }
      }
    }
  }
  return cells;
}

// Uniform in [0, n). std::uniform_int_distribution and std::shuffle differ between libraries; a
// seed must give the same plan everywhere. The bias of the remainder is below 2^-50 here.
uint64_t Below(uint64_t n, std::mt19937_64& random) { return random() % n; }

}  // namespace

Nanoseconds EstimateDuration(const Plan& plan, const PlanCosts& costs) {
  std::set<NicKey> nics;
  std::set<std::pair<NicKey, MemoryPlace>> registrations;
  for (const PlannedWindow& window : plan.windows) {
    nics.insert(window.cell.nic);
    registrations.emplace(window.cell.nic, window.cell.place);
  }
  const auto count = [](const auto& set) { return static_cast<int64_t>(set.size()); };
  return count(plan.windows) * (plan.timing.warm_up + plan.timing.window + costs.per_window) +
         count(nics) * costs.per_nic + count(registrations) * costs.per_registration;
}

Plan PlanScreening(const ScreeningRequest& request, const PlanCosts& costs) {
  Plan plan;
  plan.timing = request.timing;
  std::vector<Cell> cells = CellsOf(request);
  if (request.rank) {
    std::stable_sort(cells.begin(), cells.end(), [&](const Cell& a, const Cell& b) {
      return request.rank(a) < request.rank(b);
    });
  }
  for (Cell& cell : cells) {
    if (!request.can || request.can(cell.nic, cell.operation)) {
      plan.windows.push_back({std::move(cell), 0});
    } else {
      plan.not_possible.push_back(std::move(cell));
    }
  }
  const Nanoseconds wanted = EstimateDuration(plan, costs);
  if (wanted <= request.budget || plan.windows.empty()) return plan;

  const auto count = static_cast<int64_t>(plan.windows.size());
  const Nanoseconds window_time = plan.timing.warm_up + plan.timing.window;
  const Nanoseconds available = request.budget - (wanted - count * window_time);
  const Nanoseconds shortest = std::min(request.shortest_window, plan.timing.window);
  const double share = std::max(
      static_cast<double>(available.count()) / static_cast<double>(count * window_time.count()),
      static_cast<double>(shortest.count()) / static_cast<double>(plan.timing.window.count()));
  const auto scaled = [&](Nanoseconds time) {
    return Nanoseconds{static_cast<int64_t>(static_cast<double>(time.count()) * share)};
  };
  plan.timing = {scaled(plan.timing.warm_up), scaled(plan.timing.window)};

  // Each window takes at least some time, so this ends; a set-up cost goes with its last window.
  while (!plan.windows.empty()) {
    const Nanoseconds over = EstimateDuration(plan, costs) - request.budget;
    if (over <= Nanoseconds{0}) break;
    const Nanoseconds most_saved = plan.timing.warm_up + plan.timing.window + costs.per_window +
                                   costs.per_nic + costs.per_registration;
    int64_t drop = std::max(int64_t{1}, over / std::max(most_saved, Nanoseconds{1}));
    for (; drop > 0 && !plan.windows.empty(); --drop) {
      plan.left_out.push_back(std::move(plan.windows.back().cell));
      plan.windows.pop_back();
    }
  }
  std::reverse(plan.left_out.begin(), plan.left_out.end());
  return plan;
}

Plan PlanPaired(const PairedRequest& request, const PlanCosts& costs) {
  std::mt19937_64 random(request.seed);
  Plan plan;
  plan.timing = request.timing;
  if (request.pairs.empty()) return plan;
  std::vector<size_t> order(request.pairs.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = i;
  for (uint32_t round = 1; round <= request.rounds; ++round) {
    const size_t before = plan.windows.size();
    for (size_t i = order.size() - 1; i > 0; --i) std::swap(order[i], order[Below(i + 1, random)]);
    for (const size_t index : order) {
      const auto& [a, b] = request.pairs[index];
      const bool a_first = Below(2, random) == 0;
      plan.windows.push_back({a_first ? a : b, round});
      plan.windows.push_back({a_first ? b : a, round});
    }
    if (EstimateDuration(plan, costs) > request.budget) {
      plan.windows.resize(before);
      break;
    }
    plan.rounds = round;
  }
  return plan;
}

}  // namespace railgauge
