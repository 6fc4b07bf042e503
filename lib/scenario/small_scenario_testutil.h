// A small machine for tests of the loader: two sockets, two switches, a NIC and a GPU below each,
// and one more NIC without a switch.
#ifndef RAILGAUGE_LIB_SCENARIO_SMALL_SCENARIO_TESTUTIL_H_
#define RAILGAUGE_LIB_SCENARIO_SMALL_SCENARIO_TESTUTIL_H_

#include <string>
#include <string_view>

#include "lib/base/pci_address.h"
#include "lib/record/place.h"
#include "lib/scenario/emulated_machine.h"

namespace railgauge {

// NICs rdmap18s0 (0000:12:00.0, NUMA node 0), rdmap34s0 (0000:22:00.0, node 1) and rdmap48s1
// (0000:30:01.0, node 1, on the host bridge itself); GPUs 0000:13:00.0 and 0000:23:00.0.
extern const char kSmallScenario[];

// `text` with the only occurrence of `from` replaced; aborts when there is not exactly one.
std::string Replaced(std::string text, std::string_view from, std::string_view to);

std::string SmallScenarioWith(std::string_view from, std::string_view to);

// The machine of a text that must load.
EmulatedMachine LoadText(std::string_view yaml);

// "LINE: what. Advice." of a text that must not load; the line is of "small.yaml".
std::string ErrorOf(std::string_view yaml);

// Number of the line that holds the first occurrence of `needle`, from 1.
int LineOf(std::string_view text, std::string_view needle);

PciAddress Address(std::string_view text);
MemoryPlace GpuAt(std::string_view address);

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_SCENARIO_SMALL_SCENARIO_TESTUTIL_H_
