// Accuracy where the truth is known: what the engine measures on an emulated machine, for each kind
// of path alone and shared, against the capacities of its scenario.
//
//   bazel run --config=opt //lib/measure:accuracy_benchmark -- --emulate=p5.48xlarge
//   scripts/accuracy_table      # p5, p5en and p6-b200
//
//   accuracy_benchmark --emulate=SPEC [alone|shared] [--windows=N]
//
// A path alone is to be within 1 %, a shared one (NICs that run at once and cross the same
// resource) within 3 %, in all and for the worst NIC against its max-min share. Every row is the
// median of N windows (9) during which no measuring thread was kept from its CPU; nothing is
// stopped early because it fits. Shared paths are measured with two NICs and a thread for each; a
// scaled machine (p5.48xlarge/16) leaves the host the time to move the data of both. Exit status:
// 0 all within, 1 a row is off, 2 it could not be measured (this host was too busy, or a setting is
// wrong).
#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "fmt/core.h"
#include "lib/base/runfiles.h"
#include "lib/emulator/launcher/restart.h"
#include "lib/emulator/truth/cases.h"
#include "lib/measure/engine.h"
#include "lib/measure/shape.h"
#include "lib/scenario/load.h"
#include "lib/topology/load.h"

namespace railgauge {
namespace {

constexpr double kAlone = 0.01, kShared = 0.03;
// Of a row, for each window that is wanted: a host that disturbs more is too busy.
constexpr size_t kTriesPerWindow = 6;
// Of those that share a resource. Each has a spinning thread, so more of them than this host has
// CPUs keep each other from theirs, and every window is disturbed; CI's hosts have two.
constexpr size_t kMostNics = 2;

double Median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

double Sum(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

struct Row {
  std::vector<double> expected;            // of each NIC
  std::vector<std::vector<double>> rates;  // of each NIC, by window
  size_t taken = 0;                        // windows, disturbed ones too
  std::optional<std::string> failure;      // why there are no more
};

class Table {
 public:
  Table(Machine machine, EmulatedMachine scenario, std::unique_ptr<Engine> engine, size_t windows)
      : machine_(std::move(machine)),
        scenario_(std::move(scenario)),
        engine_(std::move(engine)),
        windows_(windows) {}

  // Prints the rows of alone or shared paths, or of both.
  int Print(bool alone, bool shared) {
    fmt::print(
        "{} (emulated), 1 MiB (256 KiB shared), GB/s of all NICs; configured by max-min shares\n",
        scenario_.spec);
    fmt::print("{:<34} {:<12} {:>4} {:<5} {:>10} {:>9} {:>7} {:>7} {:>8}\n", "kind of path",
               "sharing", "NICs", "", "configured", "measured", "error", "worst", "windows");
    std::fflush(stdout);
    for (const TruthCase& truth : TruthCasesOf(scenario_)) {
      const bool is_alone = truth.shared.empty();
      if (is_alone ? !alone : !shared) continue;
      std::set<PciAddress> nics;
      for (const TruthFlow& flow : truth.flows) nics.insert(flow.nic);
      // Two queue pairs of one NIC share its line: the engine has one loop for each NIC.
      if (nics.size() != truth.flows.size()) continue;
      for (const Operation operation : {Operation::kRead, Operation::kWrite}) {
        const bool write = scenario_.FindNic(truth.flows[0].nic)->model.rdma_write;
        if (operation == Operation::kRead || write) PrintRow(truth, operation);
      }
    }
    fmt::print("{} rows: {} off, {} not measured (alone {:.0f} %, shared {:.0f} %)\n", rows_, off_,
               unknown_, kAlone * 100, kShared * 100);
    if (rows_ == 0 || unknown_ > 0) return 2;
    return off_ > 0 ? 1 : 0;
  }

 private:
  void PrintRow(const TruthCase& truth, Operation operation) {
    std::vector<GroupMember> members;
    for (const TruthFlow& flow : truth.flows) {
      if (members.size() == kMostNics) break;
      Cell cell;
      cell.nic = machine_.FindNic(flow.nic)->key();
      cell.place = flow.place;
      cell.operation = operation;
      cell.direction = flow.direction;
      cell.size = Bytes{1 << 20};
      cell.depth = DefaultDepth(cell.size);
      if (truth.flows.size() > 1) {
        cell.load = truth.shared;
        // A scaled machine shared by several takes long for what is in flight of 1 MiB messages.
        cell.size = Bytes{256 << 10};
        cell.depth = 32;
      }
      members.push_back({cell, std::nullopt});
    }
    const Row row = Measure(members);
    ++rows_;
    fmt::print("{:<34} {:<12} {:>4} {:<5} ", truth.kind,
               members.size() == 1 ? "alone" : truth.shared, members.size(), ToString(operation));
    const size_t windows = row.rates.empty() ? 0 : row.rates[0].size();
    if (row.failure || windows < windows_) {
      ++unknown_;
      fmt::print("not measured: {}\n",
                 row.failure.value_or(fmt::format("{} of {} windows were disturbed",
                                                  row.taken - windows, row.taken)));
      std::fflush(stdout);
      return;
    }
    PrintErrors(row, members.size() == 1 ? kAlone : kShared);
  }

  void PrintErrors(const Row& row, double limit) {
    std::vector<double> sums(row.rates[0].size(), 0);
    double worst = 0;
    for (size_t i = 0; i < row.rates.size(); ++i) {
      for (size_t w = 0; w < sums.size(); ++w) sums[w] += row.rates[i][w];
      const double error = Median(row.rates[i]) / row.expected[i] - 1;
      if (std::abs(error) > std::abs(worst)) worst = error;
    }
    const double configured = Sum(row.expected), measured = Median(sums);
    const double error = measured / configured - 1;
    const bool off = std::abs(error) > limit || std::abs(worst) > limit;
    off_ += off ? 1 : 0;
    fmt::print("{:>10.3f} {:>9.3f} {:>+6.2f}% {:>+6.2f}% {:>3} of {:<3}{}\n", configured / 1e9,
               measured / 1e9, error * 100, worst * 100, sums.size(), row.taken, off ? " OFF" : "");
    std::fflush(stdout);
  }

  Row Measure(const std::vector<GroupMember>& members) {
    Row row;
    row.rates.resize(members.size());
    while (row.rates[0].size() < windows_ && row.taken < windows_ * kTriesPerWindow) {
      ++row.taken;
      std::vector<Sample> samples;
      if (members.size() == 1) {
        samples.push_back(engine_->Measure(members[0].cell));
      } else {
        WindowRequest request;
        request.timing = {std::chrono::milliseconds{200}, std::chrono::milliseconds{400}};
        samples = engine_->MeasureTogether(members, request);
      }
      bool disturbed = false;
      for (const Sample& sample : samples) {
        if (sample.status != SampleStatus::kOk) {
          row.failure = fmt::format("{}: {}", ToString(sample.status), sample.reason);
          return row;
        }
        // What is not said is that it was as it should be.
        disturbed = disturbed || !sample.reason.empty();
      }
      if (disturbed) continue;
      if (row.expected.empty()) row.expected = Expected(samples);
      for (size_t i = 0; i < samples.size(); ++i) {
        row.rates[i].push_back(samples[i].throughput->value);
      }
    }
    return row;
  }

  // The max-min shares: each transfer crosses what its NIC's half and its partner's half cross.
  std::vector<double> Expected(const std::vector<Sample>& samples) const {
    std::vector<std::vector<uint32_t>> flows;
    for (const Sample& sample : samples) {
      const Cell& cell = sample.cell;
      const Direction other =
          cell.direction == Direction::kToMemory ? Direction::kFromMemory : Direction::kToMemory;
      std::vector<uint32_t> crossed =
          scenario_.PathOf(cell.nic.address, cell.place, cell.direction).resources;
      const EmulatedPath& partner =
          scenario_.PathOf(sample.partner.address, sample.partner_place, other);
      crossed.insert(crossed.end(), partner.resources.begin(), partner.resources.end());
      flows.push_back(std::move(crossed));
    }
    std::vector<double> capacities;
    for (const EmulatedResource& resource : scenario_.resources) {
      capacities.push_back(resource.capacity.value);
    }
    return MaxMinRates(flows, capacities);
  }

  const Machine machine_;
  const EmulatedMachine scenario_;
  const std::unique_ptr<Engine> engine_;
  const size_t windows_;
  int rows_ = 0, off_ = 0, unknown_ = 0;
};

Result<int> Run(bool alone, bool shared, size_t windows) {
  RAILGAUGE_ASSIGN_OR_RETURN(Machine machine, LoadLiveMachine());
  RAILGAUGE_ASSIGN_OR_RETURN(const std::string folder, FindDataFile("scenarios"));
  // The machine says its own type, a scaled one too.
  RAILGAUGE_ASSIGN_OR_RETURN(EmulatedMachine scenario, LoadSpec(machine.instance_type, folder));
  RAILGAUGE_ASSIGN_OR_RETURN(auto engine, Engine::Create(machine, CudaDriver::OpenOrAbsent()));
  return Table(std::move(machine), std::move(scenario), std::move(engine), windows)
      .Print(alone, shared);
}

int Main(int argc, char** argv) {
  bool alone = true, shared = true;
  size_t windows = 9;
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (argument == "alone") {
      shared = false;
    } else if (argument == "shared") {
      alone = false;
    } else if (argument.starts_with("--windows=")) {
      const std::string_view number = argument.substr(10);
      const auto read = std::from_chars(number.data(), number.data() + number.size(), windows);
      if (read.ec == std::errc() && read.ptr == number.data() + number.size() && windows > 0) {
        continue;
      }
      fmt::print(stderr, "accuracy_benchmark: '{}' is no number of windows\n", number);
      return 2;
    } else {
      fmt::print(stderr, "usage: accuracy_benchmark --emulate=SPEC [alone|shared] [--windows=N]\n");
      return 2;
    }
  }
  const auto status = Run(alone, shared, windows);
  if (status) return *status;
  fmt::print(stderr, "accuracy_benchmark: {}\n", status.error().ToString());
  return 2;
}

}  // namespace
}  // namespace railgauge

int main(int argc, char** argv) {
  railgauge::RestartOnEmulatedMachine(&argc, argv);
  return railgauge::Main(argc, argv);
}
