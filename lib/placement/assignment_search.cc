#include "lib/placement/assignment_search.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <utility>

#include "lib/placement/covering.h"

namespace railgauge {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kTolerance = 1e-9;  // of sums that were added in another order

// NICs that are the same to every consumer and have the same number of users: their shares are of
// one kind, with a count, instead of several that the search would exchange with each other.
struct Shares {
  std::vector<size_t> nics;  // ascending
  size_t users = 1;          // of each
  size_t count() const { return nics.size() * users; }
};
using Layout = std::vector<Shares>;

std::vector<std::vector<size_t>> TypesOf(const AssignmentProblem& problem) {
  std::vector<std::vector<size_t>> types;
  for (size_t nic = 0; nic < problem.nics; ++nic) {
    const auto same = std::find_if(types.begin(), types.end(), [&](const auto& type) {
      return problem.SameNic(type.front(), nic);
    });
    if (same == types.end()) {
      types.push_back({nic});
    } else {
      same->push_back(nic);
    }
  }
  return types;
}

// All ways to give each NIC a number of users up to AssignmentProblem::most_users.
class Layouts {
 public:
  explicit Layouts(const AssignmentProblem& problem)
      : most_(problem.most_users), types_(TypesOf(problem)) {
    Extend(0, 0, 1);
  }
  std::vector<Layout> all;

 private:
  static constexpr size_t kMost = 4096;

  // The members of a type from `begin` get at least `users` each.
  void Extend(size_t type, size_t begin, size_t users) {
    if (all.size() >= kMost) return;
    if (type == types_.size()) {
      all.push_back(layout_);
      return;
    }
    const std::vector<size_t>& members = types_[type];
    if (begin == members.size()) return Extend(type + 1, 0, 1);
    if (users > most_) return;
    const size_t least = users == most_ ? members.size() - begin : 0;
    for (size_t number = members.size() - begin + 1; number-- > least;) {
      const auto from = members.begin() + static_cast<std::ptrdiff_t>(begin);
      if (number > 0)
        layout_.push_back({{from, from + static_cast<std::ptrdiff_t>(number)}, users});
      Extend(type, begin + number, users + 1);
      if (number > 0) layout_.pop_back();
    }
  }

  const size_t most_;
  const std::vector<std::vector<size_t>> types_;
  Layout layout_;
};

// What it costs that a consumer uses a NIC, to choose among equals. Far costs most; then a place in
// the order of NICs that is not the consumer's in the order of consumers. A NIC at its nearest
// consumer is rather used than left idle, any other rather left.
double CostOf(const AssignmentProblem& problem, size_t consumer, const Shares& shares) {
  int nearest = std::numeric_limits<int>::max();
  for (size_t c = 0; c < problem.consumers; ++c) {
    const size_t pair = problem.Pair(c, shares.nics.front());
    if (problem.candidates[pair]) nearest = std::min(nearest, problem.distances[pair]);
  }
  double place = 0;
  for (const size_t nic : shares.nics) place += static_cast<double>(nic) + 0.5;
  place /= static_cast<double>(shares.nics.size() * problem.nics);
  const double own = (static_cast<double>(consumer) + 0.5) / static_cast<double>(problem.consumers);
  constexpr double kStep = 100;  // above any sum of what order costs
  const int far = problem.distances[problem.Pair(consumer, shares.nics.front())] - nearest;
  return kStep * (far - 0.5) + std::abs(place - own);
}

// The best so far.
struct Best {
  NicsOfConsumers nics;
  AssignmentValue value;
  double cost = kInfinity;
};

// The search in one layout.
class LayoutSearch {
 public:
  LayoutSearch(const AssignmentProblem& problem, const Layout& layout)
      : problem_(problem),
        layout_(layout),
        order_(problem.consumers),
        taken_(problem.consumers, std::vector<size_t>(layout.size(), 0)),
        cost_of_(problem.consumers * layout.size(), 0),
        most_rate_((problem.consumers + 1) * layout.size() * problem.dimensions, 0),
        least_cost_((problem.consumers + 1) * layout.size(), 0) {
    for (const Shares& shares : layout) left_.push_back(shares.count());
    for (size_t c = problem.consumers; c-- > 0;) Prepare(c);
    for (size_t s = 0; s < layout.size(); ++s) {
      double price = 0;
      for (size_t c = 0; c < problem.consumers; ++c) price = std::max(price, WorstRate(c, s));
      price_.push_back(price);
      all_price_ += price * static_cast<double>(layout[s].count());
    }
  }

  // Whether all consumers can reach `target`; then `best` is such an assignment. `steps` are
  // counted down; at 0 the answer is no, and means nothing.
  bool Reach(double target, uint64_t& steps, Best& best) {
    only_reach_ = true;
    return Begin(target, steps, best);
  }

  // Replaces `best` by one with more in total, or as much and a lower cost, whose worst consumer
  // reaches `target`.
  void Improve(double target, uint64_t& steps, Best& best) {
    only_reach_ = false;
    Begin(target, steps, best);
  }

 private:
  double Rate(size_t c, size_t s, size_t d) const {
    const size_t nic = layout_[s].nics.front();
    return problem_.candidates[problem_.Pair(c, nic)]
               ? problem_.Rate(c, nic, d) / static_cast<double>(layout_[s].users)
               : 0;
  }
  double WorstRate(size_t c, size_t s) const {
    double worst = problem_.dimensions == 0 ? 0 : kInfinity;
    for (size_t d = 0; d < problem_.dimensions; ++d) worst = std::min(worst, Rate(c, s, d));
    return worst;
  }
  double& MostRate(size_t c, size_t s, size_t d) {
    return most_rate_[(c * layout_.size() + s) * problem_.dimensions + d];
  }
  double Cost(size_t c, size_t s) const { return cost_of_[c * layout_.size() + s]; }
  double& LeastCost(size_t c, size_t s) { return least_cost_[c * layout_.size() + s]; }

  // In which order the consumer tries shares, and what later ones get at the most of them.
  void Prepare(size_t c) {
    for (size_t s = 0; s < layout_.size(); ++s) {
      LeastCost(c, s) = LeastCost(c + 1, s);
      for (size_t d = 0; d < problem_.dimensions; ++d) {
        MostRate(c, s, d) = std::max(MostRate(c + 1, s, d), Rate(c, s, d));
      }
      if (!problem_.candidates[problem_.Pair(c, layout_[s].nics.front())]) continue;
      cost_of_[c * layout_.size() + s] = CostOf(problem_, c, layout_[s]);
      LeastCost(c, s) = std::min(LeastCost(c, s), Cost(c, s));
      order_[c].push_back(s);
    }
    std::stable_sort(order_[c].begin(), order_[c].end(), [&](size_t a, size_t b) {
      return std::pair(Cost(c, a), -WorstRate(c, a)) < std::pair(Cost(c, b), -WorstRate(c, b));
    });
  }

  bool Begin(double target, uint64_t& steps, Best& best) {
    target_ = target;
    steps_ = &steps;
    best_ = &best;
    found_ = false;
    spent_ = 0;
    cost_ = 0;
    values_ = 0;
    failed_.assign(problem_.consumers, {});
    need_after_.assign(problem_.consumers + 1, 0);
    for (size_t c = problem_.consumers; c-- > 0;) {
      need_after_[c] = need_after_[c + 1] + LeastPrice(c);
    }
    if (need_after_[0] > all_price_ * (1 + kTolerance)) return false;
    Consumer(0);
    return found_;
  }

  // What the consumer pays at least to reach the target, had it the choice of all.
  double LeastPrice(size_t c) const {
    double least = 0;
    for (size_t d = 0; d < problem_.dimensions; ++d) {
      std::vector<CoverItem> items;
      for (size_t s = 0; s < layout_.size(); ++s) {
        items.push_back({Rate(c, s, d), price_[s], layout_[s].nics.size()});
      }
      least = std::max(least, LeastPriceToCover(std::move(items), target_ * (1 - kTolerance)));
    }
    return least;
  }

  bool Over() const { return *steps_ == 0 || (found_ && only_reach_); }

  void Consumer(size_t c) {
    if (c == problem_.consumers) return Leaf();
    // Whether the others can reach the target depends on what is left alone, if it is asked for
    // nothing else and nothing else is shared.
    const bool remember = only_reach_ && problem_.capacities.empty();
    if (remember && failed_[c].contains(left_)) return;
    Share(c, 0, std::vector<double>(problem_.dimensions, 0));
    constexpr size_t kMostRemembered = 100000;
    if (remember && !Over() && failed_[c].size() < kMostRemembered) failed_[c].insert(left_);
  }

  bool Reached(const std::vector<double>& sums) const {
    return std::all_of(sums.begin(), sums.end(),
                       [&](double sum) { return sum >= target_ * (1 - kTolerance); });
  }

  // How many of the i-th kind of shares the consumer takes, beside what `sums` it has.
  void Share(size_t c, size_t i, const std::vector<double>& sums) {
    if (Over()) return;
    --*steps_;
    const bool reached = Reached(sums);
    const bool enough = reached && only_reach_ && problem_.capacities.empty();
    if (enough || i == order_[c].size()) {
      if (!reached) return;
      const double value = *std::min_element(sums.begin(), sums.end());
      values_ += value;
      Consumer(c + 1);
      values_ -= value;
      return;
    }
    if (!reached && !CanReach(c, i, sums)) return;
    if (!only_reach_ && !CanImprove(c, sums)) return;
    const size_t s = order_[c][i];
    size_t most = std::min(left_[s], layout_[s].nics.size());
    if (only_reach_ && problem_.capacities.empty()) most = std::min(most, UsefulOf(c, s, sums));
    // Who gets the most of it takes all first, others none first.
    const bool own = WorstRate(c, s) >= price_[s] && Cost(c, s) < 0;
    for (size_t k = 0; k <= most && !Over(); ++k) {
      Take(c, i, own ? most - k : k, sums);
    }
  }

  // How many reach the target, or all that count.
  size_t UsefulOf(size_t c, size_t s, const std::vector<double>& sums) const {
    double useful = 0;
    for (size_t d = 0; d < sums.size(); ++d) {
      const double need = target_ * (1 - kTolerance) - sums[d];
      if (need > 0) useful = std::max(useful, std::ceil(need / Rate(c, s, d)));
    }
    return static_cast<size_t>(std::min(useful, static_cast<double>(layout_[s].count())));
  }

  void Take(size_t c, size_t i, size_t number, const std::vector<double>& sums) {
    const size_t s = order_[c][i];
    const auto many = static_cast<double>(number);
    const double price = many * price_[s];
    if (spent_ + price + need_after_[c + 1] > all_price_ * (1 + kTolerance)) return;
    std::vector<double> more = sums;
    for (size_t d = 0; d < more.size(); ++d) more[d] += many * Rate(c, s, d);
    const double cost = many * Cost(c, s);
    left_[s] -= number;
    taken_[c][s] = number;
    spent_ += price;
    cost_ += cost;
    Share(c, i + 1, more);
    cost_ -= cost;
    spent_ -= price;
    taken_[c][s] = 0;
    left_[s] += number;
  }

  bool CanReach(size_t c, size_t i, const std::vector<double>& sums) const {
    for (size_t d = 0; d < sums.size(); ++d) {
      double sum = sums[d];
      for (size_t j = i; j < order_[c].size(); ++j) {
        const size_t s = order_[c][j];
        sum += static_cast<double>(std::min(left_[s], layout_[s].nics.size())) * Rate(c, s, d);
      }
      if (sum < target_ * (1 - kTolerance)) return false;
    }
    return true;
  }

  bool CanImprove(size_t c, const std::vector<double>& sums) {
    double total = kInfinity;
    for (size_t d = 0; d < sums.size(); ++d) {
      double sum = sums[d];
      for (size_t s = 0; s < layout_.size(); ++s) {
        sum += static_cast<double>(left_[s]) * MostRate(c, s, d);
      }
      total = std::min(total, sum);
    }
    total += values_;
    if (total < best_->value.total * (1 - kTolerance)) return false;
    if (total > best_->value.total * (1 + kTolerance)) return true;
    double cost = cost_;
    for (size_t s = 0; s < layout_.size(); ++s) {
      cost += static_cast<double>(left_[s]) * LeastCost(c, s);
    }
    return cost < best_->cost - kTolerance;
  }

  void Leaf() {
    NicsOfConsumers nics = Deal();
    AssignmentValue value = ValueOf(problem_, nics);
    if (value.worst < target_ * (1 - kTolerance)) return;
    if (!only_reach_) {
      const double total = best_->value.total;
      if (value.total < total * (1 - kTolerance)) return;
      if (value.total <= total * (1 + kTolerance) && cost_ >= best_->cost - kTolerance) return;
    }
    *best_ = {std::move(nics), std::move(value), only_reach_ ? kInfinity : cost_};
    found_ = true;
  }

  // The NICs of shares of one kind go around: each consumer takes the next ones, none one twice.
  NicsOfConsumers Deal() const {
    NicsOfConsumers nics(problem_.consumers);
    for (size_t s = 0; s < layout_.size(); ++s) {
      size_t next = 0;
      for (size_t c = 0; c < problem_.consumers; ++c) {
        for (size_t k = 0; k < taken_[c][s]; ++k) {
          nics[c].push_back(layout_[s].nics[next++ % layout_[s].nics.size()]);
        }
      }
    }
    for (auto& of_consumer : nics) std::sort(of_consumer.begin(), of_consumer.end());
    return nics;
  }

  const AssignmentProblem& problem_;
  const Layout& layout_;
  std::vector<std::vector<size_t>> order_;  // of each consumer: kinds of shares, by cost
  std::vector<size_t> left_;                // of each kind
  std::vector<std::vector<size_t>> taken_;  // by consumer, of each kind
  std::vector<double> cost_of_;             // of a share to each consumer
  std::vector<double> most_rate_;           // of a share to this consumer or a later one
  std::vector<double> least_cost_;          // likewise, at most 0
  std::vector<double> price_;               // of a share: what it gives to whoever gets most
  double all_price_ = 0;

  bool only_reach_ = true;
  double target_ = 0;
  uint64_t* steps_ = nullptr;
  Best* best_ = nullptr;
  bool found_ = false;
  double spent_ = 0, cost_ = 0, values_ = 0;
  std::vector<double> need_after_;  // what consumers from this one on pay at least
  std::vector<std::set<std::vector<size_t>>> failed_;  // what is left, of which no answer is known
};

// A first assignment: whoever has least takes what gives it most, while that is to be had.
Best Greedy(const AssignmentProblem& problem) {
  NicsOfConsumers nics(problem.consumers);
  std::vector<size_t> users(problem.nics, 0);
  std::vector<double> has(problem.consumers, 0);
  std::vector<bool> done(problem.consumers, false);
  const bool shared = problem.most_users > 1;
  for (;;) {
    size_t c = problem.consumers;
    for (size_t i = 0; i < problem.consumers; ++i) {
      if (!done[i] && (c == problem.consumers || has[i] < has[c])) c = i;
    }
    if (c == problem.consumers) break;
    size_t chosen = problem.nics;
    std::pair<double, int> most = {0, 0};
    for (size_t n = 0; n < problem.nics; ++n) {
      const bool mine = std::find(nics[c].begin(), nics[c].end(), n) != nics[c].end();
      if (!problem.candidates[problem.Pair(c, n)] || users[n] == problem.most_users || mine)
        continue;
      double rate = kInfinity;
      for (size_t d = 0; d < problem.dimensions; ++d) rate = std::min(rate, problem.Rate(c, n, d));
      const std::pair gain = {rate / static_cast<double>(users[n] + 1),
                              -problem.distances[problem.Pair(c, n)]};
      if (chosen < problem.nics && gain <= most) continue;
      chosen = n;
      most = gain;
    }
    // A share for each is enough to begin with; more would take of others.
    done[c] = chosen == problem.nics || shared;
    if (chosen == problem.nics) continue;
    nics[c].push_back(chosen);
    ++users[chosen];
    has[c] += most.first;
  }
  for (auto& of_consumer : nics) std::sort(of_consumer.begin(), of_consumer.end());
  AssignmentValue value = ValueOf(problem, nics);
  return {std::move(nics), std::move(value), kInfinity};
}

// What no consumer can exceed, had it all to itself.
double WorstAlone(const AssignmentProblem& problem) {
  double worst = kInfinity;
  for (size_t c = 0; c < problem.consumers; ++c) {
    NicsOfConsumers all(problem.consumers);
    for (size_t n = 0; n < problem.nics; ++n) {
      if (problem.candidates[problem.Pair(c, n)]) all[c].push_back(n);
    }
    double most = problem.dimensions == 0 ? 0 : kInfinity;
    for (size_t d = 0; d < problem.dimensions; ++d) {
      double sum = 0;
      for (const size_t n : all[c]) sum += problem.Rate(c, n, d);
      most = std::min(most, sum);
    }
    worst = std::min(worst, most);
  }
  return problem.consumers == 0 ? 0 : worst;
}

// Raises the worst consumer of `best`; returns what none can exceed.
double RaiseWorst(const AssignmentProblem& problem, std::vector<LayoutSearch>& searches,
                  const SearchLimits& limits, Best& best) {
  uint64_t steps = limits.steps;
  double high = WorstAlone(problem);         // above it nothing is looked for
  double bound = high;                       // above it nothing is
  const double nothing = high * limits.gap;  // below it a consumer gets none
  for (bool first = true;; first = false) {
    const double low = best.value.worst;
    const double least = std::max(low * (1 + limits.gap), nothing);
    if (least > high || nothing <= 0) break;
    const double target = first ? least : std::max(least, (low + high) / 2);
    const bool reached = std::any_of(searches.begin(), searches.end(), [&](LayoutSearch& search) {
      return search.Reach(target, steps, best);
    });
    if (reached) continue;
    high = target * (1 - kTolerance);
    if (steps > 0) bound = high;
    if (steps == 0) break;
  }
  if (bound <= nothing) bound = 0;
  return std::max(bound, best.value.worst);
}

}  // namespace

SolvedAssignment SolveAssignment(const AssignmentProblem& problem, const SearchLimits& limits) {
  const Layouts layouts(problem);
  std::vector<LayoutSearch> searches;
  searches.reserve(layouts.all.size());
  for (const Layout& layout : layouts.all) searches.emplace_back(problem, layout);
  Best best = Greedy(problem);
  SolvedAssignment solved;
  solved.worst_bound = RaiseWorst(problem, searches, limits, best);
  solved.proven = solved.worst_bound <= best.value.worst * (1 + 2 * limits.gap);
  uint64_t steps = limits.steps;
  for (LayoutSearch& search : searches) search.Improve(best.value.worst, steps, best);
  solved.proven = solved.proven && steps > 0;
  solved.nics = std::move(best.nics);
  solved.value = std::move(best.value);
  return solved;
}

}  // namespace railgauge
