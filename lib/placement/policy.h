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
  std::string_view rule;    // in one sentence
  std::string_view source;  // where the rule is from
  // Pure. The machine has at least one NIC and one consumer.
  Decision (*decide)(const Machine& machine);
};

std::span<const Policy> Policies();

// The decision of the policy `name` for `machine`. Errors: no such policy (the reason lists them),
// no NIC, no consumer.
Result<Decision> DecideByPolicy(std::string_view name, const Machine& machine);

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_PLACEMENT_POLICY_H_
