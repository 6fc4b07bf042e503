// The platform a row is labelled with, derived from a device's firmware version in this one place.
//
// An emulated device says so itself: its firmware version begins with "emulated-". The label is for
// people and files; nothing measures or judges differently by it.
#ifndef RAILGAUGE_LIB_VERBS_PLATFORM_H_
#define RAILGAUGE_LIB_VERBS_PLATFORM_H_

#include <span>
#include <string>
#include <string_view>

namespace railgauge {

// "emulated" when `firmware` begins with "emulated-", else "hardware".
std::string PlatformOf(std::string_view firmware);

// Of a whole machine: "emulated" as soon as one device says so, since then no result is of real
// hardware alone; "unknown" when no device's firmware version could be read.
std::string PlatformOfAll(std::span<const std::string> firmwares);

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_VERBS_PLATFORM_H_
