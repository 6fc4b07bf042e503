#include "lib/placement/others_nics.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "lib/topology/relation.h"

namespace railgauge {
namespace {

bool Has(const std::vector<MemoryPlace>& places, const MemoryPlace& place) {
  return std::find(places.begin(), places.end(), place) != places.end();
}

// Who would use a NIC if each consumer left to the others the NICs that are nearer to these.
class FairUse {
 public:
  explicit FairUse(const Evidence& evidence) : evidence_(evidence) {
    std::set<MemoryPlace> leaves;
    for (const Assignment& assignment : evidence.decision().assignments) {
      const auto nearest = [&](const NicKey& nic) {
        return IsNearest(nic.address, assignment.consumer);
      };
      if (std::any_of(assignment.nics.begin(), assignment.nics.end(), nearest)) {
        leaves.insert(assignment.consumer);
      }
    }
    for (const Assignment& assignment : evidence.decision().assignments) {
      for (const NicKey& nic : assignment.nics) {
        const MemoryPlace& user = assignment.consumer;
        // Who has nothing nearer keeps all.
        if (IsNearest(nic.address, user) || !leaves.contains(user)) {
          keepers_[nic.address].push_back(user);
        }
      }
    }
  }

  const std::vector<MemoryPlace>& KeepersOf(const PciAddress& nic) const {
    static const std::vector<MemoryPlace> kNobody;
    const auto entry = keepers_.find(nic);
    return entry == keepers_.end() ? kNobody : entry->second;
  }

 private:
  // The topology also knows of places that the run left out.
  Relation RelationTo(const PciAddress& nic, const MemoryPlace& user) const {
    const Relation by_census = evidence_.relations().Of(nic, user);
    if (by_census != Relation::kUnknown) return by_census;
    const Nic* found = evidence_.machine().FindNic(nic);
    return found == nullptr ? Relation::kUnknown
                            : RelationOf(evidence_.machine(), *found, user).relation;
  }

  // Of the users of the NIC, none is known to be nearer.
  bool IsNearest(const PciAddress& nic, const MemoryPlace& user) const {
    const Relation own = RelationTo(nic, user);
    const std::vector<MemoryPlace>& users = evidence_.Users(nic);
    return own == Relation::kUnknown ||
           std::all_of(users.begin(), users.end(),
                       [&](const MemoryPlace& other) { return own <= RelationTo(nic, other); });
  }

  const Evidence& evidence_;
  std::map<PciAddress, std::vector<MemoryPlace>> keepers_;
};

// What a consumer gets, by its shares of its NICs.
struct Shares {
  double now = 0;
  double then = 0;
  bool concerned = false;  // the two differ
  SpeedRange excess;       // of `now` over what of `then` would be too little
};

std::optional<Shares> SharesOf(const Evidence& evidence, const FairUse& fair,
                               const Assignment& assignment, const Dimension& dimension) {
  Shares shares;
  for (const NicKey& nic : assignment.nics) {
    const MeasuredCell* cell = evidence.table().Find(nic.address, assignment.consumer, dimension);
    if (cell == nullptr || !cell->measured()) return std::nullopt;
    const std::vector<MemoryPlace>& keepers = fair.KeepersOf(nic.address);
    const double part = 1 / static_cast<double>(evidence.Users(nic.address).size());
    const double kept =
        Has(keepers, assignment.consumer) ? 1 / static_cast<double>(keepers.size()) : 0;
    shares.now += part * *cell->median;
    shares.then += kept * *cell->median;
    shares.concerned |= keepers.size() != evidence.Users(nic.address).size();
    const double weight = part - (1 - evidence.gates().bad_placement) * kept;
    shares.excess = shares.excess + weight * evidence.Believed(*cell);
  }
  return shares;
}

bool WorstIsNotWorseOff(const Evidence& evidence, const FairUse& fair, const Dimension& dimension) {
  std::optional<double> worst_now, worst_then;
  for (const Assignment& assignment : evidence.decision().assignments) {
    const auto shares = SharesOf(evidence, fair, assignment, dimension);
    if (!shares || !shares->concerned) continue;
    worst_now = std::min(worst_now.value_or(shares->now), shares->now);
    worst_then = std::min(worst_then.value_or(shares->then), shares->then);
  }
  return worst_now && worst_then && *worst_then >= *worst_now;
}

// Fills in who shares what wrongly with the consumer.
void NameThem(const Evidence& evidence, const FairUse& fair, const Assignment& assignment,
              OthersNics& found) {
  for (const NicKey& nic : assignment.nics) {
    const std::vector<MemoryPlace>& keepers = fair.KeepersOf(nic.address);
    const bool keeps = Has(keepers, assignment.consumer);
    if (keeps) found.keep.push_back(nic);
    bool wrongly = false;
    for (const MemoryPlace& user : evidence.Users(nic.address)) {
      if (user == assignment.consumer || Has(keepers, user) == keeps) continue;
      wrongly = true;
      if (!Has(found.with, user)) found.with.push_back(user);
    }
    if (wrongly) found.shared.push_back(nic);
  }
  std::sort(found.with.begin(), found.with.end());
}

}  // namespace

std::optional<OthersNics> FindOthersNics(const Evidence& evidence, const Assignment& assignment) {
  const bool shares_any =
      std::any_of(assignment.nics.begin(), assignment.nics.end(),
                  [&](const NicKey& nic) { return evidence.Users(nic.address).size() > 1; });
  if (!shares_any) return std::nullopt;
  const FairUse fair(evidence);
  std::optional<OthersNics> worst;
  for (const Dimension& dimension : evidence.JudgedDimensions(assignment)) {
    const auto shares = SharesOf(evidence, fair, assignment, dimension);
    if (!shares || shares->then <= 0) continue;
    const double ratio = shares->now / shares->then;
    const bool sure = shares->excess.high < 0 || !shares->excess.few_windows;
    const bool worse = !worst || std::pair(!sure, ratio) < std::pair(!worst->sure, worst->ratio);
    if (ratio >= 1 - evidence.gates().bad_placement || !worse) continue;
    if (!WorstIsNotWorseOff(evidence, fair, dimension)) continue;
    worst = OthersNics();
    worst->dimension = dimension;
    worst->ratio = ratio;
    worst->sure = sure;
  }
  if (worst) NameThem(evidence, fair, assignment, *worst);
  return worst;
}

}  // namespace railgauge
