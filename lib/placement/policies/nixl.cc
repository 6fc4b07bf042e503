#include "lib/placement/policies/nixl.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <utility>

#include "lib/placement/policies/consumers.h"
#include "lib/placement/policies/pci_tree.h"

namespace railgauge {
namespace {

// What ended at one ancestor, each in PCI order.
struct Meeting {
  std::vector<size_t> gpus;
  std::vector<size_t> nics;
};

std::map<std::string, Meeting> MeetingsOf(const Machine& machine) {
  std::set<std::string> above_nics;
  for (const Nic& nic : machine.nics) {
    for (std::string& ancestor : AncestorsOf(nic.position)) above_nics.insert(std::move(ancestor));
  }
  std::map<std::string, Meeting> meetings;
  for (size_t g = 0; g < machine.gpus.size(); ++g) {
    for (const std::string& ancestor : AncestorsOf(machine.gpus[g].position)) {
      if (!above_nics.contains(ancestor)) continue;
      meetings[ancestor].gpus.push_back(g);
      break;
    }
  }
  for (size_t n = 0; n < machine.nics.size(); ++n) {
    for (const std::string& ancestor : AncestorsOf(machine.nics[n].position)) {
      const auto meeting = meetings.find(ancestor);
      if (meeting == meetings.end()) continue;
      meeting->second.nics.push_back(n);
      break;
    }
  }
  return meetings;
}

// Consecutive runs, the first ones one longer where `items` cannot be divided by `count`.
std::vector<std::vector<size_t>> Split(const std::vector<size_t>& items, size_t count) {
  std::vector<std::vector<size_t>> runs(count);
  size_t next = 0;
  for (size_t i = 0; i < count; ++i) {
    const size_t size = items.size() / count + (i < items.size() % count ? 1 : 0);
    for (size_t k = 0; k < size; ++k) runs[i].push_back(items[next++]);
  }
  return runs;
}

}  // namespace

Result<Decision> DecideNixl(const Machine& machine) {
  RAILGAUGE_RETURN_IF_ERROR(CheckHasGpus("nixl", machine));
  std::vector<size_t> all(machine.nics.size());
  std::iota(all.begin(), all.end(), size_t{0});
  std::vector<std::vector<size_t>> nics_of(machine.gpus.size(), all);
  for (const auto& [ancestor, meeting] : MeetingsOf(machine)) {
    if (meeting.nics.empty()) continue;
    const bool share = meeting.nics.size() < meeting.gpus.size();
    const auto runs = Split(meeting.nics, meeting.gpus.size());
    for (size_t i = 0; i < meeting.gpus.size(); ++i) {
      nics_of[meeting.gpus[i]] = share ? meeting.nics : runs[i];
    }
  }
  return MakeGpuDecision("nixl", machine, std::move(nics_of));
}

std::vector<std::vector<size_t>> AwsOfiNcclGroups(const Machine& machine) {
  std::vector<std::vector<size_t>> groups;
  std::vector<bool> grouped(machine.nics.size(), false);
  for (const auto& [ancestor, meeting] : MeetingsOf(machine)) {
    if (meeting.nics.empty()) continue;
    const size_t count = std::min(meeting.gpus.size(), meeting.nics.size());
    for (std::vector<size_t>& run : Split(meeting.nics, count)) {
      for (const size_t n : run) grouped[n] = true;
      groups.push_back(std::move(run));
    }
  }
  for (size_t n = 0; n < grouped.size(); ++n) {
    if (!grouped[n]) groups.push_back({n});
  }
  std::sort(groups.begin(), groups.end());
  return groups;
}

}  // namespace railgauge
