#include "lib/placement/decision.h"

#include <algorithm>
#include <utility>

#include "fmt/core.h"
#include "lib/base/counted.h"
#include "lib/base/file.h"
#include "lib/report/csv_reader.h"
#include "lib/topology/names.h"

namespace railgauge {
namespace {

constexpr std::string_view kHeaderAdvice =
    "Begin the file with the line consumer,nic and write one pair per line, like "
    "gpu:0000:53:00.0,0000:4f:00.0";

// `error` as an error of a line of the file.
Error AtLine(const std::string& file_name, size_t line, const Error& error) {
  std::string reason = error.operation;
  if (!error.object.empty()) reason += " " + error.object;
  return CsvError(file_name, line, reason + ": " + error.reason, error.advice);
}

Status CheckHeader(const std::string& file_name, const std::vector<CsvRecord>& records) {
  if (records.empty()) {
    return Fail(
        CsvError(file_name, 1, "the file has no header and no pair", std::string(kHeaderAdvice)));
  }
  const CsvRecord& header = records.front();
  if (header.fields == std::vector<std::string>{"consumer", "nic"}) return {};
  return Fail(CsvError(file_name, header.line, "the first line is not the header consumer,nic",
                       std::string(kHeaderAdvice)));
}

// Adds a pair to its consumer's assignment.
Status AddPair(const std::string& file_name, size_t line, const MemoryPlace& consumer,
               const NicKey& nic, Decision& decision) {
  std::vector<Assignment>& all = decision.assignments;
  auto assignment = std::find_if(all.begin(), all.end(),
                                 [&](const Assignment& a) { return a.consumer == consumer; });
  if (assignment == all.end()) assignment = all.insert(all.end(), Assignment{consumer, {}});
  if (std::find(assignment->nics.begin(), assignment->nics.end(), nic) != assignment->nics.end()) {
    return Fail(CsvError(
        file_name, line,
        fmt::format("{} is given to {} a second time", nic.address.ToString(), consumer.ToString()),
        "Remove the line"));
  }
  assignment->nics.push_back(nic);
  return {};
}

}  // namespace

bool Assignment::Uses(const PciAddress& nic) const {
  return std::any_of(nics.begin(), nics.end(),
                     [&](const NicKey& key) { return key.address == nic; });
}

std::vector<MemoryPlace> UsersOf(const Decision& decision, const PciAddress& nic) {
  std::vector<MemoryPlace> users;
  for (const Assignment& assignment : decision.assignments) {
    if (assignment.Uses(nic)) users.push_back(assignment.consumer);
  }
  return users;
}

Result<Decision> ParseDecision(std::string_view content, const std::string& file_name,
                               const Machine& machine, const std::vector<PciAddress>& cuda_order) {
  RAILGAUGE_ASSIGN_OR_RETURN(const std::vector<CsvRecord> records,
                             ParseCsv(content, file_name, {.comments = true}));
  RAILGAUGE_RETURN_IF_ERROR(CheckHeader(file_name, records));
  Decision decision{file_name, {}};
  for (size_t i = 1; i < records.size(); ++i) {
    const auto& [line, fields] = records[i];
    if (fields.size() != 2) {
      return Fail(
          CsvError(file_name, line,
                   fmt::format("the line has {} and needs 2", Counted(fields.size(), "field")),
                   "Write one consumer and one NIC per line"));
    }
    const auto consumer = ResolvePlace(machine, fields[0], cuda_order);
    if (!consumer) return Fail(AtLine(file_name, line, consumer.error()));
    const auto nic = ResolveNic(machine, fields[1]);
    if (!nic) return Fail(AtLine(file_name, line, nic.error()));
    RAILGAUGE_RETURN_IF_ERROR(AddPair(file_name, line, *consumer, *nic, decision));
  }
  if (decision.assignments.empty()) {
    return Fail(CsvError(file_name, records.front().line, "there is no pair below the header",
                         std::string(kHeaderAdvice)));
  }
  return decision;
}

Result<Decision> ReadDecisionFile(const std::string& path, const Machine& machine,
                                  const std::vector<PciAddress>& cuda_order) {
  constexpr size_t kMaxBytes = size_t{16} << 20;  // far above any machine's number of pairs
  RAILGAUGE_ASSIGN_OR_RETURN(const std::string content, ReadFile(path, kMaxBytes));
  return ParseDecision(content, path, machine, cuda_order);
}

}  // namespace railgauge
