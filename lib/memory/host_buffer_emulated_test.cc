// HostBuffer where there are two NUMA nodes: on an emulated machine, whose kernel answers for both.
#include <linux/mempolicy.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <vector>

#include "gtest/gtest.h"
#include "lib/memory/host_buffer.h"

namespace railgauge {
namespace {

std::unique_ptr<HostBuffer> Make(uint32_t node, HostBuffer::Pages pages) {
  auto buffer = HostBuffer::Create(node, Bytes{6 << 20}, pages);
  EXPECT_TRUE(buffer) << (buffer ? "" : buffer.error().ToString());
  return buffer ? *std::move(buffer) : nullptr;
}

// What numad or an administrator's migratepages(8) would do.
void Move(HostBuffer& buffer, size_t first, size_t count, int node) {
  std::vector<void*> pages;
  for (size_t i = 0; i < count; ++i) pages.push_back(buffer.data().data() + (first + i) * 4096);
  const std::vector<int> nodes(count, node);
  std::vector<int> status(count);
  ASSERT_EQ(
      syscall(SYS_move_pages, 0, count, pages.data(), nodes.data(), status.data(), MPOL_MF_MOVE),
      0);
}

TEST(HostBufferEmulatedTest, EveryPageOfEitherNodeIsSeenInItsPlace) {
  for (const uint32_t node : {0u, 1u}) {
    for (const auto pages : {HostBuffer::Pages::kDefault, HostBuffer::Pages::kLargest}) {
      const auto buffer = Make(node, pages);
      ASSERT_TRUE(buffer);
      EXPECT_TRUE(buffer->verified()) << buffer->unverified_reason();
    }
  }
}

TEST(HostBufferEmulatedTest, PagesOnAnotherNodeAreCountedAndNamed) {
  const auto buffer = Make(1, HostBuffer::Pages::kTransparent);
  ASSERT_TRUE(buffer);
  Move(*buffer, 1000, 3, 0);
  const Status verified = buffer->VerifyPlace();
  ASSERT_FALSE(verified);
  EXPECT_EQ(verified.error().ToString(),
            "verify the place of host memory numa1: wanted all 1536 pages on NUMA node 1, found "
            "1533 on it, 3 on node 0. Free memory on the node, or stop what migrates pages "
            "(numad).");
  EXPECT_FALSE(buffer->verified());
  Move(*buffer, 1000, 3, 1);
  EXPECT_TRUE(buffer->VerifyPlace());
  EXPECT_TRUE(buffer->verified());
}

TEST(HostBufferEmulatedTest, ANodeThatTheMachineLacksIsOneClearError) {
  const auto buffer = HostBuffer::Create(2, Bytes{4096}, HostBuffer::Pages::kLargest);
  ASSERT_FALSE(buffer);
  EXPECT_NE(buffer.error().ToString().find("mbind numa2: EINVAL"), std::string::npos)
      << buffer.error().ToString();
}

}  // namespace
}  // namespace railgauge
