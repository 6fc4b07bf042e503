// Decodes the machine instruction of a 32-bit store, as compilers write it for a doorbell.
//
// A doorbell page is mapped read-only in the application, so the store faults; the handler learns
// from here what was to be stored and where the next instruction is. The address comes with the
// fault. Anything but the plain stores below is not decoded.
#ifndef RAILGAUGE_LIB_EMULATOR_PRELOAD_STORE_DECODER_H_
#define RAILGAUGE_LIB_EMULATOR_PRELOAD_STORE_DECODER_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace railgauge {

struct DecodedStore {
  size_t instruction_bytes = 0;
  std::optional<uint32_t> immediate;  // the value; else it is in the register
  unsigned register_number = 0;       // in the encoding of the architecture
};

// x86-64: mov %r32,m32 (89 /r), mov $imm32,m32 (c7 /0), movnti %r32,m32 (0f c3 /r), every
// addressing mode. `code` is up to 15 bytes from the instruction on.
std::optional<DecodedStore> DecodeX86Store(std::span<const uint8_t> code);

// aarch64: str/stur/stlr of a w register without write-back. Register 31 is zero.
std::optional<DecodedStore> DecodeArmStore(uint32_t instruction);

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_EMULATOR_PRELOAD_STORE_DECODER_H_
