// FlowNetwork: who gets how much of what is shared: a fluid model of all paths.
//
// A flow is what one queue pair moves along one pair of paths. It has a rate, and its messages pass
// one after the other at that rate. Rates are max-min fair over all resources of all paths
// (progressive filling: every flow's rate grows alike until a resource is full, which stops the
// flows that cross it, and so on), whatever the flows' message sizes and depths; what one flow
// cannot use goes to the others.
//
// Why that: what arbitrates here, the ports of a PCIe switch, a memory controller and the send
// queues of a NIC, takes turns in packets of a few hundred bytes between those who wait, so it
// counts who waits and not how much waits there. The weights of EFA and of the instances' switches
// are not public. A switch takes turns between ports: there, two queue pairs of one NIC would get
// together what they get each here. Tools that use as many queue pairs on every NIC cannot tell.
//
// Cost: rates change only when a flow starts or ends to have messages, and then only those of flows
// that compete with it; a message of a busy flow costs one step in a heap. No allocation but for
// new flows and the first time that so many compete.
#ifndef RAILGAUGE_LIB_EMULATOR_DEVICE_FLOW_NETWORK_H_
#define RAILGAUGE_LIB_EMULATOR_DEVICE_FLOW_NETWORK_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "lib/base/units.h"
#include "lib/emulator/device/sim_time.h"

namespace railgauge::efa {

struct Flow;

// What passes through a flow; the owner of the memory is who posts it.
struct FlowMessage {
  Flow* flow = nullptr;  // while it is in one
  SimTime departed = 0;  // when all of it was through; valid when it is in none

  // The network's.
  FlowMessage* next = nullptr;
  FlowMessage* previous = nullptr;
  double end = 0;  // in bytes that the flow has served since it was last empty
};

class FlowNetwork {
 public:
  FlowNetwork();
  ~FlowNetwork();
  FlowNetwork(const FlowNetwork&) = delete;
  FlowNetwork& operator=(const FlowNetwork&) = delete;

  // Above 0; infinity is no limit. Returns the resource's index: 0, 1, …
  uint32_t AddResource(BytesPerSecond capacity);

  // From `now` on, also for what is on its way. Departures until `now` are taken.
  void SetCapacity(uint32_t resource, BytesPerSecond capacity, SimTime now);

  // A resource that is named twice is crossed twice. The network's until RemoveFlow.
  Flow* AddFlow(std::span<const uint32_t> resources);
  // It has no message.
  void RemoveFlow(Flow* flow);

  // `message` joins the end of `flow`. Departures until `now` are taken. A message that comes late
  // to an empty flow, since the host was late (catch_up.h), is served with what the flow's
  // resources had to spare since `since`; that is never given away twice. True: all of it is
  // through already.
  bool Post(Flow& flow, FlowMessage& message, double bytes, SimTime since, SimTime now);

  // Takes a message out. Those behind it do not become faster: its place passes empty, but for an
  // end of a flow. Departures until `now` are taken.
  void Remove(FlowMessage& message, SimTime now);

  // The next message, in order of time, that departed until `now`; null when there is none.
  FlowMessage* TakeDeparted(SimTime now);

  // When TakeDeparted next has something; kNever when all flows are empty.
  SimTime NextDeparture() const;
  // When a message in a flow departs if no rate changes until then.
  SimTime ExpectedDeparture(const FlowMessage& message) const;
  // Of an empty flow: 0.
  BytesPerSecond RateOf(const Flow& flow) const;

 private:
  struct Resource;

  void Activate(Flow& flow, SimTime now);
  void Deactivate(Flow& flow, SimTime now);
  void UpdateAlone(Flow& flow);
  void SetRate(Flow& flow, double rate, SimTime now);
  // What `flow` was served of `bytes` before `now`, and until when.
  struct PastService {
    double bytes = 0;
    SimTime until = 0;
  };
  PastService ServeInThePast(const Flow& flow, double bytes, SimTime since, SimTime now);

  void Compete(Flow& flow);
  void CompeteAll(const Resource& resource);
  void FindCompetitors();
  double FairLevel() const;
  size_t FixWhere(double level);
  void Fix(Flow& flow, double rate);
  void Reallocate(SimTime now);

  void HeapInsert(Flow& flow);
  void HeapErase(Flow& flow);
  void HeapMove(size_t index);
  void HeapPlace(size_t index, Flow* flow);

  std::vector<std::unique_ptr<Flow>> flows_;
  std::vector<Resource> resources_;
  std::vector<Flow*> heap_;  // flows with messages, the next to lose one first

  // Of Reallocate: those who compete with each other.
  std::vector<Flow*> competitors_;
  std::vector<uint32_t> contended_;
  uint64_t next_serial_ = 0;
};

}  // namespace railgauge::efa

#endif  // RAILGAUGE_LIB_EMULATOR_DEVICE_FLOW_NETWORK_H_
