// The initiator's side of a request: from the send queue to its completion.
#ifndef RAILGAUGE_LIB_EMULATOR_DEVICE_REQUESTER_H_
#define RAILGAUGE_LIB_EMULATOR_DEVICE_REQUESTER_H_

#include "lib/emulator/device/engine.h"
#include "lib/emulator/device/fabric_state.h"

namespace railgauge::efa {

// Starts what the send queue holds, as far as the QP's state allows and no more requests than the
// queue is deep are in flight.
void ProcessSendQueue(DeviceState& device, QueuePair& qp, SimTime now);

// Completes everything in flight and in the send queue as flushed, in the order of posting. No copy
// of this QP may be under way.
void FlushSendQueue(DeviceState& device, QueuePair& qp);

// Ends everything in flight without a completion. No copy of this QP may be under way.
void DropSendQueue(DeviceState& device, QueuePair& qp);

// Gives back what `qp` holds of the fabric's network. Nothing of it is in flight.
void RemoveFlows(DeviceState& device, QueuePair& qp);

// Carries transfers of all devices through their stages.
class Protocol : public TransferHandler {
 public:
  void OnDue(Transfer& transfer, SimTime now) override;
  bool MayCopy(Transfer& transfer) override;
};

}  // namespace railgauge::efa

#endif  // RAILGAUGE_LIB_EMULATOR_DEVICE_REQUESTER_H_
