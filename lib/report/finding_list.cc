#include "lib/report/finding_list.h"

#include <algorithm>
#include <functional>
#include <map>
#include <sstream>
#include <string_view>

#include "fmt/core.h"
#include "lib/base/counted.h"
#include "lib/base/result.h"

namespace railgauge {
namespace {

constexpr size_t kShown = 3;           // of one kind
constexpr size_t kSeverityWidth = 15;  // as the verdicts have it
constexpr std::string_view kIndent = "    ";

int ColorOf(Severity severity) {
  return severity == Severity::kError ? 31 : severity == Severity::kWarning ? 33 : 36;
}

void AddIndented(const std::string& text, size_t width, std::string& out) {
  std::istringstream lines(WrapText(text, width - kIndent.size(), 0));
  for (std::string line; std::getline(lines, line);) out += std::string(kIndent) + line + "\n";
}

}  // namespace

std::string FormatFindings(std::span<const Finding> findings, const MatrixOptions& options) {
  RAILGAUGE_CHECK(options.width > kIndent.size());
  if (findings.empty()) return "";
  std::map<std::string_view, size_t> of_kind, shown;
  std::map<Severity, size_t, std::greater<>> of_severity;
  for (const Finding& finding : findings) {
    ++of_kind[finding.kind];
    ++of_severity[finding.severity];
  }
  std::string out = "findings:\n";
  for (const Finding& finding : findings) {
    const size_t number = ++shown[finding.kind];
    if (number > kShown) {
      if (number == of_kind[finding.kind]) {
        out += fmt::format("{}and {} more {}: see findings.csv\n", kIndent, number - kShown,
                           Printable(finding.kind));
      }
      continue;
    }
    std::string severity(ToString(finding.severity));
    const std::string padding(kSeverityWidth - std::min(kSeverityWidth, severity.size()), ' ');
    if (options.color) {
      severity = fmt::format("\x1b[{}m{}\x1b[0m", ColorOf(finding.severity), severity);
    }
    out += severity + padding + Printable(finding.kind) + "\n";
    AddIndented(Printable(finding.sentence), options.width, out);
  }
  std::string line;
  for (const auto& [severity, count] : of_severity) {
    line += (line.empty() ? "" : ", ") + Counted(count, ToString(severity));
  }
  return out + line + "\n";
}

}  // namespace railgauge
