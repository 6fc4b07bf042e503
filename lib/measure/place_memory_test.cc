#include "lib/measure/place_memory.h"

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace railgauge {
namespace {

namespace fs = std::filesystem;

// A sysfs of CPUs whose caches are given as {cpu, index, level, size}.
struct Cache {
  int cpu, index;
  std::string level, size;
};
WorkingSet WithCaches(const std::vector<Cache>& caches) {
  const fs::path sysfs = fs::path(testing::TempDir()) / "cache_sysfs";
  fs::remove_all(sysfs);
  fs::create_directories(sysfs / "devices/system/cpu/cpufreq");
  for (const Cache& cache : caches) {
    const fs::path folder = sysfs / "devices/system/cpu" / ("cpu" + std::to_string(cache.cpu)) /
                            "cache" / ("index" + std::to_string(cache.index));
    fs::create_directories(folder);
    std::ofstream(folder / "level") << cache.level << "\n";
    if (!cache.size.empty()) std::ofstream(folder / "size") << cache.size << "\n";
  }
  return DefaultWorkingSet(sysfs);
}
Bytes HostWithL3(const std::string& size) {
  return WithCaches({{0, 0, "1", "48K"}, {0, 1, "2", "2048K"}, {0, 2, "3", size}}).host;
}

TEST(DefaultWorkingSetTest, IsTwiceTheLastLevelCacheWithinBounds) {
  EXPECT_EQ(HostWithL3("107520K"), Bytes{uint64_t{210} << 20});
  EXPECT_EQ(HostWithL3("8192K"), Bytes{uint64_t{64} << 20});
  EXPECT_EQ(HostWithL3("33793K"), Bytes{uint64_t{67} << 20});  // rounded up
  EXPECT_EQ(HostWithL3("327680K"), Bytes{uint64_t{640} << 20});
  EXPECT_EQ(HostWithL3("1048576K"), Bytes{uint64_t{1024} << 20});
}

TEST(DefaultWorkingSetTest, TheLargestCacheOfTheHighestLevelCounts) {
  const WorkingSet set = WithCaches(
      {{0, 0, "2", "999999K"}, {3, 0, "1", "48K"}, {3, 1, "3", "65536K"}, {7, 0, "3", "98304K"}});
  EXPECT_EQ(set.last_level_cache, Bytes{uint64_t{96} << 20});
  EXPECT_EQ(set.host, Bytes{uint64_t{192} << 20});
  EXPECT_EQ(set.Remark(), "");
}

TEST(DefaultWorkingSetTest, WithoutAThirdLevelTheSecondIsTheLast) {
  EXPECT_EQ(WithCaches({{0, 0, "1", "64K"}, {0, 1, "2", "49152K"}}).host,
            Bytes{uint64_t{96} << 20});
}

TEST(DefaultWorkingSetTest, ACacheThatIsNotShownIsNoReasonToFail) {
  EXPECT_EQ(WithCaches({}).host, Bytes{uint64_t{64} << 20});
  EXPECT_EQ(WithCaches({}).Remark(),
            "the size of the last-level cache is not shown: a working set of 64MiB may fit it");
  EXPECT_EQ(WithCaches({{0, 0, "3", ""}}).last_level_cache, Bytes{0});
  EXPECT_EQ(WithCaches({{0, 0, "3", "huge"}}).last_level_cache, Bytes{0});
  EXPECT_EQ(WithCaches({{0, 0, "x", "1024K"}}).last_level_cache, Bytes{0});
  EXPECT_EQ(DefaultWorkingSet("/no/such/sysfs").host, Bytes{uint64_t{64} << 20});
}

TEST(DefaultWorkingSetTest, ACapBelowTheMultipleIsTold) {
  EXPECT_EQ(WithCaches({{0, 0, "3", "786432K"}}).Remark(),
            "the working set of 1GiB is not 2 times the last-level cache (768MiB): rates of host "
            "memory may be its");
}

TEST(PlaceMemoryTest, ItsFactsAreThoseOfTheBuffersMade) {
  PlaceMemory memory(CudaDriver::Absent("no GPU in this test"),
                     {Bytes{4 << 20}, Bytes{4 << 20}, Bytes{1 << 20}, false});
  EXPECT_TRUE(memory.Facts().empty());
  EXPECT_TRUE(memory.remarks().empty());
  ASSERT_TRUE(memory.Get(MemoryPlace::NumaNode(0), MemoryRole::kPartner));
  EXPECT_FALSE(memory.Get(MemoryPlace::NumaNode(900), MemoryRole::kPartner));
  const auto facts = memory.Facts();
  ASSERT_EQ(facts.size(), 1u);
  EXPECT_EQ(facts[0].place, MemoryPlace::NumaNode(0));
  EXPECT_EQ(facts[0].role, "partner");
  EXPECT_EQ(facts[0].length, Bytes{4 << 20});
  EXPECT_TRUE(facts[0].pages == "huge_tlb" || facts[0].pages == "transparent") << facts[0].pages;
  // A remark exactly when the kernel would not tell where the memory lies.
  EXPECT_EQ(memory.remarks().size(), *facts[0].place_verified ? 0u : 1u);
}

TEST(PlaceMemoryTest, KeepsOneBufferPerPlaceAndRole) {
  PlaceMemory memory(CudaDriver::Absent("no GPU in this test"),
                     {Bytes{1 << 20}, Bytes{1 << 20}, Bytes{0}, true});
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
  PlaceMemory memory(CudaDriver::Absent("no GPU in this test"),
                     {Bytes{4096}, Bytes{4096}, Bytes{0}, true});
  const auto place = MemoryPlace::Gpu(PciAddress{0, 0x53, 0, 0});
  const auto first = memory.Get(place, MemoryRole::kUnderTest);
  ASSERT_FALSE(first);
  EXPECT_EQ(first.error().ToString(), memory.Get(place, MemoryRole::kUnderTest).error().ToString());
}

}  // namespace
}  // namespace railgauge
