// FaultValue: what stands after '=' in a fault, read as its file says.
#ifndef RAILGAUGE_LIB_SCENARIO_FAULT_VALUE_H_
#define RAILGAUGE_LIB_SCENARIO_FAULT_VALUE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "lib/base/result.h"
#include "lib/scenario/yaml_reader.h"

namespace railgauge {

// `value:` of a fault file: {is: fraction, from: 0.01, to: 1, default: 0.5}.
struct FaultValueForm {
  enum class Kind {
    kNone,        // the fault takes no value
    kFraction,    // 0.6; `from` and `to` bound it
    kNumber,      // a whole number; `from` and `to` bound it
    kRate,        // 3GB/s, 100Gb/s
    kSize,        // 64KiB
    kDuration,    // 20us
    kErrno,       // EINVAL
    kWord,        // one of `words`
    kOrder,       // 3+1+0: whole numbers, each once
    kOctal,       // 0600
    kErrorShare,  // 0.01/STATUS: a fraction and what becomes of it
  };
  Kind kind = Kind::kNone;
  double from = 0, to = 0;
  std::vector<std::string> words;
  std::string default_text;  // empty: the user must give one
  bool optional = false;     // or none, and the edits do without
};

// Of a kind that needs them, `from` and `to` (fraction, number) or `words` (word) must be there,
// and the default must be a value of the kind.
FaultValueForm ReadFaultValueForm(const YamlNode& node, YamlErrors* errors);

// "a fraction from 0.01 to 1, 0.5 when left out"; empty for kNone.
std::string Describe(const FaultValueForm& form);

struct FaultValue {
  std::string text;
  double number = 0;            // bytes per second, bytes, nanoseconds; the fraction
  uint32_t code = 0;            // the errno value, the completion status, the permission bits
  std::vector<uint32_t> order;  // of kOrder
};

// `text` is empty where the user gave none. The error has no object: the caller knows the fault.
Result<FaultValue> ParseFaultValue(const FaultValueForm& form, const std::string& text);

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_SCENARIO_FAULT_VALUE_H_
