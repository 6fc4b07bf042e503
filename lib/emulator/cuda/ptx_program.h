// PtxProgram: runs the PTX text that a program hands to cuModuleLoadData, as far as railgauge's own
// kernels need it: 32- and 64-bit integers, parameters, global memory, forward branches.
//
// So that what is tested here is the text that a GPU would get, and not a stand-in for it. What is
// not understood is refused when it is loaded, as a driver's compiler refuses wrong PTX. Source:
// NVIDIA, Parallel Thread Execution ISA.
//
// The threads of a block run in step, one instruction at a time over all of them (so the host's
// vector units do the work); a thread that branched waits until the others reach its label. Blocks
// run one after the other.
#ifndef RAILGAUGE_LIB_EMULATOR_CUDA_PTX_PROGRAM_H_
#define RAILGAUGE_LIB_EMULATOR_CUDA_PTX_PROGRAM_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lib/base/result.h"

namespace railgauge {

class PtxKernel {
 public:
  // Where [address, address + bytes) of global memory is in this process; null: nowhere.
  using Memory = std::function<std::byte*(uint64_t address, uint64_t bytes)>;

  size_t parameter_count() const { return parameters_.size(); }

  // Runs `blocks` × `threads` threads, in one dimension. False when one touched memory that is not
  // there or not aligned.
  bool Run(unsigned blocks, unsigned threads, std::span<const uint64_t> parameters,
           const Memory& memory) const;

 private:
  friend class PtxParser;
  friend class PtxBlock;

  enum class Op : uint8_t {
    kMov,
    kCvt,
    kAdd,
    kMul,
    kMulWide,
    kShl,
    kShr,
    kXor,
    kLoadParameter,
    kLoad,
    kStore,
    kAtomMin,
    kSetGe,
    kSetEq,
    kBranch,
    kReturn,
  };
  struct Operand {
    enum class Kind : uint8_t {
      kNone,
      kRegister,
      kImmediate,
      kParameter,
      kThread,
      kBlock,
      kBlockSize
    };
    Kind kind = Kind::kNone;
    uint64_t value = 0;  // register's, parameter's number, or the number itself
  };
  struct Instruction {
    Op op = Op::kReturn;
    uint8_t bits = 64;  // of the operation's type
    int guard = -1;     // register of the predicate; -1: none
    bool negated = false;
    int to = -1;  // register; -1: none
    Operand a, b;
    size_t target = 0;  // of a branch: the instruction that its label stands before
  };

  std::vector<std::string> parameters_;
  std::vector<Instruction> code_;
  size_t registers_ = 0;
};

class PtxProgram {
 public:
  // An Error says what of the text is not understood, by its line.
  static Result<PtxProgram> Parse(std::string_view text);

  // Null when there is no kernel of that name.
  const PtxKernel* Find(const std::string& name) const;

 private:
  std::map<std::string, PtxKernel> kernels_;
};

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_EMULATOR_CUDA_PTX_PROGRAM_H_
