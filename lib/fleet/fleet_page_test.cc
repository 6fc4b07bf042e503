#include "lib/fleet/fleet_page.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "lib/fleet/fleet_facts.h"
#include "lib/fleet/group_figures.h"
#include "lib/fleet/simulated_fleet_testutil.h"
#include "lib/report/html/page.h"
#include "nlohmann/json.hpp"

namespace railgauge {
namespace {

using Json = nlohmann::json;

constexpr size_t kMostBytes = size_t{3} << 20;

// The fields of a column, as texts.
std::vector<std::string> ColumnOf(const Json& table, const std::string& name) {
  const Json& column = table["columns"][name];
  const auto text = [](const Json& value) {
    return value.is_null() ? "" : value.is_string() ? value.get<std::string>() : value.dump();
  };
  std::vector<std::string> fields;
  for (size_t row = 0; row < table["rows"]; ++row) {
    if (column.contains("all")) {
      fields.push_back(text(column["all"]));
    } else if (column.contains("numbers")) {
      fields.push_back(text(column["numbers"][row]));
    } else {
      const Json& index = column["index"][row];
      fields.push_back(index.is_null() ? "" : text(column["texts"][index.get<size_t>()]));
    }
  }
  return fields;
}

class FleetPageTest : public testing::Test {
 protected:
  FleetPageTest()
      : fleet_(SickFleet()),
        table_(fleet_.MeasureAll()),
        analysis_(Analyse(table_)),
        outcomes_(fleet_.ConfirmAll(table_, analysis_)),
        evidence_(outcomes_.size()),
        verdicts_(JudgeFleet(fleet_.plan(), table_, analysis_, outcomes_, {{5, "no route"}})) {}

  FleetPageInput Input() {
    return {.plan = fleet_.plan(),
            .table = table_,
            .analysis = analysis_,
            .verdicts = verdicts_,
            .outcomes = outcomes_,
            .evidence = evidence_};
  }

  SimulatedFleet fleet_;
  const FleetTable table_;
  const FleetAnalysis analysis_;
  const std::vector<ConfirmationOutcome> outcomes_;
  std::vector<FleetEvidence> evidence_;
  const FleetVerdicts verdicts_;
};

TEST_F(FleetPageTest, HasEveryRowAndValueOfASmallFleet) {
  FleetPageInput input = Input();
  evidence_[0].rounds = {{0.6, 1}, {1.2, 2}};
  evidence_[0].confirmation = ConfirmationPlan{{3, 6}, {7, 6}, {"0000:42:00.0"}};
  input.why_unmeasured = {{{5, 6}, "no route"}};
  input.with_page = {{3, 4}};
  const Json page = Json::parse(FleetPageJson(input));
  EXPECT_EQ(page["complete"], true);
  EXPECT_EQ(page["counts"], Json::parse(R"({"OK":34,"SLOW":1,"MISSING":1,"UNMEASURED":1})"));
  const std::vector<std::string> verdicts = ColumnOf(page["rows"], "verdict");
  ASSERT_EQ(verdicts.size(), verdicts_.rows.size());
  // The worst first.
  EXPECT_EQ(verdicts[0] + verdicts[1] + verdicts[2] + verdicts[3], "SLOWMISSINGUNMEASUREDOK");
  EXPECT_EQ(ColumnOf(page["rows"], "confirm_rounds")[0], "9");
  EXPECT_EQ(page["unmeasured"]["pairs"], Json::parse(R"([["n5","n6","no route"]])"));
  ASSERT_EQ(page["suspicions"].size(), 1u);
  EXPECT_EQ(page["suspicions"][0]["slots"], Json::parse(R"(["0000:42:00.0"])"));
  EXPECT_EQ(page["suspicions"][0]["confirmed"], "slow");
  EXPECT_EQ(page["suspicions"][0]["rounds"], Json::parse("[0.6,0.6]"));
  EXPECT_EQ(page["suspicions"][0]["reference"], Json::parse(R"(["n7","n6"])"));
  ASSERT_EQ(page["runs"].size(), 8u);
  for (const Json& run : page["runs"]) EXPECT_EQ(run[3], run[0] == "n3") << run;
}

TEST_F(FleetPageTest, ValuesAreSharesOfTheMedianByRun) {
  const Json page = Json::parse(FleetPageJson(Input()));
  const std::vector<std::string> slots = ColumnOf(page["groups"], "nic_pci_address");
  const std::vector<std::string> values = ColumnOf(page["groups"], "values");
  ASSERT_EQ(slots.size(), 4u * 4u * 5u);
  std::vector<std::string> initiators;
  for (const Json& run : page["runs"]) initiators.push_back(run[0]);
  const auto at = [&](const std::string& text, const std::string& node) {
    std::vector<std::string> shares(1);
    for (const char c : text) {
      if (c == ',') {
        shares.emplace_back();
      } else {
        shares.back() += c;
      }
    }
    const auto run = std::find(initiators.begin(), initiators.end(), node) - initiators.begin();
    return static_cast<size_t>(run) < shares.size() ? shares[static_cast<size_t>(run)] : "";
  };
  for (size_t i = 0; i < slots.size(); ++i) {
    const std::string slow = at(values[i], "n3"), other = at(values[i], "n0");
    if (slots[i] == "0000:42:00.0") {
      EXPECT_NEAR(std::stod(slow), 600, 20) << values[i];
    } else {
      EXPECT_NEAR(std::stod(slow), 1000, 30) << values[i];
    }
    EXPECT_NEAR(std::stod(other), 1000, 30) << values[i];
    // n8 has no NIC in the slot, nor n7 anyone to measure it with.
    EXPECT_EQ(at(values[i], "n8").empty(), slots[i] == "0000:41:00.0") << values[i];
  }
}

TEST_F(FleetPageTest, ALargeFleetHasWhatIsFlaggedAndAggregates) {
  const Json page = Json::parse(FleetPageJson(Input(), {.values = 200}));
  EXPECT_EQ(page["complete"], false);
  EXPECT_EQ(ColumnOf(page["rows"], "verdict"),
            (std::vector<std::string>{"SLOW", "MISSING", "UNMEASURED"}));
  EXPECT_EQ(page["counts"]["OK"], 34);
  // Two runs of n3, of 80 values each; there is no room for those of n8.
  EXPECT_EQ(page["runs"].size(), 2u);
  // All runs are in the distribution.
  for (const std::string& machines : ColumnOf(page["groups"], "machines")) {
    EXPECT_GE(std::stoul(machines), 6u);
  }
}

TEST_F(FleetPageTest, NoNameCanBecomeMarkup) {
  FleetPageInput input = Input();
  input.notes = {"</script><b>"};
  input.name = "<!--";
  const std::string json = FleetPageJson(input);
  EXPECT_EQ(json.find('<'), std::string::npos);
  EXPECT_EQ(Json::parse(json)["notes"][0], "</script><b>");
}

// Ten thousand machines that all say much, and the page is still one that a browser opens.
TEST(FleetPageSizeTest, IsBoundedWhateverTheFleet) {
  constexpr size_t kMachines = 10'000;
  constexpr uint32_t kSlots = 32;
  std::vector<FleetNode> nodes;
  for (size_t i = 0; i < kMachines; ++i) {
    const std::string name = "machine-with-a-long-name-" + std::to_string(i);
    nodes.push_back({name, name});
  }
  const FleetPlan plan = *MakePlan(std::move(nodes), {});
  FleetTable table;
  FleetVerdicts verdicts;
  FleetAnalysis analysis;
  for (size_t i = 0; i < kMachines; ++i) {
    RunGroups run;
    run.run = {"20260101T000000Z-" + std::to_string(i), "host", "i-0", "p5.48xlarge", "hardware"};
    for (uint32_t slot = 0; slot < kSlots; ++slot) {
      const PciAddress address = SimulatedFleet::AddressOf(slot);
      run.nics.push_back({address, "rdmap" + std::to_string(slot)});
      // No two values are alike.
      run.medians.emplace_back(
          FleetGroup{"p5.48xlarge", address, Operation::kRead, Direction::kToMemory,
                     MemoryPlace::Kind::kGpu, Relation::kSameSwitch, Bytes{1 << 20}},
          1e10 * (1 + 0.5 * static_cast<double>(i * kSlots + slot) / (kMachines * kSlots)));
      FleetRow row;
      row.node = i;
      row.slot = address;
      row.nic_name = run.nics.back().name;
      row.verdict = slot == 0 ? FleetVerdict::kSuspect : FleetVerdict::kOk;
      row.reason = std::string(200, 'x') + std::to_string(i);
      row.as_initiator = PartStanding{(i + 1) % kMachines, 0.1234567 / static_cast<double>(i + 1),
                                      -1.234567 * static_cast<double>(i), 0.5};
      verdicts.rows.push_back(row);
      ++verdicts.counts[row.verdict];
    }
    table.Add({i, (i + 1) % kMachines}, run);
    Suspicion suspicion;
    suspicion.node = i;
    suspicion.peer = i;
    for (uint32_t slot = 0; slot < kSlots; ++slot) suspicion.slots.push_back(slot);
    suspicion.deviation = -0.123456789;
    analysis.suspicions.push_back(suspicion);
  }
  const std::vector<ConfirmationOutcome> outcomes(analysis.suspicions.size());
  std::vector<FleetEvidence> evidence(analysis.suspicions.size());
  for (FleetEvidence& one : evidence) one.rounds.assign(kConfirmRounds, {0.98765, 1});
  FleetPageInput input{.plan = plan,
                       .table = table,
                       .analysis = analysis,
                       .verdicts = verdicts,
                       .outcomes = outcomes,
                       .evidence = evidence};
  for (size_t i = 0; i < kMachines; ++i) {
    input.notes.push_back(std::string(200, 'n') + std::to_string(i));
    input.facts.nodes["kernel"][std::string(200, 'k') + std::to_string(i)] = {i};
  }
  const std::string json = FleetPageJson(input);
  const size_t bytes = FillPage(PageTemplate(), json).size();
  EXPECT_LT(bytes, kMostBytes);
  EXPECT_LT(json.size(), size_t{2'600'000});  // that there is room for the template
  const Json page = Json::parse(json);
  EXPECT_EQ(page["complete"], false);
  EXPECT_EQ(page["counts"]["SUSPECT"], kMachines);
  EXPECT_GT(page["rows"]["rows"], 1000u);
}

TEST(GroupFiguresTest, BinsCountEveryRun) {
  SimulatedFleetOptions options;
  options.nodes = 50;
  options.slots = 1;
  SimulatedFleet fleet(options);
  const FleetTable table = fleet.MeasureAll();
  for (const size_t most : {1u, 5u, 80u}) {
    for (const GroupFigures& figures : FiguresOf(table, most)) {
      EXPECT_EQ(figures.members, 50u);
      const size_t colon = figures.bins.find(';');
      ASSERT_NE(colon, std::string::npos);
      size_t bins = 0, runs = 0;
      for (size_t at = colon; at != std::string::npos; at = figures.bins.find(',', at + 1)) {
        ++bins;
        runs += std::stoul(figures.bins.substr(figures.bins.find(':', at) + 1));
      }
      EXPECT_LE(bins, most) << figures.bins;
      EXPECT_EQ(runs, 50u) << figures.bins;
      EXPECT_LE(figures.lowest, figures.median);
      EXPECT_GE(figures.highest, figures.median);
    }
  }
}

TEST(FleetFactsTest, SaysWhichMachinesAreUnlikeTheOthers) {
  FleetFacts facts;
  AddFacts(R"({"start":"2026-01-01T02:00:00Z","end":"2026-01-01T02:10:00Z",
               "versions":{"rdma-core":"56.1"},
               "machine":{"kernel":"6.1","nics":[{"firmware":"b"},{"firmware":"a"},{}]}})",
           0, facts);
  AddFacts(R"({"start":"2026-01-01T01:00:00Z","end":null,"versions":{"rdma-core":"56.1"},
               "machine":{"kernel":"6.2","nics":3}})",
           1, facts);
  for (const char* strange : {"no JSON", "[]", R"({"machine":7,"versions":[1]})"}) {
    AddFacts(strange, 2, facts);
  }
  EXPECT_EQ(facts.runs, 3u);
  EXPECT_EQ(facts.first_start, "2026-01-01T01:00:00Z");
  EXPECT_EQ(facts.last_end, "2026-01-01T02:10:00Z");
  EXPECT_EQ(facts.nodes["rdma-core"]["56.1"], (std::vector<size_t>{0, 1}));
  EXPECT_EQ(facts.nodes["kernel"]["6.2"], std::vector<size_t>{1});
  EXPECT_EQ(facts.nodes["nic_firmware"]["a, b"], std::vector<size_t>{0});
}

}  // namespace
}  // namespace railgauge
