// What must not change a verdict or a finding: the order of rows, the names of devices, the order
// in which they are enumerated, and what CUDA's ordinals are. On random machines; a failure prints
// the seed.
#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "fmt/core.h"
#include "gtest/gtest.h"
#include "lib/placement/all_findings.h"
#include "lib/placement/correlation.h"
#include "lib/placement/decision.h"
#include "lib/placement/judge.h"
#include "lib/placement/random_world_testutil.h"
#include "lib/placement/run_judgement.h"
#include "lib/report/report_csv.h"

namespace railgauge {
namespace {

constexpr uint64_t kWorlds = 40;

// All that is concluded, as the files have it.
struct Concluded {
  std::string summary, interconnects, findings;
  std::vector<std::string> placement;  // a row each
};

Concluded Conclude(const RandomWorld& world) {
  const RunIdentity run;
  const auto [judgement, findings] =
      JudgeRun(world.machine, world.census, world.samples, world.decision);
  Concluded all;
  all.summary = CsvFile<SummaryRow>(run, judgement.summary);
  all.interconnects = CsvFile<InterconnectRow>(run, Correlate(world.census, world.samples));
  all.findings = CsvFile<Finding>(run, findings);
  for (const PlacementRow& row : judgement.placement) {
    all.placement.push_back(CsvRow(run, row));
  }
  return all;
}

void ExpectSame(const Concluded& a, const Concluded& b) {
  EXPECT_EQ(a.summary, b.summary);
  EXPECT_EQ(a.interconnects, b.interconnects);
  EXPECT_EQ(a.findings, b.findings);
  EXPECT_EQ(a.placement, b.placement);
}

// A world, and what is concluded of it as it is; made once for all properties.
struct KnownWorld {
  RandomWorld world;
  Concluded before;
};

const KnownWorld& WorldOf(uint64_t seed) {
  static std::map<uint64_t, KnownWorld> known;
  const auto [entry, is_new] = known.try_emplace(seed);
  if (is_new) {
    entry->second.world = MakeRandomWorld(seed);
    entry->second.before = Conclude(entry->second.world);
  }
  return entry->second;
}

// Each world by its seed, until one fails.
template <typename Property>
void ForEachWorld(Property property) {
  for (uint64_t seed = 1; seed <= kWorlds && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    Generator generator(seed + 1'000'000);
    const KnownWorld& known = WorldOf(seed);
    property(known.world, known.before, generator);
  }
}

// What is said from one weighing of the records is what is said from one each.
TEST(PropertiesTest, OneWeighingForAll) {
  ForEachWorld([](const RandomWorld& world, const Concluded& before, Generator&) {
    const RunIdentity run;
    EXPECT_EQ(before.findings, CsvFile<Finding>(run, AllFindings(world.machine, world.census,
                                                                 world.samples, &world.decision)));
    const Judgement alone = Judge(world.machine, world.census, world.samples, world.decision);
    EXPECT_EQ(before.summary, CsvFile<SummaryRow>(run, alone.summary));
    std::vector<std::string> placement;
    for (const PlacementRow& row : alone.placement) placement.push_back(CsvRow(run, row));
    EXPECT_EQ(before.placement, placement);
  });
}

TEST(PropertiesTest, TheOrderOfRows) {
  ForEachWorld([](RandomWorld world, const Concluded& before, Generator& generator) {
    Shuffle(generator, world.census);
    Shuffle(generator, world.samples);
    ExpectSame(before, Conclude(world));
  });
}

// Devices are enumerated the other way round: so are the rows of a run.
TEST(PropertiesTest, ReversedEnumeration) {
  ForEachWorld([](RandomWorld world, const Concluded& before, Generator&) {
    std::reverse(world.census.begin(), world.census.end());
    std::reverse(world.samples.begin(), world.samples.end());
    ExpectSame(before, Conclude(world));
  });
}

// Names of one length, so that one may stand for another in every text; in another order than the
// addresses.
std::map<std::string, std::string> RandomNames(const Machine& machine, Generator& generator) {
  std::vector<std::string> names;
  for (size_t i = 0; i < machine.nics.size(); ++i) names.push_back(fmt::format("efa_{:04}", i));
  Shuffle(generator, names);
  std::map<std::string, std::string> renamed;
  for (const Nic& nic : machine.nics) {
    renamed[nic.name] = names.back();
    names.pop_back();
  }
  return renamed;
}

void Rename(const std::map<std::string, std::string>& names, RandomWorld& world) {
  const auto rename = [&](std::string& name) {
    const auto found = names.find(name);
    if (found != names.end()) name = found->second;
  };
  for (Nic& nic : world.machine.nics) rename(nic.name);
  for (CensusRow& row : world.census) rename(row.nic.name);
  for (Sample& sample : world.samples) {
    rename(sample.cell.nic.name);
    rename(sample.partner.name);
  }
  for (Assignment& assignment : world.decision.assignments) {
    for (NicKey& nic : assignment.nics) rename(nic.name);
  }
}

TEST(PropertiesTest, RenamedDevices) {
  ForEachWorld([](RandomWorld world, const Concluded&, Generator& generator) {
    const auto long_names = RandomNames(world.machine, generator);
    Rename(long_names, world);
    const Concluded before = Conclude(world);
    std::map<std::string, std::string> other_names, back;
    const auto others = RandomNames(world.machine, generator);
    for (const auto& [name, other] : others) {
      // "efa_0003" becomes "nic_0001": nothing else is called so.
      const std::string fresh = "nic_" + other.substr(4);
      other_names[name] = fresh;
      back[fresh] = name;
    }
    Rename(other_names, world);
    Concluded after = Conclude(world);
    const auto undo = [&](std::string& text) {
      for (const auto& [fresh, name] : back) {
        for (size_t at = 0; (at = text.find(fresh, at)) != std::string::npos;) {
          text.replace(at, fresh.size(), name);
        }
      }
    };
    undo(after.summary);
    undo(after.interconnects);
    undo(after.findings);
    for (std::string& row : after.placement) undo(row);
    ExpectSame(before, after);
  });
}

// The order in which a decision is written, of consumers and of each one's NICs: the same rows in
// its order, with the chosen NICs in its order.
TEST(PropertiesTest, TheOrderOfADecision) {
  ForEachWorld([](RandomWorld world, const Concluded&, Generator& generator) {
    const auto by_consumer = [](std::vector<PlacementRow> rows) {
      std::stable_sort(rows.begin(), rows.end(), [](const PlacementRow& a, const PlacementRow& b) {
        return a.consumer < b.consumer;
      });
      std::vector<std::string> lines;
      for (PlacementRow& row : rows) {
        std::sort(row.chosen.begin(), row.chosen.end());
        lines.push_back(CsvRow(RunIdentity(), row));
      }
      return lines;
    };
    const auto before =
        by_consumer(Judge(world.machine, world.census, world.samples, world.decision).placement);
    Shuffle(generator, world.decision.assignments);
    for (Assignment& assignment : world.decision.assignments) Shuffle(generator, assignment.nics);
    const Judgement after = Judge(world.machine, world.census, world.samples, world.decision);
    EXPECT_EQ(by_consumer(after.placement), before);
    for (size_t i = 0; i < world.decision.assignments.size(); ++i) {
      EXPECT_EQ(after.placement.at(i).consumer, world.decision.assignments[i].consumer);
      EXPECT_EQ(after.placement.at(i).chosen, world.decision.assignments[i].nics);
    }
  });
}

// CUDA numbers the GPUs otherwise (CUDA_VISIBLE_DEVICES): a file by ordinals that names the same
// GPUs is the same decision.
TEST(PropertiesTest, PermutedCudaOrdinals) {
  ForEachWorld([](const RandomWorld& world, const Concluded&, Generator& generator) {
    std::vector<PciAddress> order;
    for (const Gpu& gpu : world.machine.gpus) order.push_back(gpu.position.address);
    const auto file_by = [&](const std::vector<PciAddress>& cuda_order) {
      std::string content = "consumer,nic\n";
      for (const Assignment& assignment : world.decision.assignments) {
        std::string consumer = assignment.consumer.ToString();
        const auto gpu = std::find(cuda_order.begin(), cuda_order.end(), assignment.consumer.gpu);
        if (assignment.consumer.is_gpu()) {
          consumer = fmt::format("gpu{}", gpu - cuda_order.begin());
        }
        for (const NicKey& nic : assignment.nics) {
          content += fmt::format("{},{}\n", consumer, nic.address.ToString());
        }
      }
      return content;
    };
    const auto judged_by = [&](const std::vector<PciAddress>& cuda_order) {
      const auto decision =
          ParseDecision(file_by(cuda_order), "decision.csv", world.machine, cuda_order);
      EXPECT_TRUE(decision) << decision.error().ToString();
      RandomWorld same = world;
      same.decision = *decision;
      return Conclude(same);
    };
    const Concluded before = judged_by(order);
    Shuffle(generator, order);
    ExpectSame(before, judged_by(order));
  });
}

}  // namespace
}  // namespace railgauge
