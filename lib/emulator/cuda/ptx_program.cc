#include "lib/emulator/cuda/ptx_program.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <optional>
#include <utility>

namespace railgauge {
namespace {

struct Statement {
  std::string text;
  int line = 0;
};

std::string_view Trim(std::string_view text) {
  const auto blank = [](char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; };
  while (!text.empty() && blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && blank(text.back())) text.remove_suffix(1);
  return text;
}

// Directives end with their line, everything else with ';', '{', '}' or a label's ':'.
std::vector<Statement> Split(std::string_view text) {
  std::vector<Statement> statements;
  Statement current;
  int line = 1;
  const auto finish = [&](std::string_view end) {
    current.text = std::string(Trim(current.text)) + std::string(end);
    if (!current.text.empty()) statements.push_back(current);
    current = {};
  };
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (text.substr(i, 2) == "//") {
      while (i < text.size() && text[i] != '\n') ++i;
      ++line;
      current.text += ' ';
      continue;
    }
    if (c == '\n') {
      const std::string_view so_far = Trim(current.text);
      const bool directive = so_far.starts_with(".version") || so_far.starts_with(".target") ||
                             so_far.starts_with(".address_size");
      if (directive) finish("");
      ++line;
    }
    if (c == ';') {
      finish(";");
    } else if (c == '{' || c == '}') {
      finish("");
      current = {std::string(1, c), line};
      finish("");
    } else if (c == ':') {
      finish(":");
    } else {
      if (Trim(current.text).empty()) current.line = line;
      current.text += c;
    }
  }
  finish("");
  return statements;
}

std::vector<std::string> SplitAt(std::string_view text, char separator) {
  std::vector<std::string> parts;
  while (true) {
    const size_t at = text.find(separator);
    parts.emplace_back(Trim(text.substr(0, at)));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + 1);
  }
}

std::optional<uint64_t> ParseNumber(std::string_view text) {
  if (text.ends_with('U')) text.remove_suffix(1);
  const bool hex = text.starts_with("0x");
  if (hex) text.remove_prefix(2);
  uint64_t value = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value, hex ? 16 : 10);
  if (text.empty() || read.ec != std::errc() || read.ptr != text.data() + text.size()) {
    return std::nullopt;
  }
  return value;
}

uint64_t Cut(uint64_t value, unsigned bits) { return bits == 32 ? value & 0xffffffffu : value; }

}  // namespace

class PtxParser {
 public:
  using Op = PtxKernel::Op;
  using Operand = PtxKernel::Operand;
  using Instruction = PtxKernel::Instruction;

  explicit PtxParser(std::string_view text) : statements_(Split(text)) {}

  Result<std::map<std::string, PtxKernel>> Parse() {
    std::map<std::string, PtxKernel> kernels;
    bool versioned = false, targeted = false;
    for (at_ = 0; at_ < statements_.size(); ++at_) {
      const std::string_view text = statements_[at_].text;
      if (text.starts_with(".version ")) {
        versioned = true;
      } else if (text.starts_with(".target sm_")) {
        targeted = versioned;
      } else if (text == ".address_size 64") {
        continue;
      } else if (text.starts_with(".visible .entry ") && targeted) {
        std::string name;
        RAILGAUGE_ASSIGN_OR_RETURN(PtxKernel kernel, ParseKernel(&name));
        kernels.emplace(name, std::move(kernel));
      } else {
        return Fail(NotUnderstood());
      }
    }
    return kernels;
  }

 private:
  Error NotUnderstood() const {
    const bool there = at_ < statements_.size();
    return MakeError("compile PTX",
                     there ? "line " + std::to_string(statements_[at_].line) : "its end",
                     there ? "'" + statements_[at_].text + "' is not understood" : "it is cut off");
  }

  Result<PtxKernel> ParseKernel(std::string* name) {
    kernel_ = {};
    registers_.clear();
    labels_.clear();
    branches_.clear();
    std::string_view head = statements_[at_].text;
    head.remove_prefix(std::string_view(".visible .entry ").size());
    const size_t open = head.find('('), close = head.find(')');
    if (open == std::string_view::npos || close == std::string_view::npos || close < open) {
      return Fail(NotUnderstood());
    }
    *name = Trim(head.substr(0, open));
    for (const std::string& parameter : SplitAt(head.substr(open + 1, close - open - 1), ',')) {
      if (!parameter.starts_with(".param .u64 ")) return Fail(NotUnderstood());
      kernel_.parameters_.emplace_back(Trim(std::string_view(parameter).substr(12)));
    }
    if (++at_ >= statements_.size() || statements_[at_].text != "{") return Fail(NotUnderstood());
    while (true) {
      if (++at_ >= statements_.size()) return Fail(NotUnderstood());
      const std::string& text = statements_[at_].text;
      if (text == "}") break;
      if (!ParseStatement(text)) return Fail(NotUnderstood());
    }
    for (const auto& [instruction, label] : branches_) {
      const auto target = labels_.find(label);
      // Backwards would be a loop, which the threads of a block would not run in step.
      if (target == labels_.end() || target->second <= instruction) return Fail(NotUnderstood());
      kernel_.code_[instruction].target = target->second;
    }
    kernel_.registers_ = registers_.size();
    return kernel_;
  }

  bool ParseStatement(std::string_view text) {
    if (text.ends_with(':')) {
      labels_[std::string(text.substr(0, text.size() - 1))] = kernel_.code_.size();
      return true;
    }
    if (!text.ends_with(';')) return false;
    text.remove_suffix(1);
    if (text.starts_with(".reg ")) return ParseRegisters(text.substr(5));
    return ParseInstruction(text);
  }

  // ".b64 %d<5>": %d0 to %d4.
  bool ParseRegisters(std::string_view text) {
    const size_t name = text.find('%'), open = text.find('<'), close = text.find('>');
    if (name == std::string_view::npos || open == std::string_view::npos ||
        close == std::string_view::npos || open < name || close < open) {
      return false;
    }
    const auto count = ParseNumber(text.substr(open + 1, close - open - 1));
    if (!count || *count > 256) return false;
    for (uint64_t i = 0; i < *count; ++i) {
      registers_.emplace(std::string(text.substr(name, open - name)) + std::to_string(i),
                         static_cast<int>(registers_.size()));
    }
    return true;
  }

  bool ParseInstruction(std::string_view text) {
    Instruction instruction;
    if (text.starts_with('@')) {
      const size_t end = text.find(' ');
      if (end == std::string_view::npos) return false;
      std::string_view guard = text.substr(1, end - 1);
      instruction.negated = guard.starts_with('!');
      if (instruction.negated) guard.remove_prefix(1);
      instruction.guard = Register(guard);
      if (instruction.guard < 0) return false;
      text = Trim(text.substr(end));
    }
    const size_t end = std::min(text.find(' '), text.size());
    const std::string_view name = text.substr(0, end);
    const std::vector<std::string> operands = SplitAt(Trim(text.substr(end)), ',');
    if (name == "ret") {
      kernel_.code_.push_back(instruction);
      return true;
    }
    if (name == "bra") {
      instruction.op = Op::kBranch;
      branches_.emplace_back(kernel_.code_.size(), operands[0]);
      kernel_.code_.push_back(instruction);
      return true;
    }
    if (!ParseName(name, &instruction) || !ParseOperands(operands, &instruction)) return false;
    kernel_.code_.push_back(instruction);
    return true;
  }

  // The operation and its type.
  static bool ParseName(std::string_view name, Instruction* instruction) {
    static constexpr std::tuple<std::string_view, Op, uint8_t> kNames[] = {
        {"mov.u32", Op::kMov, 32},
        {"mov.u64", Op::kMov, 64},
        {"cvt.u64.u32", Op::kCvt, 64},
        {"add.u32", Op::kAdd, 32},
        {"add.u64", Op::kAdd, 64},
        {"mul.lo.u32", Op::kMul, 32},
        {"mul.lo.u64", Op::kMul, 64},
        {"mul.wide.u32", Op::kMulWide, 64},
        {"shl.b64", Op::kShl, 64},
        {"shr.u64", Op::kShr, 64},
        {"xor.b64", Op::kXor, 64},
        {"ld.param.u64", Op::kLoadParameter, 64},
        {"ld.global.u64", Op::kLoad, 64},
        {"st.global.u64", Op::kStore, 64},
        {"atom.global.min.u64", Op::kAtomMin, 64},
        {"setp.ge.u64", Op::kSetGe, 64},
        {"setp.eq.u64", Op::kSetEq, 64},
    };
    for (const auto& [known, op, bits] : kNames) {
      if (name != known) continue;
      instruction->op = op;
      instruction->bits = bits;
      return true;
    }
    return false;
  }

  bool ParseOperands(const std::vector<std::string>& operands, Instruction* instruction) {
    const Op op = instruction->op;
    if (op == Op::kStore) {
      return operands.size() == 2 && InBrackets(operands[0], &instruction->a) &&
             Value(operands[1], &instruction->b);
    }
    instruction->to = operands.empty() ? -1 : Register(operands[0]);
    if (instruction->to < 0) return false;
    switch (op) {
      case Op::kLoadParameter:
      case Op::kLoad:
        return operands.size() == 2 && InBrackets(operands[1], &instruction->a) &&
               (instruction->a.kind == Operand::Kind::kParameter) == (op == Op::kLoadParameter);
      case Op::kAtomMin:
        return operands.size() == 3 && InBrackets(operands[1], &instruction->a) &&
               instruction->a.kind == Operand::Kind::kRegister &&
               Value(operands[2], &instruction->b);
      case Op::kMov:
      case Op::kCvt:
        return operands.size() == 2 && Value(operands[1], &instruction->a);
      default:
        return operands.size() == 3 && Value(operands[1], &instruction->a) &&
               Value(operands[2], &instruction->b);
    }
  }

  int Register(std::string_view name) const {
    const auto it = registers_.find(std::string(name));
    return it == registers_.end() ? -1 : it->second;
  }

  bool Value(const std::string& text, Operand* operand) const {
    using Kind = Operand::Kind;
    if (text == "%tid.x" || text == "%ctaid.x" || text == "%ntid.x") {
      operand->kind = text == "%tid.x"     ? Kind::kThread
                      : text == "%ctaid.x" ? Kind::kBlock
                                           : Kind::kBlockSize;
      return true;
    }
    if (const int number = Register(text); number >= 0) {
      *operand = {Kind::kRegister, static_cast<uint64_t>(number)};
      return true;
    }
    const auto number = ParseNumber(text);
    if (number) *operand = {Kind::kImmediate, *number};
    return number.has_value();
  }

  // "[%d3]" or "[words]".
  bool InBrackets(std::string_view text, Operand* operand) const {
    if (!text.starts_with('[') || !text.ends_with(']')) return false;
    const std::string inside(Trim(text.substr(1, text.size() - 2)));
    if (const int number = Register(inside); number >= 0) {
      *operand = {Operand::Kind::kRegister, static_cast<uint64_t>(number)};
      return true;
    }
    const auto& names = kernel_.parameters_;
    const auto it = std::find(names.begin(), names.end(), inside);
    if (it == names.end()) return false;
    *operand = {Operand::Kind::kParameter, static_cast<uint64_t>(it - names.begin())};
    return true;
  }

  const std::vector<Statement> statements_;
  size_t at_ = 0;
  PtxKernel kernel_;
  std::map<std::string, int> registers_;
  std::map<std::string, size_t> labels_;
  std::vector<std::pair<size_t, std::string>> branches_;  // instruction -> label
};

// The threads of one block.
class PtxBlock {
 public:
  using Op = PtxKernel::Op;
  using Operand = PtxKernel::Operand;

  PtxBlock(const PtxKernel& kernel, unsigned threads, std::span<const uint64_t> parameters,
           const PtxKernel::Memory& memory)
      : kernel_(kernel),
        threads_(threads),
        parameters_(parameters),
        memory_(memory),
        registers_(kernel.registers_ * threads),
        waits_for_(threads),
        a_(threads),
        b_(threads) {}

  bool Run(unsigned block) {
    block_ = block;
    std::fill(waits_for_.begin(), waits_for_.end(), 0);
    for (size_t at = 0; at < kernel_.code_.size(); ++at) {
      if (!Step(kernel_.code_[at], at)) return false;
    }
    return true;
  }

 private:
  bool Step(const PtxKernel::Instruction& i, size_t at) {
    Read(i.a, a_.data());
    Read(i.b, b_.data());
    if (i.op == Op::kBranch || i.op == Op::kReturn) {
      const size_t next = i.op == Op::kReturn ? kernel_.code_.size() : i.target;
      for (unsigned t = 0; t < threads_; ++t) {
        if (Active(t, at) && Passes(i, t)) waits_for_[t] = next;
      }
      return true;
    }
    if (i.op == Op::kLoad || i.op == Op::kStore || i.op == Op::kAtomMin) return Access(i, at);
    uint64_t* const to = RegisterOf(static_cast<uint64_t>(i.to));
    for (unsigned t = 0; t < threads_; ++t) {
      if (!Active(t, at) || !Passes(i, t)) continue;
      to[t] = Cut(Compute(i.op, a_[t], b_[t]), i.bits);
    }
    return true;
  }

  static uint64_t Compute(Op op, uint64_t a, uint64_t b) {
    switch (op) {
      case Op::kAdd:
        return a + b;
      case Op::kMul:
        return a * b;
      case Op::kMulWide:
        return (a & 0xffffffffu) * (b & 0xffffffffu);
      case Op::kShl:  // by more than the width: 0, as PTX has it
        return b > 63 ? 0 : a << b;
      case Op::kShr:
        return b > 63 ? 0 : a >> b;
      case Op::kXor:
        return a ^ b;
      case Op::kSetGe:
        return a >= b ? 1 : 0;
      case Op::kSetEq:
        return a == b ? 1 : 0;
      case Op::kCvt:
        return a & 0xffffffffu;
      default:
        return a;
    }
  }

  bool Access(const PtxKernel::Instruction& i, size_t at) {
    for (unsigned t = 0; t < threads_; ++t) {
      if (!Active(t, at) || !Passes(i, t)) continue;
      constexpr uint64_t kBytes = 8;
      std::byte* const bytes = a_[t] % kBytes == 0 ? memory_(a_[t], kBytes) : nullptr;
      if (bytes == nullptr) return false;
      uint64_t value = 0;
      std::memcpy(&value, bytes, kBytes);
      if (i.op != Op::kStore) RegisterOf(static_cast<uint64_t>(i.to))[t] = value;
      if (i.op == Op::kLoad) continue;
      value = i.op == Op::kStore ? b_[t] : std::min(value, b_[t]);
      std::memcpy(bytes, &value, kBytes);
    }
    return true;
  }

  bool Active(unsigned thread, size_t at) const { return waits_for_[thread] <= at; }
  bool Passes(const PtxKernel::Instruction& i, unsigned thread) {
    return i.guard < 0 || (RegisterOf(static_cast<uint64_t>(i.guard))[thread] != 0) != i.negated;
  }

  uint64_t* RegisterOf(uint64_t number) { return &registers_[number * threads_]; }

  // The operand's value for every thread.
  void Read(const Operand& operand, uint64_t* values) {
    switch (operand.kind) {
      case Operand::Kind::kNone:
        return;
      case Operand::Kind::kRegister:
        std::copy_n(RegisterOf(operand.value), threads_, values);
        return;
      case Operand::Kind::kThread:
        for (unsigned t = 0; t < threads_; ++t) values[t] = t;
        return;
      case Operand::Kind::kImmediate:
        return void(std::fill_n(values, threads_, operand.value));
      case Operand::Kind::kParameter:
        return void(std::fill_n(values, threads_, parameters_[operand.value]));
      case Operand::Kind::kBlock:
        return void(std::fill_n(values, threads_, block_));
      case Operand::Kind::kBlockSize:
        return void(std::fill_n(values, threads_, threads_));
    }
  }

  const PtxKernel& kernel_;
  const unsigned threads_;
  const std::span<const uint64_t> parameters_;
  const PtxKernel::Memory& memory_;
  unsigned block_ = 0;
  std::vector<uint64_t> registers_;  // by register, then thread
  std::vector<size_t> waits_for_;    // by thread: the instruction from which on it runs again
  std::vector<uint64_t> a_, b_;      // the operands of an instruction, by thread
};

bool PtxKernel::Run(unsigned blocks, unsigned threads, std::span<const uint64_t> parameters,
                    const Memory& memory) const {
  PtxBlock block(*this, threads, parameters, memory);
  for (unsigned i = 0; i < blocks; ++i) {
    if (!block.Run(i)) return false;
  }
  return true;
}

Result<PtxProgram> PtxProgram::Parse(std::string_view text) {
  PtxProgram program;
  RAILGAUGE_ASSIGN_OR_RETURN(program.kernels_, PtxParser(text).Parse());
  return program;
}

const PtxKernel* PtxProgram::Find(const std::string& name) const {
  const auto it = kernels_.find(name);
  return it == kernels_.end() ? nullptr : &it->second;
}

}  // namespace railgauge
