#include "lib/measure/place_memory.h"

#include <filesystem>
#include <fstream>

#include "gtest/gtest.h"

namespace railgauge {
namespace {

namespace fs = std::filesystem;

Bytes HostWorkingSetWithCache(const std::string& size) {
  const fs::path sysfs = fs::path(testing::TempDir()) / "cache_sysfs";
  fs::remove_all(sysfs);
  const fs::path folder = sysfs / "devices/system/cpu/cpu0/cache/index3";
  fs::create_directories(folder);
  if (!size.empty()) std::ofstream(folder / "size") << size << "\n";
  return DefaultWorkingSet(sysfs).host;
}

TEST(DefaultWorkingSetTest, IsTwiceTheLastLevelCacheWithinBounds) {
  EXPECT_EQ(HostWorkingSetWithCache("107520K"), Bytes{uint64_t{210} << 20});
  EXPECT_EQ(HostWorkingSetWithCache("8192K"), Bytes{uint64_t{64} << 20});
  EXPECT_EQ(HostWorkingSetWithCache("1048576K"), Bytes{uint64_t{512} << 20});
}

TEST(DefaultWorkingSetTest, ACacheThatIsNotShownIsNoReasonToFail) {
  EXPECT_EQ(HostWorkingSetWithCache(""), Bytes{uint64_t{64} << 20});
  EXPECT_EQ(HostWorkingSetWithCache("huge"), Bytes{uint64_t{64} << 20});
}

TEST(PlaceMemoryTest, KeepsOneBufferPerPlaceAndRole) {
  PlaceMemory memory(CudaDriver::Absent("no GPU in this test"), {Bytes{1 << 20}, Bytes{1 << 20}});
  const auto place = MemoryPlace::NumaNode(0);
  const auto under_test = memory.Get(place, MemoryRole::kUnderTest);
  ASSERT_TRUE(under_test) << under_test.error().ToString();
  const auto partner = memory.Get(place, MemoryRole::kPartner);
  ASSERT_TRUE(partner);
  EXPECT_NE(*under_test, *partner);
  EXPECT_EQ(*under_test, *memory.Get(place, MemoryRole::kUnderTest));
  EXPECT_EQ((*under_test)->length(), uint64_t{1} << 20);
  EXPECT_EQ((*under_test)->place(), place);
}

TEST(PlaceMemoryTest, AGpuThatIsNotThereIsAnError) {
  PlaceMemory memory(CudaDriver::Absent("no GPU in this test"), {Bytes{4096}, Bytes{4096}});
  const auto place = MemoryPlace::Gpu(PciAddress{0, 0x53, 0, 0});
  const auto first = memory.Get(place, MemoryRole::kUnderTest);
  ASSERT_FALSE(first);
  EXPECT_EQ(first.error().ToString(), memory.Get(place, MemoryRole::kUnderTest).error().ToString());
}

}  // namespace
}  // namespace railgauge
