// What every policy chooses on a machine, as a table for people.
#ifndef RAILGAUGE_LIB_PLACEMENT_POLICY_TEXT_H_
#define RAILGAUGE_LIB_PLACEMENT_POLICY_TEXT_H_

#include <string>
#include <string_view>
#include <vector>

#include "lib/base/result.h"
#include "lib/placement/decision.h"
#include "lib/topology/machine.h"

namespace railgauge {

// What one policy says about a machine.
struct PolicyChoice {
  std::string_view policy;
  Result<Decision> decision;
};

// Of every policy, in the table's order.
std::vector<PolicyChoice> ChoicesOf(const Machine& machine);

// Policies that decide alike.
struct PolicyGroup {
  std::vector<std::string_view> policies;
  Result<Decision> decision;  // of those that do not decide, each is a group by itself
};
// In the order of the first of each group, those that do not decide at the end.
std::vector<PolicyGroup> GroupChoices(const std::vector<PolicyChoice>& choices);

// Policies that decide alike together, with a line per consumer: the farthest relation to its NICs,
// and the NICs; then the policies that do not decide, and why. At most 100 columns.
std::string FormatChoices(const Machine& machine, const std::vector<PolicyChoice>& choices);

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_PLACEMENT_POLICY_TEXT_H_
