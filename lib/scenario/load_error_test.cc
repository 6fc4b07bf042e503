// Every way in which a scenario can be wrong, with the line and the advice that the loader gives.

#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "fmt/core.h"
#include "gtest/gtest.h"
#include "lib/scenario/load.h"
#include "lib/scenario/small_scenario_testutil.h"

namespace railgauge {
namespace {

struct Case {
  const char* from;  // the one place in kSmallScenario
  const char* to;
  const char* at;  // what stands in the line that the error names
  const char* error;
};

void Check(const std::vector<Case>& cases) {
  for (const Case& c : cases) {
    SCOPED_TRACE(fmt::format("'{}' -> '{}'", c.from, c.to));
    const std::string yaml = SmallScenarioWith(c.from, c.to);
    EXPECT_EQ(ErrorOf(yaml), fmt::format("{}: {}", LineOf(yaml, c.at), c.error));
  }
}

TEST(LoadErrorTest, TheSmallScenarioIsRight) { EXPECT_EQ(ErrorOf(kSmallScenario), "it loads"); }

TEST(LoadErrorTest, Keys) {
  Check({
      {"cpu_model:", "cpu_modell:", "cpu_modell:",
       "unknown key 'cpu_modell' in the scenario. Write 'cpu_model'."},
      {"max_qp:", "max_qpp:", "max_qpp:", "unknown key 'max_qpp' in limits. Write 'max_qp'."},
      {"numa_link: 20GB/s", "zzzzzzzzzz: 20GB/s", "zzzzzzzzzz",
       "unknown key 'zzzzzzzzzz' in shared_capacities. Known are uplink, gpu_link, numa_memory, "
       "numa_link."},
      {"instance_type: small.2xlarge\n", "", "schema",
       "the scenario has no 'instance_type'. Add it."},
      {"name: Emulated GPU, ", "", "gpu: {kind", "function 'gpu' has no 'name'. Add it."},
      {"ids: synthetic", "ids: synthetic\nids: synthetic", "ids: synthetic\ncpu_model",
       "duplicate key 'ids'. Remove one of the two."},
      {"kind: gpu, id", "kind: gpu, kind: gpu, id", "kind: gpu",
       "duplicate key 'kind'. Remove one of the two."},
      {"base_latency: 15us", "[a, b]: 15us", "[a, b]",
       "a key that is no plain word. Write 'key: value'."},
  });
}

TEST(LoadErrorTest, TypesAndUnits) {
  Check({
      {"schema: 1", "schema: 2", "schema", "schema is '2'. Write a whole number from 1 to 1."},
      {"schema: 1", "schema: one", "schema", "schema is 'one'. Write a whole number from 1 to 1."},
      {"schema: 1", "schema: 1.0", "schema", "schema is '1.0'. Write a whole number from 1 to 1."},
      {"instance_type: small.2xlarge", "instance_type: [small]", "instance_type",
       "instance_type is a list. Write one value."},
      {"instance_type: small.2xlarge", "instance_type:", "instance_type",
       "instance_type is nothing. Write one value."},
      {"ids: synthetic", "ids: measured", "ids", "ids is 'measured'. Write synthetic."},
      {"p2p_provider: NVIDIA", "p2p_provider: AMD", "p2p_provider",
       "p2p_provider is 'AMD'. Write NVIDIA or NEURON or none."},
      {"line_rate: 10GB/s", "line_rate: 10",
       "line_rate:", "line_rate is '10': it has no unit. Write it like 12.5GB/s or 100Gb/s."},
      {"line_rate: 10GB/s", "line_rate: 10GiB/s", "line_rate:",
       "line_rate is '10GiB/s': 'GiB/s' is no unit here. Write it like 12.5GB/s or 100Gb/s."},
      {"line_rate: 10GB/s", "line_rate: 0GB/s",
       "line_rate:", "line_rate is '0GB/s'. Write a rate above zero."},
      {"line_rate: 10GB/s", "line_rate: -1GB/s", "line_rate:",
       "line_rate is '-1GB/s': it is negative or not finite. Write it like 12.5GB/s or 100Gb/s."},
      {"base_latency: 15us", "base_latency: 15", "base_latency",
       "base_latency is '15': it has no unit. Write it like 500us, 10ms, 60s or 5min."},
      {"memory: 1GiB", "memory: lots", "memory: lots",
       "memory is 'lots': it does not begin with a number. Write it like 4096, 64KiB, 1MiB or "
       "80GB."},
      {"memory: 1GiB", "memory: 0", "memory: 0", "memory is '0'. Write a size above zero."},
      {"dmabuf: true", "dmabuf: yes", "dmabuf", "dmabuf is 'yes'. Write true or false."},
      {"capabilities: [rdma_read, query_mr]", "capabilities: [rdma_reed]", "rdma_reed",
       "a capability is 'rdma_reed'. Write rdma_read, rdma_write, rnr_retry, cq_with_sgid, "
       "unsolicited_write_recv or query_mr."},
      {"capabilities: [rdma_read, query_mr]", "capabilities: rdma_read", "capabilities",
       "capabilities is 'rdma_read'. Write a list with at least one item."},
      {"max_sq_sge: 2", "max_sq_sge: 3", "max_sq_sge",
       "max_sq_sge is '3'. Write a whole number from 1 to 2."},
      {"firmware: emulated-small", "firmware: 1.2.3", "firmware",
       "firmware is '1.2.3'. Write at most 31 characters that begin with 'emulated-'."},
      {"functions:\n  port", "functions: none\nother:\n  port", "other:",
       "unknown key 'other' in the scenario. Known are schema, instance_type, sources, ids, "
       "facts, cpu_model, arm_cpu, cpu_mhz, threads_per_core, caches, numa_nodes, p2p_provider, "
       "base_latency, timing, "
       "functions, trees, host_bridges, shared_capacities, paths, interconnect_ids."},
      {"type: Unified", "type: unified", "unified",
       "type is 'unified'. Write Data, Instruction or Unified."},
      {"level: 3", "level: 0", "level: 0", "level is '0'. Write a whole number from 1 to 4."},
  });
}

TEST(LoadErrorTest, CpusAndNumaNodes) {
  Check({
      {"cpus: \"2-3,6-7\"", "cpus: \"2-3,5-6\"", "2-3,5-6",
       "CPU 5 is in NUMA node 0 and in node 1. Remove it from one of them."},
      {"cpus: \"2-3,6-7\"", "cpus: \"2-3,6\"", "2-3,6",
       "3 CPUs are no whole number of cores with 2 threads. Correct cpus or threads_per_core."},
      {"cpus: \"2-3,6-7\"", "cpus: \"3-2\"", "3-2",
       "cpus is '3-2'. Write CPU numbers up to 4095, like \"0-47,96-143\", or none."},
      {"cpus: \"2-3,6-7\"", "cpus: \"2-99999\"", "99999",
       "cpus is '2-99999'. Write CPU numbers up to 4095, like \"0-47,96-143\", or none."},
      {"index: 1, package: 1", "index: 0, package: 1", "index: 0, package: 1",
       "two NUMA nodes have the index 0. Give one of them another."},
      {"index: 1, package: 1", "index: 1-3, package: 1", "index: 1-3",
       "several NUMA nodes at once have CPUs or memory. Give every node that has any an item of "
       "its "
       "own."},
      {"index: 1, package: 1", "index: 3-1, package: 1", "index: 3-1",
       "index is '3-1'. Write a number up to 1023, or of several empty nodes \"2-33\"."},
      {"index: 1, package: 1", "index: 1024, package: 1", "index: 1024",
       "index is '1024'. Write a number up to 1023, or of several empty nodes \"2-33\"."},
      {"memory: 8GiB}\np2p",
       "memory: 8GiB}\n  - {index: 1-3, package: 0, cpus: none, memory: 0}\np2p", "index: 1-3",
       "two NUMA nodes have the index 1. Give one of them another."},
      {"cpu_mhz: 2650", "arm_cpu: neoverse\ncpu_mhz: 2650", "neoverse",
       "arm_cpu is 'neoverse'. Write implementer and part in hexadecimal, like \"41:d4f\"."},
      {"at: \"0000:20\", numa_node: 1", "at: \"0000:20\", numa_node: 2", "numa_node: 2",
       "there is no NUMA node 2. Name one of numa_nodes, or write unknown."},
      {"at: \"0000:20\", numa_node: 1", "at: \"0000:20\", numa_node: -1", "numa_node: -1",
       "numa_node is '-1'. Write a whole number from 0 to 4294967295."},
  });
}

TEST(LoadErrorTest, PciFunctions) {
  Check({
      {"kind: gpu", "kind: tpu", "kind: tpu",
       "kind is 'tpu'. Write bridge, nic, gpu, accelerator, rdma or other."},
      {"gpu: {kind: gpu, ", "gpu: {", "gpu: {",
       "function 'gpu' has no 'kind'. Add bridge, nic, gpu, accelerator, rdma or other."},
      {"id: \"10de:2330\"", "id: \"10de-2330\"", "10de-2330",
       "id is '10de-2330'. Write vendor and device in hexadecimal, like \"1d0f:efa1\"."},
      {"id: \"10de:2330\"", "id: \"10de:23z0\"", "10de:23z0",
       "id is '23z0'. Write 4 hexadecimal digits."},
      {"class: \"030200\"", "class: \"0302\"", "\"0302\"",
       "class is '0302'. Write 6 hexadecimal digits."},
      {"class: \"030200\"", "class: \"060400\"", "gpu: {kind",
       "class is '060400'. Write 0604xx for a bridge and for nothing else."},
      {"id: \"10de:2330\"", "id: \"1d0f:efa1\"", "gpu: {kind",
       "id is '1d0f:efa1'. Write 1d0f:efa0 to 1d0f:efa4 for a nic and for nothing else."},
      {"disk: {kind: other, ", "disk: {kind: accelerator, ", "disk: {kind",
       "function 'disk' has no 'driver'. Add it."},
      {"disk: {kind: other, ", "disk: {kind: rdma, driver: mlx5_core, ", "disk: {kind",
       "function 'disk' has no 'name'. Add it."},
      {"disk: {kind: other, ", "disk: {kind: other, driver: nvme, ", "disk: {kind",
       "unknown key 'driver' in function 'disk'. Known are kind, id, subsystem, class, revision, "
       "link, interface."},
      {"link: 32GT/s x16", "link: 32 x16", "32 x16",
       "link is '32 x16'. Write a PCIe speed and width, like 16GT/s x8, or unknown."},
  });
}

TEST(LoadErrorTest, PciTrees) {
  Check({
      {"at: +2:00.0}", "at: +3:00.0}", "+3:00.0}]}",
       "0000:13:00.0 is outside the buses 12 to 12 of the bridge above it. Correct the address or "
       "the bridge's buses."},
      {"at: +1:00.1", "at: +2:00.1", "+2:00.1",
       "0000:12:00.1 is not on bus 11, which is the one right below the bridge above it. Correct "
       "the address, or put it below a further bridge."},
      {"buses: +3,", "buses: +4,", "buses: +4,",
       "buses 14 to 14 of the bridge 0000:11:00.1 are not all above its own bus and within the 11 "
       "to 13 of the bridge above it. Correct the range."},
      {"buses: +1..+3", "buses: +3..+1", "+3..+1",
       "buses is '+3..+1'. Write one bus or a range in hexadecimal, like +1 or +1..+10."},
      {"buses: +3, below: [{function: gpu, at: +3:00.0}]",
       "buses: +2, below: [{function: gpu, at: +2:01.0}]", "+1:00.0, buses",
       "bus 12 is below two bridges, one of them 0000:11:00.1. Correct the buses of one."},
      {"at: +1:00.1", "at: +1:00.0", "[{function: gpu",
       "two functions have the PCI address 0000:11:00.0. Give one of them another address."},
      {"at: +0:02.0}", "at: +0:01.0}", "+0:01.0}",
       "two functions have the PCI address 0000:30:01.0. Give one of them another address."},
      {"at: +0:02.0}", "at: 0:2}", "at: 0:2}",
       "at is '0:2'. Write bus, device and function in hexadecimal, like \"47:00.0\", or "
       "\"+3:00.0\" with the bus counted from the host bridge's."},
      {"{at: \"0000:20\", numa_node: 1, functions: [{tree: switch}]}",
       "{at: \"0000:13\", numa_node: 1, functions: [{function: disk, at: +0:05.0}]}",
       "- {at: \"0000:10\"",
       "the buses of host bridge 0000:10 reach to 13, into those of 0000:13. Correct the buses of "
       "one."},
      {"at: \"0000:20\"", "at: \"20\"", "at: \"20\"",
       "at is '20'. Write domain and bus of the host bridge, like \"0000:44\"."},
      {"{function: disk", "{function: disc", "disc", "there is no function 'disc'. Write 'disk'."},
      {"numa_node: 0, functions: [{tree: switch}]", "numa_node: 0, functions: [{tree: swich}]",
       "swich", "there is no tree 'swich'. Write 'switch'."},
      {"  switch:\n", "  unused: [{tree: switch}]\n  switch:\n", "unused",
       "tree 'unused' is used nowhere. Remove it."},
      {"[{function: gpu, at: +3:00.0}]", "[{tree: switch}]", "at: +0:00.0\n",
       "0000:10:00.0 is outside the buses 13 to 13 of the bridge above it. Correct the address or "
       "the bridge's buses."},
      {"  switch:\n    - function: port", "  switch:\n    - {tree: switch}\n    - function: port",
       "- {tree: switch}", "trees nested deeper than 16. Let no tree name itself."},
      {"{function: disk, at: +0:02.0}", "{function: disk, at: +0:02.0, buses: +1}", "buses: +1}",
       "'buses' on a function that is no bridge. Remove it, or use a function of kind bridge."},
      {"at: +0:00.0\n", "at: +0:00.0\n      name: p\n", "name: p",
       "a bridge has no name. Remove it."},
      {"{function: disk, at: +0:02.0}", "{function: disk, at: +0:02.0, link: fast}", "link: fast",
       "link is 'fast'. Write a PCIe speed and width, like 16GT/s x8, or unknown."},
      {"name: \"rdmap{bus}s{device}\"", "name: rdmap", "[{function: efa",
       "two devices have the name 'rdmap'. Let the name hold {bus} and {device}, or give one of "
       "them its own 'name'."},
      {"{function: ena, at: +0:03.0}", "{function: ena, at: +0:03.0, name: rdmap18s0}",
       "name: rdmap18s0",
       "two devices have the name 'rdmap18s0'. Let the name hold {bus} and {device}, or give one "
       "of "
       "them its own 'name'."},
      {"name: \"rdmap{bus}s{device}\"", "name: \"{slot}\"", "[{function: efa",
       "'{slot}' is no device name. Use at most 15 letters, digits, '_' and '-', and the "
       "placeholders {domain}, {bus}, {device}, {function}."},
  });
}

TEST(LoadErrorTest, PathsAndIds) {
  Check({
      {"to_memory: 5GB/s", "to_memory: 5Gib", "5Gib",
       "to_memory is '5Gib': 'Gib' is no unit here. Write it like 12.5GB/s or 100Gb/s."},
      {"to_memory: 5GB/s", "to_memory: 0GB/s", "0GB/s, from_memory: 4",
       "to_memory is '0GB/s'. Write a rate above zero."},
      {"  - {places: host, to_memory: 9GB/s, from_memory: line_rate}\n", "", "- {places: gpus, rel",
       "no rule gives the to_memory capacity of rdmap18s0 and numa0 (same_numa_node). Add one to "
       "paths."},
      {"  - {places: host, to_memory: 9GB/s", "  - {places: host", "- {places: gpus, rel",
       "no rule gives the to_memory capacity of rdmap18s0 and numa0 (same_numa_node). Add one to "
       "paths."},
      {"{places: host, to_memory: 9GB/s, from_memory: line_rate}", "{places: host}",
       "- {places: host}",
       "a path rule has neither to_memory nor from_memory. Add one, or remove the rule."},
      {"{places: host, recv: 1,", "{places: hosts, recv: 1,", "hosts",
       "there is no place 'hosts'. Write 'host'."},
      {"{places: host, recv: 1,", "{places: gpu2, recv: 1,", "gpu2",
       "there is no place 'gpu2'. Write 'gpus'."},
      {"{places: host, recv: 1,", "{places: \"gpu:0000:99:00.0\", recv: 1,", "0000:99",
       "there is no place 'gpu:0000:99:00.0'. Write 'gpu:0000:13:00.0'."},
      {"{places: host, recv: 1,", "{nics: rdmap18s, places: host, recv: 1,", "rdmap18s,",
       "there is no NIC 'rdmap18s'. Write 'rdmap18s0'."},
      {"{places: host, recv: 1,", "{nics: \"0000:13:00.0\", recv: 1,",
       "nics:", "there is no NIC '0000:13:00.0'. Known are all, rdmap18s0, rdmap34s0, rdmap48s1."},
      {"places: host, recv: 1", "places: host, relation: same_switch, recv: 1",
       "places: host, relation",
       "the rule matches no NIC and place of this machine. Correct nics, places or relation, or "
       "remove the rule."},
      {"places: host, recv: 1", "places: host, relation: near, recv: 1", "near",
       "relation is 'near'. Write same_switch, same_host_bridge, same_numa_node, other_numa_node "
       "or unknown."},
      {"recv: 1, rdma_read: 2", "recv: 256", "recv: 256",
       "recv is '256'. Write an id from 0 to 255, 'N + nic_index', or none."},
      {"recv: 1, rdma_read: 2", "recv: 254 + nic_index", "254",
       "with nic_index added, the id of NIC 0000:30:01.0 is 256. Keep it at or below 255."},
      {"recv: 1, rdma_read: 2", "recv: 1 + slot", "1 + slot",
       "recv is '1 + slot'. Write an id from 0 to 255, 'N + nic_index', or none."},
      {"recv: 1, rdma_read: 2", "recv: -1", "recv: -1",
       "recv is '-1'. Write an id from 0 to 255, 'N + nic_index', or none."},
      {"places: host, recv: 1, rdma_read: 2", "places: host", "- {places: host}\n",
       "an id rule has none of recv, rdma_read and rdma_recv. Add one, or remove the rule."},
      {"way: peer_memory", "way: peer", "way: peer,",
       "way is 'peer'. Write host, dmabuf or peer_memory."},
      {"way: peer_memory", "way: host", "way: host",
       "the rule's ways go with none of its places. host goes with NUMA nodes, dmabuf and "
       "peer_memory with GPUs."},
  });
}

TEST(LoadErrorTest, BrokenYaml) {
  EXPECT_EQ(ErrorOf(""), "1: the file is empty. Begin with 'schema: 1'.");
  EXPECT_EQ(ErrorOf("# only a comment\n"), "1: the file is empty. Begin with 'schema: 1'.");
  EXPECT_EQ(ErrorOf("just text"),
            "1: the scenario is 'just text'. Write a map of keys and values.");
  EXPECT_EQ(ErrorOf("- a\n- b\n"), "1: the scenario is a list. Write a map of keys and values.");
  // What comes after "not YAML: " is yaml-cpp's and differs between its versions.
  for (const char* yaml : {"schema: 1\n  ids: synthetic\n", "schema: 1\nids: *nowhere\n",
                           "schema: 1\n\tids: synthetic\n", "schema: 1\n}\n"}) {
    EXPECT_EQ(ErrorOf(yaml).rfind("2: not YAML: ", 0), 0u) << yaml << ErrorOf(yaml);
    EXPECT_TRUE(ErrorOf(yaml).ends_with(". Correct the syntax.")) << ErrorOf(yaml);
  }
  EXPECT_EQ(ErrorOf("schema: 1\n---\nschema: 1\n"),
            "3: a second document begins here. Keep one scenario per file.");
  EXPECT_NE(ErrorOf(std::string("schema: 1\nids: ") + '\0' + "\x01\xff"), "it loads");
}

// Whatever is missing: an error of one line that names a line of the file, or a machine.
TEST(LoadErrorTest, AnyDamageIsOneLine) {
  const std::string whole = kSmallScenario;
  const int lines = LineOf(whole + "end", "end");
  const auto check = [&](const std::string& yaml) {
    const std::string error = ErrorOf(yaml);
    if (error == "it loads") return;
    EXPECT_EQ(error.find('\n'), std::string::npos);
    const int line = std::atoi(error.c_str());
    EXPECT_TRUE(line >= 1 && line <= lines) << error;
  };
  for (size_t begin = 0; begin < whole.size();) {
    const size_t end = whole.find('\n', begin) + 1;
    check(whole.substr(0, begin) + whole.substr(end));  // a line is missing
    check(whole.substr(0, end));                        // the rest is missing
    check(whole.substr(0, (begin + end) / 2));          // and the line itself is cut
    begin = end;
  }
}

TEST(LoadErrorTest, BombsAreBounded) {
  std::string brackets(200'000, '[');
  EXPECT_NE(ErrorOf(brackets).find("not YAML"), std::string::npos) << ErrorOf(brackets);
  std::string dashes;
  for (int i = 0; i < 200'000; ++i) dashes += "- ";
  EXPECT_NE(ErrorOf(dashes).find("not YAML"), std::string::npos) << ErrorOf(dashes);
  EXPECT_EQ(ErrorOf("a: " + std::string(100, '[') + std::string(100, ']')),
            "1: nested deeper than 32. Write a flatter file.");

  std::string aliases = "a: &a [x, x, x, x, x, x, x, x, x]\n";
  for (char name = 'b'; name < 'k'; ++name) {
    const char before = static_cast<char>(name - 1);
    aliases +=
        fmt::format("{0}: &{0} [*{1}, *{1}, *{1}, *{1}, *{1}, *{1}, *{1}, *{1}]\n", name, before);
  }
  EXPECT_NE(ErrorOf(aliases).find("more than 100000 values, aliases counted"), std::string::npos)
      << ErrorOf(aliases);
  EXPECT_NE(ErrorOf("a: &a [*a]\n"), "it loads");
  EXPECT_EQ(ErrorOf("#" + std::string(2 << 20, 'x')),
            "1: larger than 1048576 bytes. Give a scenario file.");
}

TEST(LoadErrorTest, AFileIsNamedByItsPath) {
  const std::string path = testing::TempDir() + "/broken.yaml";
  std::ofstream(path) << "schema: 1\nschema: 1\n";
  const auto machine = LoadMachine(path);
  ASSERT_FALSE(machine);
  EXPECT_EQ(machine.error().ToString(),
            "read scenario " + path + ":2: duplicate key 'schema'. Remove one of the two.");
}

}  // namespace
}  // namespace railgauge
