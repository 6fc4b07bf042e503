#include "lib/fleet/run_origin.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

namespace railgauge {
namespace {

// A ring of five: every node with the next.
class RunOriginTest : public testing::Test {
 protected:
  RunOriginTest() {
    std::vector<FleetNode> nodes;
    for (const char* name : {"n0", "n1", "n2", "n3", "n4"}) nodes.push_back({name, name});
    plan_ = *MakePlan(nodes, {"--time-budget=1s"});
    for (size_t i = 0; i < 5; ++i) {
      const size_t next = (i + 1) % 5;
      runs_.push_back({{i, next},
                       "run-" + std::to_string(i),
                       "host-" + std::to_string(i),
                       "host-" + std::to_string(next),
                       ""});
    }
  }

  // The runs that are left out.
  std::vector<size_t> Stray() const {
    std::vector<size_t> stray;
    const auto why = WhyStray(plan_, runs_);
    for (size_t i = 0; i < why.size(); ++i) {
      if (!why[i].empty()) stray.push_back(i);
    }
    return stray;
  }

  void Swap(size_t a, size_t b) {
    std::swap(runs_[a], runs_[b]);
    std::swap(runs_[a].pair, runs_[b].pair);
  }

  FleetPlan plan_;
  std::vector<RunOrigin> runs_;
};

TEST_F(RunOriginTest, RunsInTheirFolders) {
  EXPECT_TRUE(Stray().empty());
  for (RunOrigin& run : runs_) {
    run.output = "/somewhere/else/runs/" + plan_.nodes[run.pair.initiator].name + "/with-" +
                 plan_.nodes[run.pair.target].name + "/";
  }
  EXPECT_TRUE(Stray().empty());
  // One that somebody measured by hand.
  runs_[2].output = "run-1";
  EXPECT_TRUE(Stray().empty());
}

TEST_F(RunOriginTest, SwappedRuns) {
  Swap(0, 2);
  EXPECT_EQ(Stray(), (std::vector<size_t>{0, 2})) << "by the hosts alone";
  runs_[0].output = "fleet/runs/n2/with-n3";
  const auto why = WhyStray(plan_, runs_);
  EXPECT_EQ(why[0], "it is the run of runs/n2/with-n3, by its run.json");
  EXPECT_EQ(why[2].substr(0, 6), "n2 is ") << why[2];
}

TEST_F(RunOriginTest, ACopyCountsOnce) {
  const PlannedPair pair = runs_[3].pair;
  runs_[3] = runs_[1];
  runs_[3].pair = pair;
  const auto why = WhyStray(plan_, runs_);
  EXPECT_EQ(Stray(), (std::vector<size_t>{3}));
  EXPECT_EQ(why[3], "run 'run-1' of host 'host-1' is in runs/n1/with-n2 already");
}

TEST_F(RunOriginTest, AnotherHost) {
  runs_[1].host = "other";
  EXPECT_EQ(Stray(), (std::vector<size_t>{1}));
  EXPECT_EQ(WhyStray(plan_, runs_)[1], "n1 is host 'other' in it, and 'host-1' in runs/n0/with-n1");
  // The plan knows better.
  runs_[1].host = "n1";
  EXPECT_EQ(Stray(), (std::vector<size_t>{0}));
}

TEST_F(RunOriginTest, NodesThatAreOneMachine) {
  EXPECT_TRUE(NotesOfOneMachine(plan_, runs_).empty());
  // Instances may share a name, and one instance may have several.
  for (RunOrigin& run : runs_) run.instance_id = "i-" + std::to_string(run.pair.initiator);
  runs_[1].host = runs_[2].host;
  EXPECT_TRUE(NotesOfOneMachine(plan_, runs_).empty());
  runs_[4].instance_id = runs_[3].instance_id;
  EXPECT_EQ(NotesOfOneMachine(plan_, runs_),
            (std::vector<std::string>{
                "n3, n4 are one machine (instance i-3 in their runs), so they show nothing of each "
                "other: a plan names every machine once"}));
  for (RunOrigin& run : runs_) {
    run.instance_id.clear();
    run.host = run.peer = "h";
  }
  runs_.pop_back();  // known as a peer alone
  const auto notes = NotesOfOneMachine(plan_, runs_);
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_EQ(notes[0].find("n0, n1, n2, n3, n4 are one machine (host 'h' in their runs)"), 0u)
      << notes[0];
}

}  // namespace
}  // namespace railgauge
