#include "lib/placement/settings/settings.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>
#include <string>

#include "gtest/gtest.h"
#include "lib/base/file.h"
#include "lib/placement/import/import.h"
#include "lib/placement/policy.h"
#include "lib/topology/machine_testutil.h"

namespace railgauge {
namespace {

Settings Render(std::string_view name, const Machine& machine, const Decision& decision) {
  const Framework* framework = FindFramework(name);
  EXPECT_NE(framework, nullptr) << name;
  return framework == nullptr ? Settings{} : framework->render(machine, decision);
}

std::vector<PciAddress> InPciOrder(const Machine& machine) {
  std::vector<PciAddress> order;
  for (const Gpu& gpu : machine.gpus) order.push_back(gpu.position.address);
  return order;
}

// The text read back as --placement=FILE reads it.
Result<Decision> ReadBack(const std::string& text, const Machine& machine) {
  const char* folder = std::getenv("TEST_TMPDIR");
  const std::string path = std::string(folder == nullptr ? "/tmp" : folder) + "/settings";
  EXPECT_TRUE(WriteFileAtomically(path, text));
  return DecidePlacement(path, machine, InPciOrder(machine));
}

std::map<MemoryPlace, std::set<NicKey>> AsMap(const Decision& decision) {
  std::map<MemoryPlace, std::set<NicKey>> map;
  for (const Assignment& assignment : decision.assignments) {
    map[assignment.consumer] = {assignment.nics.begin(), assignment.nics.end()};
  }
  return map;
}

// Decisions that no policy makes by itself: the GPUs' NICs go round by `by` GPUs.
Decision Rotated(const Machine& machine, std::string_view policy, size_t by) {
  const auto decided = DecideByPolicy(policy, machine);
  EXPECT_TRUE(decided);
  Decision rotated = *decided;
  for (size_t i = 0; i < rotated.assignments.size(); ++i) {
    rotated.assignments[i].nics = decided->assignments[(i + by) % decided->assignments.size()].nics;
  }
  return rotated;
}

TEST(SettingsTest, EveryFrameworkHasASourceAndSaysSomething) {
  const Machine machine = MakeP5();
  const Decision decision = Rotated(machine, "nearest", 0);
  std::set<std::string_view> names;
  for (const Framework& framework : Frameworks()) {
    EXPECT_TRUE(names.insert(framework.name).second);
    EXPECT_FALSE(framework.what.empty());
    EXPECT_FALSE(framework.source.empty());
    const Settings settings = framework.render(machine, decision);
    EXPECT_TRUE(settings.text.ends_with('\n')) << framework.name;
    for (const std::string& limit : settings.limits) EXPECT_TRUE(limit.ends_with('.')) << limit;
  }
  EXPECT_EQ(FindFramework("nixel"), nullptr);
}

// What these formats say is read back as what was meant, by the importers of --placement.
TEST(SettingsTest, RoundTrips) {
  for (const Machine& machine : {MakeP5(), MakeP4d()}) {
    for (const size_t by : {0u, 2u, 4u}) {
      const Decision decision = Rotated(machine, "nearest", by);
      for (const char* name : {"ucx", "mooncake", "nccl"}) {
        const Settings settings = Render(name, machine, decision);
        const auto back = ReadBack(settings.text, machine);
        ASSERT_TRUE(back) << name << " " << by << " " << back.error().ToString() << "\n"
                          << settings.text;
        EXPECT_EQ(AsMap(*back), AsMap(decision)) << name << " " << by << "\n" << settings.text;
      }
    }
  }
}

TEST(SettingsTest, NumaNodesRoundTripWhereTheFormatHasThem) {
  const Machine machine = MakeP5();
  const auto numa = DecideByPolicy("numa", machine);
  Decision decision{"test", {}};
  for (const uint32_t node : {0u, 1u}) {
    Assignment assignment{MemoryPlace::NumaNode(node), {}};
    for (const Nic& nic : machine.nics) {
      if (nic.position.numa_node == node) assignment.nics.push_back(nic.key());
    }
    decision.assignments.push_back(assignment);
  }
  const auto back = ReadBack(Render("mooncake", machine, decision).text, machine);
  ASSERT_TRUE(back) << back.error().ToString();
  EXPECT_EQ(AsMap(*back), AsMap(decision));
  const Settings nccl = Render("nccl", machine, decision);
  EXPECT_EQ(nccl.text, "");
  ASSERT_EQ(nccl.limits.size(), 1u);
  EXPECT_EQ(nccl.limits[0], "NCCL serves GPUs, and a consumer is none.");
  EXPECT_EQ(Render("cuda", machine, decision).text, "");
}

// One NIC of two overlapping choices cannot stand below two switches.
TEST(SettingsTest, NcclSaysWhatATreeCannot) {
  const Machine machine = MakeP5();
  Decision decision = Rotated(machine, "nearest", 0);
  decision.assignments[1].nics.push_back(decision.assignments[0].nics[0]);
  const Settings settings = Render("nccl", machine, decision);
  EXPECT_EQ(settings.text, "");
  ASSERT_EQ(settings.limits.size(), 1u);
  EXPECT_TRUE(settings.limits[0].starts_with("GPUs share NICs only in part"));
}

TEST(SettingsTest, ProcessesAreNamedAsLaunchersNameThem) {
  Machine machine = MakeP4d();
  machine.numa_nodes[0].cpus = {0, 1, 2, 3, 8, 9, 10, 11};
  machine.numa_nodes[1].cpus = {4, 5, 6, 7, 12, 13, 14, 15};
  Decision decision = Rotated(machine, "nearest", 0);
  std::erase_if(decision.assignments, [](const Assignment& assignment) {
    return assignment.consumer != MemoryPlace::Gpu(Pci("0000:a0:1d.0"));
  });
  ASSERT_EQ(decision.assignments.size(), 1u);
  EXPECT_EQ(Render("hwloc", machine, decision).text,
            "# gpu:0000:a0:1d.0\n"
            "hwloc-bind --physical --cpubind 0xf0f0 --membind node:1 -- COMMAND\n");
  EXPECT_EQ(Render("cuda", machine, decision).text,
            "# gpu:0000:a0:1d.0\nCUDA_DEVICE_ORDER=PCI_BUS_ID CUDA_VISIBLE_DEVICES=7\n");
  EXPECT_EQ(Render("libfabric", machine, decision).text,
            "# gpu:0000:a0:1d.0\nCUDA_DEVICE_ORDER=PCI_BUS_ID CUDA_VISIBLE_DEVICES=7 "
            "FI_PROVIDER=efa FI_EFA_IFACE=rdmap160s27\n");
  EXPECT_EQ(Render("ucx", machine, decision).text,
            "# gpu:0000:a0:1d.0\nCUDA_DEVICE_ORDER=PCI_BUS_ID CUDA_VISIBLE_DEVICES=7 "
            "UCX_NET_DEVICES=rdmap160s27:1\n");
  const std::string slurm = Render("slurm", machine, decision).text;
  EXPECT_NE(slurm.find("srun --ntasks-per-node=1 --gpu-bind=map_gpu:7 --cpu-bind=mask_cpu:0xf0f0 "
                       "--mem-bind=map_mem:1 THIS_FILE COMMAND"),
            std::string::npos)
      << slurm;
  EXPECT_NE(slurm.find("  0) export FI_EFA_IFACE=rdmap160s27 ;;"), std::string::npos) << slurm;
  EXPECT_NE(Render("openmpi", machine, decision)
                .text.find("-n 1 -x CUDA_DEVICE_ORDER=PCI_BUS_ID -x CUDA_VISIBLE_DEVICES=7 "
                           "-x FI_EFA_IFACE=rdmap160s27 hwloc-bind --cpubind 0xf0f0 -- COMMAND\n"),
            std::string::npos);
  const std::string kubernetes = Render("kubernetes", machine, decision).text;
  EXPECT_NE(kubernetes.find("nvidia.com/gpu: 1\n    vpc.amazonaws.com/efa: 1\n"),
            std::string::npos);
  const Settings nixl = Render("nixl", machine, decision);
  EXPECT_NE(nixl.text.find("UCX backend: device_list = \"rdmap160s27\"\n"), std::string::npos);
}

// A flat machine shows no NUMA node of its devices: nothing is made up.
TEST(SettingsTest, WhatTheTopologyDoesNotShowIsSaid) {
  const Machine machine = MakeG5();
  const auto decision = DecideByPolicy("nearest", machine);
  ASSERT_TRUE(decision);
  const Settings hwloc = Render("hwloc", machine, *decision);
  EXPECT_EQ(hwloc.text, "");
  EXPECT_EQ(hwloc.limits.size(), machine.gpus.size() + 1);
  const std::string slurm = Render("slurm", machine, *decision).text;
  EXPECT_EQ(slurm.find("cpu-bind"), std::string::npos);
}

}  // namespace
}  // namespace railgauge
