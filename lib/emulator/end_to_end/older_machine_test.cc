// The emulated p4d: RDMA read and no write.
#include <gtest/gtest.h>

#include <cerrno>

#include "lib/emulator/end_to_end/rig.h"

namespace railgauge {
namespace {

TEST(OlderMachine, ReadsAndRefusesToWrite) {
  ASSERT_EQ(Scenario().nics.size(), 4u);
  Nic a(Scenario().nics[0].name);
  Nic b(Scenario().nics[1].name);
  const Ah to_b = a.AddressOf(b);
  const Ah to_a = b.AddressOf(a);
  NodeMemory memory_a(4096, 0), memory_b(4096, 1);
  memory_b.Fill(4);
  errno = 0;
  EXPECT_EQ(ibv_reg_mr(b.pd, memory_b.data(), memory_b.size(), kAllAccess), nullptr);
  EXPECT_EQ(errno, EOPNOTSUPP);
  const Mr mr_a = a.Register(memory_a, IBV_ACCESS_LOCAL_WRITE);
  const Mr mr_b = b.Register(memory_b, IBV_ACCESS_REMOTE_READ);
  a.Post({Transfer(false, b, to_b.get(), *mr_a, *mr_b, 4096)});
  const auto completion = a.WaitForCompletion();
  ASSERT_TRUE(completion.has_value());
  EXPECT_EQ(completion->status, IBV_WC_SUCCESS);
  EXPECT_TRUE(memory_a.IsFilled(4));
}

}  // namespace
}  // namespace railgauge
