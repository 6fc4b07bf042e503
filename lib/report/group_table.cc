#include "lib/report/group_table.h"

#include <optional>
#include <utility>
#include <vector>

#include "fmt/core.h"
#include "lib/base/result.h"

namespace railgauge {
namespace {

std::string Rate(const std::optional<BytesPerSecond>& rate) {
  return rate ? fmt::format("{:.2f}", rate->value / 1e9) : "-";
}

std::string Factor(const GroupRow& row) {
  if (!row.sharing_factor) return "-";
  std::string text = fmt::format("{:.3f}", *row.sharing_factor);
  if (row.sharing_factor_low && row.sharing_factor_high) {
    text += fmt::format(" [{:.3f}, {:.3f}]", *row.sharing_factor_low, *row.sharing_factor_high);
  }
  return text;
}

// A group of one NIC is that of its two directions.
std::string NameOf(const GroupRow& row) {
  return row.nics.size() == 1 ? fmt::format("{} {}", row.load, row.nics.front().name) : row.load;
}

std::string Colored(const GroupRow& row, std::string text, bool color) {
  if (!color || row.sharing == Sharing::kIndependent) return text;
  return (row.sharing == Sharing::kSlowed ? "\x1b[31m" : "\x1b[33m") + std::move(text) + "\x1b[0m";
}

}  // namespace

std::string FormatGroups(const std::string& title, std::span<const GroupRow> rows,
                         const MatrixOptions& options) {
  std::string table = fmt::format("{}, in GB/s\n", Printable(title));
  table += fmt::format("{:<26} {:>4} {:>8} {:>8} {:>8}  {}\n", "group", "NICs", "alone", "together",
                       "slowest", "together / alone");
  std::vector<std::pair<std::string, std::string>> sentences;  // with whom they are about
  for (const GroupRow& row : rows) {
    const std::string name = Printable(NameOf(row));
    table += fmt::format("{:<26} {:>4} {:>8} {:>8} {:>8}  {:<22} {}\n", name, row.nic_count,
                         Rate(row.alone_throughput_sum), Rate(row.throughput_sum),
                         Rate(row.slowest_throughput), Factor(row),
                         Colored(row, std::string(ToString(row.sharing)), options.color));
    if (row.sharing == Sharing::kIndependent) continue;
    const std::string sentence = Printable(row.reason);
    if (!sentences.empty() && sentences.back().second == sentence) {
      sentences.back().first += ", " + name;
    } else {
      sentences.emplace_back(name, sentence);
    }
  }
  for (const auto& [names, sentence] : sentences) {
    constexpr size_t kIndent = 4;
    table += "  " + WrapText(fmt::format("{}: {}", names, sentence), options.width - 2, kIndent);
    table += '\n';
  }
  return table;
}

}  // namespace railgauge
