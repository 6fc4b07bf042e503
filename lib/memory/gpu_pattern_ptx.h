// The two kernels that make and compare the pattern of pattern.h on a GPU, as PTX text.
//
// Text, because railgauge builds without a CUDA toolkit: the driver compiles it when it is loaded.
// PTX 6.3 for sm_70 (V100), the oldest GPU beside an EFA NIC; drivers compile it for any later one.
// One thread makes or compares one word. Arithmetic and constants are those of pattern.cc; that
// both say the same is tested by running this text (emulator/cuda/ptx_program.h). No GPU has run it
// yet.
#ifndef RAILGAUGE_LIB_MEMORY_GPU_PATTERN_PTX_H_
#define RAILGAUGE_LIB_MEMORY_GPU_PATTERN_PTX_H_

#include <string>
#include <string_view>

namespace railgauge {

// What both begin with: %d0 is the thread's word, %d1 its pattern, %d3 its address; threads beyond
// the last word are gone.
inline constexpr std::string_view kWordOfThreadPtx = R"(
  .reg .pred %p<1>;
  .reg .b32 %r<3>;
  .reg .b64 %d<5>;

  mov.u32 %r0, %ctaid.x;
  mov.u32 %r1, %ntid.x;
  mov.u32 %r2, %tid.x;
  mul.wide.u32 %d0, %r0, %r1;
  cvt.u64.u32 %d1, %r2;
  add.u64 %d0, %d0, %d1;
  ld.param.u64 %d1, [words];
  setp.ge.u64 %p0, %d0, %d1;
  @%p0 bra DONE;

  ld.param.u64 %d1, [first];
  add.u64 %d1, %d1, %d0;
  add.u64 %d1, %d1, 1;
  mul.lo.u64 %d1, %d1, 0x9E3779B97F4A7C15U;
  ld.param.u64 %d2, [seed];
  mul.lo.u64 %d2, %d2, 0xD1B54A32D192ED03U;
  add.u64 %d1, %d1, %d2;
  shr.u64 %d2, %d1, 30;
  xor.b64 %d1, %d1, %d2;
  mul.lo.u64 %d1, %d1, 0xBF58476D1CE4E5B9U;
  shr.u64 %d2, %d1, 27;
  xor.b64 %d1, %d1, %d2;
  mul.lo.u64 %d1, %d1, 0x94D049BB133111EBU;
  shr.u64 %d2, %d1, 31;
  xor.b64 %d1, %d1, %d2;

  ld.param.u64 %d3, [address];
  shl.b64 %d4, %d0, 3;
  add.u64 %d3, %d3, %d4;
)";

// railgauge_fill(address, words, seed, first): word i of [0, words) at `address` becomes word
// first + i of pattern `seed`.
// railgauge_check(address, words, seed, first, result): the 64 bits at `result` become the least i
// whose word is another, when that is less than what they are.
inline std::string GpuPatternPtx() {
  std::string ptx = R"(
.version 6.3
.target sm_70
.address_size 64

.visible .entry railgauge_fill(
  .param .u64 address, .param .u64 words, .param .u64 seed, .param .u64 first)
{)";
  ptx += kWordOfThreadPtx;
  ptx += R"(  st.global.u64 [%d3], %d1;
DONE:
  ret;
}

.visible .entry railgauge_check(
  .param .u64 address, .param .u64 words, .param .u64 seed, .param .u64 first,
  .param .u64 result)
{)";
  ptx += kWordOfThreadPtx;
  ptx += R"(  ld.global.u64 %d2, [%d3];
  setp.eq.u64 %p0, %d1, %d2;
  @%p0 bra DONE;
  ld.param.u64 %d3, [result];
  atom.global.min.u64 %d4, [%d3], %d0;
DONE:
  ret;
}
)";
  return ptx;
}

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_MEMORY_GPU_PATTERN_PTX_H_
