#include "lib/memory/huge_share.h"

#include "gtest/gtest.h"

namespace railgauge {
namespace {

constexpr char kSmaps[] =
    "7f0000000000-7f0000400000 rw-p 00000000 00:00 0 \n"
    "Size:               4096 kB\n"
    "KernelPageSize:        4 kB\n"
    "AnonHugePages:      2048 kB\n"
    "Private_Hugetlb:       0 kB\n"
    "VmFlags: rd wr mr mw me ac sd hg \n"
    "7f0000400000-7f0000800000 rw-p 00000000 00:0f 123 /anon_hugepage (deleted)\n"
    "Size:               4096 kB\n"
    "AnonHugePages:         0 kB\n"
    "Private_Hugetlb:    4096 kB\n"
    "7f0000800000-7f0000801000 r--p 00000000 08:01 5 /lib/libc.so.6\n"
    "Size:                  4 kB\n"
    "AnonHugePages:         0 kB\n";

TEST(HugeShareTest, IsOfTheAreasThatHoldTheRange) {
  constexpr uint64_t kBegin = 0x7f0000000000;
  EXPECT_EQ(HugeShareOf(kSmaps, kBegin, kBegin + 0x400000), 0.5);
  EXPECT_EQ(HugeShareOf(kSmaps, kBegin + 0x400000, kBegin + 0x500000), 1.0);
  EXPECT_EQ(HugeShareOf(kSmaps, kBegin, kBegin + 0x800000), 0.75);
  EXPECT_EQ(HugeShareOf(kSmaps, kBegin + 0x800000, kBegin + 0x801000), 0.0);
}

TEST(HugeShareTest, WhatIsNotShownIsUnknown) {
  EXPECT_EQ(HugeShareOf(kSmaps, 0x1000, 0x2000), std::nullopt);
  EXPECT_EQ(HugeShareOf("", 0, 1), std::nullopt);
  EXPECT_EQ(HugeShareOf("no such thing\n\nSize: x kB", 0, ~uint64_t{0}), std::nullopt);
}

}  // namespace
}  // namespace railgauge
