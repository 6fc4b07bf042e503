// What somebody else wrote, as a message shows it: the one place that quotes for messages.
#ifndef RAILGAUGE_LIB_BASE_QUOTED_H_
#define RAILGAUGE_LIB_BASE_QUOTED_H_

#include <string>
#include <string_view>

namespace railgauge {

// `text` as Printable (result.h), and of bounded length: what is cut off shows as "…". Names of
// ours have at most a few dozen characters.
std::string Shortened(std::string_view text);

// The same between single quotes.
std::string Quoted(std::string_view text);

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_BASE_QUOTED_H_
