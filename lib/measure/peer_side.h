// PeerSide: another host's NICs and memory as ends of transfers, by the control channel to its
// `railgauge serve` (peer_service.h does there what is asked for here).
#ifndef RAILGAUGE_LIB_MEASURE_PEER_SIDE_H_
#define RAILGAUGE_LIB_MEASURE_PEER_SIDE_H_

#include <atomic>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "lib/base/pci_address.h"
#include "lib/base/result.h"
#include "lib/measure/local_side.h"
#include "lib/measure/peer_partner.h"
#include "lib/measure/transfer_end.h"
#include "lib/peer/channel.h"
#include "lib/peer/host_port.h"
#include "lib/peer/messages.h"
#include "lib/peer/token.h"
#include "lib/topology/machine.h"

namespace railgauge {

class PeerSide {
 public:
  // Connects, and asks for the peer's NICs. Errors: those of Channel::Connect, and a peer without
  // NICs.
  static Result<std::unique_ptr<PeerSide>> Connect(const HostPort& to, const Token& token,
                                                   const PeerIdentity& self, const Machine& here,
                                                   const LinkTimings& timings = {});
  ~PeerSide();

  const PeerIdentity& identity() const { return channel_->peer(); }
  // What a reader of the results should know of the partners: which are not of the same slot.
  const std::vector<std::string>& notes() const { return notes_; }

  // The fixed partner of a NIC of this host.
  const PeerNic& PartnerOf(const Nic& nic) const;

  // Those of the peer's NICs at `nics` that others use already (busy.h), each in words. They are
  // looked at there.
  Result<std::vector<std::string>> BusyNics(std::span<const PciAddress> nics);

  // The end of the peer's NIC at `address`, which is opened there as `options` say.
  Result<TransferEnd*> EndOf(const PciAddress& address, const LocalOptions& options);

  // Set once the peer cannot be asked any more; and why.
  const std::atomic<bool>& gone() const { return channel_->gone(); }
  std::string why_gone() const;

 private:
  class End;

  PeerSide(std::unique_ptr<Channel> channel, std::vector<PeerNic> nics, Machine here);

  std::unique_ptr<Channel> channel_;
  std::vector<PeerNic> nics_;
  Machine here_;
  std::vector<std::string> notes_;
  std::map<PciAddress, Result<std::unique_ptr<End>>> ends_;
};

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_MEASURE_PEER_SIDE_H_
