#include "lib/emulator/preload/store_decoder.h"

#include <gtest/gtest.h>

#include <initializer_list>
#include <vector>

namespace railgauge {
namespace {

std::optional<DecodedStore> X86(std::initializer_list<uint8_t> code) {
  const std::vector<uint8_t> bytes(code);
  return DecodeX86Store(bytes);
}

// Encodings as an assembler writes them.
TEST(X86Store, RegisterToMemory) {
  const struct {
    std::initializer_list<uint8_t> code;
    unsigned reg;
  } kCases[] = {
      {{0x89, 0x02}, 0},                                       // mov %eax,(%rdx)
      {{0x89, 0x4a, 0x10}, 1},                                 // mov %ecx,0x10(%rdx)
      {{0x89, 0xb2, 0x00, 0x01, 0x00, 0x00}, 6},               // mov %esi,0x100(%rdx)
      {{0x89, 0x3c, 0x24}, 7},                                 // mov %edi,(%rsp)
      {{0x89, 0x44, 0x24, 0x08}, 0},                           // mov %eax,0x8(%rsp)
      {{0x89, 0x1c, 0x88}, 3},                                 // mov %ebx,(%rax,%rcx,4)
      {{0x89, 0x04, 0x25, 0x00, 0x10, 0x00, 0x00}, 0},         // mov %eax,0x1000
      {{0x89, 0x15, 0x10, 0x00, 0x00, 0x00}, 2},               // mov %edx,0x10(%rip)
      {{0x44, 0x89, 0x07}, 8},                                 // mov %r8d,(%rdi)
      {{0x41, 0x89, 0x45, 0x00}, 0},                           // mov %eax,0x0(%r13)
      {{0x45, 0x89, 0xbc, 0x24, 0x00, 0x02, 0x00, 0x00}, 15},  // mov %r15d,0x200(%r12)
      {{0x0f, 0xc3, 0x0a}, 1},                                 // movnti %ecx,(%rdx)
  };
  for (const auto& c : kCases) {
    const auto store = X86(c.code);
    ASSERT_TRUE(store.has_value());
    EXPECT_EQ(store->instruction_bytes, c.code.size());
    EXPECT_EQ(store->register_number, c.reg);
    EXPECT_FALSE(store->immediate.has_value());
  }
}

TEST(X86Store, ImmediateToMemory) {
  const auto store = X86({0xc7, 0x47, 0x04, 0x78, 0x56, 0x34, 0x12});  // movl $0x12345678,4(%rdi)
  ASSERT_TRUE(store.has_value());
  EXPECT_EQ(store->instruction_bytes, 7u);
  EXPECT_EQ(store->immediate, 0x12345678u);
}

TEST(X86Store, OtherInstructionsAreNotDecoded) {
  EXPECT_FALSE(X86({0x48, 0x89, 0x02}).has_value());  // 64 bits
  EXPECT_FALSE(X86({0x66, 0x89, 0x02}).has_value());  // 16 bits
  EXPECT_FALSE(X86({0x88, 0x02}).has_value());        // 8 bits
  EXPECT_FALSE(X86({0x8b, 0x02}).has_value());        // a load
  EXPECT_FALSE(X86({0x89, 0xc2}).has_value());        // register to register
  EXPECT_FALSE(X86({0xc7, 0x4f, 0x04, 0, 0, 0, 0}).has_value());
  EXPECT_FALSE(X86({0x0f, 0x11, 0x02}).has_value());  // movups
  EXPECT_FALSE(X86({}).has_value());
}

TEST(X86Store, EveryTruncationIsRefused) {
  const std::vector<uint8_t> whole = {0x41, 0xc7, 0x84, 0x24, 1, 0, 0, 0, 2, 0, 0, 0};
  ASSERT_TRUE(DecodeX86Store(whole).has_value());
  for (size_t bytes = 0; bytes < whole.size(); ++bytes) {
    EXPECT_FALSE(DecodeX86Store(std::span(whole).first(bytes)).has_value()) << bytes;
  }
}

TEST(ArmStore, PlainForms) {
  EXPECT_EQ(DecodeArmStore(0xb9000043)->register_number, 3u);  // str w3, [x2]
  EXPECT_EQ(DecodeArmStore(0xb8004085)->register_number, 5u);  // stur w5, [x4, #4]
  EXPECT_EQ(DecodeArmStore(0xb8226861)->register_number, 1u);  // str w1, [x3, x2]
  EXPECT_EQ(DecodeArmStore(0xb900005f)->immediate, 0u);        // str wzr, [x2]
  EXPECT_FALSE(DecodeArmStore(0xf9000043).has_value());        // str x3, [x2]
  EXPECT_FALSE(DecodeArmStore(0xb8004443).has_value());        // str w3, [x2], #4
  EXPECT_FALSE(DecodeArmStore(0xb9400043).has_value());        // ldr w3, [x2]
}

}  // namespace
}  // namespace railgauge
