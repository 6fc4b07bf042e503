#include "lib/report/html/run_page.h"

#include <filesystem>

#include "gtest/gtest.h"
#include "lib/base/file.h"
#include "lib/report/report_csv.h"
#include "lib/report/run_json.h"
#include "lib/topology/machine_testutil.h"
#include "lib/topology/xml_testutil.h"
#include "nlohmann/json.hpp"

namespace railgauge {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

RunIdentity TheRun() { return {"20250102T030405Z-00ff", "host", "i-1", "p5.48xlarge", "emulated"}; }

class RunPageTest : public testing::Test {
 protected:
  RunPageTest() {
    fs::remove_all(path_);
    fs::create_directories(path_);
  }

  void Write(const std::string& name, const std::string& content) {
    ASSERT_TRUE(WriteFileAtomically(path_ + "/" + name, content));
  }

  // A finished run of check on `machine`: each NIC with each place, both ways.
  void WriteRun(const Machine& machine, const RunIdentity& run = TheRun()) {
    RunInfo info;
    info.run = run;
    info.machine = machine;
    std::vector<CensusRow> census;
    std::vector<Sample> samples;
    std::vector<SummaryRow> summary;
    for (const Nic& nic : machine.nics) {
      for (const MemoryPlace& place : machine.Places()) {
        CensusRow& row = census.emplace_back();
        row.nic = nic.key();
        row.place = place;
        for (const Direction direction : {Direction::kToMemory, Direction::kFromMemory}) {
          SummaryRow& cell = summary.emplace_back();
          cell.cell = {nic.key(), place, Operation::kRead, direction, Bytes{1048576}, 32, "alone"};
          cell.throughput_median = BytesPerSecond{12.5e9};
          Sample& sample = samples.emplace_back();
          sample.cell = cell.cell;
          sample.throughput = BytesPerSecond{12.5e9};
        }
      }
    }
    Write("run.json", RunJson(info));
    Write("census.csv", CsvFile<CensusRow>(run, census));
    Write("samples.csv", CsvFile<Sample>(run, samples));
    Write("summary.csv", CsvFile<SummaryRow>(run, summary));
    Write("placement.csv", CsvFile<PlacementRow>(run, {}));
    Write("interconnects.csv", CsvFile<InterconnectRow>(run, {}));
  }

  PageData Read() {
    auto data = ReadRunForPage(path_, "railgauge test");
    EXPECT_TRUE(data) << data.error().ToString();
    return data ? *std::move(data) : PageData{};
  }

  const PageFile& File(const PageData& data, const std::string& name) {
    for (const PageFile& file : data.files) {
      if (file.name == name) return file;
    }
    ADD_FAILURE() << "no file " << name;
    return data.files.front();
  }

  const std::string path_ = testing::TempDir() + "run_page_test";
};

TEST_F(RunPageTest, AllOfAFinishedRun) {
  WriteRun(MakeP5());
  const PageData data = Read();
  EXPECT_EQ(data.run.run_id, TheRun().run_id);
  EXPECT_EQ(data.run.platform, "emulated");
  for (const PageFile& file : data.files) EXPECT_EQ(file.problem, "") << file.name;
  const Json json = Json::parse(ToJson(data));
  EXPECT_EQ(json["info"]["machine"]["nics"].size(), 32);
  EXPECT_EQ(json["tables"]["census"]["rows"], 320);
  EXPECT_EQ(json["tables"]["summary"]["rows"], 640);
  const Json& columns = json["tables"]["samples"]["columns"];
  EXPECT_EQ(columns["nic_pci_address"]["texts"].size(), 32);
  EXPECT_EQ(columns["place"]["texts"].size(), 10);
  EXPECT_EQ(columns["throughput_bytes_per_second"], Json::parse(R"({"all":1.25e10})"));
}

TEST_F(RunPageTest, MachinesWithoutGpusAndWithOneNic) {
  Machine machine = MakeHost(2);
  WriteRun(machine);
  EXPECT_EQ(Json::parse(ToJson(Read()))["info"]["machine"]["nics"].size(), 0);
  machine.nics.push_back(MakeNic("0000:00:06.0", "0000:00", {}, std::nullopt));
  WriteRun(machine);
  EXPECT_EQ(Json::parse(ToJson(Read()))["tables"]["census"]["rows"], 2);
  WriteRun(MakeG5());
  EXPECT_EQ(Json::parse(ToJson(Read()))["info"]["machine"]["gpus"].size(), 8);
}

// Killed while it measured: the last row is cut off, and what is written at the end is not there.
TEST_F(RunPageTest, ARunThatWasKilled) {
  WriteRun(MakeP4d());
  const std::string samples = *ReadFile(path_ + "/samples.csv");
  Write("samples.csv", samples.substr(0, samples.size() - 10));
  for (const char* name : {"run.json", "summary.csv", "placement.csv", "interconnects.csv"}) {
    fs::remove(path_ + "/" + name);
  }
  Write("topology.xml", TopologyXml({HostBridgeXml("10", EfaXml("0000:10:1b.0", "rdmap16s27"))}));
  const PageData data = Read();
  EXPECT_EQ(data.run.run_id, TheRun().run_id);
  EXPECT_NE(File(data, "summary.csv").problem, "");
  EXPECT_TRUE(File(data, "summary.csv").missing);
  EXPECT_EQ(File(data, "groups.csv").problem, "");
  EXPECT_EQ(File(data, "samples.csv").rows, 4 * 10 * 2 - 1);
  const Json info = Json::parse(ToJson(data))["info"];
  EXPECT_EQ(info["machine"]["nics"][0]["name"], "rdmap16s27");
  EXPECT_FALSE(info.contains("start")) << "nobody knows it";
}

TEST_F(RunPageTest, AFileThatIsBrokenOrOfAnotherRunIsNamedAndLeftOut) {
  WriteRun(MakeG6());
  Write("samples.csv", "a,b\n1,2\n");
  RunIdentity other = TheRun();
  other.run_id = "other";
  Write("placement.csv", CsvFile<PlacementRow>(other, std::vector<PlacementRow>(1)));
  const PageData data = Read();
  EXPECT_NE(File(data, "samples.csv").problem.find("samples.csv"), std::string::npos);
  EXPECT_FALSE(File(data, "samples.csv").missing);
  EXPECT_NE(File(data, "placement.csv").problem.find("another run: other"), std::string::npos);
  const Json json = Json::parse(ToJson(data));
  EXPECT_FALSE(json["tables"].contains("samples"));
  EXPECT_FALSE(json["tables"].contains("placement"));
  EXPECT_TRUE(json["tables"].contains("summary"));
}

TEST_F(RunPageTest, ARunOfLoadMissesNoVerdicts) {
  Write("groups.csv", CsvFile<GroupRow>(TheRun(), std::vector<GroupRow>(1)));
  const PageData data = Read();
  EXPECT_EQ(File(data, "summary.csv").problem, "");
  EXPECT_EQ(File(data, "groups.csv").rows, 1);
}

TEST_F(RunPageTest, WhatIsNoRunIsAnError) {
  const auto nothing = ReadRunForPage(path_, "railgauge test");
  ASSERT_FALSE(nothing);
  EXPECT_NE(nothing.error().ToString().find("it holds no file of a run"), std::string::npos);
  EXPECT_FALSE(ReadRunForPage(path_ + "/nowhere", "railgauge test"));
  Write("run.json", "{}");
  const auto broken = ReadRunForPage(path_, "railgauge test");
  ASSERT_FALSE(broken);
  EXPECT_NE(broken.error().ToString().find("machine"), std::string::npos);
}

}  // namespace
}  // namespace railgauge
