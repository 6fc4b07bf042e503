// FabricClient: the connection of a process to its fabric.
//
// One request at a time, each with a deadline. Whatever goes wrong with the connection ends it for
// good: every later call fails at once, and nobody waits.
#ifndef RAILGAUGE_LIB_EMULATOR_FABRIC_FABRIC_CLIENT_H_
#define RAILGAUGE_LIB_EMULATOR_FABRIC_FABRIC_CLIENT_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <type_traits>

#include "lib/base/result.h"
#include "lib/emulator/fabric/protocol.h"

namespace railgauge {

// What goes with a request. (Not a member: Clang refuses it in a default argument of its own
// class.)
struct FabricCallExtra {
  std::span<const WireSegment> segments = {};
  int fd = -1;
};

// Thread-safe.
class FabricClient {
 public:
  // `name` as in kFabricVariable.
  static Result<std::unique_ptr<FabricClient>> Connect(const std::string& name);
  ~FabricClient();
  FabricClient(const FabricClient&) = delete;
  FabricClient& operator=(const FabricClient&) = delete;

  using Extra = FabricCallExtra;
  struct Outcome {
    // kNoDevice: there is no fabric any more.
    efa::AdminStatus status = efa::AdminStatus::kNoDevice;
    int error_number = 0;
    int fd = -1;  // that came with the answer; the caller's
    bool ok() const { return status == efa::AdminStatus::kSuccess && error_number == 0; }
  };

  template <typename Request, typename Reply>
  Outcome Call(FabricOp op, uint32_t device, const Request& request, Reply* reply,
               const Extra& extra = {}) {
    static_assert(std::is_trivially_copyable_v<Request> && std::is_trivially_copyable_v<Reply>);
    return Exchange(op, device, std::as_bytes(std::span(&request, 1)),
                    std::span(reinterpret_cast<std::byte*>(reply), sizeof *reply), extra);
  }

  // To be polled for its end.
  int socket() const { return socket_; }

  bool IsLost() const { return lost_.load(std::memory_order_acquire); }

  // Starts a thread that calls `on_notice` for what the fabric tells by itself, and `on_lost` once,
  // when the fabric process is gone or the connection failed. Call once, after kHello; the client
  // then lives for ever. False when that is not possible.
  bool Watch(std::function<void(const Notice&)> on_notice, std::function<void()> on_lost);

  // In a forked child: the connection is the parent's.
  void LeaveToParent();

 private:
  explicit FabricClient(int socket) : socket_(socket) {}
  Outcome Exchange(FabricOp op, uint32_t device, std::span<const std::byte> request,
                   std::span<std::byte> reply, const Extra& extra);
  void Lose();
  static void* RunWatch(void* client);

  const int socket_;
  std::atomic<bool> lost_{false};
  std::mutex mutex_;
  uint64_t sequence_ = 0;
  std::atomic<int> notices_{-1};
  std::function<void(const Notice&)> on_notice_;
  std::function<void()> on_lost_;
};

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_EMULATOR_FABRIC_FABRIC_CLIENT_H_
