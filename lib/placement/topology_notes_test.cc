#include "lib/placement/topology_notes.h"

#include <map>
#include <sstream>
#include <string>
#include <string_view>

#include "gtest/gtest.h"
#include "lib/base/units.h"
#include "lib/placement/judge.h"
#include "lib/placement/policy.h"
#include "lib/placement/world_testutil.h"
#include "lib/topology/machine_testutil.h"

namespace railgauge {
namespace {

RunRecords RecordsOf(const World& world) {
  RunRecords records;
  records.run = {"r1", "host-1", "", "p5.48xlarge", "emulated"};
  records.machine = world.machine;
  records.census = world.census;
  records.samples = world.samples;
  return records;
}

// The notes on one object; empty where it has none.
template <typename Object>
ObjectNotes NotesOn(const std::vector<ObjectNotes>& all, const Object& object) {
  for (const ObjectNotes& notes : all) {
    if (const auto* its = std::get_if<Object>(&notes.object); its != nullptr && *its == object) {
      return notes;
    }
  }
  return {};
}

std::string InfoOf(const ObjectNotes& notes, std::string_view name) {
  for (const auto& [its, value] : notes.infos) {
    if (its == name) return value;
  }
  return "none";
}

// A list read back as whoever reads the XML would.
std::map<std::string, std::string> ListOf(const ObjectNotes& notes, std::string_view name) {
  std::map<std::string, std::string> list;
  std::istringstream entries(InfoOf(notes, name));
  for (std::string entry; entries >> entry;) {
    const size_t equals = entry.rfind('=');
    list[entry.substr(0, equals)] = entry.substr(equals + 1);
  }
  return list;
}

// Practically none: so that a rate that is rounded is what was asked for.
constexpr double kNoNoise = 1e-9;

TEST(TopologyNotesTest, ANicHasAllOfItsPlaces) {
  World world(MakeP5());
  world.noise = kNoNoise;
  world.Screen();
  const std::vector<ObjectNotes> notes = TopologyNotes(RecordsOf(world));
  EXPECT_EQ(notes.size(), 1u + 32 + 10);
  const ObjectNotes nic = NotesOn(notes, Pci("0000:4f:00.0"));
  EXPECT_EQ(nic.subtype, "emulated EFA 12.5/6.25 GB/s");
  auto relations = ListOf(nic, "RailgaugeRunRelation");
  EXPECT_EQ(relations.size(), 10u);
  EXPECT_EQ(relations["gpu:0000:53:00.0"], "same_switch");
  EXPECT_EQ(relations["numa1"], "other_numa_node");
  EXPECT_EQ(ListOf(nic, "RailgaugeRunIdsRecv")["numa0"], "-");
  EXPECT_EQ(ListOf(nic, "RailgaugeRunIdsRdmaRead")["gpu:0000:53:00.0"], "0");
  const auto rate =
      ParseBytesPerSecond(ListOf(nic, "RailgaugeRunReadToMemory")["gpu:0000:53:00.0"]);
  ASSERT_TRUE(rate);
  EXPECT_NEAR(rate->value, 12.5e9, 0.2e9);
  EXPECT_EQ(InfoOf(notes[0], "RailgaugeRunId"), "r1");
  EXPECT_EQ(InfoOf(notes[0], "RailgaugeRunPlatform"), "emulated");
  EXPECT_EQ(InfoOf(notes[0], "RailgaugeRunMessageSizes"), "1MiB");
}

TEST(TopologyNotesTest, APlaceHasItsNearestNicsAndItsVerdict) {
  World world(MakeP5());
  const Result<Decision> decision = DecideByPolicy("nearest", world.machine);
  ASSERT_TRUE(decision);
  world.noise = kNoNoise;
  world.Screen();
  RunRecords records = RecordsOf(world);
  records.placement = Judge(world.machine, world.census, world.samples, *decision).placement;
  const std::vector<ObjectNotes> notes = TopologyNotes(records);
  const ObjectNotes gpu = NotesOn(notes, Pci("0000:53:00.0"));
  EXPECT_EQ(gpu.subtype, "emulated GPU 4 EFA 12.5 GB/s");
  EXPECT_EQ(InfoOf(gpu, "RailgaugeRunPlace"), "gpu:0000:53:00.0");
  EXPECT_EQ(ListOf(gpu, "RailgaugeRunNearestNics").size(), 4u);
  EXPECT_EQ(ListOf(gpu, "RailgaugeRunWriteFromMemory").count("0000:52:00.0"), 1u);
  EXPECT_EQ(InfoOf(gpu, "RailgaugeRunChosenNics"),
            "0000:4f:00.0 0000:50:00.0 0000:51:00.0 0000:52:00.0");
  EXPECT_TRUE(InfoOf(gpu, "RailgaugeRunVerdict").starts_with("OK: "))
      << InfoOf(gpu, "RailgaugeRunVerdict");
  const ObjectNotes node = NotesOn(notes, uint32_t{1});
  EXPECT_EQ(node.subtype, "");
  EXPECT_EQ(ListOf(node, "RailgaugeRunNearestNics").size(), 16u);
}

TEST(TopologyNotesTest, NothingMeasuredNothingDrawn) {
  World world(MakeG5());
  RunRecords records = RecordsOf(world);
  records.census.clear();
  for (const ObjectNotes& notes : TopologyNotes(records)) EXPECT_EQ(notes.subtype, "");
  const ObjectNotes nic =
      NotesOn(TopologyNotes(records), records.machine.nics.at(0).position.address);
  EXPECT_EQ(ListOf(nic, "RailgaugeRunIdsRecv")["numa0"], "?");
  EXPECT_EQ(ListOf(nic, "RailgaugeRunReadToMemory")["numa0"], "?");
  EXPECT_EQ(ListOf(nic, "RailgaugeRunRelation")["numa0"], "unknown");
  const ObjectNotes node = NotesOn(TopologyNotes(records), uint32_t{0});
  EXPECT_EQ(InfoOf(node, "RailgaugeRunNearestNics"), "?");
}

TEST(TopologyNotesTest, TheWorstDirectionCounts) {
  World world(MakeP5());
  world.speed = [](const Cell& cell, Relation) {
    return cell.direction == Direction::kFromMemory ? 2e9 : 12.5e9;
  };
  world.noise = kNoNoise;
  world.Screen();
  RunRecords records = RecordsOf(world);
  records.run.platform = "hardware";
  EXPECT_EQ(NotesOn(TopologyNotes(records), Pci("0000:4f:00.0")).subtype, "EFA 2/2 GB/s");
  EXPECT_EQ(NotesOn(TopologyNotes(records), Pci("0000:53:00.0")).subtype, "GPU 32 EFA 2 GB/s");
}

// What lacks the prefix would stay for ever in an export of an export.
TEST(TopologyNotesTest, EveryNameHasThePrefix) {
  World world(MakeP5());
  world.Screen();
  for (const ObjectNotes& notes : TopologyNotes(RecordsOf(world))) {
    for (const auto& [name, value] : notes.infos)
      EXPECT_TRUE(name.starts_with(kNotePrefix)) << name;
  }
}

TEST(TopologyNotesTest, WaysThatDifferAreBothTold) {
  World world(MakeP5());
  CensusRow row = world.census.front();
  row.way = RegistrationWay::kPeerMemory;
  row.ids.rdma_read = 9;
  world.census.push_back(row);
  const ObjectNotes nic = NotesOn(TopologyNotes(RecordsOf(world)), row.nic.address);
  EXPECT_EQ(ListOf(nic, "RailgaugeRunIdsRdmaRead")[row.place.ToString()], "2|9");
}

// lstopo cuts off what is longer.
TEST(TopologyNotesTest, SubtypesFit) {
  for (const double rate : {125e9, 12.3456e9, 999.9e6, 1e3}) {
    World world(MakeP5());
    world.noise = kNoNoise;
    world.speed = [&](const Cell&, Relation relation) {
      return relation == Relation::kSameSwitch ? rate : 0.777 * rate;
    };
    world.Screen();
    for (const ObjectNotes& notes : TopologyNotes(RecordsOf(world))) {
      EXPECT_LE(notes.subtype.size(), kSubtypeShown);
      EXPECT_TRUE(notes.subtype.empty() || notes.subtype.ends_with("B/s")) << notes.subtype;
    }
  }
}

}  // namespace
}  // namespace railgauge
