#include "lib/placement/decision.h"

#include "gtest/gtest.h"
#include "lib/base/file.h"
#include "lib/topology/machine_testutil.h"

namespace railgauge {
namespace {

std::string ErrorOf(std::string_view content) {
  const auto decision = ParseDecision(content, "d.csv", MakeP5(), {Pci("0000:64:00.0")});
  return decision ? "no error" : decision.error().ToString();
}

bool StartsWith(const std::string& text, std::string_view start) { return text.starts_with(start); }

TEST(DecisionTest, ReadsEverySpelling) {
  const auto decision = ParseDecision(
      "# two NICs for one GPU\n\nconsumer,nic\ngpu:0000:53:00.0,0000:4f:00.0\n"
      "gpu:0000:53:00.0,rdmap80s0\n# and more\ngpu0,rdmap96s0\r\nnuma1,0000:c6:00.0",
      "d.csv", MakeP5(), {Pci("0000:64:00.0"), Pci("0000:53:00.0")});
  ASSERT_TRUE(decision) << decision.error().ToString();
  EXPECT_EQ(decision->source, "d.csv");
  ASSERT_EQ(decision->assignments.size(), 3u);
  const Assignment& first = decision->assignments[0];
  EXPECT_EQ(first.consumer.ToString(), "gpu:0000:53:00.0");
  EXPECT_EQ(first.nics, (std::vector<NicKey>{{Pci("0000:4f:00.0"), "rdmap79s0"},
                                             {Pci("0000:50:00.0"), "rdmap80s0"}}));
  EXPECT_EQ(decision->assignments[1].consumer.ToString(), "gpu:0000:64:00.0");
  EXPECT_EQ(decision->assignments[2].consumer.ToString(), "numa1");
  EXPECT_EQ(UsersOf(*decision, Pci("0000:50:00.0")),
            std::vector{MemoryPlace::Gpu(Pci("0000:53:00.0"))});
  EXPECT_TRUE(UsersOf(*decision, Pci("0000:51:00.0")).empty());
}

// What CUDA_VISIBLE_DEVICES does to ordinals changes their meaning and nothing else.
TEST(DecisionTest, OrdinalsCountInTheOrderOfCuda) {
  const std::vector<PciAddress> orders[] = {{Pci("0000:53:00.0"), Pci("0000:ca:00.0")},
                                            {Pci("0000:ca:00.0"), Pci("0000:53:00.0")}};
  const char* consumers[] = {"gpu1", "gpu0"};
  for (size_t i = 0; i < 2; ++i) {
    const auto decision =
        ParseDecision(std::string("consumer,nic\n") + consumers[i] + ",0000:c6:00.0\n", "d.csv",
                      MakeP5(), orders[i]);
    ASSERT_TRUE(decision);
    EXPECT_EQ(decision->assignments[0].consumer.ToString(), "gpu:0000:ca:00.0");
  }
}

TEST(DecisionTest, EveryErrorIsOneLineWithFileAndLine) {
  const struct {
    const char* content;
    const char* start;
  } cases[] = {
      {"", "read d.csv:1: the file has no header and no pair. Begin the file with"},
      {"# only this\n", "read d.csv:1: the file has no header and no pair"},
      {"consumer,nic\n", "read d.csv:1: there is no pair below the header"},
      {"gpu:0000:53:00.0,0000:4f:00.0\n",
       "read d.csv:1: the first line is not the header consumer,nic"},
      {"\nnic,consumer\n", "read d.csv:2: the first line is not the header consumer,nic"},
      {"consumer,nic\nnuma0\n", "read d.csv:2: the line has 1 field and needs 2"},
      {"consumer,nic\nnuma0,rdmap79s0,x\n", "read d.csv:2: the line has 3 fields and needs 2"},
      {"consumer,nic\nnuma0,rdmap79s0\nnuma0,0000:4f:00.0\n",
       "read d.csv:3: 0000:4f:00.0 is given to numa0 a second time"},
      {"consumer,nic\nnuma7,rdmap79s0\n", "read d.csv:2: "},
      {"consumer,nic\ngpu:0000:54:00.0,rdmap79s0\n", "read d.csv:2: "},
      {"consumer,nic\ngpu5,rdmap79s0\n", "read d.csv:2: "},
      {"consumer,nic\n,rdmap79s0\n", "read d.csv:2: "},
      {"consumer,nic\nnuma0,\n", "read d.csv:2: "},
      {"consumer,nic\nnuma0,rdmap7\n", "read d.csv:2: "},
      {"consumer,nic\nnuma0,\"rdmap79s0\n", "read d.csv:2: a quote is opened and never closed"},
      {"\x7f"
       "ELF\x02\x01",
       "read d.csv:1: it holds bytes that no text has"},
  };
  for (const auto& c : cases) {
    const std::string error = ErrorOf(c.content);
    EXPECT_TRUE(StartsWith(error, c.start)) << c.content << "\n" << error;
    EXPECT_EQ(error.find('\n'), std::string::npos);
  }
}

TEST(DecisionTest, APrefixIsNoName) {
  const std::string error = ErrorOf("consumer,nic\nnuma0,rdmap79\n");
  EXPECT_NE(error.find("'rdmap79'"), std::string::npos) << error;
  EXPECT_NE(error.find("rdmap79s0"), std::string::npos) << "the nearest name: " << error;
}

TEST(DecisionTest, ReadsFiles) {
  const std::string path = testing::TempDir() + "/decision.csv";
  ASSERT_TRUE(WriteFileAtomically(path, "consumer,nic\nnuma0,rdmap79s0\n"));
  ASSERT_TRUE(ReadDecisionFile(path, MakeP5()));
  EXPECT_EQ(ReadDecisionFile(path, MakeP5())->source, path);
  const auto missing = ReadDecisionFile(path + ".not", MakeP5());
  ASSERT_FALSE(missing);
  EXPECT_EQ(
      missing.error().ToString(),
      "open " + path + ".not: ENOENT (No such file or directory). Check how the path is spelled.");
  const auto directory = ReadDecisionFile(testing::TempDir(), MakeP5());
  ASSERT_FALSE(directory);
}

}  // namespace
}  // namespace railgauge
