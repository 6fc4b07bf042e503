#include "lib/report/run_state.h"

#include "fmt/core.h"
#include "gtest/gtest.h"
#include "lib/report/run_json.h"

namespace railgauge {
namespace {

const PciAddress kGpus[] = {{0, 0x53, 0, 0}, {0, 0x64, 0, 0}};

// CUDA numbers the second GPU first, as CUDA_VISIBLE_DEVICES=1,0 does.
RunInfo PermutedRun() {
  RunInfo info;
  info.run = {"r1", "host-1", "", "p5.48xlarge", "emulated"};
  info.command = "check";
  info.cuda.push_back({kGpus[0], 1, "", {}, {}});
  info.cuda.push_back({kGpus[1], 0, "", {}, {}});
  return info;
}

TEST(RunStateTest, ReadsWhatARunWrites) {
  RunInfo info = PermutedRun();
  const auto running = ParseRunState(RunJson(info), "run.json");
  ASSERT_TRUE(running) << running.error().ToString();
  EXPECT_EQ(running->run.run_id, "r1");
  EXPECT_EQ(running->run.host, "host-1");
  EXPECT_EQ(running->run.instance_type, "p5.48xlarge");
  EXPECT_EQ(running->run.platform, "emulated");
  EXPECT_EQ(running->command, "check");
  EXPECT_FALSE(running->ended);
  EXPECT_EQ(running->cuda_order, (std::vector<PciAddress>{kGpus[1], kGpus[0]}));
  EXPECT_FALSE(running->queue_pairs);

  info.end = info.start;
  info.queue_pairs = 4;
  info.cuda.clear();
  const auto ended = ParseRunState(RunJson(info), "run.json");
  ASSERT_TRUE(ended);
  EXPECT_TRUE(ended->ended);
  EXPECT_TRUE(ended->cuda_order.empty());
  EXPECT_EQ(ended->queue_pairs, 4u);
}

TEST(RunStateTest, TheNicsOfItsMachine) {
  RunInfo info = PermutedRun();
  Nic nic;
  nic.position.address = {0, 0x4f, 0, 0};
  info.machine.nics.push_back(nic);
  info.command_line = {"railgauge", "check", "--output=x"};
  auto state = ParseRunState(RunJson(info), "run.json");
  ASSERT_TRUE(state);
  EXPECT_EQ(state->nics, (std::vector<PciAddress>{{0, 0x4f, 0, 0}}));
  EXPECT_FALSE(state->selected_nics);
  for (const char* flag : {"--nics", "--nics=4f:00.0"}) {
    info.command_line.back() = flag;
    state = ParseRunState(RunJson(info), "run.json");
    ASSERT_TRUE(state);
    EXPECT_TRUE(state->selected_nics) << flag;
  }
  // One that was cut down to what matters.
  state = ParseRunState(
      R"({"run_id": "r", "machine": {"nics": [{"pci_address": "0000:4f:00.0"}]}})", "run.json");
  ASSERT_TRUE(state);
  EXPECT_TRUE(state->nics.empty());
  EXPECT_EQ(state->machine_nics.size(), 1u);
}

TEST(RunStateTest, WhatNoRunWritesIsRefused) {
  const auto reason = [](const char* json) {
    const auto state = ParseRunState(json, "run.json");
    return state ? "" : state.error().reason;
  };
  EXPECT_EQ(reason(R"({"run_id": "r", "schema_version": 9})"),
            "its schema_version is 9 and this program reads 1");
  EXPECT_EQ(reason(R"({"run_id": "r", "schema_version": "x"})"),
            "its schema_version is \"x\" and this program reads 1");
  EXPECT_EQ(reason(R"({"run_id": "r", "machine": {"hostname": 7}})"),
            "its hostname is 7 and no text");
  EXPECT_EQ(reason(R"({"run_id": "r", "platform": ["emulated"]})"),
            "its platform is [\"emulated\"] and no text");
  EXPECT_EQ(reason(R"({"run_id": "r", "machine": {"instance_type": null}})"), "");
  EXPECT_EQ(reason(R"({"run_id": "r", "machine": {"nics": 3}})"), "machine.nics is no list");
  EXPECT_EQ(reason(R"({"run_id": "r", "machine": {"nics": [{"name": "x"}]}})"),
            "machine.nics has a NIC without a PCI address");
  EXPECT_EQ(reason(R"({"run_id": "r", "machine": {"nics": [{"pci_address": "0000:4f:00.0"},
                                                          {"pci_address": "0000:4f:00.0"}]}})"),
            "machine.nics has 0000:4f:00.0 twice");
  EXPECT_EQ(reason("{\"run_id\": \"r\",\n\"run_id\": \"s\"}"),
            "the key 'run_id' is there already in its object");
}

TEST(RunStateTest, ItsNicsAreThoseOfTheMachine) {
  RunInfo info = PermutedRun();
  const std::vector<PciAddress> nics = {{0, 0x4f, 0, 0}, {0, 0x50, 0, 0}};
  for (const PciAddress& address : nics) {
    Nic nic;
    nic.position.address = address;
    info.machine.nics.push_back(nic);
  }
  const auto state = ParseRunState(RunJson(info), "run.json");
  ASSERT_TRUE(state) << state.error().ToString();
  EXPECT_EQ(state->machine_nics, nics);
  const auto reason = [&](const std::vector<PciAddress>& shown, bool is_own) {
    const Status status = CheckIsOfMachine(*state, shown, "run.json", "t.xml", is_own);
    return status ? "" : status.error().reason;
  };
  EXPECT_EQ(reason(nics, true), "");
  EXPECT_EQ(reason({nics[0]}, false),
            "its machine.nics has 0000:50:00.0, which t.xml does not show");
  const std::vector<PciAddress> more = {nics[0], nics[1], {0, 0x51, 0, 0}};
  EXPECT_EQ(reason(more, true), "its machine.nics lacks 0000:51:00.0, which t.xml shows");
  EXPECT_EQ(reason(more, false), "");  // a type's topology, and a machine that has lost one
  // What somebody cut down says nothing.
  EXPECT_TRUE(
      CheckIsOfMachine(*ParseRunState(R"({"run_id": "r"})", "run.json"), nics, "", "", true));
}

TEST(RunStateTest, WhoseItIs) {
  RunInfo info = PermutedRun();
  info.command_line = {"railgauge", "check", "--output=a", "--output=fleet/runs/n1/with-n2"};
  const auto state = ParseRunState(RunJson(info), "run.json");
  ASSERT_TRUE(state);
  EXPECT_EQ(state->output, "fleet/runs/n1/with-n2");
  EXPECT_EQ(state->peer, "");
  EXPECT_TRUE(CheckIsOfRun(*state, info.run, "run.json"));
  const auto error = [&](std::string RunIdentity::*member) {
    RunIdentity other = info.run;
    other.*member = "another";
    const Status status = CheckIsOfRun(*state, other, "run.json");
    return status ? "" : status.error().reason;
  };
  EXPECT_EQ(error(&RunIdentity::run_id),
            "it is of run 'r1' of host 'host-1', and the rows beside it are of run 'another' of "
            "host 'host-1'");
  EXPECT_EQ(error(&RunIdentity::host),
            "it is of run 'r1' of host 'host-1', and the rows beside it are of run 'r1' of host "
            "'another'");
  EXPECT_EQ(error(&RunIdentity::instance_type),
            "its instance_type is 'p5.48xlarge', and that of the rows beside it 'another'");
  EXPECT_EQ(error(&RunIdentity::platform),
            "its platform is 'emulated', and that of the rows beside it 'another'");
  // A file that somebody cut down to what matters.
  EXPECT_TRUE(CheckIsOfRun(*ParseRunState(R"({"run_id":"r1"})", "run.json"), info.run, "run.json"));
}

// Files of older versions have the order with the GPUs alone.
TEST(RunStateTest, TheOrderOfOlderFiles) {
  static constexpr char kFormat[] =
      R"({{"run_id":"r","machine":{{"gpus":[{{"pci_address":"0000:53:00.0","cuda":{{"ordinal":{}}}}},)"
      R"({{"pci_address":"0000:64:00.0","cuda":{{"ordinal":0}}}},)"
      R"({{"pci_address":"0000:75:00.0","cuda":null}}]}}}})";
  const auto order = ParseRunState(fmt::format(kFormat, 1), "run.json");
  ASSERT_TRUE(order) << order.error().ToString();
  EXPECT_EQ(order->cuda_order, (std::vector<PciAddress>{kGpus[1], kGpus[0]}));
  EXPECT_TRUE(order->ended) << "it does not say that it goes on";
  const auto with_a_gap = ParseRunState(fmt::format(kFormat, 2), "run.json");
  ASSERT_TRUE(with_a_gap);
  EXPECT_TRUE(with_a_gap->cuda_order.empty()) << "what gpu1 is, nobody says";
}

TEST(RunStateTest, AnotherFileIsOneLine) {
  const std::string whole = RunJson(PermutedRun());
  for (const std::string& content :
       {std::string(), std::string("[]"), std::string("{}"), whole.substr(0, whole.size() / 2),
        std::string(100'000, '['), std::string("{\"run_id\":\"r\",\"cuda_order\":[3]}")}) {
    const auto state = ParseRunState(content, "run.json");
    ASSERT_FALSE(state);
    EXPECT_TRUE(state.error().ToString().starts_with("read run.json:"));
  }
}

TEST(RunStateTest, WhatIsWrongIsToldWithItsLine) {
  const auto said = [](const std::string& content) {
    const auto state = ParseRunState(content, "run.json");
    return state ? "" : state.error().ToString();
  };
  EXPECT_EQ(
      said("{\n\"run_id\": \"r1\",\n"),
      "read run.json:3: it is no JSON from here on. Give the run directory as it was written, "
      "or remove the file.");
  EXPECT_NE(said("[]").find("it is no JSON object"), std::string::npos);
  EXPECT_NE(said("{\"run_id\": 1e999}").find("a number that is too large"), std::string::npos);
  // What prints or copies it would recurse as deep.
  const std::string deep = std::string(1'000'000, '[') + std::string(1'000'000, ']');
  EXPECT_NE(said("{\"run_id\": \"r1\", \"x\": " + deep + "}").find("nests too deep"),
            std::string::npos);
}

}  // namespace
}  // namespace railgauge
