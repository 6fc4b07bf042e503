#include "lib/report/run_json.h"

#include <cmath>

#include "gtest/gtest.h"
#include "nlohmann/json.hpp"

namespace railgauge {
namespace {

using Clock = std::chrono::system_clock;

RunInfo SmallRun() {
  RunInfo info;
  info.run = {"20250102T030405Z-00ff", "ip-10-0-0-1", "", "p5.48xlarge", "emulated"};
  info.machine.shows_pci = true;
  info.machine.numa_nodes = {{0, Bytes{1 << 30}, {0, 1}}};
  Gpu gpu;
  gpu.position.address = {0, 0x53, 0, 0};
  gpu.vendor_id = 0x10de;
  info.machine.gpus = {gpu};
  Nic nic;
  nic.position = {{0, 0x50, 0, 0}, "0000:44", {{0, 0x45, 0, 0}}, 0, BytesPerSecond{15.75e9}};
  nic.device_id = 0xefa1;
  nic.name = "rdmap80s0";
  Nic hidden;
  hidden.position.address = {0, 0x51, 0, 0};
  info.machine.nics = {nic, hidden};
  info.nics = {{{0, 0x50, 0, 0}, "emulated-1", "none", {"rdma_read", "rdma_write"}}};
  info.versions = {{"railgauge", "0.1"}, {"rdma-core", "56.1"}};
  info.command_line = {"railgauge", "check", "--placement=a b\n"};
  info.start = Clock::time_point(std::chrono::milliseconds(1735787045678));
  info.scenario = "p5.48xlarge";
  info.thresholds = {{"bad_placement", 0.1, "why"}};
  return info;
}

TEST(RunJsonTest, SaysWhatTheRunWas) {
  const auto json = nlohmann::json::parse(RunJson(SmallRun()));
  EXPECT_EQ(json["schema_version"], 1);
  EXPECT_EQ(json["run_id"], "20250102T030405Z-00ff");
  EXPECT_EQ(json["platform"], "emulated");
  EXPECT_EQ(json["scenario"], "p5.48xlarge");
  EXPECT_EQ(json["start"], "2025-01-02T03:04:05.678Z");
  EXPECT_EQ(json["command_line"][2], "--placement=a b\n");
  EXPECT_EQ(json["versions"]["rdma-core"], "56.1");
  EXPECT_EQ(json["thresholds"][0]["value"], 0.1);
  const auto& machine = json["machine"];
  EXPECT_EQ(machine["hostname"], "ip-10-0-0-1");
  EXPECT_EQ(machine["numa_nodes"][0]["memory_bytes"], 1 << 30);
  EXPECT_EQ(machine["gpus"][0]["vendor_id"], "10de");
  const auto& nic = machine["nics"][0];
  EXPECT_EQ(nic["pci_address"], "0000:50:00.0");
  EXPECT_EQ(nic["bridges"][0], "0000:45:00.0");
  EXPECT_EQ(nic["link_speed_bytes_per_second"], 15.75e9);
  EXPECT_EQ(nic["device_id"], "efa1");
  EXPECT_EQ(nic["firmware"], "emulated-1");
  EXPECT_EQ(nic["capabilities"][1], "rdma_write");
}

TEST(RunJsonTest, UnknownIsNull) {
  const auto json = nlohmann::json::parse(RunJson(SmallRun()));
  EXPECT_TRUE(json["end"].is_null());
  EXPECT_TRUE(json["exit_status"].is_null());
  EXPECT_TRUE(json["machine"]["instance_id"].is_null());
  EXPECT_TRUE(json["machine"]["gpus"][0]["numa_node"].is_null());
  EXPECT_TRUE(json["machine"]["nics"][1]["firmware"].is_null());
  EXPECT_TRUE(json["machine"]["nics"][1]["name"].is_null());
}

TEST(RunJsonTest, NamesThePeer) {
  RunInfo info = SmallRun();
  EXPECT_TRUE(nlohmann::json::parse(RunJson(info))["peer"].is_null());
  info.peer = {"railgauge 0.1.0", "node-b", "", "p5.48xlarge", "emulated"};
  const auto peer = nlohmann::json::parse(RunJson(info))["peer"];
  EXPECT_EQ(peer["hostname"], "node-b");
  EXPECT_EQ(peer["platform"], "emulated");
  EXPECT_TRUE(peer["instance_id"].is_null());
}

TEST(RunJsonTest, FinishedRun) {
  RunInfo info = SmallRun();
  info.end = info.start + std::chrono::seconds(60);
  info.exit_status = 0;
  const auto json = nlohmann::json::parse(RunJson(info));
  EXPECT_EQ(json["end"], "2025-01-02T03:05:05.678Z");
  EXPECT_EQ(json["exit_status"], 0);
}

TEST(RunJsonTest, HostileText) {
  RunInfo info = SmallRun();
  info.machine.nics[0].name = "\xff\xfe\"\\";
  info.thresholds[0].value = std::nan("");
  const auto json = nlohmann::json::parse(RunJson(info));
  EXPECT_TRUE(json["machine"]["nics"][0]["name"].is_string());
  EXPECT_TRUE(json["thresholds"][0]["value"].is_null());
}

TEST(RunJsonTest, TimesBeforeTheEpochAndWholeSeconds) {
  EXPECT_EQ(FormatUtc(Clock::time_point()), "1970-01-01T00:00:00.000Z");
  EXPECT_EQ(FormatUtc(Clock::time_point(std::chrono::milliseconds(-1))),
            "1969-12-31T23:59:59.999Z");
}

TEST(RunJsonTest, TellsWhatCudaSaysAndWhatWasMeasuredWith) {
  RunInfo info;
  Gpu shown, hidden;
  shown.position.address = {0, 0x53, 0, 0};
  hidden.position.address = {0, 0x64, 0, 0};
  info.machine.gpus = {shown, hidden};
  info.cuda.push_back({shown.position.address,
                       3,
                       "Some GPU",
                       Bytes{80},
                       {{"dma_buf_supported", 1}, {"newer_than_this_driver", std::nullopt}}});
  BufferFacts host;
  host.place = MemoryPlace::NumaNode(1);
  host.role = "partner";
  host.length = Bytes{uint64_t{64} << 20};
  host.pages = "transparent";
  host.huge_share = 0.5;
  host.place_verified = false;
  host.unverified_reason = "the kernel would not tell";
  info.buffers = {host};
  const auto json = nlohmann::json::parse(RunJson(info));
  const auto& cuda = json["machine"]["gpus"][0]["cuda"];
  EXPECT_EQ(cuda["ordinal"], 3);
  EXPECT_EQ(cuda["memory_bytes"], 80);
  EXPECT_EQ(cuda["attributes"]["dma_buf_supported"], 1);
  EXPECT_TRUE(cuda["attributes"]["newer_than_this_driver"].is_null());
  EXPECT_TRUE(json["machine"]["gpus"][1]["cuda"].is_null());
  ASSERT_EQ(json["buffers"].size(), 1u);
  const auto& buffer = json["buffers"][0];
  EXPECT_EQ(buffer["place"], "numa1");
  EXPECT_EQ(buffer["role"], "partner");
  EXPECT_EQ(buffer["bytes"], uint64_t{64} << 20);
  EXPECT_EQ(buffer["pages"], "transparent");
  EXPECT_EQ(buffer["huge_page_fraction"], 0.5);
  EXPECT_EQ(buffer["place_verified"], false);
  EXPECT_EQ(buffer["unverified_reason"], "the kernel would not tell");
  EXPECT_TRUE(buffer["checked_by"].is_null());
}

}  // namespace
}  // namespace railgauge
