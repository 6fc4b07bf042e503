// PeerService: what a serving host does for the client whose turn it is: each request of the
// control channel (peer/messages.h), done to this host's NICs and memory.
//
// It trusts no number that it is given: what would be a programmer's error in a call is an answer
// of failure to a message.
#ifndef RAILGAUGE_LIB_MEASURE_PEER_SERVICE_H_
#define RAILGAUGE_LIB_MEASURE_PEER_SERVICE_H_

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "lib/base/result.h"
#include "lib/measure/local_side.h"
#include "lib/memory/cuda_driver.h"
#include "lib/peer/messages.h"
#include "lib/topology/machine.h"

namespace railgauge {

class PeerService {
 public:
  // For one client: what it had opened is closed with the service. `gone` is set when the client
  // is, which ends what is being run for it. All must outlive the service.
  PeerService(const Machine& machine, const CudaDriver& cuda, const std::atomic<bool>& gone)
      : machine_(machine), cuda_(cuda), gone_(gone) {}

  // The answer to a request, whatever that is.
  std::string Answer(std::string_view request);

 private:
  Result<Description> Do(const DescribeRequest& request);
  Result<Opened> Do(const OpenRequest& request);
  Result<Registered> Do(const RegisterRequest& request);
  Result<Done> Do(const MeetRequest& request);
  Result<Done> Do(const FillRequest& request);
  Result<Verified> Do(const VerifyRequest& request);
  Result<Ran> Do(const RunRequest& request);
  Result<Answering> Do(const AnswerRequest& request);
  Result<Answered> Do(const AnswerEndRequest& request);
  Result<BusyAnswer> Do(const BusyRequest& request);
  Result<CounterReading> Do(const CountersRequest& request);

  Result<const Nic*> NicOf(const PciAddress& nic) const;
  Result<TransferEnd*> EndOf(const PciAddress& nic);
  // This host's memory at `place`, where it has some.
  Result<EndPlace> PlaceOf(const MemoryPlace& place) const;
  Status CheckRange(const MemoryPlace& place, uint64_t offset, uint64_t length);

  const Machine& machine_;
  const CudaDriver& cuda_;
  const std::atomic<bool>& gone_;
  // Made with the first NIC that is opened, as that asks for queues.
  std::unique_ptr<LocalSide> side_;
  std::optional<PciAddress> answers_;  // the NIC that does, between two requests
};

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_MEASURE_PEER_SERVICE_H_
