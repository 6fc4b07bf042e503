#include "lib/placement/peer_path_findings.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "fmt/core.h"
#include "lib/placement/ceilings.h"
#include "lib/placement/finding_kinds.h"
#include "lib/placement/sentences.h"
#include "lib/placement/speed_findings.h"
#include "lib/stats/median.h"
#include "lib/topology/relation.h"

namespace railgauge {
namespace {

// A switch with the GPUs below it.
struct Switch {
  NicGroup group;
  std::vector<MemoryPlace> gpus;
  AcsRedirect redirect = AcsRedirect::kNotAsked;
  std::string slow;  // what was measured, where it is slow
};

// What is worse to have, and worse to say of several pairs.
int RankOf(AcsRedirect redirect) {
  switch (redirect) {
    case AcsRedirect::kOn:
      return 3;
    case AcsRedirect::kUnreadable:
      return 2;
    case AcsRedirect::kNotAsked:
      return 1;
    case AcsRedirect::kOff:
      break;
  }
  return 0;
}

AcsRedirect Worse(AcsRedirect a, AcsRedirect b) { return RankOf(a) < RankOf(b) ? b : a; }

// Those that have both NICs and GPUs.
std::vector<Switch> SwitchesOf(const Machine& machine) {
  std::vector<Switch> switches;
  for (NicGroup& group : GroupNics(machine)) {
    Switch one;
    one.redirect = AcsRedirect::kOff;
    for (const Gpu& gpu : machine.gpus) {
      const MemoryPlace place = MemoryPlace::Gpu(gpu.position.address);
      for (const PciAddress& address : group.nics) {
        const Nic& nic = *machine.FindNic(address);
        if (RelationOf(machine, nic, place).relation != Relation::kSameSwitch) continue;
        if (one.gpus.empty() || one.gpus.back() != place) one.gpus.push_back(place);
        one.redirect = Worse(one.redirect, PeerRedirectOf(machine, nic.position, gpu.position));
      }
    }
    one.group = std::move(group);
    if (!one.gpus.empty()) switches.push_back(std::move(one));
  }
  return switches;
}

bool IsBelow(const Switch& one, const MeasuredCell& cell) {
  const auto& nics = one.group.nics;
  return std::find(nics.begin(), nics.end(), cell.cell.nic.address) != nics.end() &&
         std::find(one.gpus.begin(), one.gpus.end(), cell.cell.place) != one.gpus.end();
}

bool SlowerThanClass(const Evidence& evidence, const MeasuredCell& cell) {
  const auto standing = evidence.classes().Of(cell);
  if (!standing || !standing->suspect) return false;
  return standing->looks_slow || evidence.CompareWithClass(cell).outcome == Outcome::kWorse;
}

// The class's median as a share of its line rate; empty where none is known.
std::optional<double> ShareOfCeiling(const Evidence& evidence,
                                     std::span<const MeasuredCell* const> cells) {
  std::vector<double> shares;
  for (const MeasuredCell* cell : cells) {
    const auto ceiling = BindingCeiling(evidence.machine(), cell->cell);
    if (ceiling) shares.push_back(*cell->median / ceiling->capacity.value);
  }
  return Median(shares);
}

// Notes what is slow of one class of cells below switches.
void NoteSlow(const Evidence& evidence, std::span<const MeasuredCell* const> members,
              std::vector<Switch>& switches) {
  std::vector<const MeasuredCell*> cells;
  std::copy_if(members.begin(), members.end(), std::back_inserter(cells),
               [](const MeasuredCell* cell) { return TellsOfItsPath(*cell); });
  if (cells.empty()) return;
  const auto share = ShareOfCeiling(evidence, cells);
  const bool all_slow = share && *share < evidence.gates().far_below_ceiling;
  for (Switch& one : switches) {
    std::vector<double> medians;
    bool slower = true;
    for (const MeasuredCell* cell : cells) {
      if (!IsBelow(one, *cell)) continue;
      medians.push_back(*cell->median);
      slower = slower && SlowerThanClass(evidence, *cell);
    }
    // One NIC with one GPU may be slow for its own reasons.
    if (medians.empty() || !(all_slow || (slower && medians.size() > 1))) continue;
    one.slow += fmt::format(
        "{}{}: {}{}", one.slow.empty() ? "" : "; ", MeasureOf(*cells.front()),
        RateOf(*Median(medians)),
        all_slow ? fmt::format(" (of all such, {:.0f} % of the line rate)", 100 * *share) : "");
  }
}

// "switch A and switch B", "all 8 switches".
std::string ListOf(const std::vector<const Switch*>& some, size_t all) {
  constexpr size_t kNamed = 3;
  if (some.size() == all && all > 1) return fmt::format("all {} switches", all);
  std::string text;
  for (size_t i = 0; i < some.size() && i < kNamed; ++i) {
    text += (i == 0 ? "" : ", ") + some[i]->group.name;
  }
  if (some.size() > kNamed) text += fmt::format(" and {} more", some.size() - kNamed);
  return text;
}

template <typename Predicate>
std::vector<const Switch*> Select(const std::vector<Switch>& switches, Predicate predicate) {
  std::vector<const Switch*> selected;
  for (const Switch& one : switches) {
    if (predicate(one)) selected.push_back(&one);
  }
  return selected;
}

// Without a sentence.
Finding FindingOf(const FindingKind& kind, const std::vector<const Switch*>& switches) {
  Finding finding = MakeFinding(kind);
  for (const Switch* one : switches) {
    finding.places.insert(finding.places.end(), one->gpus.begin(), one->gpus.end());
    finding.evidence += fmt::format("{}{} acs={}", finding.evidence.empty() ? "" : "; ",
                                    one->group.name, ToString(one->redirect));
  }
  return finding;
}

Finding RedirectFinding(const std::vector<const Switch*>& on, size_t all, bool measured) {
  const auto slow =
      std::find_if(on.begin(), on.end(), [](const Switch* s) { return !s->slow.empty(); });
  Finding finding = FindingOf(KindNamed("acs_redirect"), on);
  std::string effect = "Measure what that costs (railgauge check).";
  if (slow != on.end()) {
    effect = fmt::format("It is slow there: {}.", (*slow)->slow);
  } else if (measured) {
    effect = "One stream is not slow there; several at once may be (railgauge load).";
  }
  finding.sentence = fmt::format(
      "Below {}, the bridges send what goes between NIC and GPU up to the root port (ACS redirect "
      "is on). {} Switch ACS redirect off on these bridges, where isolation allows it.",
      ListOf(on, all), effect);
  return finding;
}

std::string_view AdviceFor(const std::vector<const Switch*>& slow) {
  AcsRedirect worst = AcsRedirect::kOff;
  for (const Switch* one : slow) worst = Worse(worst, one->redirect);
  switch (worst) {
    case AcsRedirect::kOff:
      return "ACS redirects nothing there, so look at links, IOMMU and GPU settings.";
    case AcsRedirect::kUnreadable:
      return "Whether ACS redirects there cannot be read: look as root.";
    default:
      return "Look whether ACS redirects there (lspci -vvv as root).";
  }
}

}  // namespace

AcsRedirect PeerRedirectOf(const Machine& machine, const PciPosition& a, const PciPosition& b) {
  const auto [first_a, first_b] =
      std::mismatch(a.bridges.begin(), a.bridges.end(), b.bridges.begin(), b.bridges.end());
  AcsRedirect redirect = AcsRedirect::kOff;
  const auto add = [&](const PciAddress& address) {
    const PciBridge* bridge = machine.FindBridge(address);
    redirect = Worse(redirect, bridge == nullptr ? AcsRedirect::kNotAsked : bridge->acs_redirect);
  };
  std::for_each(first_a, a.bridges.end(), add);
  std::for_each(first_b, b.bridges.end(), add);
  return redirect;
}

std::vector<Finding> FindPeerPathFindings(const Evidence& evidence) {
  std::vector<Switch> switches = SwitchesOf(evidence.machine());
  bool measured = false;
  for (const auto members : evidence.classes().All()) {
    const Cell& cell = members.front()->cell;
    if (!cell.place.is_gpu()) continue;
    if (evidence.relations().Of(cell.nic.address, cell.place) != Relation::kSameSwitch) continue;
    measured = true;
    NoteSlow(evidence, members, switches);
  }
  std::vector<Finding> findings;
  const auto on = Select(switches, [](const Switch& s) { return s.redirect == AcsRedirect::kOn; });
  if (!on.empty()) findings.push_back(RedirectFinding(on, switches.size(), measured));

  const auto unreadable =
      Select(switches, [](const Switch& s) { return s.redirect == AcsRedirect::kUnreadable; });
  if (!unreadable.empty()) {
    findings.push_back(FindingOf(KindNamed("acs_unreadable"), unreadable));
    findings.back().sentence = fmt::format(
        "Whether ACS redirects what goes between NIC and GPU below {} cannot be read: the kernel "
        "shows the bridges' configuration space to root only.",
        ListOf(unreadable, switches.size()));
  }

  const auto slow = Select(
      switches, [](const Switch& s) { return s.redirect != AcsRedirect::kOn && !s.slow.empty(); });
  if (!slow.empty()) {
    findings.push_back(FindingOf(KindNamed("peer_path_slow"), slow));
    findings.back().sentence = fmt::format(
        "Between NIC and GPU below {} it is slow although they share the switch ({}): the way "
        "between them is suspect. {}",
        ListOf(slow, switches.size()), slow.front()->slow, AdviceFor(slow));
  }
  return findings;
}

}  // namespace railgauge
