#include "lib/placement/sharing.h"

#include <algorithm>
#include <tuple>

namespace railgauge {
namespace {

// How much an idle NIC gives as a multiple of a part of the shared one; above 1 it helps.
struct Gain {
  double factor = 0;
  double at_least = 0;  // for all that the windows say
};

// Of `user`. Unmeasured, a NIC as near counts as just as fast.
Gain GainOf(const Evidence& evidence, const MemoryPlace& user, const PciAddress& shared,
            const PciAddress& idle) {
  const auto users = static_cast<double>(evidence.Users(shared).size());
  std::vector<Dimension> both;
  double now_at_most = 0, then_at_least = 0;
  bool few_windows = false;
  for (const Dimension& dimension : kDimensions) {
    const MeasuredCell* now = evidence.table().Find(shared, user, dimension);
    const MeasuredCell* then = evidence.table().Find(idle, user, dimension);
    if (now == nullptr || then == nullptr || !now->measured() || !then->measured()) continue;
    const SpeedRange &has = evidence.Believed(*now), &gets = evidence.Believed(*then);
    now_at_most = both.empty() ? has.high : std::min(now_at_most, has.high);
    then_at_least = both.empty() ? gets.low : std::min(then_at_least, gets.low);
    few_windows |= has.few_windows || gets.few_windows;
    both.push_back(dimension);
  }
  const auto gain = [&](double has, double gets) {
    return has > 0 ? gets / has * users : gets > 0 ? users : 0;
  };
  const auto now = evidence.Worst(shared, user, both);
  const auto then = evidence.Worst(idle, user, both);
  if (now && then) {
    const double factor = gain(*now, *then);
    return {factor, few_windows ? gain(now_at_most, then_at_least) : factor};
  }
  const Relations& relations = evidence.relations();
  const bool as_near = relations.Of(idle, user) <= relations.Of(shared, user);
  return {as_near ? users : 0, as_near ? users : 0};
}

// The idle NICs that help `user`, the best first.
struct Help {
  double gain = 0;
  std::vector<NicKey> idle;
};

Help HelpFor(const Evidence& evidence, const MemoryPlace& user, const PciAddress& shared,
             const std::set<PciAddress>& promised, bool surely) {
  const double enough = 1 + evidence.gates().differs;
  std::vector<std::pair<double, NicKey>> helping;
  Help help;
  for (const Nic& nic : evidence.machine().nics) {
    if (!evidence.Idle(nic.position.address)) continue;
    const Gain gain = GainOf(evidence, user, shared, nic.position.address);
    if ((surely ? gain.at_least : gain.factor) <= enough) continue;
    helping.emplace_back(gain.factor, nic.key());
    help.gain = std::max(help.gain, gain.factor);
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

std::optional<SharingRelief> Find(const Evidence& evidence, const std::vector<MemoryPlace>& users,
                                  const std::vector<NicKey>& shared,
                                  const std::set<PciAddress>& promised, bool surely) {
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
    Help help = HelpFor(evidence, user, first.address, promised, surely);
    // Gains that do not differ beyond the noise leave the first user where it is.
    if (help.idle.empty() || help.gain < (1 - evidence.gates().differs) * most) continue;
    most = std::max(most, help.gain);
    if (help.idle.size() > count) help.idle.resize(count);
    relief = SharingRelief{user, std::move(help.idle), surely};
  }
  return relief;
}

}  // namespace

std::optional<SharingRelief> FindRelief(const Evidence& evidence,
                                        const std::vector<MemoryPlace>& users,
                                        const std::vector<NicKey>& shared,
                                        const std::set<PciAddress>& promised) {
  const auto relief = Find(evidence, users, shared, promised, true);
  return relief ? relief : Find(evidence, users, shared, promised, false);
}

}  // namespace railgauge
