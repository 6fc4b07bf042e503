#include "lib/emulator/device/mr_table.h"

#include <gtest/gtest.h>

#include <set>
#include <utility>

namespace railgauge::efa {
namespace {

constexpr PciAddress kNic{0, 1, 0, 0};
const MemoryPlace kNear = MemoryPlace::NumaNode(0);
const MemoryPlace kFar = MemoryPlace::NumaNode(1);

class MakeMrTest : public testing::Test {
 protected:
  MakeMrTest() {
    machine_.paths[{kNic, kNear}];
    machine_.paths[{kNic, kFar}];
    paths_.emplace(machine_, kNic, 0);
  }

  uint64_t Add(uint64_t offset, uint64_t length, const MemoryPlace& place) {
    return space_.Add({memory_.data() + offset, length, place, RegistrationWay::kHost});
  }

  AdminResult<Mr> Make(const RegMrParams& params) { return MakeMr(params, space_, *paths_); }

  EmulatedMachine machine_;
  std::optional<PathTable> paths_;
  DmaSpace space_;
  std::vector<std::byte> memory_ = std::vector<std::byte>(64 * 1024);
};

TEST_F(MakeMrTest, FindsTheMemoryBehindItsPages) {
  // Two pages that lie apart in memory; the region begins within the first.
  const uint64_t first = Add(0, 4096, kNear);
  const uint64_t second = Add(16384, 4096, kFar);
  RegMrParams params;
  params.iova = 0x7000'0100;
  params.length = 5000;
  params.first_page_offset = 0x100;
  params.pages = {{first, 4096}, {second, 4096}};
  const AdminResult<Mr> mr = Make(params);
  ASSERT_TRUE(mr.has_value());
  std::vector<MemoryRun> runs;
  mr->AppendRuns(params.iova + 3000, 2000, runs);
  ASSERT_EQ(runs.size(), 2u);
  EXPECT_EQ(runs[0].memory, memory_.data() + 0x100 + 3000);
  EXPECT_EQ(runs[0].length, 4096u - 0x100 - 3000);
  EXPECT_EQ(runs[1].memory, memory_.data() + 16384);
  EXPECT_EQ(runs[0].length + runs[1].length, 2000u);
  // The place of the first page touched decides.
  EXPECT_EQ(&mr->PathsAt(params.iova + 3839), paths_->Find(kNear));
  EXPECT_EQ(&mr->PathsAt(params.iova + 3840), paths_->Find(kFar));
}

TEST_F(MakeMrTest, JoinsPagesThatLieTogether) {
  const uint64_t address = Add(0, 16384, kNear);
  RegMrParams params;
  params.length = 16384;
  params.pages = {{address, 4096}, {address + 4096, 8192}, {address + 12288, 4096}};
  ASSERT_TRUE(Make(params).has_value());
  EXPECT_EQ(Make(params)->segments.size(), 1u);
}

TEST_F(MakeMrTest, RefusesWhatDoesNotAddUp) {
  const uint64_t address = Add(0, 4096, kNear);
  const uint64_t elsewhere = Add(4096, 4096, MemoryPlace::NumaNode(7));
  RegMrParams good;
  good.iova = 0x1000;
  good.length = 4096;
  good.pages = {{address, 4096}};
  ASSERT_TRUE(Make(good).has_value());
  const auto refused = [&](auto change) {
    RegMrParams params = good;
    change(params);
    const auto mr = Make(params);
    return !mr.has_value() && mr.error() == AdminStatus::kIllegalParameter;
  };
  EXPECT_TRUE(refused([](RegMrParams& p) { p.length = 0; }));
  EXPECT_TRUE(refused([](RegMrParams& p) { p.length = 4097; }));
  EXPECT_TRUE(refused([](RegMrParams& p) { p.first_page_offset = 1; }));
  EXPECT_TRUE(refused([](RegMrParams& p) { p.first_page_offset = 4096; }));
  EXPECT_TRUE(refused([](RegMrParams& p) { p.iova = ~uint64_t{0}; }));
  EXPECT_TRUE(refused([](RegMrParams& p) { p.pages.clear(); }));
  EXPECT_TRUE(refused([](RegMrParams& p) { p.pages[0].length = 8192; }));
  EXPECT_TRUE(refused([](RegMrParams& p) { p.pages[0].dma_address = 4096; }));
  // Memory of a place that the NIC has no path to.
  EXPECT_TRUE(refused([&](RegMrParams& p) { p.pages[0].dma_address = elsewhere; }));
}

TEST(MrTest, ContainsIsFreeOfOverflow) {
  Mr mr;
  mr.iova = 0x1000;
  mr.length = 0x1000;
  EXPECT_TRUE(mr.Contains(0x1000, 0x1000));
  EXPECT_TRUE(mr.Contains(0x2000, 0));
  EXPECT_FALSE(mr.Contains(0x2000, 1));
  EXPECT_FALSE(mr.Contains(0xfff, 1));
  EXPECT_FALSE(mr.Contains(0x1001, 0x1000));
  EXPECT_FALSE(mr.Contains(0x1800, ~uint64_t{0}));
  EXPECT_FALSE(mr.Contains(~uint64_t{0}, 2));
}

TEST(MrTableTest, KeysAreNeverZeroAndFitTheirBits) {
  for (const uint32_t limit : {1u, 2u, 3u, 64u, 1u << 18}) {
    MrTable table(limit);
    for (int i = 0; i < 1000; ++i) {
      const auto mr = table.Add(Mr());
      ASSERT_NE(mr, nullptr);
      EXPECT_NE(mr->lkey, 0u);
      EXPECT_LT(mr->lkey, 1u << MrTable::kLkeyBits);
      EXPECT_EQ(table.FindLocal(mr->lkey), mr);
      EXPECT_EQ(table.FindRemote(mr->rkey), mr);
      table.Remove(mr->lkey);
    }
  }
}

TEST(MrTableTest, StaleKeysAreCaught) {
  MrTable table(1);  // every region takes the same slot
  std::set<uint32_t> lkeys, rkeys;
  for (int i = 0; i < 256; ++i) {
    const auto mr = table.Add(Mr());
    EXPECT_TRUE(lkeys.insert(mr->lkey).second);
    EXPECT_TRUE(rkeys.insert(mr->rkey).second);
    EXPECT_EQ(table.Remove(mr->lkey), mr);
    EXPECT_FALSE(mr->alive);
    EXPECT_EQ(table.FindLocal(mr->lkey), nullptr);
    EXPECT_EQ(table.FindRemote(mr->rkey), nullptr);
    EXPECT_EQ(table.Remove(mr->lkey), nullptr);
  }
}

TEST(MrTableTest, AnLkeyIsNoRkey) {
  MrTable table(4);
  table.Add(Mr());
  const auto mr = table.Add(Mr());
  ASSERT_NE(mr->lkey, mr->rkey);
  EXPECT_EQ(table.FindRemote(mr->lkey), nullptr);
}

TEST(MrTableTest, Limit) {
  MrTable table(2);
  const auto first = table.Add(Mr());
  EXPECT_NE(table.Add(Mr()), nullptr);
  EXPECT_EQ(table.Add(Mr()), nullptr);
  table.Remove(first->lkey);
  EXPECT_NE(table.Add(Mr()), nullptr);
}

}  // namespace
}  // namespace railgauge::efa
