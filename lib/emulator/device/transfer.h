// Transfer: one send request on its way, from the doorbell to its completion.
#ifndef RAILGAUGE_LIB_EMULATOR_DEVICE_TRANSFER_H_
#define RAILGAUGE_LIB_EMULATOR_DEVICE_TRANSFER_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "lib/emulator/device/flow_network.h"
#include "lib/emulator/device/mr_table.h"
#include "lib/emulator/device/qp.h"
#include "lib/emulator/device/sim_time.h"
#include "lib/emulator/device/wqe.h"

namespace railgauge::efa {

struct DeviceState;

// What UD puts in front of a payload.
inline constexpr uint32_t kGrhBytes = 40;

struct Transfer : FlowMessage {
  DeviceState* initiator = nullptr;
  QueuePair* qp = nullptr;
  size_t position = 0;  // in qp->in_flight
  SendRequest request;
  CompletionStatus status = CompletionStatus::kOk;

  DeviceState* target = nullptr;
  uint32_t target_qp = 0;  // handle: the QP may be gone by the time it counts
  uint32_t target_resets = 0;

  bool dropped = false;  // a datagram that nobody receives: its sender does not learn of it

  uint64_t length = 0;  // of the payload
  std::vector<MemoryRun> source, destination;
  std::vector<std::shared_ptr<Mr>> local_regions, remote_regions;

  // SEND: `receive` was taken from the target and the payload is on its way into it.
  bool arrived = false;
  ReceiveRequest receive;
  CompletionStatus receive_status = CompletionStatus::kOk;
  std::array<std::byte, kGrhBytes> grh{};
  uint8_t rnr_retries = 0;

  SimTime scheduled = 0;  // when it completes on a host that is never late

  // The engine's.
  uint64_t sequence = 0;  // order of posting
  SimTime due = 0;        // while it is in a flow: as expected when it was posted
  SimTime moved_at = 0;   // when it entered the flow, and what follows the way through it
  SimTime latency = 0;
  double flow_bytes = 0;
  Flow* moves_in = nullptr;  // where it was last
  uint64_t copy_length = 0;  // length, and a GRH
  uint64_t copied = 0;
  bool to_copy = false;              // some of it is not copied yet
  bool queued = false;               // in one of the engine's queues
  uint64_t* of_initiator = nullptr;  // Engine::Start
  bool posted_to_idle = false;       // it was the only one of its device
  bool cancelled = false;
  bool held = false;  // by a device that does not complete it: not in flight
};

}  // namespace railgauge::efa

#endif  // RAILGAUGE_LIB_EMULATOR_DEVICE_TRANSFER_H_
