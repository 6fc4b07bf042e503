#include "lib/placement/best_assignment.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "fmt/core.h"
#include "lib/base/counted.h"
#include "lib/stats/median.h"

namespace railgauge {
namespace {

// What is known of a cell's throughput, from its windows.
using RateOf = std::function<std::optional<double>(const MeasuredCell& cell)>;

// The consumers, NICs and dimensions of a problem, and what their numbers mean.
class Field {
 public:
  Field(const Machine& machine, const CellTable& table, const Relations& relations,
        const Decision& given, const JudgeGates& gates)
      : machine_(machine), table_(table), relations_(relations), gates_(gates) {
    FindDimensions(given);
    FindConsumers(given);
    FindNics();
    CountMissing();
  }

  const std::vector<MemoryPlace>& consumers() const { return consumers_; }
  const std::vector<NicKey>& nics() const { return nics_; }
  const std::vector<Dimension>& dimensions() const { return dimensions_; }
  const std::vector<std::string>& missing() const { return missing_; }

  const MeasuredCell* CellOf(size_t consumer, size_t nic, size_t dimension) const {
    return table_.Find(nics_[nic].address, consumers_[consumer], dimensions_[dimension]);
  }
  bool Measured(const PciAddress& nic, const MemoryPlace& place) const {
    return std::all_of(dimensions_.begin(), dimensions_.end(), [&](const Dimension& dimension) {
      const auto rate = table_.Throughput(nic, place, dimension);
      return rate && *rate > 0;
    });
  }

  AssignmentProblem ProblemOf(const RateOf& rate_of) const {
    AssignmentProblem problem(consumers_.size(), nics_.size(), dimensions_.size());
    for (size_t c = 0; c < consumers_.size(); ++c) {
      for (size_t n = 0; n < nics_.size(); ++n) {
        const size_t pair = problem.Pair(c, n);
        problem.candidates[pair] = Measured(nics_[n].address, consumers_[c]);
        if (!problem.candidates[pair]) continue;
        problem.distances[pair] = static_cast<int>(relations_.Of(nics_[n].address, consumers_[c]));
        for (size_t d = 0; d < dimensions_.size(); ++d) {
          problem.Rate(c, n, d) = rate_of(*CellOf(c, n, d)).value_or(0);
        }
      }
    }
    return problem;
  }

  // Adds those that bound a candidate to the problem and to `used`.
  void AddCapacities(std::span<const KnownCapacity> capacities, AssignmentProblem& problem,
                     std::vector<KnownCapacity>& used) const {
    if (capacities.empty()) return;
    for (const KnownCapacity& capacity : capacities) {
      const size_t before = problem.capacities.size();
      for (size_t d = 0; d < dimensions_.size(); ++d) {
        SharedCapacity shared{capacity.rate.value, d, CrossedBy(capacity, dimensions_[d], problem)};
        const bool any =
            std::find(shared.crossed.begin(), shared.crossed.end(), true) != shared.crossed.end();
        if (any) problem.capacities.push_back(std::move(shared));
      }
      if (problem.capacities.size() > before) used.push_back(capacity);
    }
  }

  // Rates that are within the gate of the median of their like get it; of the rest, those within
  // the gate of the greatest get one median, and so on.
  void Level(AssignmentProblem& problem) const {
    using Key = std::tuple<int, MemoryPlace::Kind, size_t>;
    std::map<Key, std::vector<double*>> classes;
    for (size_t c = 0; c < problem.consumers; ++c) {
      for (size_t n = 0; n < problem.nics; ++n) {
        const size_t pair = problem.Pair(c, n);
        if (!problem.candidates[pair]) continue;
        for (size_t d = 0; d < problem.dimensions; ++d) {
          classes[{problem.distances[pair], consumers_[c].kind, d}].push_back(
              &problem.Rate(c, n, d));
        }
      }
    }
    for (auto& [key, rates] : classes) LevelClass(rates);
  }

  // The given NICs of the consumers, if all are candidates.
  std::optional<NicsOfConsumers> IndexesOf(const Decision& decision) const {
    NicsOfConsumers all;
    for (const MemoryPlace& consumer : consumers_) {
      std::vector<size_t>& of_consumer = all.emplace_back();
      for (const Assignment& assignment : decision.assignments) {
        if (assignment.consumer != consumer) continue;
        for (const NicKey& nic : assignment.nics) {
          const auto at = std::find_if(nics_.begin(), nics_.end(), [&](const NicKey& key) {
            return key.address == nic.address;
          });
          if (at == nics_.end() || !Measured(nic.address, consumer)) return std::nullopt;
          of_consumer.push_back(static_cast<size_t>(at - nics_.begin()));
        }
      }
      std::sort(of_consumer.begin(), of_consumer.end());
    }
    return all;
  }

 private:
  void FindDimensions(const Decision& given) {
    for (const Dimension& dimension : kDimensions) {
      const bool any = std::any_of(
          given.assignments.begin(), given.assignments.end(), [&](const Assignment& assignment) {
            return std::any_of(machine_.nics.begin(), machine_.nics.end(), [&](const Nic& nic) {
              return table_.Throughput(nic.position.address, assignment.consumer, dimension)
                  .has_value();
            });
          });
      if (any) dimensions_.push_back(dimension);
    }
  }

  void FindConsumers(const Decision& given) {
    for (const Assignment& assignment : given.assignments) {
      const bool measured = !dimensions_.empty() &&
                            std::any_of(machine_.nics.begin(), machine_.nics.end(), [&](auto& nic) {
                              return Measured(nic.position.address, assignment.consumer);
                            });
      if (measured) {
        consumers_.push_back(assignment.consumer);
        continue;
      }
      missing_.push_back(
          fmt::format("{} was not measured: it keeps its {}, which nobody else gets.",
                      assignment.consumer.ToString(), Counted(assignment.nics.size(), "NIC")));
      for (const NicKey& nic : assignment.nics) kept_back_.insert(nic.address);
    }
    std::sort(consumers_.begin(), consumers_.end());
    CountOthers(given);
  }

  // GPUs that the decision leaves out may use NICs all the same.
  void CountOthers(const Decision& given) {
    size_t others = 0;
    bool any = false;
    for (const Gpu& gpu : machine_.gpus) {
      const MemoryPlace place = MemoryPlace::Gpu(gpu.position.address);
      const bool is_in =
          std::any_of(given.assignments.begin(), given.assignments.end(),
                      [&](const Assignment& assignment) { return assignment.consumer == place; });
      others += is_in ? 0 : 1;
      any = any || is_in;
    }
    if (!any || others == 0) return;
    missing_.push_back(fmt::format(
        "{} of this machine {} not in the placement: NICs that {} are "
        "taken for free.",
        Counted(others, "GPU"), others == 1 ? "is" : "are", others == 1 ? "it uses" : "they use"));
  }

  void FindNics() {
    for (const Nic& nic : machine_.nics) {
      if (!kept_back_.contains(nic.position.address)) nics_.push_back(nic.key());
    }
  }

  void CountMissing() {
    size_t pairs = 0;
    std::string first;
    for (const MemoryPlace& consumer : consumers_) {
      for (const NicKey& nic : nics_) {
        if (Measured(nic.address, consumer)) continue;
        if (pairs++ == 0) first = fmt::format("{} at {}", nic.name, consumer.ToString());
      }
    }
    if (pairs == 0) return;
    missing_.push_back(
        fmt::format("{} of {} pairs of NIC and consumer {} not measured in each dimension ({}{}): "
                    "no candidates.",
                    pairs, consumers_.size() * nics_.size(), pairs == 1 ? "was" : "were", first,
                    pairs == 1 ? "" : ", ..."));
  }

  std::vector<bool> CrossedBy(const KnownCapacity& capacity, const Dimension& dimension,
                              const AssignmentProblem& problem) const {
    std::vector<bool> crossed(problem.candidates.size(), false);
    for (size_t c = 0; c < consumers_.size(); ++c) {
      for (size_t n = 0; n < nics_.size(); ++n) {
        const size_t pair = problem.Pair(c, n);
        crossed[pair] =
            problem.candidates[pair] &&
            Bounds(capacity,
                   CertainCrossings(machine_, nics_[n], consumers_[c], dimension.direction),
                   dimension);
      }
    }
    return crossed;
  }

  void LevelClass(std::vector<double*>& rates) const {
    const auto median_of = [](std::span<double* const> some) {
      std::vector<double> values;
      for (const double* rate : some) values.push_back(*rate);
      return MedianInPlace(values);
    };
    const double median = median_of(rates);
    std::vector<double*> rest;
    for (double* rate : rates) {
      if (std::abs(*rate - median) <= gates_.differs * median) {
        *rate = median;
      } else {
        rest.push_back(rate);
      }
    }
    std::sort(rest.begin(), rest.end(), [](auto* a, auto* b) { return *a > *b; });
    for (auto begin = rest.begin(); begin != rest.end();) {
      const double least = **begin * (1 - gates_.differs);
      const auto end = std::find_if(begin, rest.end(), [&](auto* rate) { return *rate < least; });
      const double level = median_of(std::span(begin, end));
      for (; begin != end; ++begin) **begin = level;
    }
  }

  const Machine& machine_;
  const CellTable& table_;
  const Relations& relations_;
  const JudgeGates& gates_;
  std::vector<Dimension> dimensions_;
  std::vector<MemoryPlace> consumers_;  // ascending
  std::set<PciAddress> kept_back_;      // by consumers that were not measured
  std::vector<NicKey> nics_;            // ascending by address
  std::vector<std::string> missing_;
};

std::optional<double> MedianOf(const MeasuredCell& cell) { return cell.median; }

std::optional<Interval> IntervalOf(const MeasuredCell& cell, const JudgeGates& gates) {
  const std::vector<double> values = cell.Values();
  if (values.size() < gates.min_rounds) return std::nullopt;
  const auto interval = IntervalOfMedian(values, gates.confidence);
  return interval ? std::optional(interval->interval) : std::nullopt;
}

// Calls `visit` with every cell that the assignment rests on.
void ForCells(const Field& field, const NicsOfConsumers& nics,
              const std::function<void(const MeasuredCell&)>& visit) {
  for (size_t c = 0; c < nics.size(); ++c) {
    for (const size_t nic : nics[c]) {
      for (size_t d = 0; d < field.dimensions().size(); ++d) visit(*field.CellOf(c, nic, d));
    }
  }
}

// Whether `value` is more than `given` by more than the gate.
bool Exceeds(double value, double given, const JudgeGates& gates) {
  return given < (1 - gates.differs) * value;
}

bool IsBetter(const AssignmentValue& value, const AssignmentValue& given, const JudgeGates& gates) {
  if (Exceeds(value.worst, given.worst, gates)) return true;
  return !Exceeds(given.worst, value.worst, gates) && Exceeds(value.total, given.total, gates);
}

class Search {
 public:
  Search(const Field& field, const Decision& given, std::span<const KnownCapacity> capacities,
         const BestOptions& options)
      : field_(field),
        given_(given),
        capacities_(capacities),
        options_(options),
        measured_(field.ProblemOf(MedianOf)) {
    field_.AddCapacities(capacities_, measured_, used_);
  }

  BestAssignment Find() {
    BestAssignment best;
    best.capacities = used_;
    best.consumers = field_.consumers();
    best.dimensions = field_.dimensions();
    best.missing = field_.missing();
    const SolvedAssignment solved = Solve(best);
    best.proven = solved.proven;
    best.worst_bound = solved.worst_bound;
    best.value = ValueOf(measured_, solved.nics);
    NicsOfConsumers nics = solved.nics;
    const auto given = field_.IndexesOf(given_);
    if (given) best.given = ValueOf(measured_, *given);
    best.kept = given && !IsBetter(best.value, *best.given, options_.gates);
    if (best.kept) {
      nics = *given;
      best.value = *best.given;
    }
    best.decision = DecisionOf(nics);
    if (given && best.given->worst > 0) {
      best.worst_gain = best.value.worst / best.given->worst - 1;
      best.total_gain = best.value.total / best.given->total - 1;
      best.better_in_total_only =
          !best.kept && !Exceeds(best.value.worst, best.given->worst, options_.gates);
    }
    AddCertainty(nics, given, best);
    return best;
  }

 private:
  AssignmentProblem ProblemOf(const RateOf& rate_of) const {
    AssignmentProblem problem = field_.ProblemOf(rate_of);
    problem.capacities = measured_.capacities;
    return problem;
  }

  // Each NIC to one consumer, if that leaves nobody without one.
  SolvedAssignment Solve(BestAssignment& best) const {
    AssignmentProblem problem = measured_;
    field_.Level(problem);
    if (problem.nics >= problem.consumers) {
      SolvedAssignment solved = SolveAssignment(problem, options_.limits);
      if (solved.value.worst > 0) return solved;
    }
    best.shared = true;
    const size_t nics = std::max<size_t>(problem.nics, 1);
    // As many as there must be, and one more where a NIC is worth it.
    problem.most_users = std::min(problem.consumers, (problem.consumers + nics - 1) / nics + 1);
    return SolveAssignment(problem, options_.limits);
  }

  Decision DecisionOf(const NicsOfConsumers& nics) const {
    Decision decision{"best measured assignment", {}};
    for (size_t c = 0; c < nics.size(); ++c) {
      Assignment assignment{field_.consumers()[c], {}};
      for (const size_t nic : nics[c]) assignment.nics.push_back(field_.nics()[nic]);
      if (!assignment.nics.empty()) decision.assignments.push_back(std::move(assignment));
    }
    return decision;
  }

  void AddCertainty(const NicsOfConsumers& nics, const std::optional<NicsOfConsumers>& given,
                    BestAssignment& best) const {
    const JudgeGates& gates = options_.gates;
    size_t fewest = SIZE_MAX;
    bool all = true;
    const auto visit = [&](const MeasuredCell& cell) {
      fewest = std::min(fewest, cell.Values().size());
      all = all && IntervalOf(cell, gates);
    };
    ForCells(field_, nics, visit);
    if (given) ForCells(field_, *given, visit);
    best.fewest_windows = fewest == SIZE_MAX ? 0 : fewest;
    if (!given || !best.worst_gain || !all || best.kept) return;
    const auto end_of = [&](double Interval::*end) -> RateOf {
      return [&gates, end](const MeasuredCell& cell) -> std::optional<double> {
        const auto interval = IntervalOf(cell, gates);
        return interval ? std::optional((*interval).*end) : cell.median;
      };
    };
    const AssignmentProblem low = ProblemOf(end_of(&Interval::low));
    const AssignmentProblem high = ProblemOf(end_of(&Interval::high));
    const double given_high = ValueOf(high, *given).worst, given_low = ValueOf(low, *given).worst;
    if (given_low <= 0) return;
    best.worst_gain_interval = Interval{ValueOf(low, nics).worst / given_high - 1,
                                        ValueOf(high, nics).worst / given_low - 1};
  }

  const Field& field_;
  const Decision& given_;
  const std::span<const KnownCapacity> capacities_;
  const BestOptions& options_;
  AssignmentProblem measured_;
  std::vector<KnownCapacity> used_;
};

}  // namespace

Result<BestAssignment> FindBestAssignment(const Machine& machine, const CellTable& table,
                                          const Relations& relations, const Decision& given,
                                          std::span<const KnownCapacity> capacities,
                                          const BestOptions& options) {
  const Field field(machine, table, relations, given, options.gates);
  if (field.consumers().empty()) {
    return Fail(MakeError("find", "the best assignment",
                          "the run measured no consumer of the placement with any NIC",
                          "Measure its consumers: railgauge check --placement=nearest"));
  }
  return Search(field, given, capacities, options).Find();
}

Result<BestAssignment> FindBestAssignment(const Machine& machine, std::span<const CensusRow> census,
                                          std::span<const Sample> samples, const Decision& given,
                                          std::span<const GroupRow> groups,
                                          const BestOptions& options) {
  const CellTable table(samples);
  const Relations relations(census);
  return FindBestAssignment(machine, table, relations, given, MeasuredCapacities(machine, groups),
                            options);
}

}  // namespace railgauge
