// The other end of a request: whether it may have what it asks for, and the receive queue.
#ifndef RAILGAUGE_LIB_EMULATOR_DEVICE_RESPONDER_H_
#define RAILGAUGE_LIB_EMULATOR_DEVICE_RESPONDER_H_

#include "lib/emulator/device/fabric_state.h"
#include "lib/emulator/device/transfer.h"

namespace railgauge::efa {

// Finds the QP that `transfer` is for, at `transfer.target`: kBadDestQpn when there is none that
// listens, is of the same type and has the request's QKey; kUnrespRemote when its process died.
CompletionStatus FindTargetQp(Transfer& transfer);

// Checks an RDMA request against the target's address handles and memory, and adds the remote
// memory as source (READ) or destination (WRITE).
CompletionStatus MapRemoteMemory(Transfer& transfer);

// The QP found, if it still listens; null otherwise.
QueuePair* LiveTargetQp(const Transfer& transfer);

// What it means that LiveTargetQp is null: kUnrespRemote or kBadDestQpn.
CompletionStatus StatusOfLostTarget(const Transfer& transfer);

// What a SEND, or a WRITE with immediate, finds in the receive queue.
enum class Reception { kAccepted, kNotReady, kRefused };

// A SEND arrived: takes a receive request and adds its memory as destination. kRefused: the status
// says why, and the receiver, whose request is used up, completes with an error of its own.
Reception ReceiveSend(Transfer& transfer);

// A WRITE with immediate is through: completes a receive request, or, where the QP asked for it,
// tells of the write without one.
Reception ReceiveImmediate(Transfer& transfer);

// Completes the receive request that a SEND took.
void CompleteReceive(const Transfer& transfer);

// Completes all receive requests in the ring as flushed.
void FlushReceiveQueue(DeviceState& device, QueuePair& qp);

}  // namespace railgauge::efa

#endif  // RAILGAUGE_LIB_EMULATOR_DEVICE_RESPONDER_H_
