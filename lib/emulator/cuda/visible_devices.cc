#include "lib/emulator/cuda/visible_devices.h"

#include <algorithm>
#include <charconv>
#include <numeric>
#include <string_view>

namespace railgauge {

std::vector<int> VisibleDevices(const char* value, int count) {
  if (value == nullptr) {
    std::vector<int> all(static_cast<size_t>(std::max(count, 0)));
    std::iota(all.begin(), all.end(), 0);
    return all;
  }
  std::vector<int> visible;
  std::string_view rest = value;
  while (true) {
    const size_t comma = rest.find(',');
    std::string_view entry = rest.substr(0, comma);
    entry.remove_prefix(std::min(entry.find_first_not_of(' '), entry.size()));
    entry = entry.substr(0, entry.find_last_not_of(' ') + 1);
    int index = -1;
    const auto [end, error] = std::from_chars(entry.data(), entry.data() + entry.size(), index);
    if (error != std::errc() || end != entry.data() + entry.size()) break;
    if (index < 0 || index >= count) break;
    if (std::find(visible.begin(), visible.end(), index) != visible.end()) break;
    visible.push_back(index);
    if (comma == std::string_view::npos) break;
    rest.remove_prefix(comma + 1);
  }
  return visible;
}

}  // namespace railgauge
