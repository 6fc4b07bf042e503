#include "lib/verbs/completion_status.h"

#include "gtest/gtest.h"

namespace railgauge {
namespace {

TEST(CompletionStatusTest, NamesFollowTheEnum) {
  EXPECT_EQ(CompletionStatusName(IBV_WC_SUCCESS), "IBV_WC_SUCCESS");
  EXPECT_EQ(CompletionStatusName(IBV_WC_LOC_LEN_ERR), "IBV_WC_LOC_LEN_ERR");
  EXPECT_EQ(CompletionStatusName(IBV_WC_LOC_PROT_ERR), "IBV_WC_LOC_PROT_ERR");
  EXPECT_EQ(CompletionStatusName(IBV_WC_WR_FLUSH_ERR), "IBV_WC_WR_FLUSH_ERR");
  EXPECT_EQ(CompletionStatusName(IBV_WC_REM_INV_REQ_ERR), "IBV_WC_REM_INV_REQ_ERR");
  EXPECT_EQ(CompletionStatusName(IBV_WC_REM_ACCESS_ERR), "IBV_WC_REM_ACCESS_ERR");
  EXPECT_EQ(CompletionStatusName(IBV_WC_REM_OP_ERR), "IBV_WC_REM_OP_ERR");
  EXPECT_EQ(CompletionStatusName(IBV_WC_RNR_RETRY_EXC_ERR), "IBV_WC_RNR_RETRY_EXC_ERR");
  EXPECT_EQ(CompletionStatusName(IBV_WC_REM_INV_RD_REQ_ERR), "IBV_WC_REM_INV_RD_REQ_ERR");
  EXPECT_EQ(CompletionStatusName(IBV_WC_RESP_TIMEOUT_ERR), "IBV_WC_RESP_TIMEOUT_ERR");
  EXPECT_EQ(CompletionStatusName(IBV_WC_GENERAL_ERR), "IBV_WC_GENERAL_ERR");
  EXPECT_EQ(CompletionStatusName(static_cast<ibv_wc_status>(30)), "IBV_WC_30");
}

TEST(CompletionStatusTest, ErrorNamesBothStatusesAndSaysWhatToDo) {
  EXPECT_EQ(CompletionError("rdma read", "rdmap79s0", IBV_WC_REM_OP_ERR, 14).ToString(),
            "rdma read rdmap79s0: IBV_WC_REM_OP_ERR (EFA status 14: REMOTE_ERROR_UNKNOWN_PEER). "
            "The remote protection domain has no address handle of this device, which RDMA needs.");
  EXPECT_EQ(CompletionError("rdma read", "x", IBV_WC_GENERAL_ERR, 77).ToString(),
            "rdma read x: IBV_WC_GENERAL_ERR (EFA status 77: vendor error 77)");
}

TEST(CompletionStatusTest, TimeoutBetweenHostsNamesTheSecurityGroup) {
  EXPECT_NE(
      CompletionError("rdma write", "x", IBV_WC_RESP_TIMEOUT_ERR, 15).advice.find("security group"),
      std::string::npos);
}

}  // namespace
}  // namespace railgauge
