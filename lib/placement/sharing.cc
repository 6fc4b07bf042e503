#include "lib/placement/sharing.h"

#include <algorithm>
#include <tuple>

namespace railgauge {
namespace {

// How much an idle NIC gives `user` as a multiple of its part of `shared`; above 1 it helps.
// Unmeasured, a NIC as near counts as just as fast.
double GainOf(const Evidence& evidence, const MemoryPlace& user, const PciAddress& shared,
              const PciAddress& idle) {
  const auto users = static_cast<double>(evidence.Users(shared).size());
  std::vector<Dimension> both;
  for (const Dimension& dimension : kDimensions) {
    if (evidence.table().Throughput(shared, user, dimension) &&
        evidence.table().Throughput(idle, user, dimension)) {
      both.push_back(dimension);
    }
  }
  const auto now = evidence.Worst(shared, user, both);
  const auto then = evidence.Worst(idle, user, both);
  if (now && then) return *now > 0 ? *then / *now * users : *then > 0 ? users : 0;
  const Relations& relations = evidence.relations();
  return relations.Of(idle, user) <= relations.Of(shared, user) ? users : 0;
}

// The idle NICs that help `user`, the best first.
struct Help {
  double gain = 0;
  std::vector<NicKey> idle;
};

Help HelpFor(const Evidence& evidence, const MemoryPlace& user, const PciAddress& shared,
             const std::set<PciAddress>& promised) {
  const double enough = 1 + evidence.gates().differs;
  std::vector<std::pair<double, NicKey>> helping;
  Help help;
  for (const Nic& nic : evidence.machine().nics) {
    if (!evidence.Idle(nic.position.address)) continue;
    const double gain = GainOf(evidence, user, shared, nic.position.address);
    if (gain <= enough) continue;
    helping.emplace_back(gain, nic.key());
    help.gain = std::max(help.gain, gain);
  }
  const auto order = [&](const std::pair<double, NicKey>& entry) {
    const auto& [gain, nic] = entry;
    const bool among_best = gain >= (1 - evidence.gates().differs) * help.gain;
    return std::tuple(promised.contains(nic.address), among_best ? -help.gain : -gain,
                      evidence.relations().Of(nic.address, user), nic);
  };
  std::sort(helping.begin(), helping.end(),
            [&](const auto& a, const auto& b) { return order(a) < order(b); });
  for (const auto& [gain, nic] : helping) help.idle.push_back(nic);
  return help;
}

}  // namespace

std::optional<SharingRelief> FindRelief(const Evidence& evidence,
                                        const std::vector<MemoryPlace>& users,
                                        const std::vector<NicKey>& shared,
                                        const std::set<PciAddress>& promised) {
  std::optional<SharingRelief> relief;
  double most = 0;
  for (const MemoryPlace& user : users) {
    const auto uses = [&](const NicKey& nic) {
      const std::vector<MemoryPlace>& all = evidence.Users(nic.address);
      return std::find(all.begin(), all.end(), user) != all.end();
    };
    const auto count = static_cast<size_t>(std::count_if(shared.begin(), shared.end(), uses));
    if (count == 0) continue;
    const NicKey& first = *std::find_if(shared.begin(), shared.end(), uses);
    Help help = HelpFor(evidence, user, first.address, promised);
    // Gains that do not differ beyond the noise leave the first user where it is.
    if (help.idle.empty() || help.gain < (1 - evidence.gates().differs) * most) continue;
    most = std::max(most, help.gain);
    if (help.idle.size() > count) help.idle.resize(count);
    relief = SharingRelief{user, std::move(help.idle)};
  }
  return relief;
}

}  // namespace railgauge
