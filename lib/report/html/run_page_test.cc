#include "lib/report/html/run_page.h"

#include <filesystem>

#include "gtest/gtest.h"
#include "lib/base/file.h"
#include "lib/report/report_csv.h"
#include "lib/report/run_json.h"
#include "lib/topology/machine_testutil.h"
#include "lib/topology/relation.h"
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

  static Sample Window(const Cell& cell, RegistrationWay way, size_t number) {
    Sample sample;
    sample.cell = cell;
    sample.way = way;
    sample.partner = cell.nic;
    sample.start_offset = std::chrono::milliseconds(80 * number);
    sample.duration = std::chrono::nanoseconds(83'886'080);
    sample.completions = 1000;
    sample.payload_bytes = 1000 << 20;
    sample.posted_bytes = sample.counter_bytes = sample.payload_bytes;
    sample.throughput = BytesPerSecond{12.5e9};
    sample.messages_per_second = 12.5e9 / (1 << 20);
    sample.status = SampleStatus::kOk;
    return sample;
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
        row.way = place.is_host() ? RegistrationWay::kHost : RegistrationWay::kDmabuf;
        row.status = CensusStatus::kNoId;
        row.relation = RelationOf(machine, nic, place).relation;
        for (const Direction direction : {Direction::kToMemory, Direction::kFromMemory}) {
          SummaryRow& cell = summary.emplace_back();
          cell.cell = {nic.key(), place, Operation::kRead, direction, Bytes{1048576}, 32, "alone"};
          cell.throughput_median = BytesPerSecond{12.5e9};
          cell.sample_count = 1;
          cell.verdict = Verdict::kOk;
          samples.push_back(Window(cell.cell, row.way, samples.size()));
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

TEST_F(RunPageTest, VerdictsThatAreOfNoFile) {
  WriteRun(MakeP5());
  PageData data = Read();
  EXPECT_EQ(data.how_to_judge, "railgauge report " + path_ + " --placement=nearest");
  fs::remove(path_ + "/summary.csv");
  data = Read();
  EXPECT_NE(File(data, "summary.csv").problem, "");

  PlacementRow row;
  row.consumer = MemoryPlace::NumaNode(0);
  row.verdict = Verdict::kSlow;
  row.reason = "It is slow.";
  PageVerdicts verdicts;
  verdicts.decision = "nearest";
  verdicts.placement = {&row, 1};
  ShowVerdicts(verdicts, data);
  EXPECT_EQ(File(data, "summary.csv").problem, "");
  EXPECT_FALSE(File(data, "summary.csv").missing);
  const Json json = Json::parse(ToJson(data));
  EXPECT_EQ(json["judged"], "nearest");
  EXPECT_EQ(json["how_to_judge"], "");
  EXPECT_EQ(json["tables"]["placement"]["rows"], 1);
  EXPECT_EQ(json["tables"]["placement"]["columns"]["verdict"]["all"], "SLOW");
  // What nothing was judged of stays.
  EXPECT_EQ(json["tables"]["samples"]["rows"], File(data, "samples.csv").rows.value());

  Write("placement.csv", CsvFile<PlacementRow>(TheRun(), {&row, 1}));
  EXPECT_EQ(Read().how_to_judge, "") << "the run has verdicts of its own";
}

TEST_F(RunPageTest, AllOfAFinishedRun) {
  WriteRun(MakeP5());
  const PageData data = Read();
  EXPECT_EQ(data.run.run_id, TheRun().run_id);
  EXPECT_EQ(data.run.platform, "emulated");
  for (const PageFile& file : data.files) {
    // Nothing here writes one.
    EXPECT_EQ(file.problem.empty(), file.name != "topology.xml") << file.name << file.problem;
  }
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
  Machine machine = MakeHost(1);
  machine.nics.push_back(MakeNic("0000:10:1b.0", "0000:10", {}, std::nullopt));
  WriteRun(machine);
  const std::string samples = *ReadFile(path_ + "/samples.csv");
  Write("samples.csv", samples.substr(0, samples.size() - 10));
  for (const char* name : {"run.json", "summary.csv", "placement.csv", "interconnects.csv"}) {
    fs::remove(path_ + "/" + name);
  }
  std::string xml = TopologyXml({HostBridgeXml("10", EfaXml("0000:10:1b.0", "rdmap16s27"))});
  xml.replace(xml.find("test.48xlarge"), 13, TheRun().instance_type);
  Write("topology.xml", xml);
  const PageData data = Read();
  EXPECT_EQ(data.run.run_id, TheRun().run_id);
  EXPECT_NE(File(data, "summary.csv").problem, "");
  EXPECT_TRUE(File(data, "summary.csv").missing);
  EXPECT_EQ(File(data, "groups.csv").problem, "");
  EXPECT_EQ(File(data, "samples.csv").rows, 2 - 1);
  EXPECT_NE(File(data, "samples.csv").problem.find("ends inside a line"), std::string::npos);
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
  EXPECT_NE(File(data, "placement.csv").problem.find("of run 'other'"), std::string::npos);
  const Json json = Json::parse(ToJson(data));
  EXPECT_FALSE(json["tables"].contains("samples"));
  EXPECT_FALSE(json["tables"].contains("placement"));
  EXPECT_TRUE(json["tables"].contains("summary"));
}

TEST_F(RunPageTest, ARunOfLoadMissesNoVerdicts) {
  GroupRow group;
  group.load = "all";
  Write("groups.csv", CsvFile<GroupRow>(TheRun(), std::vector<GroupRow>{group}));
  const PageData data = Read();
  EXPECT_EQ(File(data, "summary.csv").problem, "");
  EXPECT_EQ(File(data, "groups.csv").rows, 1);
}

// One that was killed has no groups yet, and says what it was.
TEST_F(RunPageTest, AKilledRunOfLoadMissesItsGroups) {
  RunInfo info;
  info.run = TheRun();
  info.command = "load";
  Write("run.json", RunJson(info));
  const PageData data = Read();
  EXPECT_EQ(File(data, "summary.csv").problem, "");
  EXPECT_EQ(File(data, "placement.csv").problem, "");
  EXPECT_NE(File(data, "groups.csv").problem, "");
}

// What is wrong is said, and what stands before it is shown.
TEST_F(RunPageTest, DamagedFiles) {
  WriteRun(MakeG6());
  const std::string census = *ReadFile(path_ + "/census.csv");
  const std::string samples = *ReadFile(path_ + "/samples.csv");
  const std::string summary = *ReadFile(path_ + "/summary.csv");
  const auto last_row = [](const std::string& text) {
    return text.substr(text.rfind('\n', text.size() - 2) + 1);
  };
  const std::string quoted = samples.substr(0, samples.size() - last_row(samples).size());
  std::string contradicted = samples;
  contradicted.replace(contradicted.find(",12500000000,"), 13, ",99,");
  const struct {
    const char* name;
    std::string content;
    const char* problem;
  } cases[] = {
      {"census.csv", census.substr(0, census.size() - 5), "ends inside a line"},
      {"census.csv", census + last_row(census), "in line"},
      {"census.csv", "", "no header line"},
      {"samples.csv", samples.substr(0, samples.size() - 5), "ends inside a line"},
      {"samples.csv", samples + last_row(samples), "in line"},
      {"samples.csv", quoted + "\"" + last_row(samples), "samples.csv:"},
      {"samples.csv", contradicted, "1 row contradicts itself"},
      {"summary.csv", summary + last_row(summary), "about the same as line"},
      {"summary.csv", summary.substr(0, summary.size() - 5), "ends inside a line"},
      {"topology.xml", "", "topology.xml"},
      {"topology.xml", "hello", "topology.xml"},
      {"topology.xml", TopologyXml({HostBridgeXml("10", EfaXml("0000:10:1b.0", "rdmap16s27"))}),
       "another machine"},
  };
  for (const auto& one : cases) {
    WriteRun(MakeG6());
    Write(one.name, one.content);
    const PageData data = Read();
    const PageFile& file = File(data, one.name);
    EXPECT_NE(file.problem.find(one.problem), std::string::npos) << one.name << file.problem;
    EXPECT_FALSE(file.missing);
    fs::remove(path_ + "/topology.xml");
  }
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
