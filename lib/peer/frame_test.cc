#include "lib/peer/frame.h"

#include <random>
#include <vector>

#include "gtest/gtest.h"

namespace railgauge {
namespace {

TEST(FrameTest, SurvivesEverySplit) {
  const std::vector<std::string> messages = {
      "", "a", std::string(300, 'b'), "", std::string(kMaxMessageBytes, 'c'), "d"};
  std::string stream;
  for (const std::string& message : messages) stream += FrameOf(message);
  std::mt19937_64 random(1);
  for (int round = 0; round < 50; ++round) {
    FrameReader reader;
    std::vector<std::string> read;
    for (size_t at = 0; at < stream.size();) {
      const size_t step = 1 + random() % (round < 5 ? 3 : 40000);
      reader.Append(std::string_view(stream).substr(at, step));
      at += step;
      while (auto message = reader.Next()) read.push_back(*std::move(message));
    }
    ASSERT_EQ(read, messages);
    EXPECT_FALSE(reader.broken());
  }
}

TEST(FrameTest, TooLongIsBrokenAtOnceAndKeepsNothing) {
  FrameReader reader;
  std::string header = FrameOf("");
  header[1] = 1;  // 65536
  header[3] = 1;  // and one
  reader.Append(FrameOf("first") + header);
  EXPECT_EQ(reader.Next(), "first");
  EXPECT_EQ(reader.Next(), std::nullopt);
  EXPECT_TRUE(reader.broken());
  reader.Append(FrameOf("more"));
  EXPECT_EQ(reader.Next(), std::nullopt);
}

}  // namespace
}  // namespace railgauge
