#include "lib/emulator/preload/numa_placement.h"

#include <linux/mempolicy.h>

#include <algorithm>
#include <cerrno>

namespace railgauge {

namespace {

constexpr uint64_t kPage = 4096;
constexpr uint64_t kPageMask = kPage - 1;
// What linux/mempolicy.h of older kernels lacks.
constexpr int kPreferredMany = 5, kWeightedInterleave = 6;
constexpr int kModeFlags = MPOL_F_STATIC_NODES | MPOL_F_RELATIVE_NODES | (1 << 13);

uint64_t RoundUp(uint64_t bytes) { return (bytes + kPageMask) & ~kPageMask; }

bool ReadMask(const unsigned long* mask, uint64_t max_node, IndexSet* set) {
  // The kernel takes one bit less than is said, for historical reasons.
  if (mask == nullptr || max_node <= 1) return true;
  constexpr uint64_t kSaneBits = uint64_t{4096} * 8;
  if (max_node > kSaneBits) return false;
  *set = IndexSet::FromMask(mask, max_node - 1);
  return true;
}

}  // namespace

NumaPlacement::NumaPlacement(const EmulatedMachine& machine, ResidencyProbe probe) : probe_(probe) {
  for (const EmulatedNumaNode& node : machine.numa_nodes) {
    nodes_.Add(node.index);
    if (node.memory.count != 0) nodes_with_memory_.Add(node.index);
    for (const uint32_t cpu : node.cpus) {
      cpus_.Add(cpu);
      node_of_cpu_[cpu] = node.index;
    }
  }
}

uint32_t NumaPlacement::NodeOfCpu(uint32_t cpu) const {
  const auto found = node_of_cpu_.find(cpu);
  return found == node_of_cpu_.end() ? 0 : found->second;
}

int NumaPlacement::CheckPolicy(int mode, const unsigned long* mask, uint64_t max_node,
                               NumaPolicy* policy) const {
  policy->mode = mode & ~kModeFlags;
  policy->nodes = {};
  if (policy->mode < MPOL_DEFAULT || policy->mode > kWeightedInterleave) return -EINVAL;
  if (!ReadMask(mask, max_node, &policy->nodes)) return -EINVAL;
  switch (policy->mode) {
    case MPOL_DEFAULT:
    case MPOL_LOCAL:
      return policy->nodes.empty() ? 0 : -EINVAL;
    case MPOL_PREFERRED:
      if (policy->nodes.empty()) {
        policy->mode = MPOL_LOCAL;
        return 0;
      }
      break;
    default:
      break;
  }
  policy->nodes = policy->nodes.Intersect(nodes_with_memory_);
  return policy->nodes.empty() ? -EINVAL : 0;
}

uint32_t NumaPlacement::Choose(const NumaPolicy& policy, uint64_t page_number, uint32_t here) {
  switch (policy.mode) {
    case MPOL_INTERLEAVE:
    case kWeightedInterleave:
      return policy.nodes.At(page_number % policy.nodes.size()).value_or(here);
    case MPOL_BIND:
    case kPreferredMany:
      return policy.nodes.Has(here) ? here : policy.nodes.First().value_or(here);
    case MPOL_PREFERRED:
      return policy.nodes.First().value_or(here);
    default:
      return here;
  }
}

uint32_t NumaPlacement::NodeOf(uint64_t page, uint32_t here, const NumaPolicy& policy) const {
  if (const auto range = placements_.Find(page)) {
    return Choose(range->value.policy, (page - range->value.origin) / kPage, here);
  }
  return Choose(policy, page / kPage, here);
}

void NumaPlacement::KeepResidentPages(uint64_t address, const std::vector<bool>& resident,
                                      uint32_t here, const NumaPolicy& policy) {
  for (size_t i = 0; i < resident.size(); ++i) {
    if (!resident[i]) continue;
    const uint64_t page = address + i * kPage;
    Placement placement;
    placement.policy.mode = MPOL_BIND;
    placement.policy.nodes.Add(NodeOf(page, here, policy));
    // Runs of pages on one node stay one range.
    size_t end = i + 1;
    while (end < resident.size() && resident[end] &&
           placement.policy.nodes.Has(NodeOf(address + end * kPage, here, policy))) {
      ++end;
    }
    placements_.Set(page, address + end * kPage, placement);
    i = end - 1;
  }
}

int NumaPlacement::Bind(uint64_t address, uint64_t length, int mode, const unsigned long* mask,
                        uint64_t max_node, unsigned flags, uint32_t here,
                        const NumaPolicy& thread_policy) {
  constexpr unsigned kKnownFlags = MPOL_MF_STRICT | MPOL_MF_MOVE | MPOL_MF_MOVE_ALL;
  NumaPolicy wanted;
  if ((address & kPageMask) != 0 || (flags & ~kKnownFlags) != 0) return -EINVAL;
  if (const int error = CheckPolicy(mode, mask, max_node, &wanted)) return error;
  const uint64_t end = address + RoundUp(length);
  if (end < address) return -EINVAL;
  if (end == address) return 0;
  std::vector<bool> resident((end - address) / kPage);
  if (!probe_(address, &resident)) return -EFAULT;

  const std::lock_guard lock(mutex_);
  const bool moves = (flags & (MPOL_MF_MOVE | MPOL_MF_MOVE_ALL)) != 0;
  if (!moves && (flags & MPOL_MF_STRICT) != 0 && wanted.mode == MPOL_BIND) {
    for (size_t i = 0; i < resident.size(); ++i) {
      if (!resident[i]) continue;
      if (!wanted.nodes.Has(NodeOf(address + i * kPage, here, thread_policy))) return -EIO;
    }
  }
  AddressRanges<Placement> kept;
  if (!moves) {
    // Pages that are there stay where they are; the policy is for those to come.
    KeepResidentPages(address, resident, here, thread_policy);
    for (size_t i = 0; i < resident.size(); ++i) {
      const uint64_t page = address + i * kPage;
      if (!resident[i]) continue;
      const auto range = placements_.Find(page);
      const uint64_t range_end = std::min(range->end, end);
      kept.Set(page, range_end, range->value);
      i = (range_end - address) / kPage - 1;
    }
  }
  if (wanted.mode == MPOL_DEFAULT) {
    placements_.Erase(address, end);
  } else {
    placements_.Set(address, end, {wanted, address});
  }
  for (uint64_t at = address; at < end;) {
    const auto range = kept.Find(at);
    if (!range) {
      at = std::min(kept.NextBegin(at), end);
      continue;
    }
    placements_.Set(range->begin, range->end, range->value);
    at = range->end;
  }
  return 0;
}

int NumaPlacement::SetThreadPolicy(int mode, const unsigned long* mask, uint64_t max_node,
                                   NumaPolicy* policy) {
  NumaPolicy wanted;
  if (const int error = CheckPolicy(mode, mask, max_node, &wanted)) return error;
  *policy = wanted;
  return 0;
}

int NumaPlacement::GetPolicy(int* mode, unsigned long* mask, uint64_t max_node, uint64_t address,
                             unsigned flags, uint32_t here, const NumaPolicy& thread_policy) {
  constexpr unsigned kKnownFlags = MPOL_F_NODE | MPOL_F_ADDR | MPOL_F_MEMS_ALLOWED;
  if ((flags & ~kKnownFlags) != 0) return -EINVAL;
  const uint32_t last_node = nodes_.At(nodes_.size() - 1).value_or(0);
  if (mask != nullptr && max_node <= last_node) return -EINVAL;
  const size_t mask_bytes = (max_node + 63) / 64 * 8;
  if ((flags & MPOL_F_MEMS_ALLOWED) != 0) {
    if ((flags & (MPOL_F_NODE | MPOL_F_ADDR)) != 0) return -EINVAL;
    if (mode != nullptr) *mode = 0;
    if (mask != nullptr) nodes_with_memory_.ToMask(mask, mask_bytes);
    return 0;
  }
  if ((flags & MPOL_F_ADDR) == 0) {
    if (address != 0) return -EINVAL;
    if ((flags & MPOL_F_NODE) != 0) return -EINVAL;  // only for interleaving, and of no use
    if (mode != nullptr) *mode = thread_policy.mode;
    if (mask != nullptr) thread_policy.nodes.ToMask(mask, mask_bytes);
    return 0;
  }
  const uint64_t page = address & ~kPageMask;
  std::vector<bool> resident(1);
  if (!probe_(page, &resident)) return -EFAULT;
  const std::lock_guard lock(mutex_);
  if ((flags & MPOL_F_NODE) != 0) {
    if (mode != nullptr) *mode = static_cast<int>(NodeOf(page, here, thread_policy));
    return 0;
  }
  const auto range = placements_.Find(page);
  if (mode != nullptr) *mode = range ? range->value.policy.mode : MPOL_DEFAULT;
  if (mask != nullptr) (range ? range->value.policy.nodes : IndexSet()).ToMask(mask, mask_bytes);
  return 0;
}

int NumaPlacement::MovePages(uint64_t count, const uint64_t* pages, const int* nodes, int* status,
                             unsigned flags, uint32_t here, const NumaPolicy& thread_policy) {
  if ((flags & ~unsigned{MPOL_MF_MOVE | MPOL_MF_MOVE_ALL}) != 0) return -EINVAL;
  if (nodes != nullptr) {
    for (uint64_t i = 0; i < count; ++i) {
      if (nodes[i] < 0 || !nodes_with_memory_.Has(static_cast<uint32_t>(nodes[i]))) return -ENODEV;
    }
  }
  for (uint64_t i = 0; i < count; ++i) {
    const uint64_t page = pages[i] & ~kPageMask;
    std::vector<bool> resident(1);
    int answer = 0;
    if (!probe_(page, &resident)) {
      answer = -EFAULT;
    } else if (!resident[0]) {
      answer = -ENOENT;
    } else {
      const std::lock_guard lock(mutex_);
      if (nodes != nullptr) {
        Placement placement;
        placement.policy.mode = MPOL_BIND;
        placement.policy.nodes.Add(static_cast<uint32_t>(nodes[i]));
        placements_.Set(page, page + kPage, placement);
      }
      answer = static_cast<int>(NodeOf(page, here, thread_policy));
    }
    if (status != nullptr) status[i] = answer;
  }
  return 0;
}

void NumaPlacement::Forget(uint64_t address, uint64_t length) {
  const std::lock_guard lock(mutex_);
  if (!placements_.empty()) placements_.Erase(address & ~kPageMask, RoundUp(address + length));
}

std::vector<NumaPlacement::Run> NumaPlacement::RunsOf(uint64_t address, uint64_t length,
                                                      uint32_t here,
                                                      const NumaPolicy& thread_policy) const {
  const std::lock_guard lock(mutex_);
  std::vector<Run> runs;
  const uint64_t end = address + length;
  for (uint64_t at = address; at < end;) {
    // Everything up to the next placement is alike, and a whole placement on one node too.
    const auto range = placements_.Find(at);
    const NumaPolicy& policy = range ? range->value.policy : thread_policy;
    const bool alternates = policy.mode == MPOL_INTERLEAVE || policy.mode == kWeightedInterleave;
    uint64_t next = range ? range->end : placements_.NextBegin(at);
    if (alternates) next = std::min(next, (at & ~kPageMask) + kPage);
    next = std::min(next, end);
    const uint32_t node = NodeOf(at & ~kPageMask, here, thread_policy);
    if (!runs.empty() && runs.back().node == node) {
      runs.back().length += next - at;
    } else {
      runs.push_back({next - at, node});
    }
    at = next;
  }
  return runs;
}

}  // namespace railgauge
