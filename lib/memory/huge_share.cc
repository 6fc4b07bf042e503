#include "lib/memory/huge_share.h"

#include <charconv>
#include <system_error>

namespace railgauge {
namespace {

// "55d0c0000000-55d0c0200000 rw-p …": the head of an area.
bool ReadHead(std::string_view line, uint64_t* begin, uint64_t* end) {
  const char* const last = line.data() + line.size();
  const auto first = std::from_chars(line.data(), last, *begin, 16);
  if (first.ec != std::errc() || first.ptr == last || *first.ptr != '-') return false;
  const auto second = std::from_chars(first.ptr + 1, last, *end, 16);
  return second.ec == std::errc() && second.ptr != last && *second.ptr == ' ';
}

// "AnonHugePages:    212992 kB": KiB, when the line has this name.
std::optional<uint64_t> ReadField(std::string_view line, std::string_view name) {
  if (!line.starts_with(name) || line.size() <= name.size() || line[name.size()] != ':') {
    return std::nullopt;
  }
  line.remove_prefix(name.size() + 1);
  while (line.starts_with(' ')) line.remove_prefix(1);
  uint64_t value = 0;
  const auto read = std::from_chars(line.data(), line.data() + line.size(), value);
  if (read.ec != std::errc()) return std::nullopt;
  return value;
}

}  // namespace

std::optional<double> HugeShareOf(std::string_view smaps, uint64_t begin, uint64_t end) {
  uint64_t size = 0, huge = 0;
  bool inside = false;
  while (!smaps.empty()) {
    const size_t length = smaps.find('\n');
    const std::string_view line = smaps.substr(0, length);
    smaps.remove_prefix(length == std::string_view::npos ? smaps.size() : length + 1);
    uint64_t area_begin = 0, area_end = 0;
    if (ReadHead(line, &area_begin, &area_end)) {
      inside = area_begin < end && begin < area_end;
      continue;
    }
    if (!inside) continue;
    if (const auto kibibytes = ReadField(line, "Size")) size += *kibibytes;
    for (const char* name : {"AnonHugePages", "Private_Hugetlb", "Shared_Hugetlb"}) {
      if (const auto kibibytes = ReadField(line, name)) huge += *kibibytes;
    }
  }
  if (size == 0) return std::nullopt;
  return static_cast<double>(huge) / static_cast<double>(size);
}

}  // namespace railgauge
