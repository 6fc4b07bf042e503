#include "lib/memory/page_nodes.h"

#include <sys/mman.h>

#include <cerrno>

#include "gtest/gtest.h"

namespace railgauge {
namespace {

constexpr size_t kPage = 4096;

// Pages that are never touched; page 0 is not at a null pointer.
constexpr uint64_t kBase = 1000;
std::byte* Fake(uint64_t page) { return reinterpret_cast<std::byte*>((kBase + page) * kPage); }
uint64_t NumberOf(void* page) { return reinterpret_cast<uint64_t>(page) / kPage - kBase; }

TEST(PageNodesTest, EveryPageIsAskedForOnce) {
  static std::map<uint64_t, int>* asked = nullptr;
  std::map<uint64_t, int> pages;
  asked = &pages;
  const PageNodes nodes =
      FindPageNodes(Fake(7), 1300 * kPage - 5, kPage, [](std::span<void*> p, std::span<int> n) {
        for (size_t i = 0; i < p.size(); ++i) {
          ++(*asked)[NumberOf(p[i])];
          n[i] = 1;
        }
        return 0;
      });
  EXPECT_EQ(nodes.asked, 1300u);
  ASSERT_EQ(pages.size(), 1300u);
  for (const auto& [page, times] : pages) {
    EXPECT_GE(page, 7u);
    EXPECT_LT(page, 1307u);
    EXPECT_EQ(times, 1);
  }
  EXPECT_EQ(nodes.WhyNotAllOn(1), "");
  EXPECT_EQ(nodes.Elsewhere(1), 0u);
  EXPECT_EQ(nodes.Elsewhere(0), 1300u);
  EXPECT_EQ(nodes.WhyNotAllOn(0),
            "wanted all 1300 pages on NUMA node 0, found 0 on it, 1300 on node 1");
}

TEST(PageNodesTest, WrongAndUnknownPagesAreCounted) {
  const PageNodes nodes =
      FindPageNodes(Fake(0), 600 * kPage, kPage, [](std::span<void*> p, std::span<int> n) {
        for (size_t i = 0; i < p.size(); ++i) {
          const uint64_t page = NumberOf(p[i]);
          n[i] = page % 100 == 0 ? 0 : page % 100 == 1 ? -ENOENT : page == 599 ? 3 : 2;
        }
        return 0;
      });
  EXPECT_EQ(nodes.Elsewhere(2), 7u);
  EXPECT_EQ(nodes.WhyNotAllOn(2),
            "wanted all 600 pages on NUMA node 2, found 587 on it, 6 on node 0, 1 on node 3, "
            "6 unknown (ENOENT)");
}

TEST(PageNodesTest, ARefusalEndsTheAsking) {
  const PageNodes nodes =
      FindPageNodes(Fake(0), kPage, kPage, [](std::span<void*>, std::span<int>) { return EPERM; });
  EXPECT_EQ(nodes.WhyNotAllOn(0),
            "wanted all 1 pages on NUMA node 0, found 0 on it; the kernel would not tell (EPERM)");
  EXPECT_EQ(nodes.Elsewhere(0), 0u);
}

TEST(PageNodesTest, TheKernelKnowsAPageThatIsThereAndOneThatIsNot) {
  void* mapping = mmap(nullptr, 2 * kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
                       /*fd=*/-1, 0);
  ASSERT_NE(mapping, MAP_FAILED);
  *static_cast<volatile char*>(mapping) = 1;
  const PageNodes nodes = FindPageNodes(static_cast<std::byte*>(mapping), 2 * kPage, kPage);
  munmap(mapping, 2 * kPage);
  if (nodes.refused != 0) GTEST_SKIP() << nodes.WhyNotAllOn(0);
  uint64_t known = 0;
  for (const auto& [node, count] : nodes.found) known += count;
  EXPECT_EQ(known, 1u);
  EXPECT_EQ(nodes.unknown.at(ENOENT), 1u);
}

}  // namespace
}  // namespace railgauge
