#include "lib/placement/run_table.h"

#include "fmt/core.h"
#include "lib/base/quoted.h"
#include "lib/placement/sentences.h"
#include "lib/report/csv_record.h"

namespace railgauge {
namespace internal {
namespace {

constexpr char kAsWritten[] = "Give the run directory as it was written, or remove the file";

std::string NameOfRun(const RunIdentity& run) {
  return fmt::format("run '{}' of host '{}'", Shortened(run.run_id), Shortened(run.host));
}

}  // namespace

Status CheckSameRun(const RunIdentity& found, const RunIdentity& run, const std::string& path,
                    size_t line) {
  if (run.run_id.empty()) return {};
  if (found.run_id == run.run_id && (run.host.empty() || found.host == run.host)) return {};
  return Fail(CsvError(path, line,
                       fmt::format("the row is of {}, and the rows beside it are of {}",
                                   NameOfRun(found), NameOfRun(run)),
                       kAsWritten));
}

Status CheckNicsAreThere(const std::vector<NicKey>& nics, const Machine* machine,
                         const std::string& path, size_t line) {
  if (machine == nullptr) return {};
  for (const NicKey& nic : nics) {
    if (machine->FindNic(nic.address) != nullptr) continue;
    return Fail(CsvError(
        path, line,
        fmt::format("the machine has no NIC {}, so the row is of another one", NameOf(nic)),
        kAsWritten));
  }
  return {};
}

Error CutOff(const std::string& path) {
  return MakeError("read", path, "it ends inside a line, so it was cut off", kAsWritten);
}

Error BadRow(const std::string& path, size_t line, std::string reason) {
  return CsvError(path, line, std::move(reason), kAsWritten);
}

Error DoubledRow(const std::string& path, size_t line, size_t before) {
  return CsvError(path, line, fmt::format("it is about the same as line {}", before), kAsWritten);
}

}  // namespace internal

namespace {

template <typename Row>
Status CheckTableIsOf(const RunIdentity& run, const std::string& directory) {
  if (!HasReport<Row>(directory)) return {};
  RAILGAUGE_ASSIGN_OR_RETURN(RowStream<Row> stream,
                             RowStream<Row>::Open(ReportPath<Row>(directory)));
  RAILGAUGE_ASSIGN_OR_RETURN(const bool there, stream.Next());
  if (!there) return {};
  return internal::CheckSameRun(stream.run(), run, stream.name(), stream.position().line);
}

}  // namespace

Status CheckTablesAreOf(const RunIdentity& run, const std::string& directory) {
  for (const auto& check :
       {CheckTableIsOf<SummaryRow>, CheckTableIsOf<PlacementRow>, CheckTableIsOf<InterconnectRow>,
        CheckTableIsOf<AssignmentRow>, CheckTableIsOf<Finding>, CheckTableIsOf<GroupRow>}) {
    RAILGAUGE_RETURN_IF_ERROR(check(run, directory));
  }
  return {};
}

}  // namespace railgauge
