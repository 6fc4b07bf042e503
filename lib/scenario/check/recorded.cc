#include "lib/scenario/check/recorded.h"

#include <algorithm>
#include <set>
#include <utility>

#include "lib/base/file.h"
#include "lib/placement/consistency.h"
#include "lib/placement/import/import.h"
#include "lib/placement/judge.h"
#include "lib/placement/loaded.h"
#include "lib/placement/run_judgement.h"
#include "lib/report/report_file.h"
#include "lib/report/run_index.h"
#include "lib/report/run_state.h"
#include "lib/topology/load.h"

namespace railgauge {
namespace {

constexpr size_t kMaxBytes = size_t{16} << 20;

template <typename Row>
Result<std::vector<Row>> Read(const std::string& directory) {
  RAILGAUGE_ASSIGN_OR_RETURN(auto recorded, ReadReport<Row>(directory, kMaxBytes));
  return std::move(recorded.rows);
}

// Of a file that only some runs write.
template <typename Row>
Result<std::vector<Row>> ReadIfThere(const std::string& directory) {
  return HasReport<Row>(directory) ? Read<Row>(directory) : std::vector<Row>();
}

Result<std::vector<PciAddress>> ReadCudaOrder(const std::string& directory) {
  const std::string path = directory + "/run.json";
  RAILGAUGE_ASSIGN_OR_RETURN(const std::string content, ReadFile(path, kMaxBytes));
  RAILGAUGE_ASSIGN_OR_RETURN(RunState state, ParseRunState(content, path));
  return std::move(state.cuda_order);
}

Result<Machine> ReadMachine(const std::string& directory) {
  RAILGAUGE_ASSIGN_OR_RETURN(Machine machine, LoadMachineFromXml(directory + "/topology.xml"));
  RAILGAUGE_RETURN_IF_ERROR(machine.CheckHasNics());
  return machine;
}

// The census and the windows, held to what the commands hold them to.
Status ReadRun(const std::string& directory, RecordedMachine& recorded) {
  const std::string census = ReportPath<CensusRow>(directory);
  const std::string samples = ReportPath<Sample>(directory);
  RAILGAUGE_ASSIGN_OR_RETURN(const auto runs, IndexRuns(census, samples));
  if (runs.size() != 1) return Fail(MakeError("read", directory, "it is not one run"));
  RAILGAUGE_ASSIGN_OR_RETURN(RunReader reader, RunReader::Open(census, samples));
  RAILGAUGE_ASSIGN_OR_RETURN(RecordedRun run, reader.Read(runs.front()));
  RAILGAUGE_RETURN_IF_ERROR(CheckRecording(run));
  RAILGAUGE_RETURN_IF_ERROR(CheckMachine(run, recorded.machine, directory + "/topology.xml"));
  MarkContradicted(run);
  for (auto& row : run.census) recorded.census.push_back(std::move(row.row));
  for (auto& row : run.samples) recorded.samples.push_back(std::move(row.row));
  return {};
}

// The groups that rows are about. A member's cell is the one that was measured with the group's
// name.
std::vector<LoadGroup> GroupsOf(const RecordedMachine& recorded) {
  std::vector<LoadGroup> groups;
  for (const GroupRow& row : recorded.groups) {
    LoadGroup group;
    group.load = row.load;
    std::set<Cell> members;
    for (const Sample& sample : recorded.samples) {
      const Cell& cell = sample.cell;
      const bool same_nic = std::find(row.nics.begin(), row.nics.end(), cell.nic) != row.nics.end();
      const bool same_place =
          std::find(row.places.begin(), row.places.end(), cell.place) != row.places.end();
      if (cell.load != row.load || cell.operation != row.operation || cell.size != row.size ||
          (row.direction && cell.direction != *row.direction) || !same_nic || !same_place ||
          !members.insert(cell).second) {
        continue;
      }
      group.members.push_back(cell);
    }
    groups.push_back(std::move(group));
  }
  return groups;
}

}  // namespace

Result<RecordedMachine> ReadRecorded(const std::string& directory) {
  RecordedMachine recorded;
  RAILGAUGE_ASSIGN_OR_RETURN(recorded.machine, ReadMachine(directory));
  RAILGAUGE_ASSIGN_OR_RETURN(recorded.cuda_order, ReadCudaOrder(directory));
  RAILGAUGE_RETURN_IF_ERROR(ReadRun(directory, recorded));
  RAILGAUGE_ASSIGN_OR_RETURN(recorded.groups, ReadIfThere<GroupRow>(directory));
  return recorded;
}

Result<Decision> DecisionOf(const Check& check, const RecordedMachine& recorded,
                            const std::string& checks_dir) {
  if (!check.pairs.empty()) {
    return ParseDecision(check.DecisionCsv(), check.name + ".yaml", recorded.machine,
                         recorded.cuda_order);
  }
  return DecidePlacement(PlacementOf(check, checks_dir), recorded.machine, recorded.cuda_order);
}

std::string ErrorOf(const Check& check, const std::string& directory,
                    const std::string& checks_dir) {
  RecordedMachine recorded;
  auto machine = ReadMachine(directory);
  if (!machine) return machine.error().ToString();
  recorded.machine = *std::move(machine);
  const auto decision = DecisionOf(check, recorded, checks_dir);
  return decision ? "" : decision.error().ToString();
}

CheckOutcome JudgeRecorded(const RecordedMachine& recorded, const Decision& decision) {
  CheckOutcome outcome;
  outcome.census = recorded.census;
  auto [judgement, findings] =
      JudgeRun(recorded.machine, recorded.census, recorded.samples, decision);
  // As the commands do: a consumer that the run left out is not judged.
  std::set<MemoryPlace> measured;
  for (const CensusRow& row : recorded.census) measured.insert(row.place);
  std::erase_if(judgement.placement,
                [&](const PlacementRow& row) { return !measured.contains(row.consumer); });
  outcome.placement = std::move(judgement.placement);
  outcome.findings = std::move(findings);
  outcome.exit_status = ExitStatusOf(outcome.placement);
  return outcome;
}

CheckOutcome JudgeRecordedGroups(const RecordedMachine& recorded) {
  CheckOutcome outcome;
  outcome.census = recorded.census;
  const std::vector<LoadGroup> groups = GroupsOf(recorded);
  outcome.groups = JudgeGroups(recorded.machine, groups, recorded.samples);
  outcome.exit_status = ExitStatusOf(outcome.groups);
  return outcome;
}

Result<CheckOutcome> ReadOutcome(const std::string& directory, int exit_status) {
  CheckOutcome outcome;
  RAILGAUGE_ASSIGN_OR_RETURN(outcome.census, Read<CensusRow>(directory));
  RAILGAUGE_ASSIGN_OR_RETURN(outcome.placement, ReadIfThere<PlacementRow>(directory));
  RAILGAUGE_ASSIGN_OR_RETURN(outcome.groups, ReadIfThere<GroupRow>(directory));
  RAILGAUGE_ASSIGN_OR_RETURN(outcome.findings, ReadIfThere<Finding>(directory));
  outcome.exit_status = exit_status;
  return outcome;
}

}  // namespace railgauge
