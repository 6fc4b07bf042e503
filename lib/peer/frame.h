// Frames: how messages lie in the byte stream of the control channel. Pure.
//
// Four bytes of length, most significant first, then the message. A frame without content is a
// heartbeat: it says "I am here" and nothing else.
#ifndef RAILGAUGE_LIB_PEER_FRAME_H_
#define RAILGAUGE_LIB_PEER_FRAME_H_

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace railgauge {

// Far above any message (the longest lists 64 NICs); what a peer can make us keep.
inline constexpr size_t kMaxMessageBytes = size_t{64} << 10;

// The frame of `message`, which is no longer than that.
std::string FrameOf(std::string_view message);

// Cuts what arrives into frames, however it is split.
class FrameReader {
 public:
  void Append(std::string_view bytes);

  // The next whole frame's content. Empty: there is none yet, or the stream is broken.
  std::optional<std::string> Next();

  // A length above the limit was read: nothing after it can be understood.
  bool broken() const { return broken_; }

 private:
  std::string bytes_;
  size_t taken_ = 0;  // of bytes_, already given out
  bool broken_ = false;
};

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_PEER_FRAME_H_
