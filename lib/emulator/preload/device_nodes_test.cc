#include "lib/emulator/preload/device_nodes.h"

#include <gtest/gtest.h>
#include <unistd.h>

namespace railgauge {
namespace {

TEST(DeviceNodes, Names) {
  EXPECT_EQ(UverbsNodeOf("/dev/infiniband/uverbs0"), 0u);
  EXPECT_EQ(UverbsNodeOf("/dev/infiniband/uverbs31"), 31u);
  EXPECT_EQ(UverbsNodeOf("/dev/char/231:193"), 1u);
  for (const char* other :
       {"/dev/infiniband/uverbs", "/dev/infiniband/uverbs1x", "/dev/infiniband/rdma_cm",
        "/dev/char/231:1", "/dev/char/1:3", "/sys/uverbs0", "", "uverbs0"}) {
    EXPECT_FALSE(UverbsNodeOf(other).has_value()) << other;
  }
  EXPECT_FALSE(UverbsNodeOf(nullptr).has_value());
}

TEST(DeviceNodes, Permission) {
  constexpr int kBoth = R_OK | W_OK;
  EXPECT_TRUE(MayAccess(0600, 0, 0, kBoth));
  EXPECT_FALSE(MayAccess(0600, 1000, 1000, R_OK));
  EXPECT_TRUE(MayAccess(0660, 1000, 0, kBoth));
  EXPECT_FALSE(MayAccess(0660, 1000, 1000, kBoth));
  EXPECT_TRUE(MayAccess(0666, 1000, 1000, kBoth));
  EXPECT_FALSE(MayAccess(0664, 1000, 1000, kBoth));
  EXPECT_TRUE(MayAccess(0664, 1000, 1000, R_OK));
}

}  // namespace
}  // namespace railgauge
