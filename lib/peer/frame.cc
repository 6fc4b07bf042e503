#include "lib/peer/frame.h"

#include <cstdint>

#include "lib/base/result.h"

namespace railgauge {
namespace {

constexpr size_t kHeaderBytes = 4;

}  // namespace

std::string FrameOf(std::string_view message) {
  RAILGAUGE_CHECK(message.size() <= kMaxMessageBytes);
  const auto length = static_cast<uint32_t>(message.size());
  std::string frame;
  frame.reserve(kHeaderBytes + message.size());
  for (const unsigned shift : {24u, 16u, 8u, 0u}) frame += static_cast<char>(length >> shift & 255);
  return frame += message;
}

void FrameReader::Append(std::string_view bytes) {
  if (broken_) return;
  bytes_.erase(0, taken_);
  taken_ = 0;
  bytes_ += bytes;
}

std::optional<std::string> FrameReader::Next() {
  const std::string_view rest = std::string_view(bytes_).substr(taken_);
  if (broken_ || rest.size() < kHeaderBytes) return std::nullopt;
  uint32_t length = 0;
  for (size_t i = 0; i < kHeaderBytes; ++i) length = length << 8 | static_cast<uint8_t>(rest[i]);
  if (length > kMaxMessageBytes) {
    broken_ = true;
    return std::nullopt;
  }
  if (rest.size() < kHeaderBytes + length) return std::nullopt;
  taken_ += kHeaderBytes + length;
  return std::string(rest.substr(kHeaderBytes, length));
}

}  // namespace railgauge
