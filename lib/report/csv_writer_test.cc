#include "lib/report/csv_writer.h"

#include <vector>

#include "gtest/gtest.h"

namespace railgauge {
namespace {

TEST(CsvWriterTest, QuotesOnlyWhatNeedsIt) {
  const struct {
    const char* field;
    const char* written;
  } cases[] = {
      {"", ""},           {"gpu:0000:53:00.0", "gpu:0000:53:00.0"},       {"a;b", "a;b"},
      {"a,b", "\"a,b\""}, {"say \"no\"", "\"say \"\"no\"\"\""},           {" x", "\" x\""},
      {"#x", "\"#x\""},   {"two\nlines\r\t\x1b[31m", "two?lines???[31m"}, {"µs", "µs"},
  };
  for (const auto& c : cases) EXPECT_EQ(CsvField(c.field), c.written);
}

TEST(CsvWriterTest, ARecordIsOneLine) {
  EXPECT_EQ(CsvLine(std::vector<std::string>{"a", "", "b,c"}), "a,,\"b,c\"\n");
  EXPECT_EQ(CsvLine(std::vector<std::string>{""}), "\n");
}

}  // namespace
}  // namespace railgauge
