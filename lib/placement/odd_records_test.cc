// Records that no run writes: whatever a file holds, it is read and concluded from, or refused with
// one line; nothing crashes. Seeded; a failure prints the seed.
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "fmt/core.h"
#include "gtest/gtest.h"
#include "lib/placement/all_findings.h"
#include "lib/placement/correlation.h"
#include "lib/placement/judge.h"
#include "lib/placement/random_world_testutil.h"
#include "lib/report/report_csv.h"

namespace railgauge {
namespace {

constexpr uint64_t kWorlds = 60;

MemoryPlace OddPlace(Generator& generator) {
  switch (Below(generator, 4)) {
    case 0:
      return MemoryPlace::NumaNode(std::numeric_limits<uint32_t>::max());
    case 1:
      return MemoryPlace::Gpu({});
    case 2:
      return MemoryPlace::Accelerator({0xffff, 0xff, 31, 7});
    default:
      return {};
  }
}

template <typename T>
void OddOptional(Generator& generator, std::optional<T>& value) {
  if (OneIn(generator, 3)) value.reset();
  if (OneIn(generator, 3)) value = std::numeric_limits<T>::max();
}

void MakeOdd(Generator& generator, CensusRow& row) {
  if (OneIn(generator, 3)) row.place = OddPlace(generator);
  if (OneIn(generator, 4)) row.nic = {};
  if (OneIn(generator, 4)) row.nic.name = "\"; rm\x1b[31m";
  if (OneIn(generator, 4)) row.nic.address.domain = 0xffffffff;
  row.way = static_cast<RegistrationWay>(Below(generator, 3));
  row.status = static_cast<CensusStatus>(Below(generator, 6));
  row.relation = static_cast<Relation>(Below(generator, 5));
  OddOptional(generator, row.ids.recv);
  OddOptional(generator, row.ids.rdma_read);
  OddOptional(generator, row.ids.rdma_recv);
}

void MakeOdd(Generator& generator, Sample& sample) {
  constexpr double kValues[] = {0, -1, 1e300, std::numeric_limits<double>::infinity(),
                                std::numeric_limits<double>::quiet_NaN()};
  if (OneIn(generator, 3)) sample.cell.place = OddPlace(generator);
  if (OneIn(generator, 4)) sample.cell.nic = {};
  if (OneIn(generator, 4)) sample.cell.size = Bytes{std::numeric_limits<uint64_t>::max()};
  if (OneIn(generator, 4)) sample.cell.load = "";
  sample.throughput = BytesPerSecond{kValues[Below(generator, std::size(kValues))]};
  sample.status = static_cast<SampleStatus>(Below(generator, 11));
  sample.start_offset = Nanoseconds(OneIn(generator, 2) ? 0 : 1);
  OddOptional(generator, sample.interconnect_id);
}

// Some rows odd, some twice, some gone.
template <typename Row>
void Disarrange(Generator& generator, std::vector<Row>& rows) {
  std::vector<Row> result;
  for (const Row& row : rows) {
    if (OneIn(generator, 10)) continue;
    result.push_back(row);
    if (OneIn(generator, 8)) MakeOdd(generator, result.back());
    if (OneIn(generator, 8)) {
      result.push_back(row);
      if (OneIn(generator, 2)) MakeOdd(generator, result.back());
    }
  }
  Shuffle(generator, result);
  rows = std::move(result);
}

template <typename Row>
std::vector<Row> ThroughCsv(const std::vector<Row>& rows) {
  const auto recorded = ParseReport<Row>(CsvFile<Row>(RunIdentity(), rows), "f.csv");
  EXPECT_TRUE(recorded) << recorded.error().ToString();
  return recorded ? recorded->rows : std::vector<Row>();
}

void Conclude(const RandomWorld& world) {
  const std::vector<Finding> findings =
      AllFindings(world.machine, world.census, world.samples, &world.decision);
  for (const Finding& finding : findings) {
    EXPECT_FALSE(finding.kind.empty());
    EXPECT_FALSE(finding.sentence.empty()) << finding.kind;
    EXPECT_FALSE(finding.evidence.empty()) << finding.kind;
  }
  EXPECT_EQ(ThroughCsv(findings).size(), findings.size());
  Correlate(world.census, world.samples);
  const Judgement judgement = Judge(world.machine, world.census, world.samples, world.decision);
  EXPECT_GE(judgement.placement.size(), world.decision.assignments.size());
}

TEST(OddRecordsTest, AreConcludedFrom) {
  for (uint64_t seed = 1; seed <= kWorlds && !HasFailure(); ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    Generator generator(seed);
    RandomWorld world = MakeRandomWorld(seed);
    Disarrange(generator, world.census);
    Disarrange(generator, world.samples);
    Conclude(world);
    // NaN and infinity are empty fields, a negative rate is refused; the others read back.
    std::erase_if(world.samples, [](const Sample& sample) {
      return sample.throughput && sample.throughput->value < 0;
    });
    world.census = ThroughCsv(world.census);
    world.samples = ThroughCsv(world.samples);
    Conclude(world);
  }
}

TEST(OddRecordsTest, WithoutMachineRowsOrDecision) {
  RandomWorld world = MakeRandomWorld(1);
  EXPECT_TRUE(AllFindings({}, {}, {}, nullptr).empty());
  AllFindings({}, world.census, world.samples, nullptr);
  AllFindings(world.machine, {}, world.samples, &world.decision);
  const Decision nothing;
  AllFindings(world.machine, world.census, world.samples, &nothing);
}

// Bytes changed, cut or repeated at random.
TEST(OddRecordsTest, SpoiltFilesAreReadOrRefused) {
  const RandomWorld world = MakeRandomWorld(7);
  const std::string content = CsvFile<CensusRow>(RunIdentity(), world.census);
  size_t refused = 0, read = 0;
  for (uint64_t seed = 1; seed <= 2000 && !HasFailure(); ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    Generator generator(seed);
    std::string spoilt = content;
    for (uint64_t i = 0; i <= Below(generator, 3); ++i) {
      const size_t at = Below(generator, spoilt.size());
      switch (Below(generator, 4)) {
        case 0:
          spoilt[at] = static_cast<char>(Below(generator, 256));
          break;
        case 1:
          spoilt.erase(at, 1 + Below(generator, 40));
          break;
        case 2:
          spoilt.insert(at,
                        spoilt.substr(Below(generator, spoilt.size()), 1 + Below(generator, 9)));
          break;
        default:
          spoilt.insert(at, "65535,");
      }
    }
    const auto recorded = ParseReport<CensusRow>(spoilt, "census.csv");
    ++(recorded ? read : refused);
    if (!recorded) {
      const std::string error = recorded.error().ToString();
      EXPECT_TRUE(error.starts_with("read census.csv:")) << error;
      EXPECT_EQ(error.find('\n'), std::string::npos) << error;
      continue;
    }
    AllFindings(world.machine, recorded->rows, {}, nullptr);
  }
  EXPECT_GT(read, 0u);
  EXPECT_GT(refused, 0u);
}

}  // namespace
}  // namespace railgauge
