#include "lib/report/html/run_page.h"

#include <sys/stat.h>

#include <algorithm>
#include <optional>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "fmt/core.h"
#include "lib/base/counted.h"
#include "lib/base/file.h"
#include "lib/base/quoted.h"
#include "lib/base/shell_word.h"
#include "lib/placement/consistency.h"
#include "lib/placement/run_table.h"
#include "lib/report/report_file.h"
#include "lib/report/row_stream.h"
#include "lib/report/run_index.h"
#include "lib/report/run_json.h"
#include "lib/report/run_state.h"
#include "lib/topology/load.h"
#include "nlohmann/json.hpp"

namespace railgauge {
namespace {

constexpr size_t kMaxBytes = size_t{1} << 30;
constexpr char kMissing[] = "missing: the run did not get so far, or the file was not kept";

bool Exists(const std::string& path) {
  struct stat there = {};
  return ::stat(path.c_str(), &there) == 0;
}

class Reader {
 public:
  Reader(const std::string& directory, PageData& data) : directory_(directory), data_(data) {}

  void ReadRunJson() {
    PageFile file;
    file.name = "run.json";
    const std::string path = directory_ + "/" + file.name;
    if (IsThere(path, file)) {
      if (const Status status = TakeRunJson(path); !status)
        file.problem = status.error().ToString();
    }
    data_.files.push_back(std::move(file));
  }

  // "check", "load", "census"; empty where nothing says so.
  std::string command() const {
    if (command_.empty() && HasReport<GroupRow>(directory_)) return "load";
    return command_;
  }

  // The census and the windows, as far as they can be read, held to what the commands that judge
  // hold them to: what is wrong is said, and contradicted windows show as not valid.
  void ReadRecording() {
    PageFile census = ReadRows(recording_.census);
    PageFile samples = ReadRows(recording_.samples);
    recording_.run = data_.run;
    recording_.census_path = ReportPath<CensusRow>(directory_);
    recording_.samples_path = ReportPath<Sample>(directory_);
    is_whole_ = census.problem.empty() && !census.missing;
    if (is_whole_) {
      if (const Status status = CheckRecording(recording_); !status) {
        is_whole_ = false;
        const bool of_census = status.error().object.starts_with(recording_.census_path);
        AddProblem(status.error().ToString(), of_census ? census : samples);
      }
    }
    if (const size_t count = MarkContradicted(recording_); count > 0) {
      AddProblem(fmt::format("{} {}, and {} shown as not valid", Counted(count, "row"),
                             count == 1 ? "contradicts itself" : "contradict themselves",
                             count == 1 ? "is" : "are"),
                 samples);
    }
    AddTable<CensusRow>(recording_.census, census);
    AddTable<Sample>(recording_.samples, samples);
    data_.files.push_back(std::move(census));
    data_.files.push_back(std::move(samples));
  }

  // What the run worked out. `expected`: that it is not there is worth telling.
  template <typename Row>
  void Read(bool expected) {
    PageFile file;
    file.name = FileNameOf<Row>();
    file.missing = !HasReport<Row>(directory_);
    if (file.missing) {
      if (expected) file.problem = kMissing;
    } else if (auto rows =
                   ReadRunTable<Row>(directory_, data_.run, machine_ ? &*machine_ : nullptr);
               !rows) {
      file.problem = rows.error().ToString();
    } else {
      file.rows = rows->size();
      data_.tables.push_back(MakePageTable<Row>(*rows));
    }
    data_.files.push_back(std::move(file));
  }

  void ReadTopology() {
    PageFile file;
    file.name = "topology.xml";
    const std::string path = directory_ + "/" + file.name;
    if (!IsThere(path, file)) {
      data_.files.push_back(std::move(file));
      return;
    }
    if (auto machine = LoadMachineFromXml(path); !machine) {
      file.problem = machine.error().ToString();
    } else if (const Status status =
                   is_whole_ ? CheckMachine(recording_, *machine, path) : Status();
               !status) {
      file.problem = status.error().reason;
    } else {
      machine_ = *std::move(machine);
    }
    if (!file.problem.empty()) data_.files.push_back(std::move(file));
  }

  // Of a run without run.json.
  void TakeMachineFromTopology() {
    if (!data_.run_json.empty() || !machine_) return;
    RunInfo info;
    info.run = data_.run;
    info.machine = *machine_;
    // The rest of such a run.json would be made up.
    const nlohmann::ordered_json whole = nlohmann::ordered_json::parse(RunJson(info));
    data_.run_json = nlohmann::ordered_json{{"machine", whole["machine"]}}.dump();
  }

 private:
  static void AddProblem(const std::string& problem, PageFile& file) {
    file.problem += (file.problem.empty() ? "" : "; ") + problem;
  }

  // Whether there is a file to read; what is wrong otherwise is then said in `file`.
  static bool IsThere(const std::string& path, PageFile& file) {
    file.missing = !Exists(path);
    if (file.missing) {
      file.problem = kMissing;
    } else if (const Status regular = CheckRegularFile(path); !regular) {
      file.problem = regular.error().ToString();
    }
    return file.problem.empty();
  }

  Status TakeRunJson(const std::string& path) {
    RAILGAUGE_ASSIGN_OR_RETURN(std::string content, ReadRegularFile(path, kMaxBytes));
    RAILGAUGE_RETURN_IF_ERROR(CheckRunJson(content, path));
    RAILGAUGE_ASSIGN_OR_RETURN(RunState state, ParseRunState(content, path));
    data_.run_json = std::move(content);
    data_.run = std::move(state.run);
    command_ = std::move(state.command);
    return {};
  }

  // The rows up to the first that cannot be read.
  template <typename Row>
  PageFile ReadRows(std::vector<RecordedRow<Row>>& rows) {
    PageFile file;
    file.name = FileNameOf<Row>();
    const std::string path = ReportPath<Row>(directory_);
    if (!IsThere(path, file)) return file;
    if (const Status status = TakeRows(path, rows); !status) {
      file.problem = status.error().ToString();
      if (!rows.empty()) file.problem += " Shown are the rows before it.";
    } else if (EndsInsideLine(path)) {
      file.problem = "it ends inside a line, so it was cut off: what would follow is not shown";
    }
    return file;
  }

  template <typename Row>
  Status TakeRows(const std::string& path, std::vector<RecordedRow<Row>>& rows) {
    RAILGAUGE_ASSIGN_OR_RETURN(RowStream<Row> stream, RowStream<Row>::Open(path));
    has_header_.insert(std::string(FileNameOf<Row>()));
    while (true) {
      const auto there = stream.Next();
      if (!there && rows.empty()) has_header_.erase(std::string(FileNameOf<Row>()));
      if (!there) return Fail(there.error());
      if (!*there) return {};
      if (data_.run.run_id.empty()) data_.run = stream.run();
      const RunIdentity& run = data_.run;
      if (stream.run().run_id != run.run_id ||
          (!run.host.empty() && stream.run().host != run.host)) {
        return Fail(
            stream.ErrorHere("the row is of another run: " + Shortened(stream.run().run_id)));
      }
      if (stream.is_new_run()) data_.run = stream.run();
      RAILGAUGE_ASSIGN_OR_RETURN(Row row, stream.Parse());
      rows.push_back({std::move(row), stream.position().line});
    }
  }

  // Of a file that has no rows of the kind nothing is shown.
  template <typename Row>
  void AddTable(std::span<const RecordedRow<Row>> recorded, PageFile& file) {
    if (file.missing || !has_header_.contains(file.name)) return;
    std::vector<Row> rows;
    rows.reserve(recorded.size());
    for (const RecordedRow<Row>& one : recorded) rows.push_back(one.row);
    file.rows = rows.size();
    data_.tables.push_back(MakePageTable<Row>(rows));
  }

  const std::string directory_;
  PageData& data_;
  std::string command_;
  RecordedRun recording_;
  bool is_whole_ = false;             // the recording, with nothing wrong in it
  std::set<std::string> has_header_;  // files that begin as they must
  std::optional<Machine> machine_;
};

template <typename Row>
void ShowRows(std::span<const Row> rows, PageData& data) {
  PageTable made = MakePageTable<Row>(rows);
  const auto table = std::find_if(data.tables.begin(), data.tables.end(),
                                  [&](const PageTable& one) { return one.name == made.name; });
  if (table != data.tables.end()) {
    *table = std::move(made);
  } else {
    data.tables.push_back(std::move(made));
  }
  const std::string name(FileNameOf<Row>());
  const auto file = std::find_if(data.files.begin(), data.files.end(),
                                 [&](const PageFile& one) { return one.name == name; });
  if (file != data.files.end()) *file = {name, rows.size(), "", false};
}

bool HasRows(std::string_view table, const PageData& data) {
  return std::any_of(data.tables.begin(), data.tables.end(),
                     [&](const PageTable& one) { return one.name == table && one.rows > 0; });
}

}  // namespace

Result<PageData> ReadRunForPage(const std::string& directory, const std::string& generator) {
  PageData data;
  data.generator = generator;
  Reader reader(directory, data);
  reader.ReadRunJson();
  reader.ReadRecording();
  reader.ReadTopology();
  const std::string command = reader.command();
  const bool of_check = command.empty() || command == "check";
  reader.Read<SummaryRow>(of_check);
  reader.Read<PlacementRow>(of_check);
  reader.Read<InterconnectRow>(of_check);
  reader.Read<AssignmentRow>(false);
  reader.Read<GroupRow>(command == "load");
  reader.Read<Finding>(false);
  if (data.tables.empty() && data.run_json.empty()) {
    std::string why = "it holds no file of a run";
    for (const PageFile& file : data.files) {
      if (!file.missing) why = file.problem;
    }
    return Fail(MakeError("read run directory", directory, why,
                          "Give a directory that check or load wrote"));
  }
  reader.TakeMachineFromTopology();
  if (of_check && HasRows("samples", data) && !HasRows("placement", data)) {
    data.how_to_judge =
        fmt::format("railgauge report {} --placement=nearest", ShellWord(directory));
  }
  return data;
}

void ShowVerdicts(const PageVerdicts& verdicts, PageData& data) {
  ShowRows(verdicts.summary, data);
  ShowRows(verdicts.placement, data);
  ShowRows(verdicts.interconnects, data);
  ShowRows(verdicts.assignment, data);
  ShowRows(verdicts.findings, data);
  data.judged = verdicts.decision;
  data.how_to_judge.clear();
}

}  // namespace railgauge
