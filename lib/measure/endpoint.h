// Endpoint: one NIC made ready to measure: opened once, with its queues, and with regions and
// address handles that are made when first asked for and then kept, since registration is slow.
#ifndef RAILGAUGE_LIB_MEASURE_ENDPOINT_H_
#define RAILGAUGE_LIB_MEASURE_ENDPOINT_H_

#include <infiniband/verbs.h>

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "lib/base/result.h"
#include "lib/memory/buffer.h"
#include "lib/record/place.h"
#include "lib/topology/machine.h"
#include "lib/verbs/address_handle.h"
#include "lib/verbs/completion_queue.h"
#include "lib/verbs/context.h"
#include "lib/verbs/device_list.h"
#include "lib/verbs/memory_region.h"
#include "lib/verbs/protection_domain.h"
#include "lib/verbs/srd_queue_pair.h"

namespace railgauge {

// An ibv_gid, comparable: what names a device on the fabric, of whichever host.
using Gid = std::array<uint8_t, 16>;

class Endpoint {
 public:
  // A buffer as this NIC has it registered.
  struct Region {
    MemoryRegion region;
    RegistrationWay way = RegistrationWay::kHost;
    InterconnectIds ids;  // none where the stack cannot tell
  };

  // Opens the device of `nic` and makes `queue_pairs` queue pairs for a depth of `max_depth` in
  // all, or of what the device can do, where that is less.
  static Result<std::unique_ptr<Endpoint>> Open(const DeviceList& devices, const Nic& nic,
                                                uint32_t queue_pairs, uint32_t max_depth);

  const DeviceAttributes& attributes() const { return context_.attributes(); }
  const Nic& nic() const { return nic_; }
  Gid gid() const { return std::to_array(attributes().gid.raw); }

  // Work requests that its queue pairs take, all together.
  uint32_t max_depth() const { return depth_per_pair_ * queue_pairs_; }
  std::span<ibv_qp_ex* const> queue_pairs() const { return handles_; }
  std::span<const uint32_t> queue_pair_numbers() const { return numbers_; }
  ibv_cq_ex* completion_queue() const { return queue_->handle(); }
  ibv_context* device() const { return context_.handle(); }

  // Whether the device told that it is lost; it is of no more use then.
  bool IsLost();

  // Makes new queues in place of those that a failed run left requests in. When that fails the
  // endpoint is of no more use.
  Status RenewQueues();

  // Queues for exchanges of WRITEs with immediate (loop.h, answer_loop.h), with room for one
  // message of either side. Each exchange has its own, so that none finds what another left in
  // them.
  struct ExchangeQueues {
    CompletionQueue queue;
    SrdQueuePair pair;
  };
  Result<ExchangeQueues> MakeExchangeQueues() const;

  // The whole of `buffer`, which must outlive this endpoint. A failure is remembered.
  Result<const Region*> RegionOf(const Buffer& buffer);

  // This endpoint's handle for the device with `gid`, which may be its own.
  Result<ibv_ah*> HandleOf(const Gid& gid);

 private:
  Endpoint(Nic nic, Context context, ProtectionDomain domain)
      : nic_(std::move(nic)), context_(std::move(context)), domain_(std::move(domain)) {}

  Status MakeQueues();

  Nic nic_;
  uint32_t queue_pairs_ = 0;
  uint32_t depth_per_pair_ = 0;
  bool is_lost_ = false;

  // In order of making; destroyed in the opposite one.
  Context context_;
  ProtectionDomain domain_;
  std::map<const Buffer*, Result<Region>> regions_;
  std::map<Gid, AddressHandle> address_handles_;  // by the other NIC
  std::optional<CompletionQueue> queue_;
  std::vector<SrdQueuePair> pairs_;
  std::vector<ibv_qp_ex*> handles_;
  std::vector<uint32_t> numbers_;
};

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_MEASURE_ENDPOINT_H_
