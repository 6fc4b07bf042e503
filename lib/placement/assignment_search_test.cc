#include "lib/placement/assignment_search.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include "gtest/gtest.h"
#include "lib/placement/assignment_problem.h"
#include "lib/placement/covering.h"

namespace railgauge {
namespace {

using Random = std::mt19937_64;

size_t Draw(Random& random, size_t low, size_t high) { return low + random() % (high - low + 1); }

// Rates of few levels, where ties abound, or of many.
AssignmentProblem DrawProblem(Random& random, size_t consumers, size_t nics) {
  AssignmentProblem problem(consumers, nics, Draw(random, 1, 2));
  const size_t levels = random() % 2 == 0 ? 4 : 1000;
  for (size_t c = 0; c < consumers; ++c) {
    for (size_t n = 0; n < nics; ++n) {
      problem.candidates[problem.Pair(c, n)] = random() % 8 != 0;
      problem.distances[problem.Pair(c, n)] = static_cast<int>(random() % 3);
      for (size_t d = 0; d < problem.dimensions; ++d) {
        problem.Rate(c, n, d) = static_cast<double>(Draw(random, 1, levels));
      }
    }
  }
  return problem;
}

void DrawCapacities(Random& random, AssignmentProblem& problem) {
  const size_t count = Draw(random, 1, 3);
  const double fastest = *std::max_element(problem.rates.begin(), problem.rates.end());
  for (size_t i = 0; i < count; ++i) {
    SharedCapacity capacity;
    capacity.rate = fastest * static_cast<double>(Draw(random, 1, 20)) / 8;
    capacity.dimension = random() % problem.dimensions;
    for (const bool candidate : problem.candidates) {
      capacity.crossed.push_back(candidate && random() % 2 == 0);
    }
    problem.capacities.push_back(std::move(capacity));
  }
}

// What an assignment gives where nothing is shared but NICs: written down a second time, so that
// the search is not its own judge.
AssignmentValue SimpleValue(const AssignmentProblem& problem, const NicsOfConsumers& nics) {
  AssignmentValue value;
  value.worst = 1e300;
  for (size_t c = 0; c < problem.consumers; ++c) {
    double worst = 1e300;
    for (size_t d = 0; d < problem.dimensions; ++d) {
      double sum = 0;
      for (const size_t nic : nics[c]) {
        const auto users = std::count_if(nics.begin(), nics.end(), [&](const auto& others) {
          return std::find(others.begin(), others.end(), nic) != others.end();
        });
        sum += problem.Rate(c, nic, d) / static_cast<double>(users);
      }
      worst = std::min(worst, sum);
    }
    value.of_consumer.push_back(worst);
    value.worst = std::min(value.worst, worst);
    value.total += worst;
  }
  return value;
}

// The best of all assignments: of each NIC every set of users of at most most_users.
class Exhaustive {
 public:
  explicit Exhaustive(const AssignmentProblem& problem)
      : problem_(problem), nics_(problem.consumers) {
    Try(0);
  }
  AssignmentValue best;
  size_t tried = 0;

 private:
  void Try(size_t nic) {
    if (nic == problem_.nics) {
      ++tried;
      const AssignmentValue value =
          problem_.capacities.empty() ? SimpleValue(problem_, nics_) : ValueOf(problem_, nics_);
      const double tolerance = 1e-6 * (1 + best.worst);
      if (value.worst > best.worst + tolerance ||
          (value.worst > best.worst - tolerance && value.total > best.total)) {
        best = value;
      }
      return;
    }
    for (uint64_t set = 0; set < uint64_t{1} << problem_.consumers; ++set) {
      if (static_cast<size_t>(__builtin_popcountll(set)) > problem_.most_users) continue;
      bool allowed = true;
      for (size_t c = 0; c < problem_.consumers; ++c) {
        allowed = allowed && ((set >> c & 1) == 0 || problem_.candidates[problem_.Pair(c, nic)]);
      }
      if (!allowed) continue;
      for (size_t c = 0; c < problem_.consumers; ++c) {
        if (set >> c & 1) nics_[c].push_back(nic);
      }
      Try(nic + 1);
      for (size_t c = 0; c < problem_.consumers; ++c) {
        if (set >> c & 1) nics_[c].pop_back();
      }
    }
  }

  const AssignmentProblem& problem_;
  NicsOfConsumers nics_;
};

// An assignment of candidates, each NIC within its number of users.
void ExpectAllowed(const AssignmentProblem& problem, const NicsOfConsumers& nics) {
  std::vector<size_t> users(problem.nics, 0);
  for (size_t c = 0; c < problem.consumers; ++c) {
    EXPECT_TRUE(std::is_sorted(nics[c].begin(), nics[c].end()));
    EXPECT_EQ(std::adjacent_find(nics[c].begin(), nics[c].end()), nics[c].end());
    for (const size_t nic : nics[c]) {
      EXPECT_TRUE(problem.candidates[problem.Pair(c, nic)]);
      ++users[nic];
    }
  }
  for (const size_t count : users) EXPECT_LE(count, problem.most_users);
}

void ExpectBest(const AssignmentProblem& problem) {
  const SolvedAssignment solved = SolveAssignment(problem);
  const Exhaustive exhaustive(problem);
  ASSERT_GT(exhaustive.tried, 0u);
  EXPECT_TRUE(solved.proven);
  ExpectAllowed(problem, solved.nics);
  EXPECT_NEAR(solved.value.worst, exhaustive.best.worst, 1e-5 * (1 + exhaustive.best.worst));
  EXPECT_NEAR(solved.value.total, exhaustive.best.total, 1e-5 * (1 + exhaustive.best.total));
  EXPECT_GE(solved.worst_bound, solved.value.worst * (1 - 1e-6));
  if (problem.capacities.empty()) {
    EXPECT_NEAR(ValueOf(problem, solved.nics).worst, SimpleValue(problem, solved.nics).worst, 1e-9);
  }
}

TEST(SolveAssignmentTest, EqualsExhaustiveSearchWhereEachNicHasOneUser) {
  Random random(1);
  for (int i = 0; i < 400; ++i) {
    SCOPED_TRACE(i);
    const size_t consumers = Draw(random, 1, 3);
    ExpectBest(DrawProblem(random, consumers, Draw(random, consumers, 6)));
  }
}

TEST(SolveAssignmentTest, EqualsExhaustiveSearchWhereNicsAreShared) {
  Random random(2);
  for (int i = 0; i < 200; ++i) {
    SCOPED_TRACE(i);
    AssignmentProblem problem = DrawProblem(random, Draw(random, 2, 3), Draw(random, 1, 3));
    problem.most_users = problem.consumers;
    ExpectBest(problem);
  }
}

TEST(SolveAssignmentTest, EqualsExhaustiveSearchWithSharedCapacities) {
  Random random(3);
  for (int i = 0; i < 200; ++i) {
    SCOPED_TRACE(i);
    AssignmentProblem problem = DrawProblem(random, Draw(random, 1, 2), Draw(random, 2, 4));
    if (random() % 3 == 0) problem.most_users = 2;
    DrawCapacities(random, problem);
    ExpectBest(problem);
  }
}

// Whoever counts the consumers and NICs in another order gets an assignment of the same value.
TEST(SolveAssignmentTest, TheOrderOfConsumersAndNicsDoesNotMatter) {
  Random random(4);
  for (int i = 0; i < 100; ++i) {
    SCOPED_TRACE(i);
    const bool with_capacities = i % 2 == 0;
    AssignmentProblem problem =
        DrawProblem(random, Draw(random, 2, 3), Draw(random, 4, with_capacities ? 5 : 8));
    if (with_capacities) DrawCapacities(random, problem);
    std::vector<size_t> consumer(problem.consumers), nic(problem.nics);
    std::iota(consumer.begin(), consumer.end(), size_t{0});
    std::iota(nic.begin(), nic.end(), size_t{0});
    std::shuffle(consumer.begin(), consumer.end(), random);
    std::shuffle(nic.begin(), nic.end(), random);
    AssignmentProblem other(problem.consumers, problem.nics, problem.dimensions);
    other.capacities = problem.capacities;
    for (size_t c = 0; c < problem.consumers; ++c) {
      for (size_t n = 0; n < problem.nics; ++n) {
        const size_t from = problem.Pair(consumer[c], nic[n]), to = other.Pair(c, n);
        other.candidates[to] = problem.candidates[from];
        other.distances[to] = problem.distances[from];
        for (size_t d = 0; d < problem.dimensions; ++d) {
          other.Rate(c, n, d) = problem.Rate(consumer[c], nic[n], d);
        }
        for (size_t k = 0; k < other.capacities.size(); ++k) {
          other.capacities[k].crossed[to] = problem.capacities[k].crossed[from];
        }
      }
    }
    const SolvedAssignment a = SolveAssignment(problem), b = SolveAssignment(other);
    EXPECT_NEAR(a.value.worst, b.value.worst, 1e-5 * (1 + a.value.worst));
    EXPECT_NEAR(a.value.total, b.value.total, 1e-5 * (1 + a.value.total));
    EXPECT_EQ(SolveAssignment(problem).nics, a.nics);
  }
}

TEST(LeastPriceToCoverTest, WholeItemsOnly) {
  // Four of 12.5 reach 43.75 and more; three and a half would, if one could.
  EXPECT_DOUBLE_EQ(LeastPriceToCover({{12.5, 12.5, 31}, {6.25, 6.25, 1}}, 43.76), 50);
  EXPECT_DOUBLE_EQ(LeastPriceToCover({{12.5, 12.5, 31}, {6.25, 6.25, 1}}, 43.75), 43.75);
  EXPECT_DOUBLE_EQ(LeastPriceToCover({{3, 5, 2}, {4, 5, 1}}, 6), 10);
  EXPECT_TRUE(std::isinf(LeastPriceToCover({{3, 5, 2}}, 7)));
  EXPECT_EQ(LeastPriceToCover({}, 0), 0);
}

// All rates alike: the nearest, and in order.
AssignmentProblem Alike(size_t consumers, size_t nics) {
  AssignmentProblem problem(consumers, nics, 1);
  std::fill(problem.rates.begin(), problem.rates.end(), 10.0);
  problem.candidates.assign(problem.candidates.size(), true);
  return problem;
}

TEST(SolveAssignmentTest, EqualNicsAreGivenOutInOrder) {
  EXPECT_EQ(SolveAssignment(Alike(2, 6), {}).nics, (NicsOfConsumers{{0, 1, 2}, {3, 4, 5}}));
  AssignmentProblem shared = Alike(4, 2);
  shared.most_users = 4;
  const SolvedAssignment solved = SolveAssignment(shared, {});
  EXPECT_EQ(solved.value.of_consumer, (std::vector<double>{5, 5, 5, 5}));
}

TEST(SolveAssignmentTest, OfEqualAssignmentsTheNearest) {
  AssignmentProblem problem = Alike(2, 4);
  for (size_t nic = 0; nic < 4; ++nic) {
    problem.distances[problem.Pair(nic < 2 ? 0 : 1, nic)] = 1;  // the far half
  }
  EXPECT_EQ(SolveAssignment(problem).nics, (NicsOfConsumers{{2, 3}, {0, 1}}));
}

TEST(ValueOfTest, ASharedCapacityIsDividedFairly) {
  AssignmentProblem problem = Alike(2, 3);
  problem.capacities.push_back({12, 0, {true, true, true, true, true, true}});
  // Three transfers of 4.
  const AssignmentValue value = ValueOf(problem, {{0, 1}, {2}});
  EXPECT_NEAR(value.worst, 4, 1e-9);
  EXPECT_NEAR(value.total, 12, 1e-9);
  // The first NIC does not pass it: 10, and two of 6.
  problem.capacities[0].crossed[problem.Pair(0, 0)] = false;
  const AssignmentValue partly = ValueOf(problem, {{0, 1}, {2}});
  EXPECT_NEAR(partly.worst, 6, 1e-9);
  EXPECT_NEAR(partly.total, 22, 1e-9);
  // A NIC that gives less than its part leaves it to the other.
  problem.Rate(0, 1, 0) = 3;
  EXPECT_NEAR(ValueOf(problem, {{0, 1}, {2}}).worst, 9, 1e-9);
  // A second capacity that the last one passes, too.
  problem.capacities.push_back({5, 0, {false, false, false, false, false, true}});
  EXPECT_NEAR(ValueOf(problem, {{0, 1}, {2}}).worst, 5, 1e-9);
}

TEST(ValueOfTest, UsersDivideANic) {
  const AssignmentProblem problem = Alike(3, 2);
  const AssignmentValue value = ValueOf(problem, {{0, 1}, {0}, {}});
  EXPECT_EQ(value.of_consumer, (std::vector<double>{15, 5, 0}));
  EXPECT_EQ(value.worst, 0);
  EXPECT_EQ(value.total, 20);
}

// Giving 32 NICs of unequal rates to 8 consumers is NP-hard: the search ends and says what it
// knows.
TEST(SolveAssignmentTest, EndsAtItsLimitsAndSaysSo) {
  Random random(5);
  AssignmentProblem problem(8, 32, 1);
  for (double& rate : problem.rates) rate = static_cast<double>(Draw(random, 1000, 2000));
  problem.candidates.assign(problem.candidates.size(), true);
  SearchLimits limits;
  limits.steps = 2000;
  const SolvedAssignment solved = SolveAssignment(problem, limits);
  EXPECT_FALSE(solved.proven);
  ExpectAllowed(problem, solved.nics);
  EXPECT_GT(solved.value.worst, 0);
  EXPECT_GT(solved.worst_bound, solved.value.worst);
  EXPECT_EQ(SolveAssignment(problem, limits).nics, solved.nics);
}

}  // namespace
}  // namespace railgauge
