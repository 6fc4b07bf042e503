// MachineSpec: what a user writes after --emulate=, taken apart.
//
//   TYPE[/DIVISOR][,FAULT…]       FAULT = NAME[:TARGET][=VALUE][@START]
//
//   p5.48xlarge/16                every rate divided by 16
//   ./mine.yaml,missing-gpu:gpu3  a file in place of a type
//   p5.48xlarge,slow-nic:0000:4f:00.0=0.6,stop-completing:rdmap80s0@2s
//
// Only the form is checked here: which types and faults there are, and what a target or a value
// means, is their readers' business (load.h, fault.h).
#ifndef RAILGAUGE_LIB_SCENARIO_SPEC_H_
#define RAILGAUGE_LIB_SCENARIO_SPEC_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lib/base/result.h"
#include "lib/base/units.h"

namespace railgauge {

struct FaultSpec {
  std::string text;      // as it was written
  std::string name;      // "slow-nic"
  std::string target;    // "rdmap79s0"; may be empty
  std::string value;     // "0.6"; may be empty
  Nanoseconds start{0};  // since the device was opened
  bool has_start = false;
};

inline constexpr uint32_t kMaxDivisor = 1000;

struct MachineSpec {
  std::string base;  // an instance type, or a file: it holds a '/' or ends in .yaml
  uint32_t divisor = 1;
  std::vector<FaultSpec> faults;  // in the order given, which is the order in which they apply
};

Result<MachineSpec> ParseMachineSpec(std::string_view text);
Result<FaultSpec> ParseFaultSpec(std::string_view text);

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_SCENARIO_SPEC_H_
