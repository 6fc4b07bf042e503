#include "lib/emulator/preload/store_decoder.h"

#include <cstring>

namespace railgauge {

namespace {

// Bytes of ModRM, SIB and displacement at code[at]; 0 when it is no memory operand or cut off.
size_t OperandBytes(std::span<const uint8_t> code, size_t at) {
  if (at >= code.size()) return 0;
  const unsigned mod = code[at] >> 6;
  const unsigned rm = code[at] & 7;
  if (mod == 3) return 0;  // a register
  size_t bytes = 1;
  unsigned base = rm;
  if (rm == 4) {
    if (at + 1 >= code.size()) return 0;
    base = code[at + 1] & 7;
    ++bytes;
  }
  if (mod == 1) return bytes + 1;
  // Without a base register (or relative to the instruction pointer) there is a displacement too.
  if (mod == 2 || base == 5) return bytes + 4;
  return bytes;
}

}  // namespace

std::optional<DecodedStore> DecodeX86Store(std::span<const uint8_t> code) {
  constexpr uint8_t kMovRegister = 0x89, kMovImmediate = 0xc7, kEscape = 0x0f, kMovnti = 0xc3;
  size_t at = 0;
  unsigned rex = 0;
  if (at < code.size() && (code[at] & 0xf0) == 0x40) rex = code[at++];
  const bool is_64_bit = (rex & 8) != 0;
  if (is_64_bit || at >= code.size()) return std::nullopt;
  uint8_t opcode = code[at++];
  if (opcode == kEscape) {
    if (at >= code.size() || code[at] != kMovnti) return std::nullopt;
    opcode = code[at++];
  } else if (opcode != kMovRegister && opcode != kMovImmediate) {
    return std::nullopt;
  }
  const size_t operand = OperandBytes(code, at);
  if (operand == 0 || at + operand > code.size()) return std::nullopt;
  const unsigned reg = (code[at] >> 3) & 7;
  at += operand;
  DecodedStore store;
  if (opcode == kMovImmediate) {
    uint32_t value = 0;
    if (reg != 0 || at + sizeof value > code.size()) return std::nullopt;
    std::memcpy(&value, &code[at], sizeof value);
    at += sizeof value;
    store.immediate = value;
  } else {
    const unsigned extension = (rex & 4) << 1;  // REX.R
    store.register_number = reg | extension;
  }
  store.instruction_bytes = at;
  return store;
}

std::optional<DecodedStore> DecodeArmStore(uint32_t instruction) {
  struct Form {
    uint32_t mask, bits;
  };
  constexpr Form kForms[] = {
      {0xffc00000, 0xb9000000},  // str wt, [xn, #imm]
      {0xffe00c00, 0xb8000000},  // stur wt, [xn, #simm]
      {0xffe00c00, 0xb8200800},  // str wt, [xn, xm]
      {0xfffffc00, 0x889ffc00},  // stlr wt, [xn]
  };
  for (const Form& form : kForms) {
    if ((instruction & form.mask) != form.bits) continue;
    DecodedStore store;
    store.instruction_bytes = 4;
    store.register_number = instruction & 31;
    if (store.register_number == 31) store.immediate = 0;
    return store;
  }
  return std::nullopt;
}

}  // namespace railgauge
