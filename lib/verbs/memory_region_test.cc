#include "lib/verbs/memory_region.h"

#include <cerrno>
#include <type_traits>

#include "gtest/gtest.h"

namespace railgauge {
namespace {

static_assert(!std::is_copy_constructible_v<MemoryRegion>);
static_assert(std::is_move_assignable_v<MemoryRegion>);

#ifndef RAILGAUGE_RDMA_CORE_LACKS_EFADV_QUERY_MR
TEST(ValidIdsTest, TheBitDecidesAndNotTheValue) {
  efadv_mr_attr attr = {};
  attr.recv_ic_id = 7;  // without its bit
  attr.rdma_read_ic_id = 0;
  attr.ic_id_validity = EFADV_MR_ATTR_VALIDITY_RDMA_READ_IC_ID;
  const InterconnectIds ids = ValidIds(attr);
  EXPECT_FALSE(ids.recv);
  EXPECT_EQ(ids.rdma_read, 0);  // 0 is a legal id
  EXPECT_FALSE(ids.rdma_recv);
  EXPECT_TRUE(ids.any());
}

TEST(ValidIdsTest, EachFieldHasItsOwnBit) {
  efadv_mr_attr attr = {};
  attr.recv_ic_id = 1;
  attr.rdma_read_ic_id = 2;
  attr.rdma_recv_ic_id = 3;
  EXPECT_FALSE(ValidIds(attr).any());
  attr.ic_id_validity = EFADV_MR_ATTR_VALIDITY_RECV_IC_ID;
  EXPECT_EQ(ValidIds(attr), (InterconnectIds{1, {}, {}}));
  attr.ic_id_validity = EFADV_MR_ATTR_VALIDITY_RDMA_RECV_IC_ID;
  EXPECT_EQ(ValidIds(attr), (InterconnectIds{{}, {}, 3}));
  attr.ic_id_validity = 7;
  EXPECT_EQ(ValidIds(attr), (InterconnectIds{1, 2, 3}));
}

#endif

TEST(MeansCannotTellTest, OnlyTheErrorsOfAStackWithoutTheQuery) {
  EXPECT_TRUE(MeansCannotTell(EOPNOTSUPP));
  EXPECT_TRUE(MeansCannotTell(ENOTTY));
  EXPECT_TRUE(MeansCannotTell(EPROTONOSUPPORT));
  EXPECT_FALSE(MeansCannotTell(EINVAL));
  EXPECT_FALSE(MeansCannotTell(ENOENT));
  EXPECT_FALSE(MeansCannotTell(EIO));
}

}  // namespace
}  // namespace railgauge
