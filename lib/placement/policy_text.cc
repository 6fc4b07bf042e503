#include "lib/placement/policy_text.h"

#include <algorithm>
#include <cstddef>
#include <map>

#include "fmt/format.h"
#include "fmt/ranges.h"
#include "lib/base/counted.h"
#include "lib/placement/policy.h"
#include "lib/report/text_matrix.h"
#include "lib/topology/relation.h"

namespace railgauge {
namespace {

constexpr size_t kWidth = 100;

bool SameAssignments(const Decision& a, const Decision& b) {
  return std::equal(a.assignments.begin(), a.assignments.end(), b.assignments.begin(),
                    b.assignments.end(), [](const Assignment& x, const Assignment& y) {
                      return x.consumer == y.consumer && x.nics == y.nics;
                    });
}

// The farthest of the relations of a consumer's NICs.
Relation FarthestOf(const Machine& machine, const Assignment& assignment) {
  Relation farthest = Relation::kSameSwitch;
  for (const NicKey& key : assignment.nics) {
    const Nic* nic = machine.FindNic(key.address);
    if (nic == nullptr) continue;
    farthest = std::max(farthest, RelationOf(machine, *nic, assignment.consumer).relation);
  }
  return farthest;
}

std::string ShortAddress(const PciAddress& address, bool with_domain) {
  const std::string text = address.ToString();
  return with_domain ? text : text.substr(text.find(':') + 1);
}

// "4f:00.0 50:00.0"; "all 16 of numa0" where that says the same.
std::string NicsText(const Machine& machine, const Assignment& assignment) {
  const std::vector<NicKey>& nics = assignment.nics;
  constexpr size_t kMostNamed = 8;
  if (nics.size() > kMostNamed) {
    std::map<std::optional<uint32_t>, size_t> of_node;
    for (const Nic& nic : machine.nics) ++of_node[nic.position.numa_node];
    if (nics.size() == machine.nics.size()) return fmt::format("all {}", nics.size());
    const Nic* first = machine.FindNic(nics.front().address);
    const auto node = first == nullptr ? std::nullopt : first->position.numa_node;
    const bool one_node = std::all_of(nics.begin(), nics.end(), [&](const NicKey& key) {
      const Nic* nic = machine.FindNic(key.address);
      return nic != nullptr && nic->position.numa_node == node;
    });
    if (node && one_node && nics.size() == of_node[node]) {
      return fmt::format("all {} of numa{}", nics.size(), *node);
    }
  }
  const bool with_domain =
      std::any_of(machine.nics.begin(), machine.nics.end(),
                  [](const Nic& nic) { return nic.position.address.domain != 0; });
  std::string text;
  for (const NicKey& nic : nics) {
    text += (text.empty() ? "" : " ") + ShortAddress(nic.address, with_domain);
  }
  return text;
}

// "32 of 32 NICs used", and what is shared.
std::string UseText(const Machine& machine, const Decision& decision) {
  size_t used = 0;
  size_t most = 0;
  for (const Nic& nic : machine.nics) {
    const size_t users = UsersOf(decision, nic.position.address).size();
    used += users > 0 ? 1 : 0;
    most = std::max(most, users);
  }
  std::string text = fmt::format("{} of {} used", used, Counted(machine.nics.size(), "NIC"));
  if (most > 1) text += fmt::format(", one by up to {}", Counted(most, "consumer"));
  return text;
}

std::string DecisionText(const Machine& machine, const Decision& decision) {
  size_t consumer_width = 0;
  for (const Assignment& assignment : decision.assignments) {
    consumer_width = std::max(consumer_width, assignment.consumer.ToString().size());
  }
  std::string text;
  for (const Assignment& assignment : decision.assignments) {
    const std::string begin =
        fmt::format("  {:<{}}  {:<16}  ", assignment.consumer.ToString(), consumer_width,
                    ToString(FarthestOf(machine, assignment)));
    text += begin;
    for (const char c : WrapText(NicsText(machine, assignment), kWidth - begin.size(), 0)) {
      text += c;
      if (c == '\n') text.append(begin.size(), ' ');
    }
    text += '\n';
  }
  return text;
}

}  // namespace

std::vector<PolicyChoice> ChoicesOf(const Machine& machine) {
  std::vector<PolicyChoice> choices;
  for (const Policy& policy : Policies()) {
    choices.push_back({policy.name, DecideByPolicy(policy.name, machine)});
  }
  return choices;
}

std::vector<PolicyGroup> GroupChoices(const std::vector<PolicyChoice>& choices) {
  std::vector<PolicyGroup> groups;
  for (const PolicyChoice& choice : choices) {
    if (!choice.decision) continue;
    const auto alike = std::find_if(groups.begin(), groups.end(), [&](const PolicyGroup& group) {
      return SameAssignments(*group.decision, *choice.decision);
    });
    if (alike != groups.end()) {
      alike->policies.push_back(choice.policy);
    } else {
      groups.push_back({{choice.policy}, choice.decision});
    }
  }
  for (const PolicyChoice& choice : choices) {
    if (!choice.decision) groups.push_back({{choice.policy}, choice.decision});
  }
  return groups;
}

std::string FormatChoices(const Machine& machine, const std::vector<PolicyChoice>& choices) {
  std::string text;
  for (const PolicyGroup& group : GroupChoices(choices)) {
    const std::string names = fmt::format("{}", fmt::join(group.policies, ", "));
    if (!group.decision) {
      text += WrapText(fmt::format("{}: not decided: {}", names, group.decision.error().reason),
                       kWidth, 2) +
              "\n";
      continue;
    }
    const std::string head = fmt::format("{}: {}", names, UseText(machine, *group.decision));
    text += WrapText(head, kWidth, 2) + "\n" + DecisionText(machine, *group.decision) + "\n";
  }
  return text;
}

}  // namespace railgauge
