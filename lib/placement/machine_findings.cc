#include "lib/placement/machine_findings.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "fmt/core.h"
#include "lib/base/counted.h"
#include "lib/instance_types/instance_types.h"
#include "lib/placement/finding_kinds.h"
#include "lib/placement/sentences.h"
#include "lib/topology/relation.h"

namespace railgauge {
namespace {

std::string Gigabits(BytesPerSecond rate) {
  return fmt::format("{:.6g} Gb/s", rate.value * 8 / 1e9);
}

// Where a fact is from: "published, AWS".
template <typename T>
std::string FromOf(const Fact<T>& fact) {
  return fmt::format("{}, {}", ToString(fact.provenance), fact.source);
}

// The value that more than half of `values` have, if at least `least` have it.
template <typename T>
std::optional<T> MostCommon(const std::vector<T>& values, size_t least) {
  std::map<T, size_t> counts;
  for (const T& value : values) ++counts[value];
  for (const auto& [value, count] : counts) {
    if (2 * count > values.size() && count >= least) return value;
  }
  return std::nullopt;
}

// A group of NICs with the GPUs that are below the same switch or host bridge.
struct Group {
  NicGroup nics;
  std::vector<PciAddress> gpus;
};

std::vector<Group> GroupsOf(const Machine& machine) {
  std::vector<Group> groups;
  for (NicGroup& nics : GroupNics(machine)) {
    Group group{std::move(nics), {}};
    const Nic& first = *machine.FindNic(group.nics.nics.front());
    for (const Gpu& gpu : machine.gpus) {
      const MemoryPlace place = MemoryPlace::Gpu(gpu.position.address);
      if (RelationOf(machine, first, place).relation <= Relation::kSameHostBridge) {
        group.gpus.push_back(gpu.position.address);
      }
    }
    groups.push_back(std::move(group));
  }
  return groups;
}

class MachineFindings {
 public:
  explicit MachineFindings(const Machine& machine)
      : machine_(machine),
        type_(FindInstanceType(machine.instance_type)),
        groups_(GroupsOf(machine)) {}

  std::vector<Finding> Find() {
    FindNoTopology();
    if (!machine_.shows_pci) return std::move(findings_);  // nothing else can be seen
    FindNicCount();
    FindGpuCount();
    FindPortRates();
    FindUnknownNodes();
    FindNarrowLinks();
    return std::move(findings_);
  }

 private:
  void Add(const FindingKind& kind, std::vector<NicKey> nics, std::vector<MemoryPlace> places,
           std::string sentence, std::string evidence) {
    Finding finding = MakeFinding(kind);
    if (nics.size() == 1) finding.nic = nics.front();
    finding.places = std::move(places);
    finding.sentence = std::move(sentence);
    finding.evidence = std::move(evidence);
    findings_.push_back(std::move(finding));
  }

  void FindNicCount();
  void FindGpuCount();
  void FindPortRates();
  void FindNoTopology();
  void FindUnknownNodes();
  void FindNarrowLinks();
  std::string ShortGroups(size_t usual, bool gpus) const;
  std::vector<const Nic*> SiblingsOf(const Group& group) const;

  const Machine& machine_;
  const InstanceType* const type_;
  const std::vector<Group> groups_;
  std::vector<Finding> findings_;
};

// "switch 0000:44:00.0 has 3" of the groups that have fewer than `usual`; empty where none has.
std::string MachineFindings::ShortGroups(size_t usual, bool gpus) const {
  std::string text;
  for (const Group& group : groups_) {
    const size_t count = gpus ? group.gpus.size() : group.nics.nics.size();
    if (count >= usual) continue;
    text += fmt::format("{}{} has {}", text.empty() ? "" : ", ", group.nics.name, count);
  }
  return text;
}

void MachineFindings::FindNicCount() {
  std::vector<size_t> sizes;
  for (const Group& group : groups_) sizes.push_back(group.nics.nics.size());
  constexpr size_t kEnoughGroups = 3;  // that agree, to call another one short
  std::optional<size_t> usual = MostCommon(sizes, kEnoughGroups);
  const size_t count = machine_.nics.size();
  if (type_ == nullptr || !type_->nics || !type_->nics->certain()) {
    const std::string few = usual ? ShortGroups(*usual, false) : "";
    if (few.empty()) return;
    Add(KindNamed("nic_count"), {}, {},
        fmt::format("{} where most others have {}: a NIC may be missing. See whether the instance "
                    "was launched with it, and whether this container is given it.",
                    few, Counted(*usual, "NIC")),
        fmt::format("nics={}", count));
    return;
  }
  const uint32_t expected = type_->nics->value;
  if (count >= expected) return;
  if (type_->nics_per_group && !machine_.flat) usual = type_->nics_per_group->value;
  std::string where = usual ? ShortGroups(*usual, false) : "";
  if (!where.empty()) where = fmt::format(" ({} where others have {})", where, *usual);
  Add(KindNamed("nic_count"), {}, {},
      fmt::format("{} of the {} EFA NICs of a {} are here{}. See whether the instance was launched "
                  "with all of them, and whether this container is given all.",
                  count, expected, type_->name, where),
      fmt::format("nics={} expected={} ({})", count, expected, FromOf(*type_->nics)));
}

void MachineFindings::FindGpuCount() {
  if (type_ == nullptr || !type_->gpus || !type_->gpus->certain()) return;
  const size_t count = machine_.gpus.size();
  const uint32_t expected = type_->gpus->value;
  if (count >= expected) return;
  std::string where;
  if (type_->gpus_per_group && !machine_.flat) {
    where = ShortGroups(type_->gpus_per_group->value, true);
    if (!where.empty()) {
      where = fmt::format(" ({} where others have {})", where, type_->gpus_per_group->value);
    }
  }
  Add(KindNamed("gpu_count"), {}, {},
      fmt::format("PCI shows {} of the {} GPUs of a {}{}. See whether one has fallen off the bus "
                  "(dmesg, nvidia-smi), and whether this container is given all.",
                  count, expected, type_->name, where),
      fmt::format("gpus={} expected={} ({})", count, expected, FromOf(*type_->gpus)));
}

void MachineFindings::FindPortRates() {
  std::vector<BytesPerSecond> rates;
  for (const Nic& nic : machine_.nics) {
    if (nic.port_rate) rates.push_back(*nic.port_rate);
  }
  std::optional<BytesPerSecond> expected;
  std::string who, from;
  if (type_ != nullptr && type_->line_rate && type_->line_rate->certain()) {
    expected = type_->line_rate->value;
    who = fmt::format("the line rate of a NIC of {}", type_->name);
    from = FromOf(*type_->line_rate);
  } else {
    expected = MostCommon(rates, 2);
    who = "what most of its siblings report";
    from = "most of this machine's NICs";
  }
  if (!expected) return;
  std::map<BytesPerSecond, std::vector<NicKey>> lower;
  for (const Nic& nic : machine_.nics) {
    if (nic.port_rate && *nic.port_rate < *expected) lower[*nic.port_rate].push_back(nic.key());
  }
  for (const auto& [rate, nics] : lower) {
    Add(KindNamed("port_rate"), nics, {},
        fmt::format("The driver reports {} for {}, below {} ({}): programs that share work by the "
                    "reported rate will use it too little. Look for a newer driver, and at what "
                    "was measured.",
                    Gigabits(rate), ListOf(nics), who, Gigabits(*expected)),
        fmt::format("nics={} reported={} expected={} ({})", nics.size(), Gigabits(rate),
                    Gigabits(*expected), from));
  }
}

// A machine with one NIC has nothing to choose by, so that its flat bus is no loss.
void MachineFindings::FindNoTopology() {
  const bool known_tree = type_ != nullptr && type_->pci_tree && type_->pci_tree->certain();
  const bool hidden = !machine_.shows_pci;
  const bool lost =
      known_tree ? type_->pci_tree->value != PciTree::kFlat : machine_.nics.size() > 1;
  if (!hidden && !(machine_.flat && lost)) return;
  Add(KindNamed("no_topology"), {}, {},
      fmt::format("{}: what is near which is unknown here, and nothing is assumed. Policies that "
                  "go by the topology choose blindly; go by what is measured, or give the "
                  "topology of the host (--hwloc-xml).",
                  hidden ? "PCI is hidden from this view"
                         : "PCI shows one bus without bridges and no NUMA node"),
      known_tree ? fmt::format("a {} shows {} ({})", type_->name, ToString(type_->pci_tree->value),
                               FromOf(*type_->pci_tree))
                 : fmt::format("nics={} gpus={}", machine_.nics.size(), machine_.gpus.size()));
}

void MachineFindings::FindUnknownNodes() {
  const auto nodes = std::count_if(
      machine_.numa_nodes.begin(), machine_.numa_nodes.end(),
      [](const NumaNode& node) { return node.memory.count > 0 && !node.cpus.empty(); });
  if (machine_.flat || nodes < 2) return;
  std::vector<NicKey> nics;
  std::vector<MemoryPlace> gpus;
  for (const Nic& nic : machine_.nics) {
    if (!nic.position.numa_node) nics.push_back(nic.key());
  }
  for (const Gpu& gpu : machine_.gpus) {
    if (!gpu.position.numa_node) gpus.push_back(MemoryPlace::Gpu(gpu.position.address));
  }
  if (nics.empty() && gpus.empty()) return;
  const std::string of = fmt::format("{}{}{}", ListOf(nics),
                                     nics.empty() || gpus.empty() ? "" : " and of ", ListOf(gpus));
  const std::string evidence = fmt::format("nics={} of {} gpus={} of {}", nics.size(),
                                           machine_.nics.size(), gpus.size(), machine_.gpus.size());
  Add(KindNamed("numa_unknown"), nics, gpus,
      fmt::format("The kernel does not say the NUMA node of {} (-1, which is not node 0): how near "
                  "host memory is to it is unknown here. The firmware's tables lack it, or the "
                  "hypervisor hides it; bind by what is measured.",
                  of),
      evidence);
}

// The NICs of groups that are made alike: as many NICs and GPUs (on GB200 the NICs of switches
// without a GPU have narrower links).
std::vector<const Nic*> MachineFindings::SiblingsOf(const Group& group) const {
  std::vector<const Nic*> siblings;
  for (const Group& other : groups_) {
    if (other.gpus.size() != group.gpus.size()) continue;
    for (const PciAddress& nic : other.nics.nics) siblings.push_back(machine_.FindNic(nic));
  }
  return siblings;
}

void MachineFindings::FindNarrowLinks() {
  const bool has_line_rate = type_ != nullptr && type_->line_rate && type_->line_rate->certain();
  std::map<std::pair<BytesPerSecond, std::string>, std::vector<NicKey>> narrow;
  for (const Group& group : groups_) {
    std::vector<BytesPerSecond> speeds;
    for (const Nic* nic : SiblingsOf(group)) {
      if (nic->position.link_speed) speeds.push_back(*nic->position.link_speed);
    }
    const auto usual = MostCommon(speeds, 2);
    for (const PciAddress& address : group.nics.nics) {
      const Nic& nic = *machine_.FindNic(address);
      if (!nic.position.link_speed) continue;
      const BytesPerSecond speed = *nic.position.link_speed;
      if (usual && speed < *usual) {
        narrow[{speed,
                fmt::format("where most of its siblings have {}", FormatBytesPerSecond(*usual))}]
            .push_back(nic.key());
      } else if (has_line_rate && speed < type_->line_rate->value) {
        narrow[{speed, fmt::format("below its line rate of {}",
                                   FormatBytesPerSecond(type_->line_rate->value))}]
            .push_back(nic.key());
      }
    }
  }
  for (const auto& [key, nics] : narrow) {
    Add(KindNamed("narrow_link"), nics, {},
        fmt::format("The PCI link of {} shows {} {}: it may have come up with fewer lanes or a "
                    "lower speed. Compare what is measured; if that is low, too, replace the "
                    "instance.",
                    ListOf(nics), FormatBytesPerSecond(key.first), key.second),
        fmt::format("nics={} link={}", nics.size(), FormatBytesPerSecond(key.first)));
  }
}

}  // namespace

std::vector<Finding> FindMachineFindings(const Machine& machine) {
  // Of no machine at all nothing is known, not even that it is sick.
  if (machine.nics.empty() && machine.instance_type.empty()) return {};
  return MachineFindings(machine).Find();
}

}  // namespace railgauge
