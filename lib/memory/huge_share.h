// HugeShare: how much of a range the kernel backs by huge pages.
#ifndef RAILGAUGE_LIB_MEMORY_HUGE_SHARE_H_
#define RAILGAUGE_LIB_MEMORY_HUGE_SHARE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace railgauge {

// The part (0…1) of the memory areas that hold [begin, end) which is in huge pages, of whichever
// kind. `smaps` is the text of /proc/self/smaps. Empty when it does not show the range.
std::optional<double> HugeShareOf(std::string_view smaps, uint64_t begin, uint64_t end);

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_MEMORY_HUGE_SHARE_H_
