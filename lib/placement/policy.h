// Policies: rules that make a decision from the topology alone, with no measurement.
//
// One row each in a table, with where the rule is from, so that a verdict on a policy's decision is
// a verdict on the rule.
#ifndef RAILGAUGE_LIB_PLACEMENT_POLICY_H_
#define RAILGAUGE_LIB_PLACEMENT_POLICY_H_

#include <span>
#include <string>
#include <string_view>

#include "lib/base/result.h"
#include "lib/placement/decision.h"
#include "lib/topology/machine.h"

namespace railgauge {

struct Policy {
  std::string_view name;
  std::string_view rule;    // in one sentence, without its stop
  std::string_view source;  // where the rule is from: project and file; the rule's header says more
  // Pure. The machine has at least one NIC and one consumer. An Error where the rule says nothing
  // about such a machine.
  Result<Decision> (*decide)(const Machine& machine);
};

std::span<const Policy> Policies();

// Whether there is a policy of that name.
bool IsPolicy(std::string_view name);

// The decision of the policy `name` for `machine`. Errors: no such policy (the reason lists them),
// no NIC, no consumer, and what the policy's rule says nothing about.
Result<Decision> DecideByPolicy(std::string_view name, const Machine& machine);

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_PLACEMENT_POLICY_H_
