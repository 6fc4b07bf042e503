// How fast railgauge judge reads and judges a fleet, against a plain read of the same file, and
// what memory it takes.
//
//   bazel run --config=opt //cli:judge_benchmark [-- HOSTS]        (default 1000)
//
// Writes directories with the census.csv and samples.csv of HOSTS hosts, and of a tenth of them
// (1000 rows of samples.csv each; 8 NICs, 4 GPUs and 2 NUMA nodes, screened and measured in turn as
// check does; one host in twenty has a slow NIC), and prints for each the fastest of some runs, the
// files being in the page cache:
//   plain read   read(2) of samples.csv in blocks of 256 KiB, and counting its lines
//   parse        RowStream over samples.csv, every field of every row
//   judge        the command itself, topology and census included, output thrown away; with its
//                peak memory (VmHWM)
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "fmt/core.h"
#include "lib/base/file.h"
#include "lib/base/runfiles.h"
#include "lib/base/unique_fd.h"
#include "lib/placement/policy.h"
#include "lib/placement/world_testutil.h"
#include "lib/report/report_csv.h"
#include "lib/topology/load.h"
#include "lib/topology/xml_testutil.h"

namespace railgauge {
namespace {

using Clock = std::chrono::steady_clock;

constexpr size_t kRowsPerHost = 1000;
constexpr int kRepetitions = 3;  // the fastest counts: what else ran only adds

double Seconds(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// Four switches of two NICs and a GPU, two to a package.
std::string Topology() {
  std::vector<std::string> packages;
  for (int package = 0; package < 2; ++package) {
    std::string children;
    for (int bridge = 0; bridge < 2; ++bridge) {
      const std::string bus = std::to_string(1 + 2 * package + bridge);
      const std::string below =
          BridgeXml("0000:" + bus + "2:00.0", bus + "3", 3,
                    EfaXml("0000:" + bus + "3:00.0", "rdmap" + bus + "a")) +
          BridgeXml("0000:" + bus + "2:01.0", bus + "4", 3,
                    EfaXml("0000:" + bus + "4:00.0", "rdmap" + bus + "b")) +
          BridgeXml("0000:" + bus + "2:02.0", bus + "5", 3, GpuXml("0000:" + bus + "5:00.0"));
      children += HostBridgeXml(
          bus + "0", BridgeXml("0000:" + bus + "0:00.0", bus + "1", 1,
                               BridgeXml("0000:" + bus + "1:00.0", bus + "2", 2, below)));
    }
    packages.push_back(children);
  }
  return TopologyXml(packages);
}

// What a run writes beside the rate that the world gives.
void FillColumns(Sample& sample) {
  if (!sample.throughput) return;
  sample.completions = 238;
  sample.payload_bytes = sample.completions * sample.cell.size.count;
  const double seconds = static_cast<double>(sample.payload_bytes) / sample.throughput->value;
  sample.duration = Nanoseconds(std::llround(seconds * 1e9));
  sample.throughput = BytesPerSecond{static_cast<double>(sample.payload_bytes) /
                                     std::chrono::duration<double>(sample.duration).count()};
  sample.messages_per_second =
      sample.throughput->value / static_cast<double>(sample.cell.size.count);
  sample.posted_bytes = sample.payload_bytes + (20 << 20);
  sample.counter_bytes = sample.posted_bytes;
  sample.post_fraction = 0.0625;
  sample.poll_fraction = 0.25;
  sample.idle_fraction = 0.6875;
  sample.cpu_bound = false;
  sample.disturbed = false;
  sample.line_rate = BytesPerSecond{12.5e9 * 1.05};
  sample.retransmitted_bytes = 0;
}

// Rows of one host, as many as are wanted: what check would measure, and then its pairs again.
World MeasuredWorld(const Machine& machine) {
  World world(machine);
  const Decision decision = *DecideByPolicy("nearest", machine);
  world.Check(decision);
  // The first NIC of each consumer against the second, in every dimension.
  std::vector<CellPair> pairs;
  for (const Assignment& assignment : decision.assignments) {
    for (const auto& [operation, direction] :
         {std::pair(Operation::kRead, Direction::kToMemory),
          std::pair(Operation::kWrite, Direction::kToMemory),
          std::pair(Operation::kRead, Direction::kFromMemory),
          std::pair(Operation::kWrite, Direction::kFromMemory)}) {
      const Cell first{assignment.nics[0],
                       assignment.consumer,
                       operation,
                       direction,
                       Bytes{1 << 20},
                       16,
                       "alone"};
      Cell second = first;
      second.nic = assignment.nics[1];
      pairs.push_back({first, second});
    }
  }
  for (uint32_t round = 16; world.samples.size() < kRowsPerHost; ++round) {
    world.Measure(pairs, 1, round);
  }
  world.samples.resize(kRowsPerHost);
  for (Sample& sample : world.samples) {
    const auto nic = std::find_if(machine.nics.begin(), machine.nics.end(),
                                  [&](const Nic& one) { return one.key() == sample.cell.nic; });
    const auto index = static_cast<size_t>(nic - machine.nics.begin());
    const Nic& partner = machine.nics[(index + 2) % 4 + index / 4 * 4];
    sample.partner = partner.key();
    sample.partner_place = MemoryPlace::NumaNode(*partner.position.numa_node);
  }
  return world;
}

void WriteFleet(const std::string& directory, const Machine& machine, size_t hosts) {
  std::filesystem::create_directories(directory);
  std::ofstream census(directory + "/census.csv"), samples(directory + "/samples.csv");
  std::ofstream(directory + "/topology.xml") << Topology();
  census << CsvHeader<CensusRow>();
  samples << CsvHeader<Sample>();
  World world = MeasuredWorld(machine);
  std::mt19937_64 generator(1);
  for (size_t host = 0; host < hosts; ++host) {
    const RunIdentity run = {fmt::format("20260102T030405Z-{:04x}", host % 0x10000),
                             fmt::format("ip-10-0-{}-{}", host / 256, host % 256), "",
                             "test.48xlarge", "emulated"};
    for (const CensusRow& row : world.census) census << CsvRow(run, row);
    for (Sample sample : world.samples) {
      // Another host is another draw of the noise, and one in twenty has a slow NIC.
      const bool slow = host % 20 == 0 && sample.cell.nic == machine.nics.front().key();
      if (sample.throughput) {
        sample.throughput->value *=
            std::normal_distribution(1.0, 0.002)(generator) * (slow ? 0.6 : 1);
      }
      FillColumns(sample);
      samples << CsvRow(run, sample);
    }
  }
}

double TimeOfPlainRead(const std::string& path, size_t& lines) {
  const auto start = Clock::now();
  UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  std::vector<char> buffer(size_t{256} << 10);
  lines = 0;
  for (ssize_t n; (n = ::read(fd.get(), buffer.data(), buffer.size())) > 0;) {
    lines += static_cast<size_t>(std::count(buffer.begin(), buffer.begin() + n, '\n'));
  }
  return Seconds(start);
}

double TimeOfParse(const std::string& path, size_t& rows) {
  const auto start = Clock::now();
  auto stream = RowStream<Sample>::Open(path);
  RAILGAUGE_CHECK(stream.has_value());
  rows = 0;
  while (true) {
    const auto there = stream->Next();
    RAILGAUGE_CHECK(there.has_value());
    if (!*there) return Seconds(start);
    RAILGAUGE_CHECK(stream->Parse().has_value());
    ++rows;
  }
}

struct Ran {
  double seconds = 0;
  double peak_mebibytes = 0;
};

double PeakMebibytes(const rusage& usage) { return static_cast<double>(usage.ru_maxrss) / 1024; }

Ran RunJudge(const std::string& railgauge, const std::string& directory) {
  const auto start = Clock::now();
  const pid_t child = ::fork();
  RAILGAUGE_CHECK(child >= 0);
  if (child == 0) {
    const int nowhere = ::open("/dev/null", O_WRONLY);
    ::dup2(nowhere, STDOUT_FILENO);
    ::execl(railgauge.c_str(), railgauge.c_str(), "judge", directory.c_str(), "--placement=nearest",
            nullptr);
    ::_exit(127);
  }
  int status = 0;
  rusage usage = {};
  RAILGAUGE_CHECK(::wait4(child, &status, 0, &usage) == child);
  const Ran ran{Seconds(start), PeakMebibytes(usage)};
  // All runs were judged, whatever their verdicts.
  const int exit_status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  RAILGAUGE_CHECK(exit_status == 0 || exit_status == 1 || exit_status == 3);
  // The kernel counts what this process had at the fork, too.
  rusage own = {};
  ::getrusage(RUSAGE_SELF, &own);
  RAILGAUGE_CHECK(PeakMebibytes(own) < ran.peak_mebibytes);
  return ran;
}

template <typename Time>
double Fastest(const Time& time) {
  double fastest = time();
  for (int i = 1; i < kRepetitions; ++i) fastest = std::min(fastest, time());
  return fastest;
}

void Tell(const char* what, size_t rows, double seconds, double plain) {
  fmt::print("  {:<10} {:>8.3f} s  {:>11.0f} rows/s  {:>6.1f} times the plain read", what, seconds,
             static_cast<double>(rows) / seconds, seconds / plain);
}

void Measure(const std::string& railgauge, const std::string& directory, size_t hosts) {
  const std::string samples = directory + "/samples.csv";
  size_t lines = 0, rows = 0;
  const double plain = Fastest([&] { return TimeOfPlainRead(samples, lines); });
  const double parse = Fastest([&] { return TimeOfParse(samples, rows); });
  RAILGAUGE_CHECK(rows == hosts * kRowsPerHost && rows + 1 == lines);
  double peak = 0;
  const double judge = Fastest([&] {
    const Ran ran = RunJudge(railgauge, directory);
    peak = std::max(peak, ran.peak_mebibytes);
    return ran.seconds;
  });
  fmt::print("{} rows of samples.csv, {:.0f} MiB, of {} hosts\n", rows,
             static_cast<double>(std::filesystem::file_size(samples)) / (1 << 20), hosts);
  Tell("plain read", rows, plain, plain);
  fmt::print("\n");
  Tell("parse", rows, parse, plain);
  fmt::print("\n");
  Tell("judge", rows, judge, plain);
  fmt::print("  peak memory {:.1f} MiB\n", peak);
}

// In a process of its own: see RunJudge.
void WriteFleets(const std::string& folder, size_t hosts) {
  const pid_t child = ::fork();
  RAILGAUGE_CHECK(child >= 0);
  if (child == 0) {
    const std::string xml = folder + "/topology.xml";
    RAILGAUGE_CHECK(WriteFileAtomically(xml, Topology()).has_value());
    const auto machine = LoadMachineFromXml(xml);
    RAILGAUGE_CHECK(machine.has_value());
    WriteFleet(folder + "/tenth", *machine, hosts / 10);
    WriteFleet(folder + "/all", *machine, hosts);
    ::_exit(0);
  }
  int status = 0;
  RAILGAUGE_CHECK(::waitpid(child, &status, 0) == child);
  RAILGAUGE_CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

int Main(size_t hosts, const char* argv0) {
  const auto railgauge = FindDataFile("cli/railgauge", argv0);
  if (!railgauge) {
    fmt::print(stderr, "{}\n", railgauge.error().ToString());
    return 2;
  }
  std::string folder = std::filesystem::temp_directory_path() / "judge_benchmark.XXXXXX";
  RAILGAUGE_CHECK(::mkdtemp(folder.data()) != nullptr);
  WriteFleets(folder, hosts);
  Measure(*railgauge, folder + "/tenth", hosts / 10);
  Measure(*railgauge, folder + "/all", hosts);
  std::filesystem::remove_all(folder);
  return 0;
}

}  // namespace
}  // namespace railgauge

int main(int argc, char** argv) {
  const long hosts = argc > 1 ? std::atol(argv[1]) : 1000;
  if (hosts < 10 || hosts > 60000) {
    std::fprintf(stderr, "judge_benchmark: give a number of hosts, from 10 to 60000\n");
    return 2;
  }
  return railgauge::Main(static_cast<size_t>(hosts), argv[0]);
}
