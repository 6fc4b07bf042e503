#include "lib/verbs/access.h"

#include <infiniband/verbs.h>

#include "gtest/gtest.h"

namespace railgauge {
namespace {

TEST(AccessTest, FollowsTheCapabilities) {
  EXPECT_EQ(AccessFlagsToString(AccessFlagsFor(false, false)), "local_write");
  EXPECT_EQ(AccessFlagsToString(AccessFlagsFor(true, false)), "local_write|remote_read");
  EXPECT_EQ(AccessFlagsToString(AccessFlagsFor(true, true)),
            "local_write|remote_write|remote_read");
}

TEST(AccessTest, NamesWhatItDoesNotKnowByItsBits) {
  EXPECT_EQ(AccessFlagsToString(0), "none");
  EXPECT_EQ(AccessFlagsToString(IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_ON_DEMAND), "local_write|0x40");
}

}  // namespace
}  // namespace railgauge
