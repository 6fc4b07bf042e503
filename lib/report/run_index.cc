#include "lib/report/run_index.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <map>
#include <string_view>
#include <utility>

#include "fmt/core.h"
#include "lib/base/quoted.h"
#include "lib/base/unique_fd.h"
#include "lib/report/csv_writer.h"

namespace railgauge {
namespace {

class Indexer {
 public:
  explicit Indexer(size_t max_pieces) : max_pieces_(max_pieces) {}

  // Adds the rows of a file to `pieces` of their runs.
  Status Add(RecordStream& stream, std::vector<RowPiece> IndexedRun::*pieces);

  std::vector<IndexedRun> Take() { return std::move(runs_); }

 private:
  // The index of the row's run in runs_.
  Result<size_t> RunOf(const RecordStream& stream);

  const size_t max_pieces_;
  size_t piece_count_ = 0;
  std::vector<IndexedRun> runs_;
  std::map<std::pair<std::string, std::string>, size_t> known_;  // by run_id and host
};

Result<size_t> Indexer::RunOf(const RecordStream& stream) {
  const RunIdentity& run = stream.run();
  const auto [entry, is_new] = known_.try_emplace({run.run_id, run.host}, runs_.size());
  if (is_new) {
    runs_.push_back({run, {}, {}});
    return entry->second;
  }
  const RunIdentity& first = runs_[entry->second].run;
  for (const Column<RunIdentity>& column : ColumnsOf<RunIdentity>()) {
    const std::string here = column.print(run), before = column.print(first);
    if (here == before) continue;
    return Fail(
        CsvError(stream.name(), stream.position().line,
                 fmt::format("{} is '{}', and '{}' in other rows of the same run '{}' of host '{}'",
                             column.name, Shortened(here), Shortened(before), Shortened(run.run_id),
                             Shortened(run.host)),
                 "Give the files as they were written: rows of different machines were mixed"));
  }
  return entry->second;
}

Status Indexer::Add(RecordStream& stream, std::vector<RowPiece> IndexedRun::*pieces) {
  std::vector<RowPiece>* current = nullptr;
  while (true) {
    RAILGAUGE_ASSIGN_OR_RETURN(const bool there, stream.Next());
    if (!there) return {};
    if (current == nullptr || stream.is_new_run()) {
      RAILGAUGE_ASSIGN_OR_RETURN(const size_t run, RunOf(stream));
      current = &(runs_[run].*pieces);
      if (++piece_count_ > max_pieces_) {
        return Fail(CsvError(
            stream.name(), stream.position().line,
            fmt::format("rows of {} runs take turns, more than {} times", runs_.size(),
                        max_pieces_),
            fmt::format("Sort its rows by run: (head -n 1 {0}; tail -n +2 {0} | sort -s -t, -k2,3) "
                        ">sorted.csv",
                        Printable(stream.name()))));
      }
      current->push_back({stream.place(), 0});
    }
    current->back().rows += 1 + stream.PassOverRowsOfRun();
  }
}

template <typename Row>
Status ReadPieces(const std::vector<RowPiece>& pieces, RowStream<Row>& stream,
                  std::vector<RecordedRow<Row>>& rows) {
  size_t count = 0;
  for (const RowPiece& piece : pieces) count += piece.rows;
  rows.reserve(count);
  for (const RowPiece& piece : pieces) {
    stream.Seek(piece.begin);
    for (uint64_t i = 0; i < piece.rows; ++i) {
      RAILGAUGE_ASSIGN_OR_RETURN(const bool there, stream.Next());
      if (!there) return Fail(stream.ErrorHere("the file has become shorter meanwhile"));
      RAILGAUGE_ASSIGN_OR_RETURN(Row row, stream.Parse());
      rows.push_back({std::move(row), stream.position().line});
    }
  }
  return {};
}

template <typename Row>
Result<RowStream<Row>> OpenRows(const std::string& path, Absent absent) {
  if (absent == Absent::kIsEmpty && ::access(path.c_str(), F_OK) != 0 && errno == ENOENT) {
    static const std::string kHeader = CsvLine(HeaderFields<Row>());
    return RowStream<Row>(CsvStream::OfText(kHeader, path));
  }
  return RowStream<Row>::Open(path);
}

}  // namespace

Result<std::vector<IndexedRun>> IndexRuns(const std::string& census_path,
                                          const std::string& samples_path, size_t max_pieces,
                                          Absent absent) {
  RAILGAUGE_ASSIGN_OR_RETURN(auto census, OpenRows<CensusRow>(census_path, absent));
  RAILGAUGE_ASSIGN_OR_RETURN(auto samples, OpenRows<Sample>(samples_path, absent));
  Indexer indexer(max_pieces);
  RAILGAUGE_RETURN_IF_ERROR(indexer.Add(census, &IndexedRun::census));
  // samples.csv grows row by row, and a crash may cut its last one off; census.csv comes whole.
  if (census.cut_off()) {
    return Fail(MakeError("read", census_path, "it ends inside a line, so it was cut off",
                          "Copy the run directory again"));
  }
  RAILGAUGE_RETURN_IF_ERROR(indexer.Add(samples, &IndexedRun::samples));
  return indexer.Take();
}

bool EndsInsideLine(const std::string& path) {
  // Readers open regular files only, and have said so before.
  const UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file.valid()) return false;
  const off_t size = ::lseek(file.get(), 0, SEEK_END);
  char last = '\n';
  return size > 0 && ::pread(file.get(), &last, 1, size - 1) == 1 && last != '\n';
}

Result<RunReader> RunReader::Open(const std::string& census_path, const std::string& samples_path,
                                  Absent absent) {
  RAILGAUGE_ASSIGN_OR_RETURN(auto census, OpenRows<CensusRow>(census_path, absent));
  RAILGAUGE_ASSIGN_OR_RETURN(auto samples, OpenRows<Sample>(samples_path, absent));
  return RunReader(std::move(census), std::move(samples));
}

Result<RecordedRun> RunReader::Read(const IndexedRun& run) {
  RecordedRun recorded{run.run, census_.name(), samples_.name(), {}, {}};
  RAILGAUGE_RETURN_IF_ERROR(ReadPieces(run.census, census_, recorded.census));
  RAILGAUGE_RETURN_IF_ERROR(ReadPieces(run.samples, samples_, recorded.samples));
  return recorded;
}

}  // namespace railgauge
