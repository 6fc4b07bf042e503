#include "lib/measure/peer_partner.h"

#include <optional>
#include <vector>

#include "lib/base/result.h"

namespace railgauge {
namespace {

template <typename Nics, typename Counts>
std::vector<size_t> IndexesOf(const Nics& nics, Counts counts) {
  std::vector<size_t> indexes;
  for (size_t i = 0; i < nics.size(); ++i) {
    if (counts(nics[i])) indexes.push_back(i);
  }
  return indexes;
}

}  // namespace

PeerPartner PeerPartnerOf(const Machine& here, const Nic& nic, std::span<const PeerNic> there) {
  RAILGAUGE_CHECK(!there.empty());
  for (size_t i = 0; i < there.size(); ++i) {
    if (there[i].address == nic.position.address) return {i, true};
  }
  const std::optional<uint32_t>& node = nic.position.numa_node;
  const auto on_node_there = [&](const PeerNic& peer) { return node && peer.numa_node == node; };
  const auto on_node_here = [&](const Nic& own) { return own.position.numa_node == node; };
  std::vector<size_t> theirs = IndexesOf(there, on_node_there);
  std::vector<size_t> ours = IndexesOf(here.nics, on_node_here);
  if (theirs.empty()) {
    theirs = IndexesOf(there, [](const PeerNic&) { return true; });
    ours = IndexesOf(here.nics, [](const Nic&) { return true; });
  }
  size_t position = 0;
  while (position < ours.size() &&
         here.nics[ours[position]].position.address != nic.position.address) {
    ++position;
  }
  return {theirs[position % theirs.size()], false};
}

}  // namespace railgauge
