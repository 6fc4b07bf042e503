#include "lib/placement/coverage.h"

#include "gtest/gtest.h"
#include "lib/placement/world_testutil.h"
#include "lib/topology/machine_testutil.h"

namespace railgauge {
namespace {

// The p5 of machine_testutil, of which one NIC is chosen for the GPU below its switch.
class CoverageTest : public testing::Test {
 protected:
  CoverageTest()
      : world_(MakeP5()),
        decision_(MakeDecision(world_.machine, {"gpu:0000:53:00.0 0000:4f:00.0 0000:50:00.0"})) {
    world_.Screen();
  }

  // Makes rows that were not reached of the samples that `condition` selects.
  template <typename Condition>
  void Miss(SkipCause cause, const std::string& reason, Condition condition) {
    for (Sample& sample : world_.samples) {
      if (!condition(sample.cell)) continue;
      sample.throughput.reset();
      sample.status = SampleStatus::kSkipped;
      sample.skip_cause = cause;
      sample.reason = reason;
    }
  }

  Coverage Chosen(Operation operation) const {
    const Evidence evidence(world_.machine, world_.census, world_.samples, decision_, {});
    return CoverageOfChosen(evidence, decision_.assignments[0], operation);
  }
  Coverage Others() const {
    const Evidence evidence(world_.machine, world_.census, world_.samples, decision_, {});
    return CoverageOfOthers(evidence, decision_.assignments[0]);
  }

  World world_;
  Decision decision_;
};

bool IsWrite(const Cell& cell) { return cell.operation == Operation::kWrite; }

TEST_F(CoverageTest, AllMeasuredNeedsNoWord) {
  for (const Coverage& coverage : {Chosen(Operation::kRead), Chosen(Operation::kWrite), Others()}) {
    EXPECT_TRUE(coverage.measured);
    EXPECT_EQ(coverage.verdict, std::nullopt);
    EXPECT_EQ(coverage.sentence, "");
  }
}

TEST_F(CoverageTest, AnOperationWithoutTimeIsUndecidedAndSaysWhatToDo) {
  Miss(SkipCause::kNoTime, "no time left in the budget (--time-budget=2s)", IsWrite);
  EXPECT_EQ(Chosen(Operation::kRead).verdict, std::nullopt);
  const Coverage write = Chosen(Operation::kWrite);
  EXPECT_FALSE(write.measured);
  EXPECT_EQ(write.verdict, Verdict::kUndecided);
  EXPECT_EQ(
      write.sentence,
      "WRITE to_memory of 0000:4f:00.0 (rdmap79s0) was not measured (and 3 more): no time left "
      "in the budget (--time-budget=2s); a verdict needs both directions of every chosen NIC: "
      "raise --time-budget or select less (--nics, --places).");
}

TEST_F(CoverageTest, AnOperationThatNobodyCanDoIsARemark) {
  Miss(SkipCause::kNotPossible, "rdmap79s0 has no RDMA write", IsWrite);
  const Coverage write = Chosen(Operation::kWrite);
  EXPECT_EQ(write.verdict, std::nullopt);
  EXPECT_EQ(write.sentence, "WRITE was not judged: rdmap79s0 has no RDMA write.");
  EXPECT_EQ(Others().verdict, std::nullopt);
}

TEST_F(CoverageTest, OneThatOneChosenNicCannotDoIsUndecided) {
  Miss(SkipCause::kNotPossible, "rdmap79s0 has no RDMA write",
       [](const Cell& cell) { return IsWrite(cell) && cell.nic.address == Pci("0000:4f:00.0"); });
  const Coverage write = Chosen(Operation::kWrite);
  EXPECT_EQ(write.verdict, Verdict::kUndecided);
  EXPECT_NE(write.sentence.find("(and 1 more): rdmap79s0 has no RDMA write;"), std::string::npos)
      << write.sentence;
}

TEST_F(CoverageTest, NoRowAtAllIsNoProofThatItCannotBeDone) {
  std::erase_if(world_.samples, [](const Sample& sample) { return IsWrite(sample.cell); });
  EXPECT_EQ(Chosen(Operation::kWrite).verdict, Verdict::kUndecided);
  EXPECT_EQ(Chosen(Operation::kWrite).sentence,
            "WRITE to_memory of 0000:4f:00.0 (rdmap79s0) was not measured (and 3 more); a verdict "
            "needs both directions of every chosen NIC.");
}

TEST_F(CoverageTest, AnInterruptIsNamed) {
  Miss(SkipCause::kInterrupted, "interrupted",
       [](const Cell& cell) { return IsWrite(cell) && cell.direction == Direction::kFromMemory; });
  const Coverage write = Chosen(Operation::kWrite);
  EXPECT_EQ(write.verdict, Verdict::kUndecided);
  EXPECT_NE(write.sentence.find("(and 1 more): interrupted; a verdict"), std::string::npos);
  EXPECT_NE(write.sentence.find("chosen NIC: let the run end."), std::string::npos);
}

TEST_F(CoverageTest, AFailureIsToldBeforeWhatHadNoTime) {
  Miss(SkipCause::kNoTime, "no time", IsWrite);
  for (Sample& sample : world_.samples) {
    if (!IsWrite(sample.cell) || sample.cell.nic.address != Pci("0000:50:00.0")) continue;
    sample.status = SampleStatus::kFailed;
    sample.reason = "the device is gone";
    sample.skip_cause.reset();
  }
  const Coverage write = Chosen(Operation::kWrite);
  EXPECT_EQ(write.verdict, Verdict::kUndecided);
  EXPECT_NE(write.sentence.find("of 0000:50:00.0 (rdmap80s0) was not measured (and 3 more): the "
                                "device is gone"),
            std::string::npos)
      << write.sentence;
}

TEST_F(CoverageTest, OthersWithoutTimeCannotBeExcluded) {
  const auto others = [](const Cell& cell) {
    return cell.nic.address != Pci("0000:4f:00.0") && cell.nic.address != Pci("0000:50:00.0");
  };
  Miss(SkipCause::kNoTime, "no time", [&](const Cell& cell) {
    return others(cell) && IsWrite(cell) && cell.direction == Direction::kFromMemory &&
           cell.nic.address == Pci("0000:c9:00.0");
  });
  EXPECT_EQ(Others().verdict, Verdict::kUndecided);
  EXPECT_EQ(
      Others().sentence,
      "1 of 30 other NICs were not measured at gpu:0000:53:00.0 (WRITE from_memory, 1MiB): no "
      "time, so a better one cannot be excluded: raise --time-budget or select less (--nics, "
      "--places).");
  Miss(SkipCause::kNoTime, "no time", others);
  EXPECT_EQ(Others().sentence,
            "None of the 30 other NICs was measured at gpu:0000:53:00.0: no time, so a better one "
            "cannot be excluded: raise --time-budget or select less (--nics, --places).");
}

TEST_F(CoverageTest, OthersThatNobodyAskedForAreARemark) {
  std::erase_if(world_.samples,
                [](const Sample& sample) { return sample.cell.nic.address > Pci("0000:52:00.0"); });
  EXPECT_EQ(Others().verdict, std::nullopt);
  EXPECT_EQ(Others().sentence, "Only 2 of 30 other NICs were measured.");
}

}  // namespace
}  // namespace railgauge
