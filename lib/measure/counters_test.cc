#include "lib/measure/counters.h"

#include <filesystem>
#include <fstream>
#include <string>

#include "gtest/gtest.h"

namespace railgauge {
namespace {

namespace fs = std::filesystem;

class ReadRdmaBytesTest : public testing::Test {
 protected:
  void SetUp() override {
    sysfs_ = fs::path(testing::TempDir()) / "counters_sysfs";
    fs::remove_all(sysfs_);
    folder_ = sysfs_ / "class/infiniband/rdmap79s0/ports/1/hw_counters";
    fs::create_directories(folder_);
  }
  void Write(const std::string& name, const std::string& value) {
    std::ofstream(folder_ / name) << value;
  }
  fs::path sysfs_, folder_;
};

TEST_F(ReadRdmaBytesTest, ReadsTheFourCounters) {
  Write("rdma_read_bytes", "1\n");
  Write("rdma_read_resp_bytes", "2\n");
  Write("rdma_write_bytes", "3\n");
  Write("rdma_write_recv_bytes", "18446744073709551615\n");
  const auto bytes = ReadRdmaBytes("rdmap79s0", sysfs_);
  ASSERT_TRUE(bytes) << bytes.error().ToString();
  EXPECT_EQ(*bytes, (RdmaBytes{1, 2, 3, ~uint64_t{0}}));
}

TEST_F(ReadRdmaBytesTest, AnOlderDriverHasNoWriteCounters) {
  Write("rdma_read_bytes", "1\n");
  Write("rdma_read_resp_bytes", "2\n");
  EXPECT_EQ(*ReadRdmaBytes("rdmap79s0", sysfs_), (RdmaBytes{1, 2, 0, 0}));
}

TEST_F(ReadRdmaBytesTest, NoCountersAtAllAndNonsenseAreErrors) {
  const auto none = ReadRdmaBytes("rdmap79s0", sysfs_);
  ASSERT_FALSE(none);
  EXPECT_NE(none.error().ToString().find("rdma_read_bytes"), std::string::npos);
  Write("rdma_read_bytes", "12 bytes\n");
  const auto nonsense = ReadRdmaBytes("rdmap79s0", sysfs_);
  ASSERT_FALSE(nonsense);
  EXPECT_NE(nonsense.error().reason.find("no number"), std::string::npos);
}

TEST(RdmaBytesTest, EachOperationHasItsCounterOnEachSide) {
  RdmaBytes bytes;
  bytes.AddInitiated(Operation::kRead, 1);
  bytes.AddServed(Operation::kRead, 2);
  bytes.AddInitiated(Operation::kWrite, 3);
  bytes.AddServed(Operation::kWrite, 4);
  EXPECT_EQ(bytes, (RdmaBytes{1, 2, 3, 4}));
  EXPECT_EQ(bytes.Initiated(Operation::kRead), 1u);
  EXPECT_EQ(bytes.Initiated(Operation::kWrite), 3u);
  EXPECT_EQ((RdmaBytes{0, 1, 2, 3} - RdmaBytes{~uint64_t{0}, 1, 1, 0}), (RdmaBytes{1, 0, 1, 3}));
}

TEST(ContradictionTest, AgreementIsWithinHalfAPercent) {
  const RdmaBytes expected{1000000, 0, 0, 0};
  EXPECT_FALSE(Contradiction("x", {1000000, 0, 0, 0}, expected));
  EXPECT_FALSE(Contradiction("x", {1005000, 0, 0, 0}, expected));
  EXPECT_FALSE(Contradiction("x", {995000, 0, 0, 0}, expected));
  EXPECT_TRUE(Contradiction("x", {1005001, 0, 0, 0}, expected));
  EXPECT_TRUE(Contradiction("x", {994999, 0, 0, 0}, expected));
}

TEST(ContradictionTest, TheWrongOperationOrNothingAtAllIsNone) {
  const RdmaBytes expected{1000000, 0, 0, 0};
  EXPECT_EQ(Contradiction("rdmap79s0", {0, 0, 1000000, 0}, expected),
            "the device's counters contradict it: rdma_read_bytes of rdmap79s0 grew by 0 instead "
            "of 1000000");
  EXPECT_TRUE(Contradiction("x", {}, expected));
}

TEST(ContradictionTest, OtherTrafficOnTheDeviceContradicts) {
  EXPECT_EQ(Contradiction("rdmap79s0", {1000000, 0, 0, 500000}, {1000000, 0, 0, 0}),
            "the device's counters contradict it: rdma_write_recv_bytes of rdmap79s0 grew by "
            "500000 instead of 0");
  EXPECT_TRUE(Contradiction("x", {1, 0, 0, 0}, {}));
  EXPECT_FALSE(Contradiction("x", {}, {}));
}

}  // namespace
}  // namespace railgauge
