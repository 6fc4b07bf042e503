#include "lib/report/html/run_page.h"

#include <sys/stat.h>

#include "fmt/core.h"
#include "lib/base/file.h"
#include "lib/report/report_file.h"
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

  // `expected`: that the file is not there is worth telling.
  template <typename Row>
  void Read(bool expected) {
    PageFile file;
    file.name = FileNameOf<Row>();
    file.missing = !HasReport<Row>(directory_);
    if (file.missing) {
      if (expected) file.problem = kMissing;
    } else if (const Status status = ReadTable<Row>(file); !status) {
      file.problem = status.error().ToString();
    }
    data_.files.push_back(std::move(file));
  }

  void ReadRunJson() {
    PageFile file;
    file.name = "run.json";
    const std::string path = directory_ + "/" + file.name;
    file.missing = !Exists(path);
    if (file.missing) {
      file.problem = kMissing;
    } else if (const auto content = ReadRegularFile(path, kMaxBytes); !content) {
      file.problem = content.error().ToString();
    } else if (const Status status = CheckRunJson(*content, path); !status) {
      file.problem = status.error().ToString();
    } else if (const auto state = ParseRunState(*content, path); !state) {
      file.problem = state.error().ToString();
    } else {
      data_.run_json = *content;
      data_.run = state->run;
    }
    data_.files.push_back(std::move(file));
  }

  // Of a run without run.json.
  void TakeMachineFromTopology() {
    const std::string path = directory_ + "/topology.xml";
    if (!data_.run_json.empty() || !Exists(path)) return;
    const auto machine = LoadMachineFromXml(path);  // a regular file, or an error
    if (!machine) {
      data_.files.push_back(
          {"topology.xml", std::nullopt, machine.error().ToString(), /*missing=*/false});
      return;
    }
    RunInfo info;
    info.run = data_.run;
    info.machine = *machine;
    // The rest of such a run.json would be made up.
    const nlohmann::ordered_json whole = nlohmann::ordered_json::parse(RunJson(info));
    data_.run_json = nlohmann::ordered_json{{"machine", whole["machine"]}}.dump();
  }

 private:
  template <typename Row>
  Status ReadTable(PageFile& file) {
    RAILGAUGE_ASSIGN_OR_RETURN(const Recorded<Row> recorded,
                               ReadReport<Row>(directory_, kMaxBytes));
    if (!recorded.rows.empty()) {
      if (data_.run.run_id.empty()) data_.run = recorded.run;
      if (recorded.run.run_id != data_.run.run_id) {
        return Fail(MakeError("read", ReportPath<Row>(directory_),
                              "it is of another run: " + recorded.run.run_id));
      }
    }
    file.rows = recorded.rows.size();
    data_.tables.push_back(MakePageTable<Row>(recorded.rows));
    return {};
  }

  const std::string directory_;
  PageData& data_;
};

}  // namespace

Result<PageData> ReadRunForPage(const std::string& directory, const std::string& generator) {
  PageData data;
  data.generator = generator;
  Reader reader(directory, data);
  const bool of_load = HasReport<GroupRow>(directory);
  reader.ReadRunJson();
  reader.Read<CensusRow>(true);
  reader.Read<Sample>(true);
  reader.Read<SummaryRow>(!of_load);
  reader.Read<PlacementRow>(!of_load);
  reader.Read<InterconnectRow>(!of_load);
  reader.Read<AssignmentRow>(false);
  reader.Read<GroupRow>(false);
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
  return data;
}

}  // namespace railgauge
