// Prints the error rates of the statistics by simulation with fixed seeds: how often an interval
// holds the truth, how often equal paths are called slow, and how often a slow one is found. Exits
// with 1 where a figure that the project promises is missed.
//
//   statistics_benchmark [DIVISOR]    runs 1/DIVISOR of the trials, for a quick look
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "lib/stats/interval_candidates_testutil.h"
#include "lib/stats/median.h"
#include "lib/stats/noise_testutil.h"
#include "lib/stats/simulation_testutil.h"

namespace railgauge {
namespace {

size_t divisor = 1;
bool all_kept = true;

size_t Trials(size_t trials) { return std::max<size_t>(trials / divisor, 20); }

double Percent(size_t part, size_t whole) {
  return 100 * static_cast<double>(part) / static_cast<double>(whole);
}

void Promise(const char* what, bool kept) {
  std::printf("  %s: %s\n", what, kept ? "kept" : "MISSED");
  all_kept &= kept;
}

// The ratio's noise: both sides alike, or `uneven`: a long tail on one side, little noise on the
// other.
std::vector<double> Ratios(NoisyWindows& left, NoisyWindows& right, bool uneven, size_t count) {
  std::vector<double> ratios;
  for (size_t i = 0; i < count; ++i) {
    ratios.push_back(left.Window() / (uneven ? right : left).Window());
  }
  return ratios;
}

void PrintCoverageRow(const char* name, NoiseShape shape, bool uneven, size_t count) {
  const double deviation = uneven ? 0.05 : 0.02;
  NoisyWindows right(NoiseShape::kNormal, 0.01, 6);
  double truth = 1;
  if (uneven) {
    NoisyWindows left(shape, deviation, 7);
    truth = *Median(Ratios(left, right, true, 1'000'000));
  }
  std::printf("%-20s %2zu", name, count);
  for (const IntervalCandidate& candidate : IntervalCandidates()) {
    NoisyWindows left(shape, deviation, 5);
    const size_t trials = Trials(candidate.resamples ? 2000 : 20'000);
    size_t covered = 0;
    std::vector<double> widths;
    for (size_t trial = 0; trial < trials; ++trial) {
      const auto [low, high] = candidate.interval(Ratios(left, right, uneven, count));
      covered += low <= truth && truth <= high ? 1 : 0;
      widths.push_back(high - low);
    }
    std::printf("  %6.2f (%4.1f)", Percent(covered, trials), 100 * *Median(widths));
    if (&candidate == &IntervalCandidates()[0]) {
      // Three standard errors of 20,000 trials below 99 %.
      all_kept &= Percent(covered, trials) > 99 - 300 * std::sqrt(0.0099 / double(trials));
    }
  }
  std::printf("\n");
}

void PrintCoverage() {
  std::printf("Coverage of nominal 99 %% intervals of the median ratio, %% (median width, %%)\n");
  std::printf("%-20s  n", "noise, 2 %");
  for (const char* name : {"order stat.", "percentile", "BCa", "Student log", "signed ranks"}) {
    std::printf("  %13s", name);
  }
  std::printf("\n");
  for (const size_t count : {9u, 15u}) {
    for (const NoiseShape shape : {NoiseShape::kNormal, NoiseShape::kLognormal,
                                   NoiseShape::kStudent, NoiseShape::kSpoiled}) {
      PrintCoverageRow(std::string(ToString(shape)).c_str(), shape, false, count);
    }
    PrintCoverageRow("uneven", NoiseShape::kLognormal, true, count);
  }
}

void PrintFalseSlow() {
  const size_t trials = Trials(100'000);
  std::printf("\nEqual paths called slow, of %zu comparisons in 9 rounds, 15 when noisy\n", trials);
  std::printf("%-20s %7s %9s %9s %9s\n", "noise", "", "slow %", "noisy %", "15 rds %");
  for (const double deviation : {0.01, 0.02, 0.04}) {
    for (const NoiseShape shape : kNoiseShapes) {
      NoisyWindows windows(shape, deviation, 11);
      const OutcomeCounts counts = CompareInTurn(windows, 1, trials, 1);
      std::printf("%-20s %5.0f %% %9.4f %9.4f %9.2f\n", std::string(ToString(shape)).c_str(),
                  100 * deviation, Percent(counts.slow, trials), Percent(counts.noisy, trials),
                  Percent(counts.escalated, trials));
      if (deviation == 0.01) {
        Promise("at most 0.01 % false SLOW", Percent(counts.slow, trials) <= 0.01);
      }
    }
  }
}

void PrintPower() {
  const size_t trials = Trials(5000);
  std::printf(
      "\nPaths slower by 5 %% called slow, of %zu comparisons in 9 rounds, 15 when in doubt\n",
      trials);
  std::printf("%-20s %7s %9s %9s %9s %9s\n", "noise", "", "tests", "slow %", "noisy %", "15 rds %");
  for (const double deviation : {0.01, 0.02}) {
    for (const NoiseShape shape : kNoiseShapes) {
      for (const size_t tests : {1u, 40u, 320u}) {
        NoisyWindows windows(shape, deviation, 13);
        const OutcomeCounts counts = CompareInTurn(windows, 0.95, trials, tests);
        std::printf("%-20s %5.0f %% %9zu %9.2f %9.2f %9.2f\n", std::string(ToString(shape)).c_str(),
                    100 * deviation, tests, Percent(counts.slow, trials),
                    Percent(counts.noisy, trials), Percent(counts.escalated, trials));
        if (deviation == 0.01 && shape == NoiseShape::kNormal) {
          Promise("power of at least 90 %", Percent(counts.slow, trials) >= 90);
        }
      }
    }
  }
}

// Over many runs: the share with at most one false finding, and of what kind they are.
void PrintRuns(NoiseShape shape, double deviation, double ratio, bool all_in_turn, size_t runs) {
  NoisyWindows windows(shape, deviation, 17);
  size_t suspects = 0, looks_slow = 0, slow = 0, noisy = 0, found = 0, at_most_one = 0;
  for (size_t run = 0; run < runs; ++run) {
    const RunFindings findings = SimulateRun(windows, ratio, all_in_turn);
    const size_t false_slow = findings.slow - (findings.slow_cell ? 1 : 0);
    suspects += findings.suspects;
    looks_slow += findings.looks_slow;
    slow += false_slow;
    noisy += findings.noisy;
    found += findings.slow_cell ? 1 : 0;
    at_most_one += false_slow <= 1 && (ratio < 1 || findings.looks_slow <= 1) ? 1 : 0;
  }
  const auto each = [&](size_t count) {
    return static_cast<double>(count) / static_cast<double>(runs);
  };
  std::printf("%-20s %2.0f %% %8s %8.2f %10.4f %8.4f %8.4f %9.2f %7.2f\n",
              std::string(ToString(shape)).c_str(), 100 * deviation,
              all_in_turn ? "all" : "suspects", each(suspects), each(looks_slow), each(slow),
              each(noisy), Percent(at_most_one, runs), Percent(found, runs));
  if (shape == NoiseShape::kNormal && ratio == 1) {
    Promise("at most one false finding in 99 of 100 runs", Percent(at_most_one, runs) >= 99);
  }
  if (shape == NoiseShape::kNormal && ratio < 1 && deviation == 0.01) {
    Promise("power of at least 90 %, from the screening on", Percent(found, runs) >= 90);
  }
}

void PrintAllRuns() {
  std::printf("\nRuns of 320 cells: screening, then paired rounds; means of a run\n");
  std::printf("%-20s %4s %8s %8s %10s %8s %8s %9s %7s\n", "noise", "", "in turn", "suspects",
              "looks slow", "SLOW", "NOISY", "<=1 in %", "found %");
  std::printf("nothing is slow:\n");
  for (const NoiseShape shape : kNoiseShapes) {
    PrintRuns(shape, 0.02, 1, false, Trials(5000));
    PrintRuns(shape, 0.02, 1, true, Trials(500));
  }
  std::printf("one cell is slower by 5 %%:\n");
  for (const NoiseShape shape : kNoiseShapes) PrintRuns(shape, 0.01, 0.95, false, Trials(5000));
}

}  // namespace
}  // namespace railgauge

int main(int argc, char** argv) {
  if (argc > 1) railgauge::divisor = std::strtoul(argv[1], nullptr, 10);
  if (argc > 2 || railgauge::divisor == 0) {
    std::fprintf(stderr, "usage: statistics_benchmark [DIVISOR]\n");
    return 2;
  }
  railgauge::PrintCoverage();
  railgauge::PrintFalseSlow();
  railgauge::PrintPower();
  railgauge::PrintAllRuns();
  std::printf("\n%s\n", railgauge::all_kept ? "All promises are kept." : "A promise is MISSED.");
  return railgauge::all_kept ? 0 : 1;
}
