// "1 place", "2 places": a number and what it counts, for people.
#ifndef RAILGAUGE_LIB_BASE_COUNTED_H_
#define RAILGAUGE_LIB_BASE_COUNTED_H_

#include <cstdint>
#include <string>
#include <string_view>

namespace railgauge {

// For nouns whose plural is made by an s.
inline std::string Counted(uint64_t count, std::string_view noun) {
  return std::to_string(count) + " " + std::string(noun) + (count == 1 ? "" : "s");
}

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_BASE_COUNTED_H_
