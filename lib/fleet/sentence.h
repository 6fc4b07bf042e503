// Sentences of messages that stand in others: reasons come with a stop and without one.
#ifndef RAILGAUGE_LIB_FLEET_SENTENCE_H_
#define RAILGAUGE_LIB_FLEET_SENTENCE_H_

#include <string>
#include <string_view>

namespace railgauge {

// `text` without the stop and the line ends behind it, for a sentence that goes on or gets a stop.
inline std::string WithoutStop(std::string_view text) {
  const size_t last = text.find_last_not_of(". \n");
  return std::string(text.substr(0, last == std::string_view::npos ? 0 : last + 1));
}

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_FLEET_SENTENCE_H_
