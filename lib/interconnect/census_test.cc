// Without a device; census_emulated_test.cc has the census of an emulated machine.
#include "lib/interconnect/census.h"

#include "gtest/gtest.h"
#include "lib/topology/machine_testutil.h"

namespace railgauge {
namespace {

CudaDriver NoCuda() { return CudaDriver::Absent("no CUDA driver: test"); }

Error ErrorOf(const Machine& machine) {
  auto rows = RunCensus(machine, NoCuda());
  EXPECT_FALSE(rows);
  return rows ? Error{} : rows.error();
}

TEST(CensusTest, NoEfaDeviceIsOneClearLine) {
  Machine machine = MakeHost(1);
  machine.shows_pci = true;
  EXPECT_NE(ErrorOf(machine).reason.find("has no EFA device"), std::string::npos);
  machine.shows_pci = false;
  EXPECT_NE(ErrorOf(machine).reason.find("no PCI devices at all"), std::string::npos);
}

TEST(CensusTest, ChosenNicsThatAreNotThereAreOneClearLine) {
  CensusOptions options;
  options.nics = {Pci("0000:ff:00.0")};
  const auto rows = RunCensus(MakeP5(), NoCuda(), options);
  ASSERT_FALSE(rows);
  EXPECT_EQ(rows.error().reason, "this machine has none of the chosen NICs");
}

TEST(CensusTest, AnAcceleratorHasARowThatSaysItIsNotSupported) {
  Machine machine = MakeHost(1);
  machine.shows_pci = true;
  machine.nics = {MakeNic("0000:10:1a.0", "0000:10", {}, 0)};
  machine.accelerators = {{MakeGpu("0000:10:1c.0", "0000:10", {}, 0).position, 0x1d0f, 0x7164, ""}};
  const auto rows = RunCensus(machine, NoCuda());
  ASSERT_TRUE(rows);
  ASSERT_EQ(rows->size(), 2u);
  const CensusRow& row = rows->back();
  EXPECT_EQ(row.place.ToString(), "accelerator:0000:10:1c.0");
  EXPECT_EQ(row.way, RegistrationWay::kDmabuf);
  EXPECT_EQ(row.status, CensusStatus::kNotSupported);
  EXPECT_EQ(row.reason, "memory place not supported yet: accelerator 1d0f:7164 is no CUDA GPU");
  EXPECT_EQ(row.relation, Relation::kSameHostBridge);
  EXPECT_EQ(row.ids, InterconnectIds{});

  CensusOptions options;
  options.places = machine.Places();
  const auto selected = RunCensus(machine, NoCuda(), options);
  ASSERT_TRUE(selected);
  EXPECT_EQ(selected->size(), 1u) << "what is not selected is not named";
}

TEST(CensusTest, ANicThatDoesNotOpenHasARowForEveryPlaceAndWay) {
  Machine machine = MakeHost(1);
  machine.shows_pci = true;
  machine.nics = {MakeNic("0000:4f:00.0", "0000:4d", {}, 0),
                  MakeNic("0000:50:00.0", "0000:4d", {}, 0)};
  machine.nics[0].name = "no_such_device";
  machine.nics[1].name = "";
  machine.gpus = {MakeGpu("0000:53:00.0", "0000:4d", {}, 0)};
  size_t done = 0, total = 0;
  CensusOptions options;
  options.progress = [&](size_t d, size_t t) {
    EXPECT_EQ(d, done + 1);
    done = d;
    total = t;
  };
  const auto rows = RunCensus(machine, NoCuda(), options);
  ASSERT_TRUE(rows);
  ASSERT_EQ(rows->size(), 6u);
  EXPECT_EQ(done, 6u);
  EXPECT_EQ(total, 6u);
  for (const CensusRow& row : *rows) EXPECT_EQ(row.status, CensusStatus::kSkipped);
  EXPECT_EQ((*rows)[0].place.ToString(), "numa0");
  EXPECT_EQ((*rows)[0].way, RegistrationWay::kHost);
  EXPECT_EQ((*rows)[0].relation, Relation::kSameNumaNode);
  EXPECT_EQ((*rows)[1].way, RegistrationWay::kDmabuf);
  EXPECT_EQ((*rows)[2].way, RegistrationWay::kPeerMemory);
  EXPECT_NE((*rows)[0].reason.find("no_such_device"), std::string::npos) << (*rows)[0].reason;
  EXPECT_NE((*rows)[3].reason.find("the kernel has no RDMA device for it"), std::string::npos)
      << (*rows)[3].reason;
}

TEST(CensusTest, FiltersAndStops) {
  Machine machine = MakeP5();
  CensusOptions options;
  options.nics = {machine.nics[3].position.address, machine.nics[20].position.address};
  options.places = {MemoryPlace::Gpu(machine.gpus[2].position.address)};
  options.should_stop = [] { return true; };
  const auto rows = RunCensus(machine, NoCuda(), options);
  ASSERT_TRUE(rows);
  ASSERT_EQ(rows->size(), 4u);
  EXPECT_EQ((*rows)[0].nic, machine.nics[3].key());
  EXPECT_EQ((*rows)[3].nic, machine.nics[20].key());
  EXPECT_NE((*rows)[0].reason.find("interrupted"), std::string::npos);
}

CensusRow RowOf(const Result<IdAnswer>& answer) {
  CensusRow row;
  SetAnswer(answer, &row);
  return row;
}

TEST(CensusTest, TheThreeStatesStayApart) {
  CensusRow row = RowOf(IdAnswer{.can_tell = false, .ids = {}, .reason = "too old"});
  EXPECT_EQ(row.status, CensusStatus::kCannotTell);
  EXPECT_EQ(row.reason, "too old");

  row = RowOf(IdAnswer{.can_tell = true, .ids = {}, .reason = {}});
  EXPECT_EQ(row.status, CensusStatus::kNoId);
  EXPECT_EQ(row.reason, "");

  row = RowOf(IdAnswer{.can_tell = true, .ids = {{}, 0, {}}, .reason = {}});
  EXPECT_EQ(row.status, CensusStatus::kOk);
  EXPECT_EQ(row.ids, (InterconnectIds{{}, 0, {}}));
  EXPECT_EQ(row.reason, "");
}

TEST(CensusTest, AFailedQuerySaysItsErrno) {
  const CensusRow row = RowOf(Fail(ErrnoError(5, "efadv_query_mr", "rdmap79s0")));
  EXPECT_EQ(row.status, CensusStatus::kCannotTell);
  EXPECT_NE(row.reason.find("EIO"), std::string::npos) << row.reason;
}

TEST(CensusTest, AnIdAboveTheWireFormatIsKeptAndFlagged) {
  const CensusRow row = RowOf(IdAnswer{.can_tell = true, .ids = {1, 256, 255}, .reason = {}});
  EXPECT_EQ(row.status, CensusStatus::kOk);
  EXPECT_EQ(row.ids.rdma_read, 256);
  EXPECT_EQ(row.reason, "rdma_read id 256 is above 255, and the device's answer has 8 bits");
}

}  // namespace
}  // namespace railgauge
