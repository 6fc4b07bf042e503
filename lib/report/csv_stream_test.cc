#include "lib/report/csv_stream.h"

#include <sys/stat.h>

#include <fstream>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "lib/report/csv_reader.h"

namespace railgauge {
namespace {

using Fields = std::vector<std::string>;

std::string Written(std::string_view content) {
  const std::string path = testing::TempDir() + "/stream.csv";
  std::ofstream(path, std::ios::binary | std::ios::trunc) << content;
  return path;
}

struct Read {
  std::vector<Fields> records;
  std::vector<CsvStream::Position> positions;
  std::string error;
  bool cut_off = false;
};

Read ReadAll(Result<CsvStream> stream) {
  Read read;
  while (stream) {
    const Result<bool> there = stream->Next();
    if (!there) read.error = there.error().ToString();
    if (!there || !*there) break;
    read.records.emplace_back(stream->fields().begin(), stream->fields().end());
    read.positions.push_back(stream->position());
  }
  if (!stream) read.error = stream.error().ToString();
  read.cut_off = stream && stream->cut_off();
  return read;
}

Read ReadFileOf(std::string_view content) { return ReadAll(CsvStream::Open(Written(content))); }

TEST(CsvStreamTest, ReadsWhatTheReaderOfWholeTextsReads) {
  for (const std::string content :
       {"", "a,b\n1,2\n", "a,,\r\n\n", "\"a,\"\"b\"\"\",c\n", "\"two\nlines\",x\ny,z\n",
        "\xef\xbb\xbfhead\nrow\n", "\"\"\n"}) {
    const auto whole = ParseCsv(content, "f.csv");
    ASSERT_TRUE(whole);
    for (const Read& read : {ReadFileOf(content), ReadAll(CsvStream::OfText(content, "f.csv"))}) {
      EXPECT_EQ(read.error, "");
      ASSERT_EQ(read.records.size(), whole->size()) << content;
      for (size_t i = 0; i < whole->size(); ++i) {
        EXPECT_EQ(read.records[i], (*whole)[i].fields);
        EXPECT_EQ(read.positions[i].line, (*whole)[i].line);
      }
    }
  }
}

// Records of all lengths, some with quotes, lie across the ends of the buffer in every way.
TEST(CsvStreamTest, RecordsLieAcrossTheBuffersEnds) {
  std::string content;
  std::vector<Fields> expected;
  for (size_t i = 0; content.size() < size_t{3} << 20; ++i) {
    const std::string text(i % 997, static_cast<char>('a' + i % 26));
    if (i % 3 == 0) {
      content += std::to_string(i) + ",\"" + text + "\"\"\n\"," + text + "\n";
      expected.push_back({std::to_string(i), text + "\"\n", text});
    } else {
      content += std::to_string(i) + "," + text + ",\r\n";
      expected.push_back({std::to_string(i), text, ""});
    }
  }
  const Read read = ReadFileOf(content);
  EXPECT_EQ(read.error, "");
  ASSERT_EQ(read.records.size(), expected.size());
  EXPECT_EQ(read.records, expected);

  // And each of them can be come back to.
  auto stream = CsvStream::Open(Written(content));
  ASSERT_TRUE(stream);
  for (size_t i = 0; i < expected.size(); i = 2 * i + 1) {
    const size_t at = expected.size() - 1 - i;
    stream->Seek(read.positions[at]);
    const Result<bool> there = stream->Next();
    ASSERT_TRUE(there && *there);
    EXPECT_EQ(Fields(stream->fields().begin(), stream->fields().end()), expected[at]);
    EXPECT_EQ(stream->position().line, read.positions[at].line);
  }
}

TEST(CsvStreamTest, DropsWhatACrashCutOff) {
  const Read cut = ReadFileOf("a,b\n1,2\n1,\"un");
  EXPECT_EQ(cut.records, (std::vector<Fields>{{"a", "b"}, {"1", "2"}}));
  EXPECT_TRUE(cut.cut_off);
  EXPECT_EQ(ReadFileOf("a,b").records, std::vector<Fields>{});
  EXPECT_FALSE(ReadFileOf("a,b\n").cut_off);
}

TEST(CsvStreamTest, EveryErrorNamesTheLine) {
  EXPECT_NE(ReadFileOf("a\nb\"c\n").error.find("stream.csv:2: there is a quote inside"),
            std::string::npos);
  EXPECT_NE(ReadFileOf("a\nb,\"c\nd\n").error.find("stream.csv:2: a quote is opened and never"),
            std::string::npos);
  EXPECT_NE(ReadFileOf("\x7f"
                       "ELF\n")
                .error.find("stream.csv:1: it holds bytes that no text has"),
            std::string::npos);
  // A line without an end is refused before it fills the memory.
  EXPECT_NE(
      ReadFileOf("a\n" + std::string(size_t{9} << 20, 'x')).error.find("stream.csv:2: there is"),
      std::string::npos);
}

TEST(CsvStreamTest, OnlyRegularFiles) {
  EXPECT_NE(ReadAll(CsvStream::Open("/nowhere/samples.csv")).error.find("ENOENT"),
            std::string::npos);
  EXPECT_NE(ReadAll(CsvStream::Open(testing::TempDir())).error.find("not a regular file"),
            std::string::npos);
  const std::string fifo = testing::TempDir() + "/stream.fifo";
  ::mkfifo(fifo.c_str(), 0600);
  EXPECT_NE(ReadAll(CsvStream::Open(fifo)).error.find("not a regular file"), std::string::npos);
}

}  // namespace
}  // namespace railgauge
