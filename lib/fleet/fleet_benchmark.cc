// fleet_benchmark [HOSTS [DISTINCT]]: rows per second and peak memory of `railgauge fleet report`
// over HOSTS (10,000) machines with 1,024 rows each.
//
// Files of DISTINCT (200) machines are written to a temporary folder; the others are links to them,
// so that the 5 GB of a whole fleet need not be had. What is read and parsed is the same, and the
// files lie in the page cache, as those of a fleet that was just measured do.
#include <sys/resource.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "fmt/core.h"
#include "lib/base/file.h"
#include "lib/fleet/fleet_analysis.h"
#include "lib/fleet/fleet_page.h"
#include "lib/fleet/fleet_reader.h"
#include "lib/fleet/fleet_report.h"
#include "lib/fleet/fleet_tree.h"
#include "lib/report/html/page.h"
#include "lib/report/report_csv.h"
#include "lib/stats/noise_testutil.h"

namespace railgauge {
namespace {

namespace fs = std::filesystem;

constexpr char kRunId[] = "20260101T000000Z-0000";
constexpr uint32_t kNics = 32, kGpus = 6, kNumaNodes = 2;

struct Files {
  std::string census;
  std::string samples;
  size_t rows = 0;
};

Relation RelationOf(uint32_t nic, uint32_t place) {
  if (place < kNumaNodes) {
    return (nic < kNics / 2) == (place == 0) ? Relation::kSameNumaNode : Relation::kOtherNumaNode;
  }
  const uint32_t gpu = place - kNumaNodes;
  if (nic * kGpus / kNics == gpu) return Relation::kSameSwitch;
  return (nic < kNics / 2) == (gpu < kGpus / 2) ? Relation::kSameNumaNode
                                                : Relation::kOtherNumaNode;
}

Files FilesOf(size_t host, NoisyWindows& windows) {
  const RunIdentity run{kRunId, fmt::format("host-{}", host), "i-0", "p5.48xlarge", "emulated"};
  std::vector<CensusRow> census;
  std::vector<Sample> samples;
  for (uint32_t nic = 0; nic < kNics; ++nic) {
    NicKey key;
    key.address.bus = static_cast<uint8_t>(0x40 + nic);
    key.name = fmt::format("rdmap{}s0", 0x40 + nic);
    for (uint32_t place = 0; place < kNumaNodes + kGpus; ++place) {
      PciAddress gpu;
      gpu.bus = static_cast<uint8_t>(0x80 + place);
      const MemoryPlace memory =
          place < kNumaNodes ? MemoryPlace::NumaNode(place) : MemoryPlace::Gpu(gpu);
      CensusRow row;
      row.nic = key;
      row.place = memory;
      row.way = memory.is_gpu() ? RegistrationWay::kDmabuf : RegistrationWay::kHost;
      row.status = CensusStatus::kNoId;
      row.relation = RelationOf(nic, place);
      census.push_back(row);
      for (const Operation operation : {Operation::kRead, Operation::kWrite}) {
        for (const Direction direction : {Direction::kToMemory, Direction::kFromMemory}) {
          Sample sample;
          sample.cell = {key, memory, operation, direction, Bytes{1 << 20}, 32, "alone"};
          sample.way = row.way;
          sample.start_offset = std::chrono::milliseconds(20) * samples.size();
          sample.partner = key;
          sample.peer = "host-other";
          sample.duration = std::chrono::milliseconds(18);
          sample.completions = static_cast<uint64_t>(200 * windows.Window());
          sample.payload_bytes = sample.completions << 20;
          sample.posted_bytes = sample.counter_bytes = sample.payload_bytes;
          sample.throughput = BytesPerSecond{static_cast<double>(sample.payload_bytes) / 0.018};
          sample.messages_per_second = static_cast<double>(sample.completions) / 0.018;
          sample.post_fraction = 0.017568227091200674;
          sample.poll_fraction = 0.0019975849649678827;
          sample.idle_fraction = 0.9804341879438314;
          sample.cpu_bound = sample.disturbed = false;
          sample.line_rate = BytesPerSecond{12.5e9};
          sample.retransmitted_bytes = 0;
          sample.status = SampleStatus::kOk;
          samples.push_back(sample);
        }
      }
    }
  }
  return {CsvFile<CensusRow>(run, census), CsvFile<Sample>(run, samples), samples.size()};
}

// The tree of a fleet below `root`; the size of its files in all.
size_t WriteFleet(const FleetTree& tree, const FleetPlan& plan, size_t distinct) {
  NoisyWindows windows(NoiseShape::kNormal, 0.02, 1);
  size_t bytes = 0;
  std::vector<size_t> sizes;
  for (size_t i = 0; i < distinct; ++i) {
    const Files files = FilesOf(i, windows);
    const std::string folder = fmt::format("{}/distinct/{}", tree.root(), i);
    fs::create_directories(folder);
    if (!WriteFileAtomically(folder + "/census.csv", files.census) ||
        !WriteFileAtomically(folder + "/samples.csv", files.samples) ||
        !WriteFileAtomically(folder + "/run.json", fmt::format(R"({{"run_id": "{}"}})", kRunId))) {
      std::fprintf(stderr, "fleet_benchmark: %s cannot be written\n", folder.c_str());
      std::exit(1);
    }
    sizes.push_back(files.census.size() + files.samples.size());
  }
  size_t host = 0;
  for (const auto& round : plan.rounds) {
    for (const PlannedPair& pair : round) {
      const std::string run =
          tree.RunPath(plan.nodes[pair.initiator].name, plan.nodes[pair.target].name);
      fs::create_directories(fs::path(run).parent_path());
      fs::create_directory_symlink(fmt::format("{}/distinct/{}", tree.root(), host % distinct),
                                   run);
      bytes += sizes[host++ % distinct];
    }
  }
  return bytes;
}

double Seconds(std::chrono::steady_clock::time_point since) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - since).count();
}

double PeakMegabytes() {
  rusage usage = {};
  ::getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

int Main(size_t hosts, size_t distinct) {
  std::string root = (fs::temp_directory_path() / "fleet-benchmark-XXXXXX").string();
  if (::mkdtemp(root.data()) == nullptr) return 1;
  const FleetTree tree = *FleetTree::At(root);
  std::vector<FleetNode> nodes;
  for (size_t i = 0; i < hosts; ++i) nodes.push_back({fmt::format("host-{}", i), "host"});
  const FleetPlan plan = *MakePlan(std::move(nodes), {"--time-budget=45s"});
  const size_t bytes = WriteFleet(tree, plan, distinct);
  const double before = PeakMegabytes();
  const size_t threads = std::max(1U, std::thread::hardware_concurrency());

  auto since = std::chrono::steady_clock::now();
  const FleetRecords records = ReadFleet(tree, plan, threads);
  const double read = Seconds(since);
  since = std::chrono::steady_clock::now();
  const FleetAnalysis analysis = Analyse(records.table);
  const std::vector<ConfirmationOutcome> none(analysis.suspicions.size());
  const FleetVerdicts verdicts = JudgeFleet(plan, records.table, analysis, none, {});
  const std::string csv = FleetCsv(plan, verdicts);
  const double judged = Seconds(since);
  since = std::chrono::steady_clock::now();
  const std::vector<FleetEvidence> evidence(none.size());
  const std::string json = FleetPageJson({.plan = plan,
                                          .table = records.table,
                                          .analysis = analysis,
                                          .verdicts = verdicts,
                                          .outcomes = none,
                                          .evidence = evidence,
                                          .windows = records.rows});
  const std::string page = FillPage(PageTemplate(), json);
  const double drawn = Seconds(since);

  const double rows = static_cast<double>(records.rows);
  fmt::print("{} machines, {} rows, {:.2f} GB of files, {} threads\n", hosts, records.rows,
             static_cast<double>(bytes) / 1e9, threads);
  fmt::print("read    {:8.2f} s  {:10.0f} rows/s  {:6.0f} MB/s\n", read, rows / read,
             static_cast<double>(bytes) / 1e6 / read);
  fmt::print("judge   {:8.2f} s  {:10.0f} rows/s\n", judged, rows / judged);
  fmt::print("page    {:8.2f} s  {:.2f} MB\n", drawn, static_cast<double>(page.size()) / 1e6);
  const double all = read + judged + drawn;
  fmt::print("in all  {:8.2f} s  {:10.0f} rows/s\n", all, rows / all);
  fmt::print("peak memory {:.0f} MB ({:.0f} MB before); {} rows of fleet.csv, {:.1f} MB\n",
             PeakMegabytes(), before, verdicts.rows.size(), static_cast<double>(csv.size()) / 1e6);
  fs::remove_all(root);
  if (!records.notes.empty()) std::fprintf(stderr, "note: %s\n", records.notes.front().c_str());
  return records.notes.empty() && records.table.runs().size() == hosts ? 0 : 1;
}

}  // namespace
}  // namespace railgauge

int main(int argc, char** argv) {
  const size_t hosts = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 10'000;
  const size_t distinct = argc > 2 ? std::strtoul(argv[2], nullptr, 10) : 200;
  if (hosts < 2 || distinct < 1) {
    std::fprintf(stderr, "fleet_benchmark [HOSTS [DISTINCT]]\n");
    return 2;
  }
  return railgauge::Main(hosts, distinct);
}
