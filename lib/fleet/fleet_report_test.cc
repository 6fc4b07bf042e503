#include "lib/fleet/fleet_report.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "lib/fleet/simulated_fleet_testutil.h"
#include "lib/report/csv_reader.h"

namespace railgauge {
namespace {

class FleetReportTest : public testing::Test {
 protected:
  FleetReportTest()
      : fleet_(SickFleet()),
        table_(fleet_.MeasureAll()),
        analysis_(Analyse(table_)),
        outcomes_(fleet_.ConfirmAll(table_, analysis_)) {}

  FleetVerdicts Judge() {
    return JudgeFleet(fleet_.plan(), table_, analysis_, outcomes_,
                      {{5,
                        "railgauge check at n5 ended with status 255: a | line, "
                        "<b>&[x](y)</b> `c` *d* e_f"}});
  }

  SimulatedFleet fleet_;
  const FleetTable table_;
  const FleetAnalysis analysis_;
  std::vector<ConfirmationOutcome> outcomes_;
};

TEST_F(FleetReportTest, ARowForEachSlotAndForWhatIsNotThere) {
  const FleetVerdicts verdicts = Judge();
  std::vector<std::string> found;
  for (const FleetRow& row : verdicts.rows) {
    if (row.verdict == FleetVerdict::kOk) continue;
    found.push_back(std::string(ToString(row.verdict)) + " " + fleet_.plan().nodes[row.node].name +
                    (row.slot ? " " + row.slot->ToString() : ""));
  }
  EXPECT_EQ(found, (std::vector<std::string>{"SLOW n3 0000:42:00.0", "UNMEASURED n5",
                                             "MISSING n8 0000:41:00.0"}));
  // Of n5 what it did as the target is there, too.
  EXPECT_EQ(verdicts.rows.size(), 9u * 4u + 1u);
  EXPECT_EQ(ExitStatusOf(verdicts), 1);
}

TEST_F(FleetReportTest, WithoutPairedRoundsItIsASuspect) {
  outcomes_.assign(outcomes_.size(), {});
  const FleetVerdicts verdicts = Judge();
  EXPECT_EQ(verdicts.counts.count(FleetVerdict::kSlow), 0u);
  EXPECT_EQ(verdicts.counts.at(FleetVerdict::kSuspect), 1u);
  for (const FleetRow& row : verdicts.rows) {
    if (row.verdict != FleetVerdict::kSuspect) continue;
    EXPECT_NE(row.reason.find("railgauge fleet run"), std::string::npos) << row.reason;
  }
}

TEST_F(FleetReportTest, WhatPairedRoundsClearIsOk) {
  for (ConfirmationOutcome& outcome : outcomes_) {
    outcome.confirmed = Confirmed::kNot;
    outcome.ratio->ratio = 0.998;
  }
  const FleetVerdicts verdicts = Judge();
  EXPECT_EQ(verdicts.counts.count(FleetVerdict::kSlow), 0u);
  EXPECT_EQ(verdicts.counts.count(FleetVerdict::kSuspect), 0u);
}

TEST_F(FleetReportTest, TheTextFitsATerminal) {
  const std::string text = FleetText(fleet_.plan(), Judge(), false);
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 100u) << line;
  EXPECT_NE(text.find("SLOW        n3 0000:42:00.0 (rdmap2)\n"), std::string::npos) << text;
  const size_t paired = text.find("times as fast in turn with a healthy reference");
  ASSERT_NE(paired, std::string::npos) << text;
  EXPECT_EQ(text.substr(paired - 11, 8), "\n    0.6") << "the paired ratio leads: " << text;
  EXPECT_NE(text.find("in 9 rounds"), std::string::npos) << text;
  EXPECT_NE(text.find("its median over groups lies"), std::string::npos) << text;
  EXPECT_TRUE(text.ends_with("34 OK, 1 SLOW, 1 MISSING, 1 UNMEASURED\n")) << text;
}

// A run of NICs with no window: of the node, of one NIC of it, of a NIC that its peer lacks.
TEST_F(FleetReportTest, WhatANodesRunDidNotMeasureIsNotOk) {
  SimulatedFleetOptions options = SickFleet();
  options.has = [](size_t, uint32_t) { return true; };
  options.measured = [](const PlannedPair&) { return true; };
  options.speed = [](const SimulatedTransfer&) { return 1.0; };
  SimulatedFleet fleet(options);
  const auto judge = [&](size_t node, const std::vector<uint32_t>& kept, NoEvidence::Cause cause) {
    FleetTable table;
    for (const auto& round : fleet.plan().rounds) {
      for (const PlannedPair& pair : round) {
        RunGroups run = fleet.Measure(pair);
        if (pair.initiator == node) {
          std::erase_if(run.medians, [&](const auto& median) {
            return std::none_of(kept.begin(), kept.end(), [&](uint32_t slot) {
              return SimulatedFleet::AddressOf(slot) == median.first.slot;
            });
          });
          for (uint32_t slot = 0; slot < options.slots; ++slot) {
            if (std::find(kept.begin(), kept.end(), slot) == kept.end()) {
              run.no_evidence[SimulatedFleet::AddressOf(slot)] = {cause, "why."};
            }
          }
        }
        table.Add(pair, run);
      }
    }
    const FleetAnalysis analysis = Analyse(table);
    return JudgeFleet(fleet.plan(), table, analysis,
                      std::vector<ConfirmationOutcome>(analysis.suspicions.size()), {});
  };
  const FleetVerdicts none = judge(4, {}, NoEvidence::Cause::kNoRow);
  EXPECT_EQ(ExitStatusOf(none), 3);
  EXPECT_EQ(none.counts.at(FleetVerdict::kUnmeasured), 1u + 4u) << "with what its peers saw";
  EXPECT_EQ(FleetText(fleet.plan(), none, false),
            "UNMEASURED  n4\n    Its run with n5 has no window that counts: why.\n"
            "32 OK, 5 UNMEASURED\n");
  const FleetVerdicts half = judge(4, {0, 3}, NoEvidence::Cause::kOther);
  EXPECT_EQ(half.counts.at(FleetVerdict::kUnmeasured), 2u);
  EXPECT_EQ(FleetText(fleet.plan(), half, false),
            "UNMEASURED  n4 0000:41:00.0 (rdmap1) and 1 more of its NICs\n"
            "    In its run with n5: why.\n34 OK, 2 UNMEASURED\n");
  EXPECT_EQ(ExitStatusOf(judge(4, {0, 3}, NoEvidence::Cause::kPeer)), 0)
      << "as the target they did what others do";
}

// The worst that a NIC can do is not "not measured", and stands above the rest.
TEST_F(FleetReportTest, WrongDataIsToldFirst) {
  FleetTable table;
  for (const auto& round : fleet_.plan().rounds) {
    for (const PlannedPair& pair : round) {
      RunGroups run = fleet_.Measure(pair);
      if (pair.initiator == 7) {
        run.invalid[SimulatedFleet::AddressOf(2)] = "1 of 9 windows is not valid: wrong_data: x";
        run.wrong_data[SimulatedFleet::AddressOf(2)] = "in 1 of 9 windows: x";
      }
      table.Add(pair, run);
    }
  }
  const FleetAnalysis analysis = Analyse(table);
  const FleetVerdicts verdicts =
      JudgeFleet(fleet_.plan(), table, analysis,
                 std::vector<ConfirmationOutcome>(analysis.suspicions.size()), {});
  const std::string text = FleetText(fleet_.plan(), verdicts, false);
  EXPECT_TRUE(text.starts_with(
      "SUSPECT     n7 0000:42:00.0 (rdmap2)\n"
      "    WRONG DATA: with n8 other data arrived than was sent, in 1 of 9 windows: x.\n"))
      << text;
  EXPECT_NE(text.find("SUSPECT     n3 "), std::string::npos) << text;
  const std::string markdown = FleetMarkdown(fleet_.plan(), verdicts);
  EXPECT_LT(markdown.find("| n7 |"), markdown.find("| n3 |")) << markdown;
  // It is no healthy reference either.
  std::set<size_t> taken;
  for (const Suspicion& suspicion : analysis.suspicions) {
    EXPECT_TRUE(PlanConfirmation(suspicion, fleet_.plan(), table, analysis, taken));
  }
  EXPECT_FALSE(taken.contains(7));
}

TEST_F(FleetReportTest, TheFilesAreWhole) {
  const FleetVerdicts verdicts = Judge();
  const auto records = ParseCsv(FleetCsv(fleet_.plan(), verdicts), "fleet.csv");
  ASSERT_TRUE(records) << records.error().ToString();
  ASSERT_EQ(records->size(), verdicts.rows.size() + 1);
  for (const CsvRecord& record : *records) EXPECT_EQ(record.fields.size(), 26u);
  // Columns are only ever appended.
  std::string header;
  for (const std::string& name : records->front().fields) header += name + " ";
  EXPECT_EQ(header,
            "schema_version run_id host instance_id instance_type platform node nic_pci_address "
            "nic_name verdict cause initiator_peer initiator_deviation_fraction initiator_z "
            "initiator_adjusted_p_value target_peer target_deviation_fraction target_z "
            "target_adjusted_p_value groups confirm_ratio confirm_ratio_low confirm_ratio_high "
            "confirm_confidence_fraction confirm_rounds reason ");
  const std::string markdown = FleetMarkdown(fleet_.plan(), verdicts);
  EXPECT_TRUE(markdown.starts_with("# Fleet of 9 nodes (emulated)\n")) << markdown;
  EXPECT_NE(markdown.find("a \\| line, &lt;b&gt;&amp;\\[x\\](y)&lt;/b&gt; \\`c\\` \\*d\\* e\\_f |"),
            std::string::npos)
      << markdown;
}

}  // namespace
}  // namespace railgauge
