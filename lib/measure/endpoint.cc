#include "lib/measure/endpoint.h"

#include <algorithm>
#include <utility>

#include "lib/measure/exchange.h"
#include "lib/memory/registration.h"
#include "lib/verbs/device_events.h"

namespace railgauge {

Result<std::unique_ptr<Endpoint>> Endpoint::Open(const DeviceList& devices, const Nic& nic,
                                                 uint32_t queue_pairs, uint32_t max_depth) {
  RAILGAUGE_CHECK(queue_pairs > 0 && max_depth >= queue_pairs);
  if (nic.name.empty()) {
    return Fail(MakeError("open RDMA device", nic.position.address.ToString(),
                          "PCI shows this EFA device and the kernel has no RDMA device for it",
                          "Load the efa and ib_uverbs kernel modules"));
  }
  RAILGAUGE_ASSIGN_OR_RETURN(Context context, Context::Open(devices, nic.name));
  if (!context.attributes().is_efa) {
    return Fail(MakeError("open RDMA device", nic.name, "it is not an EFA device"));
  }
  RAILGAUGE_ASSIGN_OR_RETURN(ProtectionDomain domain, ProtectionDomain::Create(context));
  std::unique_ptr<Endpoint> endpoint(new Endpoint(nic, std::move(context), std::move(domain)));
  endpoint->queue_pairs_ = queue_pairs;
  endpoint->depth_per_pair_ =
      std::min(max_depth / queue_pairs, endpoint->attributes().max_send_requests);
  RAILGAUGE_RETURN_IF_ERROR(endpoint->MakeQueues());
  return endpoint;
}

bool Endpoint::IsLost() {
  is_lost_ = is_lost_ || TakeDeviceFatal(context_.handle());
  return is_lost_;
}

Status Endpoint::MakeQueues() {
  RAILGAUGE_ASSIGN_OR_RETURN(CompletionQueue queue, CompletionQueue::Create(context_, max_depth()));
  queue_ = std::move(queue);
  for (uint32_t i = 0; i < queue_pairs_; ++i) {
    RAILGAUGE_ASSIGN_OR_RETURN(SrdQueuePair pair,
                               SrdQueuePair::Create(context_, domain_, *queue_, depth_per_pair_));
    handles_.push_back(pair.handle());
    numbers_.push_back(pair.number());
    pairs_.push_back(std::move(pair));
  }
  return {};
}

Status Endpoint::RenewQueues() {
  handles_.clear();
  numbers_.clear();
  pairs_.clear();
  queue_.reset();
  return MakeQueues();
}

Result<Endpoint::ExchangeQueues> Endpoint::MakeExchangeQueues() const {
  // One that ends with messages of the other side still unanswered has those in flight, too.
  constexpr uint32_t kDepth = kExchangeReceives;
  // libefa frees a receive request's place when its completion is left behind, and the next one is
  // posted before that.
  constexpr uint32_t kReceives = kExchangeReceives + 1;
  RAILGAUGE_ASSIGN_OR_RETURN(
      CompletionQueue queue,
      CompletionQueue::Create(context_, kDepth + kReceives, IBV_WC_EX_WITH_SRC_QP));
  RAILGAUGE_ASSIGN_OR_RETURN(SrdQueuePair pair,
                             SrdQueuePair::Create(context_, domain_, queue, kDepth, kReceives));
  return ExchangeQueues{std::move(queue), std::move(pair)};
}

Result<const Endpoint::Region*> Endpoint::RegionOf(const Buffer& buffer) {
  auto it = regions_.find(&buffer);
  if (it == regions_.end()) {
    const auto make = [&]() -> Result<Region> {
      RegistrationWay way = RegistrationWay::kHost;
      RAILGAUGE_ASSIGN_OR_RETURN(
          MemoryRegion region, RegisterBufferAnyWay(domain_, buffer, context_.AccessFlags(), &way));
      // An id is a label here: the census reports why there is none.
      const Result<IdAnswer> answer = region.QueryIds();
      return Region{std::move(region), way, answer ? answer->ids : InterconnectIds{}};
    };
    it = regions_.emplace(&buffer, make()).first;
  }
  if (!it->second) return Fail(it->second.error());
  return &*it->second;
}

Result<ibv_ah*> Endpoint::HandleOf(const Gid& gid) {
  auto it = address_handles_.find(gid);
  if (it == address_handles_.end()) {
    ibv_gid raw = {};
    std::copy(gid.begin(), gid.end(), raw.raw);
    RAILGAUGE_ASSIGN_OR_RETURN(AddressHandle handle, AddressHandle::Create(domain_, raw));
    it = address_handles_.emplace(gid, std::move(handle)).first;
  }
  return it->second.handle();
}

}  // namespace railgauge
