#include "lib/report/csv_reader.h"

#include "gtest/gtest.h"
#include "lib/report/csv_writer.h"

namespace railgauge {
namespace {

using Fields = std::vector<std::string>;

std::vector<Fields> FieldsOf(std::string_view content, CsvDialect dialect = {}) {
  const auto records = ParseCsv(content, "f.csv", dialect);
  EXPECT_TRUE(records) << (records ? "" : records.error().ToString());
  std::vector<Fields> all;
  if (records) {
    for (const CsvRecord& record : *records) all.push_back(record.fields);
  }
  return all;
}

std::string ErrorOf(std::string_view content, CsvDialect dialect = {}) {
  const auto records = ParseCsv(content, "f.csv", dialect);
  return records ? "no error" : records.error().ToString();
}

TEST(CsvReaderTest, FollowsTheRfc) {
  EXPECT_EQ(FieldsOf(""), std::vector<Fields>{});
  EXPECT_EQ(FieldsOf("a,b\n1,2\n"), (std::vector<Fields>{{"a", "b"}, {"1", "2"}}));
  EXPECT_EQ(FieldsOf("a,b\r\n1,2"), (std::vector<Fields>{{"a", "b"}, {"1", "2"}}));
  EXPECT_EQ(FieldsOf("a,,\n"), (std::vector<Fields>{{"a", "", ""}}));
  EXPECT_EQ(FieldsOf("\n"), (std::vector<Fields>{{""}}));
  EXPECT_EQ(FieldsOf("\"a,\"\"b\"\"\",c\n"), (std::vector<Fields>{{"a,\"b\"", "c"}}));
  EXPECT_EQ(FieldsOf("\"two\nlines\",x\ny,z\n"),
            (std::vector<Fields>{{"two\nlines", "x"}, {"y", "z"}}));
  EXPECT_EQ(FieldsOf("\"\"\n"), (std::vector<Fields>{{""}}));
  EXPECT_EQ(FieldsOf("\xef\xbb\xbf"
                     "a\n"),
            (std::vector<Fields>{{"a"}}));
  EXPECT_EQ(FieldsOf("a,"), (std::vector<Fields>{{"a", ""}}));
}

TEST(CsvReaderTest, CountsLinesThroughQuotedOnes) {
  const auto records = ParseCsv("\"1\n2\"\nb\n\nd", "f.csv");
  ASSERT_TRUE(records);
  ASSERT_EQ(records->size(), 4u);
  EXPECT_EQ((*records)[1].line, 3u);
  EXPECT_EQ((*records)[3].line, 5u);
}

TEST(CsvReaderTest, CommentsAndBlankLinesOnlyWhereAskedFor) {
  const CsvDialect people{.comments = true};
  EXPECT_EQ(FieldsOf("# x, \"\n\n \t\r\n  # y\na,#b\n#", people),
            (std::vector<Fields>{{"a", "#b"}}));
  EXPECT_EQ(FieldsOf("#a\n"), (std::vector<Fields>{{"#a"}}));
  const auto records = ParseCsv("# c\n\nx\n", "f.csv", people);
  ASSERT_TRUE(records);
  EXPECT_EQ((*records)[0].line, 3u);
}

TEST(CsvReaderTest, EveryErrorNamesTheLine) {
  EXPECT_EQ(ErrorOf("a\nb\"c\n"),
            "read f.csv:2: there is a quote inside a field without quotes. Put the field in quotes "
            "and write the quote inside it twice.");
  EXPECT_EQ(
      ErrorOf("a\n\"b\"c\n"),
      "read f.csv:2: there is text after a closing quote. Write a quote inside a field twice.");
  EXPECT_EQ(ErrorOf("a\nb,\"c\nd\n"),
            "read f.csv:2: a quote is opened and never closed. Give a CSV file as it was written: "
            "this one may be cut off, or another.");
  EXPECT_EQ(ErrorOf("a\rb\n"),
            "read f.csv:1: there is a carriage return inside a line. End lines with a line feed, "
            "alone or behind one carriage return.");
  EXPECT_EQ(ErrorOf(std::string_view("a\nb\0c\n", 6)),
            "read f.csv:2: it holds bytes that no text has, so it is no CSV file. Give a CSV file "
            "as it was written: this one may be cut off, or another.");
  EXPECT_EQ(ErrorOf("\x7f"
                    "ELF\n"),
            "read f.csv:1: it holds bytes that no text has, so it is no CSV file. Give a CSV file "
            "as it was written: this one may be cut off, or another.");
}

TEST(CsvReaderTest, ReadsWhatTheWriterWrites) {
  const Fields fields = {"", "a,b", "say \"no\"", " x ", "#y", "µs", "'"};
  EXPECT_EQ(FieldsOf(CsvLine(fields)), std::vector<Fields>{fields});
}

}  // namespace
}  // namespace railgauge
