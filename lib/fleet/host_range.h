// ExpandHostRange: the names that a list with brackets stands for: "p5-[001-004,007]". Pure.
//
// Slurm writes its node lists so, and so do people. Own code and not `scontrol show hostnames`,
// since a plan is also made where there is no Slurm, and since what is wrong with a list is then
// said in Slurm's words, if at all: it takes "n[5-2]" for one host of that name. (ClusterShell's
// NodeSet knows more, and is a Python library.)
#ifndef RAILGAUGE_LIB_FLEET_HOST_RANGE_H_
#define RAILGAUGE_LIB_FLEET_HOST_RANGE_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "lib/base/result.h"

namespace railgauge {

// A list may name so many; Slurm's may not be longer either.
inline constexpr size_t kMostHosts = 65536;

// Divides a list at its commas, but for those between brackets.
std::vector<std::string> SplitHostList(std::string_view list);

// The names of one item of a list; itself where it has no brackets. Numbers have at least as many
// digits as the first of their range, and of several brackets the last counts fastest, as Slurm has
// it. `where` is for messages: "--hosts". Errors: brackets that do not match or hold anything but
// numbers and ranges, a range that runs backwards, more than kMostHosts.
Result<std::vector<std::string>> ExpandHostRange(std::string_view item, const std::string& where);

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_FLEET_HOST_RANGE_H_
