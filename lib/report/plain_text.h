// Text from outside (names, reasons) made fit for formats that take UTF-8 only, and no control
// characters: XML 1.0 cannot even escape them.
#ifndef RAILGAUGE_LIB_REPORT_PLAIN_TEXT_H_
#define RAILGAUGE_LIB_REPORT_PLAIN_TEXT_H_

#include <string>
#include <string_view>

namespace railgauge {

// `text` with every byte that is part of no valid UTF-8 character, and every character that XML 1.0
// forbids, replaced by '?'. Tabs and line ends stay.
std::string PlainUtf8(std::string_view text);

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_REPORT_PLAIN_TEXT_H_
