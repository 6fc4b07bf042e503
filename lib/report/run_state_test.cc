#include "lib/report/run_state.h"

#include "gtest/gtest.h"
#include "lib/report/run_json.h"

namespace railgauge {
namespace {

const PciAddress kGpus[] = {{0, 0x53, 0, 0}, {0, 0x64, 0, 0}};

// CUDA numbers the second GPU first, as CUDA_VISIBLE_DEVICES=1,0 does.
RunInfo PermutedRun() {
  RunInfo info;
  info.run.run_id = "r1";
  info.cuda.push_back({kGpus[0], 1, "", {}, {}});
  info.cuda.push_back({kGpus[1], 0, "", {}, {}});
  return info;
}

TEST(RunStateTest, ReadsWhatARunWrites) {
  RunInfo info = PermutedRun();
  const auto running = ParseRunState(RunJson(info), "run.json");
  ASSERT_TRUE(running) << running.error().ToString();
  EXPECT_EQ(running->run_id, "r1");
  EXPECT_FALSE(running->ended);
  EXPECT_EQ(running->cuda_order, (std::vector<PciAddress>{kGpus[1], kGpus[0]}));

  info.end = info.start;
  info.cuda.clear();
  const auto ended = ParseRunState(RunJson(info), "run.json");
  ASSERT_TRUE(ended);
  EXPECT_TRUE(ended->ended);
  EXPECT_TRUE(ended->cuda_order.empty());
}

TEST(RunStateTest, AnotherFileIsOneLine) {
  const std::string whole = RunJson(PermutedRun());
  for (const std::string& content :
       {std::string(), std::string("[]"), std::string("{}"), whole.substr(0, whole.size() / 2),
        std::string(100'000, '['), std::string("{\"run_id\":\"r\",\"cuda_order\":[3]}")}) {
    const auto state = ParseRunState(content, "run.json");
    ASSERT_FALSE(state);
    EXPECT_TRUE(state.error().ToString().starts_with("read run.json: "));
  }
}

}  // namespace
}  // namespace railgauge
