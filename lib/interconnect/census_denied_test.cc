// The census of an unprivileged user whom the machine denies something. As root nothing of this
// would happen, so census_denied_test.sh starts it as another user of an emulated machine.
//
//   census_denied_test no_permission | memlock
#include <sys/resource.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "gtest/gtest.h"
#include "lib/interconnect/census.h"
#include "lib/topology/load.h"

namespace railgauge {
namespace {

std::string denied;  // set by main

std::vector<CensusRow> Census() {
  const auto machine = LoadLiveMachine();
  EXPECT_TRUE(machine) << machine.error().ToString();
  if (!machine) std::abort();
  auto rows = RunCensus(*machine, CudaDriver::OpenOrAbsent());
  EXPECT_TRUE(rows) << rows.error().ToString();
  return rows ? *std::move(rows) : std::vector<CensusRow>{};
}

bool Contains(const CensusRow& row, std::string_view text) {
  return row.reason.find(text) != std::string::npos;
}

TEST(CensusDeniedTest, NoPermissionOnTheNodes) {
  if (denied != "no_permission") GTEST_SKIP() << "this run denies " << denied;
  ASSERT_NE(geteuid(), 0u);
  const auto rows = Census();
  ASSERT_FALSE(rows.empty());
  for (const CensusRow& row : rows) {
    EXPECT_EQ(row.status, CensusStatus::kSkipped);
    EXPECT_TRUE(Contains(row, "EACCES")) << row.reason;
    EXPECT_TRUE(Contains(row, "/dev/infiniband/uverbs")) << row.reason;
    EXPECT_TRUE(Contains(row, row.nic.name)) << row.reason;
    EXPECT_TRUE(Contains(row, "Ask for read and write permission")) << row.reason;
  }
}

TEST(CensusDeniedTest, MemlockTooSmall) {
  if (denied != "memlock") GTEST_SKIP() << "this run denies " << denied;
  ASSERT_NE(geteuid(), 0u);
  const rlimit limit{.rlim_cur = 16 << 10, .rlim_max = 16 << 10};  // a census buffer has 64 KiB
  ASSERT_EQ(setrlimit(RLIMIT_MEMLOCK, &limit), 0);
  const auto rows = Census();
  ASSERT_FALSE(rows.empty());
  for (const CensusRow& row : rows) {
    if (row.place.is_gpu()) {  // nothing of the host is locked for it
      EXPECT_EQ(row.status, CensusStatus::kOk) << row.reason;
      continue;
    }
    EXPECT_EQ(row.status, CensusStatus::kRegistrationFailed);
    EXPECT_TRUE(Contains(row, "ENOMEM")) << row.reason;
    EXPECT_TRUE(Contains(row, "`ulimit -l`, now 16 KiB")) << row.reason;
    EXPECT_TRUE(Contains(row, row.nic.name + ", " + row.place.ToString() + " as host"))
        << row.reason;
  }
  std::printf("%s\n", rows[0].reason.c_str());
}

}  // namespace
}  // namespace railgauge

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  if (argc != 2) return 2;
  railgauge::denied = argv[1];
  return RUN_ALL_TESTS();
}
