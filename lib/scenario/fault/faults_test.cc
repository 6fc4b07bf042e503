// Every fault of scenarios/faults: what it changes on a p5.48xlarge, that it changes nothing else,
// and which field case it stages.
#include <algorithm>
#include <cerrno>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "fmt/core.h"
#include "fmt/ranges.h"
#include "gtest/gtest.h"
#include "lib/scenario/fault/fault.h"
#include "lib/scenario/load.h"
#include "lib/scenario/location.h"

namespace railgauge {
namespace {

constexpr char kScenarios[] = "scenarios";

EmulatedMachine Load(const std::string& faults, const std::string& type = "p5.48xlarge") {
  auto machine = LoadSpec(faults.empty() ? type : type + "," + faults, kScenarios);
  EXPECT_TRUE(machine) << machine.error().ToString();
  return machine ? *std::move(machine) : EmulatedMachine();
}

std::string ErrorOf(const std::string& faults, const std::string& type = "p5.48xlarge") {
  const auto machine = LoadSpec(type + "," + faults, kScenarios);
  return machine ? "it loads" : machine.error().ToString();
}

PciAddress Address(const std::string& text) { return PciAddress::Parse(text).value(); }

const PciAddress kNic = Address("0000:4f:00.0");  // rdmap79s0, with GPU 0 below its switch
const MemoryPlace kGpu0 = MemoryPlace::Gpu(Address("0000:53:00.0"));
const MemoryPlace kGpu4 = MemoryPlace::Gpu(Address("0000:97:00.0"));  // of the other socket
const MemoryPlace kNuma0 = MemoryPlace::NumaNode(0);

double Carries(const EmulatedMachine& machine, const MemoryPlace& place,
               Direction direction = Direction::kToMemory, const PciAddress& nic = kNic) {
  return machine.PathOf(nic, place, direction).capacity.value / 1e9;
}

const EmulatedNic& NicOf(const EmulatedMachine& machine) { return *machine.FindNic(kNic); }

// Of the switch that kNic is below.
double UplinkOf(const EmulatedMachine& machine) {
  for (const EmulatedResource& resource : machine.resources) {
    if (resource.name == "uplink:0000:44:00.0:up") return resource.capacity.value / 1e9;
  }
  return 0;
}

std::string IdText(const std::optional<uint16_t>& id) {
  return id ? std::to_string(*id) : std::string("-");
}

void DumpFunctions(const std::vector<EmulatedPciDevice>& devices, const std::string& above,
                   bool links, bool acs, std::string* text) {
  for (const EmulatedPciDevice& d : devices) {
    const std::string path = above + "/" + d.address.ToString();
    *text += path;
    if (links) *text += fmt::format(" {} x{}", d.link_gt_per_second, d.link_width);
    if (acs) *text += d.acs_redirects ? " redirects" : "";
    *text += '\n';
    DumpFunctions(d.children, path, links, acs, text);
  }
}

std::string Tree(const EmulatedMachine& machine, bool links, bool acs) {
  std::string text;
  for (const EmulatedHostBridge& host : machine.host_bridges) {
    DumpFunctions(host.children, fmt::format("{:02x}", host.bus), links, acs, &text);
  }
  return text;
}

// All that a machine says, taken apart: a fault that changes an aspect which it does not name is
// found, whichever field it is.
using Aspect = std::function<std::string(const EmulatedMachine&)>;
const std::map<std::string, Aspect>& Aspects() {
  static const auto of_nics = [](const auto& text_of) -> Aspect {
    return [text_of](const EmulatedMachine& machine) {
      std::string text;
      for (const EmulatedNic& nic : machine.nics) text += text_of(nic) + "\n";
      return text;
    };
  };
  static const auto ids_of = [](const EmulatedMachine& machine) {
    std::string text;
    for (const auto* entries : {&machine.host_and_dmabuf_ids, &machine.peer_memory_ids}) {
      for (const auto& [pair, ids] : *entries) {
        text += fmt::format("{} {} {} {} {}\n", pair.first.ToString(), pair.second.ToString(),
                            IdText(ids.recv), IdText(ids.rdma_read), IdText(ids.rdma_recv));
      }
    }
    return text;
  };
  static const auto paths_of = [](const EmulatedMachine& machine) {
    std::string text;
    for (const auto& [pair, directions] : machine.paths) {
      for (const EmulatedPath& path : directions) {
        text += fmt::format("{} {} {}:", pair.first.ToString(), pair.second.ToString(),
                            path.capacity.value);
        for (const uint32_t index : path.resources) {
          const EmulatedResource& resource = machine.resources.at(index);
          text += fmt::format(" {}={}", resource.name, resource.capacity.value);
        }
        text += '\n';
      }
    }
    return text;
  };
  static const std::map<std::string, Aspect> kAspects = {
      {"nics", of_nics([](const EmulatedNic& nic) { return nic.address.ToString(); })},
      {"names", of_nics([](const EmulatedNic& nic) { return nic.name; })},
      {"gids", of_nics([](const EmulatedNic& nic) { return nic.gid + nic.node_guid; })},
      {"model", of_nics([](const EmulatedNic& nic) {
         const EmulatedNicModel& m = nic.model;
         return fmt::format("{} {}{}{} {}", m.firmware, m.rdma_read, m.rdma_write, m.can_query_mr,
                            m.max_qp);
       })},
      {"reported rate", of_nics([](const EmulatedNic& nic) {
         return fmt::format("{}", nic.model.reported_gb_per_second);
       })},
      {"device faults", of_nics([](const EmulatedNic& nic) {
         std::string text;
         for (const EmulatedNicFault& fault : nic.faults) {
           text += fmt::format("{} {} {} {} {}", static_cast<int>(fault.kind), fault.amount,
                               fault.code, ToString(fault.way), fault.start.count());
         }
         return text;
       })},
      {"gpus",
       [](const EmulatedMachine& machine) {
         std::string text;
         for (const EmulatedGpu& gpu : machine.gpus) {
           text += fmt::format("{} {} {}\n", gpu.address.ToString(), gpu.name, gpu.dmabuf);
         }
         return text;
       }},
      {"tree", [](const EmulatedMachine& machine) { return Tree(machine, false, false); }},
      {"links", [](const EmulatedMachine& machine) { return Tree(machine, true, false); }},
      {"acs", [](const EmulatedMachine& machine) { return Tree(machine, false, true); }},
      {"numa",
       [](const EmulatedMachine& machine) {
         std::string text;
         for (const EmulatedHostBridge& host : machine.host_bridges) {
           text += host.numa_node ? std::to_string(*host.numa_node) : "-1";
         }
         return text;
       }},
      {"memory",
       [](const EmulatedMachine& machine) {
         std::string text = machine.instance_type + machine.cpu_model;
         for (const EmulatedNumaNode& node : machine.numa_nodes) {
           text += fmt::format(" {} {} {}", node.index, node.cpus.size(), node.memory.count);
         }
         return text + std::to_string(machine.base_latency.count());
       }},
      {"paths", paths_of},
      {"ids", ids_of},
      {"p2p", [](const EmulatedMachine& machine) { return machine.p2p_provider; }},
      {"timing",
       [](const EmulatedMachine& m) {
         const EmulatedTiming& t = m.timing;
         return fmt::format("{} {} {} {} {} {} {}", t.pacing, t.latency_spread.count(), t.jitter,
                            t.drift_amplitude, t.drift_period.count(), t.spike_probability,
                            t.spike_length.count());
       }},
      {"seed", [](const EmulatedMachine& machine) { return std::to_string(machine.seed); }},
      {"shows pci",
       [](const EmulatedMachine& m) { return std::to_string(m.surroundings.shows_pci); }},
      {"reads config",
       [](const EmulatedMachine& m) { return std::to_string(m.surroundings.reads_config); }},
      {"visible gpus",
       [](const EmulatedMachine& m) {
         return m.surroundings.cuda_visible_devices.value_or("not set");
       }},
      {"device mode",
       [](const EmulatedMachine& m) {
         return std::to_string(m.surroundings.device_mode.value_or(0));
       }},
      {"memlock",
       [](const EmulatedMachine& m) {
         return std::to_string(m.surroundings.memlock.value_or(Bytes{1}).count);
       }},
  };
  return kAspects;
}

std::set<std::string> Changed(const EmulatedMachine& before, const EmulatedMachine& after) {
  std::set<std::string> changed;
  for (const auto& [name, text_of] : Aspects()) {
    if (text_of(before) != text_of(after)) changed.insert(name);
  }
  return changed;
}

struct Change {
  const char* fault;
  std::set<std::string> aspects;
};

// Removing a function takes all of it away, moving one moves all of it.
const std::vector<Change>& Changes() {
  static const std::vector<Change> kChanges = {
      {"slow-nic:rdmap79s0=0.6", {"paths"}},
      {"too-fast:rdmap79s0=4", {"paths"}},
      {"slow-path:rdmap79s0/gpu0/to_memory=0.5", {"paths"}},
      {"slow-relation:other_numa_node", {"paths"}},
      {"slow-uplink:rdmap79s0", {"paths"}},
      {"acs-redirect:gpu0=6GB/s", {"paths", "acs"}},
      {"acs-redirect-shown:gpu0", {"acs"}},
      {"config-unreadable", {"reads config"}},
      {"narrow-link:rdmap79s0=4", {"paths", "links"}},
      {"missing-nic:rdmap79s0",
       {"nics", "names", "gids", "model", "reported rate", "device faults", "tree", "links", "acs",
        "paths", "ids"}},
      {"missing-gpu:gpu3", {"gpus", "tree", "links", "acs", "paths", "ids"}},
      {"visible-gpus", {"visible gpus"}},
      {"numa-unknown:gpu0", {"numa"}},
      {"hidden-pci", {"shows pci"}},
      {"flat-tree", {"nics", "gpus", "tree", "links", "acs", "numa", "paths", "ids"}},
      {"renamed-nics", {"names"}},
      {"reversed-enumeration=nics", {"nics", "names", "gids"}},
      {"reversed-enumeration=gpus", {"gpus"}},
      {"wrong-rate:rdmap79s0=50Gb/s", {"reported rate"}},
      {"ids-none:rdmap79s0", {"ids"}},
      {"ids-partial:rdmap79s0=recv", {"ids"}},
      {"ids-one:rdmap79s0", {"ids"}},
      {"ids-unsupported:rdmap79s0", {"model"}},
      {"registration-fails:rdmap79s0/peer_memory=EFAULT", {"device faults"}},
      {"no-peer-memory", {"p2p"}},
      {"no-dmabuf:gpu3", {"gpus"}},
      {"access-refused:rdmap79s0", {"device faults"}},
      {"node-mode", {"device mode"}},
      {"memlock=64KiB", {"memlock"}},
      {"receiver-not-ready:rdmap79s0", {"device faults"}},
      {"retransmissions:rdmap79s0", {"device faults"}},
      {"drops:rdmap79s0=0.02", {"device faults"}},
      {"completion-errors:rdmap79s0=0.1/abort", {"device faults"}},
      {"stop-completing:rdmap79s0@2s", {"device faults"}},
      {"removed:rdmap79s0", {"device faults"}},
      {"stuck-counters:rdmap79s0", {"device faults"}},
      {"silent-fallback:rdmap79s0", {"device faults"}},
      {"foreign-traffic:rdmap79s0=3GB/s", {"device faults"}},
      {"seed=7", {"seed"}},
      {"unpaced", {"timing"}},
      {"latency-spread=3us", {"timing"}},
      {"jitter=0.1", {"timing"}},
      {"drift", {"timing"}},
      {"spikes=0.01", {"timing"}},
  };
  return kChanges;
}

std::string NameOf(const std::string& fault) { return fault.substr(0, fault.find_first_of(":=@")); }

TEST(FaultsTest, EachChangesWhatItSaysAndNothingElse) {
  const EmulatedMachine healthy = Load("");
  for (const Change& change : Changes()) {
    EXPECT_EQ(Changed(healthy, Load(change.fault)), change.aspects) << change.fault;
  }
}

TEST(FaultsTest, TimingIsSetInItsUnits) {
  const EmulatedTiming spread = Load("latency-spread=3us,jitter=0.1").timing;
  EXPECT_EQ(spread.latency_spread, Nanoseconds(3'000));
  EXPECT_DOUBLE_EQ(spread.jitter, 0.1);
  const EmulatedTiming drift = Load("drift=0.2").timing;
  EXPECT_DOUBLE_EQ(drift.drift_amplitude, 0.2);
  EXPECT_EQ(drift.drift_period, std::chrono::seconds(10));
  const EmulatedTiming spikes = Load("spikes=0.01").timing;
  EXPECT_DOUBLE_EQ(spikes.spike_probability, 0.01);
  EXPECT_EQ(spikes.spike_length, std::chrono::milliseconds(2));
  EXPECT_FALSE(Load("unpaced").timing.pacing);
}

TEST(FaultsTest, EveryFileIsInThisTable) {
  const auto faults = LoadFaults(kScenarios);
  ASSERT_TRUE(faults) << faults.error().ToString();
  std::set<std::string> tested;
  for (const Change& change : Changes()) tested.insert(NameOf(change.fault));
  for (const FaultDefinition& fault : *faults) {
    EXPECT_TRUE(tested.contains(fault.name)) << fault.name;
  }
}

TEST(FaultsTest, Capacities) {
  const double line = 12.5;
  EXPECT_DOUBLE_EQ(Carries(Load("slow-nic:0000:4f:00.0=0.6"), kNuma0), 0.6 * line);
  EXPECT_DOUBLE_EQ(Carries(Load("slow-nic:rdmap80s0"), kNuma0), line);
  EXPECT_DOUBLE_EQ(Carries(Load("slow-nic:all=0.1"), kGpu0), 0.1 * line);
  EXPECT_DOUBLE_EQ(Carries(Load("too-fast:rdmap79s0"), kGpu0), 4 * line);

  const EmulatedMachine one_way = Load("slow-path:rdmap79s0/gpu0/from_memory=0.25");
  EXPECT_DOUBLE_EQ(Carries(one_way, kGpu0, Direction::kFromMemory), 0.25 * line);
  EXPECT_DOUBLE_EQ(Carries(one_way, kGpu0), line);
  const EmulatedMachine one_place = Load("slow-path:gpu0=0.5");
  EXPECT_DOUBLE_EQ(Carries(one_place, kGpu0), 0.5 * line);
  EXPECT_DOUBLE_EQ(Carries(one_place, kNuma0), line);
  EXPECT_DOUBLE_EQ(Carries(Load("slow-relation:other_numa_node=0.5"), kGpu4), 3);

  // One NIC alone does not show the uplink; four do.
  const EmulatedMachine uplink = Load("slow-uplink:rdmap79s0=0.9");
  EXPECT_DOUBLE_EQ(Carries(uplink, kNuma0), line);
  EXPECT_DOUBLE_EQ(Carries(Load("slow-uplink:rdmap79s0=0.5"), kNuma0), 15.75 / 2);
  EXPECT_DOUBLE_EQ(Carries(Load("slow-uplink:rdmap79s0=0.5"), kGpu0), line);

  // 16 GT/s, 128b/130b.
  EXPECT_NEAR(Carries(Load("narrow-link:rdmap79s0=4"), kGpu0), 4 * 16 * 128 / 130. / 8, 1e-9);
  EXPECT_DOUBLE_EQ(Carries(Load("narrow-link:gpu0=2"), kGpu0), 2 * 32 * 128 / 130. / 8);
}

TEST(FaultsTest, AcsRedirectCrossesTheUplinkBothWays) {
  const auto crosses = [](const EmulatedMachine& machine, const std::string& name) {
    for (const uint32_t index : machine.PathOf(kNic, kGpu0, Direction::kToMemory).resources) {
      if (machine.resources[index].name == name) return true;
    }
    return false;
  };
  const EmulatedMachine shared = Load("acs-redirect:gpu0");
  EXPECT_TRUE(crosses(shared, "uplink:0000:44:00.0:up"));
  EXPECT_TRUE(crosses(shared, "uplink:0000:44:00.0:down"));
  EXPECT_DOUBLE_EQ(Carries(shared, kGpu0), 12.5);
  EXPECT_FALSE(crosses(Load(""), "uplink:0000:44:00.0:up"));
  EXPECT_DOUBLE_EQ(Carries(Load("acs-redirect:gpu0=6GB/s"), kGpu0), 6);
  EXPECT_DOUBLE_EQ(Carries(Load("acs-redirect:gpu1=6GB/s"), kGpu0), 12.5);
  EXPECT_DOUBLE_EQ(Carries(Load("slow-uplink:gpu0=0.25,acs-redirect:gpu0"), kGpu0), 15.75 / 4);
}

TEST(FaultsTest, WhatIsShown) {
  EXPECT_EQ(NicOf(Load("renamed-nics")).name, "efa_0");
  EXPECT_EQ(NicOf(Load("renamed-nics=onboard")).name, "rdmao1");
  EXPECT_EQ(Load("reversed-enumeration").nics.front().name, "rdmap201s0");
  EXPECT_EQ(Load("reversed-enumeration").gpus.front().address, Address("0000:ca:00.0"));
  EXPECT_DOUBLE_EQ(NicOf(Load("wrong-rate=200Gb/s")).model.reported_gb_per_second, 200);
  EXPECT_EQ(Load("visible-gpus=3+1").surroundings.cuda_visible_devices, "3,1");
  EXPECT_EQ(Load("visible-gpus").surroundings.cuda_visible_devices, "7,6,5,4,3,2,1,0");
  EXPECT_EQ(Load("node-mode=0640").surroundings.device_mode, 0640u);
  EXPECT_EQ(Load("memlock=1MiB").surroundings.memlock->count, 1u << 20);
  EXPECT_EQ(Load("missing-nic:rdmap79s0").nics.size(), 31u);
  const EmulatedMachine lost = Load("numa-unknown");
  EXPECT_EQ(lost.host_bridges[0].numa_node, 0u);  // neither NIC nor GPU there
  EXPECT_FALSE(lost.host_bridges[1].numa_node.has_value());
}

TEST(FaultsTest, AFlatTreeMovesEveryFunctionAndKeepsItsPath) {
  const EmulatedMachine flat = Load("slow-nic:rdmap79s0=0.6,flat-tree");
  ASSERT_EQ(flat.host_bridges.size(), 1u);
  const EmulatedNic& nic = flat.nics.front();
  EXPECT_EQ(nic.name, "rdmap79s0");
  EXPECT_EQ(nic.address.bus, 0);
  EXPECT_DOUBLE_EQ(
      Carries(flat, MemoryPlace::Gpu(flat.gpus[0].address), Direction::kToMemory, nic.address),
      7.5);
  EXPECT_TRUE(flat.LineOf(nic.address, Direction::kToMemory).has_value());
  EXPECT_TRUE(flat.IdsOf(nic.address, kNuma0, RegistrationWay::kHost).any());
  EXPECT_DOUBLE_EQ(
      Carries(Load("flat-tree,slow-nic:rdmap79s0=0.6"), kNuma0, Direction::kToMemory, nic.address),
      7.5);
}

TEST(FaultsTest, Ids) {
  const auto ids = [](const char* fault, RegistrationWay way) {
    return Load(fault).IdsOf(kNic, kGpu0, way);
  };
  EXPECT_FALSE(ids("ids-none", RegistrationWay::kDmabuf).any());
  EXPECT_TRUE(ids("ids-none:rdmap80s0", RegistrationWay::kDmabuf).any());
  EXPECT_FALSE(ids("ids-partial", RegistrationWay::kDmabuf).rdma_recv.has_value());
  EXPECT_TRUE(ids("ids-partial", RegistrationWay::kDmabuf).rdma_read.has_value());
  EXPECT_EQ(ids("ids-one:rdmap79s0=9", RegistrationWay::kPeerMemory),
            (InterconnectIds{.recv = 9, .rdma_read = 9, .rdma_recv = 9}));
}

TEST(FaultsTest, DeviceFaultsCarryValueAndStart) {
  using Kind = EmulatedNicFault::Kind;
  const auto fault = [](const char* text) { return NicOf(Load(text)).faults.at(0); };
  EXPECT_EQ(fault("stop-completing:rdmap79s0@2s"),
            (EmulatedNicFault{.kind = Kind::kStopCompleting, .start = std::chrono::seconds(2)}));
  EXPECT_EQ(
      fault("registration-fails:peer_memory=EFAULT"),
      (EmulatedNicFault{
          .kind = Kind::kRegistrationFails, .code = EFAULT, .way = RegistrationWay::kPeerMemory}));
  EXPECT_EQ(fault("completion-errors:rdmap79s0=0.25/abort"),
            (EmulatedNicFault{.kind = Kind::kCompletionErrors, .amount = 0.25, .code = 8}));
  EXPECT_EQ(fault("completion-errors:rdmap79s0=0.25").code, 13u);
  EXPECT_EQ(fault("foreign-traffic:rdmap79s0=24Gb/s").amount, 3e9);
  EXPECT_EQ(fault("access-refused").code, uint32_t{EACCES});
}

// The order given is the order applied.
TEST(FaultsTest, Order) {
  EXPECT_EQ(Load("missing-gpu:gpu0,missing-gpu:gpu0").gpus.front().address,
            Address("0000:75:00.0"));
  EXPECT_EQ(NicOf(Load("reversed-enumeration=nics,renamed-nics")).name, "efa_31");
  EXPECT_EQ(NicOf(Load("renamed-nics,reversed-enumeration=nics")).name, "efa_0");
  EXPECT_EQ(NicOf(Load("renamed-nics,wrong-rate:efa_0=1Gb/s")).model.reported_gb_per_second, 1);
  // A later one of all may say otherwise for one.
  const auto later = NicOf(Load("drops:all=0.1,drops:rdmap79s0=0.2")).faults;
  ASSERT_EQ(later.size(), 1u);
  EXPECT_DOUBLE_EQ(later[0].amount, 0.2);
  EXPECT_EQ(NicOf(Load("registration-fails:host,registration-fails:dmabuf")).faults.size(), 2u);
  EXPECT_DOUBLE_EQ(Carries(Load("slow-nic:all=0.5,slow-nic:rdmap79s0=0.5"), kNuma0), 3.125);
  // A path is slower than what was left of it.
  EXPECT_DOUBLE_EQ(Carries(Load("slow-nic:rdmap79s0=0.5,slow-path:numa0=0.5"), kNuma0), 3.125);
}

// Each row of the table of what goes wrong in the field has a spec that stages it.
TEST(FaultsTest, EveryFieldCaseIsStaged) {
  const struct {
    const char* happened;
    const char* faults;
    std::function<bool(const EmulatedMachine&)> staged;
  } kCases[] = {
      {"GPU index used instead of PCI address after CUDA_VISIBLE_DEVICES", "visible-gpus",
       [](const auto& m) { return m.surroundings.cuda_visible_devices == "7,6,5,4,3,2,1,0"; }},
      {"NIC of another PCIe root or socket chosen for a GPU", "slow-relation:other_numa_node=0.5",
       [](const auto& m) { return Carries(m, kGpu4) * 2 < Carries(m, kGpu0); }},
      // Without NICs of its own, the nearest ones of GPU 0 are those of other GPUs.
      {"two GPUs assigned the same NICs while others idle",
       "missing-nic:rdmap79s0,missing-nic:rdmap80s0,missing-nic:rdmap81s0,missing-nic:rdmap82s0",
       [](const auto& m) { return m.nics.size() == 28 && m.gpus.size() == 8; }},
      {"equal hop count across a socket boundary taken as equal cost",
       "slow-relation:other_numa_node=0.7",
       [](const auto& m) { return Carries(m, kGpu4) < Carries(m, kGpu0); }},
      {"variance itself (21…124 GB/s across sockets)", "drift=0.8",
       [](const auto& m) { return m.timing.drift_amplitude == 0.8; }},
      {"one slow NIC although the port says ACTIVE", "slow-nic:rdmap79s0=0.6",
       [](const auto& m) { return Carries(m, kNuma0) == 7.5; }},
      {"one NIC missing (31 of 32)", "missing-nic:rdmap80s0",
       [](const auto& m) { return m.nics.size() == 31; }},
      {"a GPU subset in a container", "visible-gpus=0+1+2+3",
       [](const auto& m) { return m.surroundings.cuda_visible_devices == "0,1,2,3"; }},
      {"container hides PCI sysfs", "hidden-pci",
       [](const auto& m) { return !m.surroundings.shows_pci; }},
      {"VM shows a flat tree", "flat-tree",
       [](const auto& m) { return m.host_bridges.size() == 1 && !m.host_bridges[0].numa_node; }},
      {"NUMA -1", "numa-unknown", [](const auto& m) { return !m.host_bridges[1].numa_node; }},
      {"ACS redirect on the shared switch: on", "acs-redirect=6GB/s",
       [](const auto& m) {
         return Carries(m, kGpu0) == 6 && m.host_bridges[1].children[0].acs_redirects;
       }},
      {"ACS redirect on the shared switch: unreadable", "config-unreadable",
       [](const auto& m) { return !m.surroundings.reads_config; }},
      {"peer memory module loaded but registration fails; dma-buf works",
       "registration-fails:peer_memory=EINVAL",
       [](const auto& m) { return NicOf(m).faults.size() == 1 && m.p2p_provider == "NVIDIA"; }},
      {"driver reports 100 Gb/s on a 200 Gb/s NIC", "wrong-rate=50Gb/s",
       [](const auto& m) {
         return NicOf(m).model.reported_gb_per_second == 50 && Carries(m, kNuma0) == 12.5;
       }},
      {"a run silently fell back, or the wrong operation ran", "silent-fallback:all",
       [](const auto& m) {
         return NicOf(m).faults.at(0).kind == EmulatedNicFault::Kind::kCountsAsSend;
       }},
      {"a result above the physical ceiling", "too-fast:all",
       [](const auto& m) { return Carries(m, kGpu0) > 2 * 12.5; }},
      {"one stream hides a shared uplink", "slow-uplink:rdmap79s0=0.85",
       [](const auto& m) {
         return Carries(m, kNuma0) == 12.5 && UplinkOf(m) < 2 * 12.5 && UplinkOf(m) > 12.5;
       }},
  };
  for (const auto& c : kCases) EXPECT_TRUE(c.staged(Load(c.faults))) << c.happened;
}

bool HasRdmaThatIsNoEfa(const std::vector<EmulatedPciDevice>& devices) {
  return std::any_of(devices.begin(), devices.end(), [](const EmulatedPciDevice& device) {
    return device.kind == EmulatedPciDevice::Kind::kRdma || HasRdmaThatIsNoEfa(device.children);
  });
}

// The one row that is a healthy machine: what is counted wrongly is there from the beginning.
TEST(FaultsTest, ConnectXDevicesCountedAsEfaAreOnTheirType) {
  const EmulatedMachine machine = Load("", "p6-b200.48xlarge");
  EXPECT_EQ(machine.nics.size(), 8u);
  EXPECT_TRUE(std::any_of(
      machine.host_bridges.begin(), machine.host_bridges.end(),
      [](const EmulatedHostBridge& host) { return HasRdmaThatIsNoEfa(host.children); }));
}

// What most faults take for granted holds on every type: names, lines, paths of the first NIC.
TEST(FaultsTest, EveryInstanceTypeCanBeSick) {
  const auto types = ListInstanceTypes(kScenarios);
  ASSERT_TRUE(types) << types.error().ToString();
  for (const std::string& type : *types) {
    const EmulatedMachine healthy = Load("", type);
    const std::string nic = healthy.nics.front().name;
    const std::vector<std::string> faults = {
        "slow-nic:" + nic, "slow-path:" + nic, "stop-completing:" + nic, "foreign-traffic:" + nic,
        "ids-none",        "numa-unknown",     "renamed-nics",           "reversed-enumeration",
        "hidden-pci"};
    for (const std::string& fault : faults) {
      const EmulatedMachine sick = Load(fault, type);
      EXPECT_EQ(sick.nics.size(), healthy.nics.size()) << type << " " << fault;
    }
    EXPECT_EQ(Load("missing-nic:" + nic, type).nics.size() + 1, healthy.nics.size()) << type;
    const EmulatedMachine flat = Load("flat-tree", type);
    EXPECT_EQ(flat.paths.size(), healthy.paths.size()) << type;
    EXPECT_EQ(flat.host_bridges.size(), 1u) << type;
    for (const EmulatedNic& one : flat.nics) {
      EXPECT_TRUE(flat.LineOf(one.address, Direction::kToMemory).has_value()) << type;
    }
  }
}

TEST(FaultsTest, ErrorsAreOneLineWithTheNearestWord) {
  const struct {
    const char* faults;
    const char* error;
  } kCases[] = {
      {"slow-nick:rdmap79s0",
       "slow-nick:rdmap79s0: there is no fault 'slow-nick'. Write "
       "'slow-nic'."},
      {"slow-nic:rdmap79", "slow-nic:rdmap79: there is no NIC 'rdmap79'. Write 'rdmap79s0'."},
      {"slow-nic", "slow-nic: it needs a target. Add ':' and a NIC, or all."},
      {"slow-nic:rdmap79s0=fast",
       "slow-nic:rdmap79s0=fast: its value is 'fast'. Write a fraction, "
       "from 0.001 to 1."},
      {"slow-nic:rdmap79s0=2",
       "slow-nic:rdmap79s0=2: its value is '2'. Write a fraction, from "
       "0.001 to 1."},
      {"missing-gpu:gpu8",
       "missing-gpu:gpu8: there is no GPU 'gpu8'. The machine has gpu0 to gpu7."},
      {"slow-nic:rdmap79s0=0.5,slow-nic:rdmap79s0=0.6",
       "slow-nic:rdmap79s0=0.6: it is given twice, before as slow-nic:rdmap79s0=0.5. Leave one of "
       "them out."},
      {"missing-gpu:gpu3=1", "missing-gpu:gpu3=1: it takes no value. Leave '=1' out."},
      {"missing-gpu:gpu3@2s",
       "missing-gpu:gpu3@2s: it holds from the beginning and cannot start "
       "later. Leave '@' and the time out."},
      {"flat-tree:rdmap79s0",
       "flat-tree:rdmap79s0: it is of the whole machine and takes no "
       "target. Leave ':rdmap79s0' out."},
      {"slow-path:rdmap79s0/gpu0/to_memroy",
       "slow-path:rdmap79s0/gpu0/to_memroy: there is no NIC, place or direction 'to_memroy'. Write "
       "'to_memory'."},
      {"registration-fails:dmabuff",
       "registration-fails:dmabuff: there is no NIC or registration "
       "way 'dmabuff'. Write 'dmabuf'."},
      {"registration-fails:rdmap79s0",
       "registration-fails:rdmap79s0: it names no registration way. Write host, dmabuf or "
       "peer_memory after ':'."},
      {"registration-fails:dmabuf=EINVALL",
       "registration-fails:dmabuf=EINVALL: its value is "
       "'EINVALL'. Write 'EINVAL'."},
      {"completion-errors:rdmap79s0=0.1/unresp_remot",
       "completion-errors:rdmap79s0=0.1/unresp_remot: its value is '0.1/unresp_remot'. Write "
       "'unresp_remote'."},
      {"renamed-nics=kernl", "renamed-nics=kernl: its value is 'kernl'. Write 'kernel'."},
      {"narrow-link:rdmap79s0=8",
       "narrow-link:rdmap79s0=8: the link of 0000:4f:00.0 shows 8 "
       "lanes. Take a device with a wider link."},
      {"visible-gpus=3+9", "visible-gpus=3+9: there is no GPU 9. The machine has 8."},
      {"visible-gpus=3+3",
       "visible-gpus=3+3: its value is '3+3'. Write whole numbers like 3+1+0, "
       "each once."},
      {"missing-gpu:gpu7,missing-gpu:gpu7",
       "missing-gpu:gpu7: there is no GPU 'gpu7'. The machine has gpu0 to gpu6."},
  };
  for (const auto& c : kCases) EXPECT_EQ(ErrorOf(c.faults), std::string("apply fault ") + c.error);
  // p4d shows no bridges and no link of a NIC.
  EXPECT_EQ(
      ErrorOf("acs-redirect:gpu0", "p4d.24xlarge"),
      "apply fault acs-redirect:gpu0: no root port is above 'gpu0'. Take a machine that shows "
      "bridges.");
  EXPECT_EQ(ErrorOf("narrow-link:rdmap16s27", "p4d.24xlarge"),
            "apply fault narrow-link:rdmap16s27: the link of 0000:10:1b.0 shows no lanes. Take a "
            "device with a wider link.");
}

TEST(FaultsTest, TheListSaysWhatEachTakes) {
  const std::string list = ListFaults(*LoadFaults(kScenarios));
  EXPECT_NE(list.find("slow-nic:TARGET[=VALUE]\n"), std::string::npos) << list;
  EXPECT_NE(list.find("    TARGET: a NIC, or all\n    VALUE: a fraction, from 0.001 to 1; 0.5 when "
                      "left out\n"),
            std::string::npos)
      << list;
  EXPECT_NE(list.find("\nstop-completing:TARGET[@START]\n"), std::string::npos) << list;
  EXPECT_NE(list.find("\nflat-tree\n"), std::string::npos) << list;
}

}  // namespace
}  // namespace railgauge
