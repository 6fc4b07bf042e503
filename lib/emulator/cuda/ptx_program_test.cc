#include "lib/emulator/cuda/ptx_program.h"

#include <cstring>

#include "gtest/gtest.h"
#include "lib/memory/gpu_pattern_ptx.h"
#include "lib/memory/pattern.h"

namespace railgauge {
namespace {

constexpr uint64_t kBase = uint64_t{0x7f00} << 32;  // where the test's GPU memory is for kernels

class PtxProgramTest : public testing::Test {
 protected:
  PtxKernel::Memory Memory() {
    return [this](uint64_t address, uint64_t bytes) -> std::byte* {
      if (address < kBase || address - kBase + bytes > memory_.size()) return nullptr;
      return &memory_[address - kBase];
    };
  }
  bool Run(const char* kernel, unsigned blocks, std::vector<uint64_t> parameters) {
    const auto program = PtxProgram::Parse(GpuPatternPtx());
    EXPECT_TRUE(program) << program.error().ToString();
    return program && program->Find(kernel)->Run(blocks, 256, parameters, Memory());
  }
  std::vector<std::byte> memory_ = std::vector<std::byte>(64 << 10);
};

TEST_F(PtxProgramTest, TheFillKernelMakesThePatternAndNothingBeside) {
  constexpr uint64_t kWords = 1000, kFirst = 77;
  const uint64_t seed = 0xfedcba9876543210;
  ASSERT_TRUE(Run("railgauge_fill", 4, {kBase + 64, kWords, seed, kFirst}));
  const std::span<const std::byte> filled(&memory_[64], kWords * 8);
  EXPECT_EQ(FindPatternMismatch(filled, seed, kFirst * 8), std::nullopt);
  for (const size_t beside : {size_t{56}, size_t{63}, 64 + kWords * 8, 64 + kWords * 8 + 8}) {
    EXPECT_EQ(memory_[beside], std::byte{0}) << beside;
  }
}

TEST_F(PtxProgramTest, TheCheckKernelFindsTheFirstWordThatDiffers) {
  constexpr uint64_t kWords = 2000, kResult = 60 << 10;
  const auto check = [&] {
    const uint64_t none = ~uint64_t{0};
    std::memcpy(&memory_[kResult], &none, 8);
    EXPECT_TRUE(Run("railgauge_check", 8, {kBase, kWords, 5, 9, kBase + kResult}));
    uint64_t found = 0;
    std::memcpy(&found, &memory_[kResult], 8);
    return found;
  };
  FillPattern({memory_.data(), kWords * 8}, 5, 9 * 8);
  EXPECT_EQ(check(), ~uint64_t{0});
  for (const uint64_t wrong : {kWords - 1, uint64_t{1234}, uint64_t{256}, uint64_t{0}}) {
    memory_[wrong * 8 + wrong % 8] ^= std::byte{0x80};
    EXPECT_EQ(check(), wrong);
  }
}

TEST_F(PtxProgramTest, MemoryThatIsNotThereEndsTheKernel) {
  EXPECT_FALSE(Run("railgauge_fill", 64, {kBase, 16384, 1, 0}));  // twice what there is
  EXPECT_FALSE(Run("railgauge_fill", 1, {kBase + 4, 1, 1, 0}));   // not aligned
  EXPECT_FALSE(Run("railgauge_fill", 1, {0, 1, 1, 0}));
}

std::string Why(const std::string& body) {
  const auto program = PtxProgram::Parse(
      ".version 6.3\n.target sm_70\n.address_size 64\n.visible .entry k(.param .u64 n)\n{\n"
      ".reg .b64 %d<2>;\n.reg .pred %p<1>;\n" +
      body + "\n}\n");
  return program ? "" : program.error().ToString();
}

TEST(PtxParserTest, WhatIsNotUnderstoodIsRefusedByItsLine) {
  EXPECT_EQ(Why("ret;"), "");
  EXPECT_EQ(Why("mov.u64 %d0, 7;\n@!%p0 bra END;\nEND:\nret;"), "");
  EXPECT_NE(Why("fma.rn.f32 %d0, %d0, %d0, %d0;").find("line 8: 'fma.rn.f32"), std::string::npos)
      << Why("fma.rn.f32 %d0, %d0, %d0, %d0;");
  EXPECT_NE(Why("mov.u64 %d9, 7;"), "");              // no such register
  EXPECT_NE(Why("add.u64 %d0, %d1;"), "");            // an operand is missing
  EXPECT_NE(Why("ld.param.u64 %d0, [m];"), "");       // no such parameter
  EXPECT_NE(Why("BACK:\n@%p0 bra BACK;\nret;"), "");  // a loop
  EXPECT_NE(Why("bra NOWHERE;\nret;"), "");
  EXPECT_NE(Why("mov.u64 %d0, 0xZZ;"), "");
  EXPECT_FALSE(
      PtxProgram::Parse("\x7f"
                        "ELF"));
  EXPECT_FALSE(
      PtxProgram::Parse(".version 6.3\n.target sm_70\n.visible .entry k(.param .u64 n)\n{"));
  const auto empty = PtxProgram::Parse("");
  EXPECT_TRUE(empty && empty->Find("k") == nullptr);
}

}  // namespace
}  // namespace railgauge
