#include "lib/emulator/device/flow_network.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "lib/base/result.h"

namespace railgauge::efa {
namespace {

// What no limit is in bytes per picosecond: a gigabyte takes a nanosecond. Finite, so that no sum
// and no product of it needs a special case.
constexpr double kNoLimit = 1e6;
// Sums of rates are kept by adding and subtracting; so much may they be wrong.
constexpr double kSlack = 1e-6;
// Rates that differ by less are the same, and the flow is left alone.
constexpr double kSameRate = 1e-12;
// What rounding may leave of a full resource still moves on: a byte per second.
constexpr double kLeastRate = 1e-12;

double ToBytesPerPicosecond(BytesPerSecond rate) {
  RAILGAUGE_CHECK(rate.value > 0);
  return std::min(rate.value * 1e-12, kNoLimit);
}

// `bytes` at `rate`; a time that no run lives to see where it does not fit.
SimTime DurationOf(double bytes, double rate) {
  constexpr double kLongest = 4e18;
  return static_cast<SimTime>(std::clamp(bytes / rate, 0.0, kLongest));
}

}  // namespace

// Rates are in bytes per picosecond.
struct Flow {
  struct Use {
    uint32_t resource = 0;
    double times = 1;     // that the path crosses it
    size_t position = 0;  // in Resource::flows
  };
  std::vector<Use> uses;
  FlowMessage* first = nullptr;
  FlowMessage* last = nullptr;

  double alone = 0;  // the rate without others
  double rate = 0;
  // The bytes that were served at a time: `rate` counts from there.
  double anchor_bytes = 0;
  SimTime anchor_time = 0;
  SimTime empty_since = 0;  // when it has no message

  SimTime next_departure = kNever;
  size_t heap_index = 0;
  size_t table_index = 0;
  uint64_t serial = 0;
  bool competes = false;
  double fair_rate = 0;  // Reallocate's; below 0 while it is open

  bool active() const { return first != nullptr; }
  SimTime DepartureOf(const FlowMessage& message) const {
    return anchor_time + DurationOf(message.end - anchor_bytes, rate);
  }
  void UpdateDeparture() { next_departure = DepartureOf(*first); }
};

struct FlowNetwork::Resource {
  struct User {
    Flow* flow;
    size_t use;  // in Flow::uses
  };
  double capacity = 0;
  std::vector<User> flows;  // active ones
  double used = 0;
  double demand = 0;       // what `flows` would use if each was alone
  SimTime sold_until = 0;  // what was to spare before is given away
  // Reallocate's: what is left of the capacity, and how many crossings wait for a share of it.
  double left = 0, waiting = 0;

  bool IsFull() const { return used >= capacity * (1 - kSlack); }
  // No share of it can limit anybody.
  bool IsAmple() const { return demand <= capacity; }
};

FlowNetwork::FlowNetwork() = default;
FlowNetwork::~FlowNetwork() = default;

uint32_t FlowNetwork::AddResource(BytesPerSecond capacity) {
  resources_.emplace_back().capacity = ToBytesPerPicosecond(capacity);
  return static_cast<uint32_t>(resources_.size() - 1);
}

Flow* FlowNetwork::AddFlow(std::span<const uint32_t> resources) {
  auto flow = std::make_unique<Flow>();
  for (const uint32_t resource : resources) {
    RAILGAUGE_CHECK(resource < resources_.size());
    const auto found = std::find_if(flow->uses.begin(), flow->uses.end(),
                                    [&](const Flow::Use& use) { return use.resource == resource; });
    if (found == flow->uses.end()) {
      flow->uses.push_back({resource, 1, 0});
    } else {
      found->times += 1;
    }
  }
  flow->table_index = flows_.size();
  flow->serial = next_serial_++;
  flows_.push_back(std::move(flow));
  return flows_.back().get();
}

void FlowNetwork::RemoveFlow(Flow* flow) {
  RAILGAUGE_CHECK(!flow->active());
  const size_t index = flow->table_index;
  std::swap(flows_[index], flows_.back());
  flows_[index]->table_index = index;
  flows_.pop_back();
}

void FlowNetwork::UpdateAlone(Flow& flow) {
  flow.alone = kNoLimit;
  for (const Flow::Use& use : flow.uses) {
    flow.alone = std::min(flow.alone, resources_[use.resource].capacity / use.times);
  }
}

void FlowNetwork::SetRate(Flow& flow, double rate, SimTime now) {
  if (std::abs(rate - flow.rate) <= rate * kSameRate) return;
  flow.anchor_bytes += static_cast<double>(now - flow.anchor_time) * flow.rate;
  flow.anchor_time = now;
  for (const Flow::Use& use : flow.uses) {
    resources_[use.resource].used += (rate - flow.rate) * use.times;
  }
  flow.rate = rate;
  flow.UpdateDeparture();
  HeapMove(flow.heap_index);
}

void FlowNetwork::Activate(Flow& flow, SimTime now) {
  UpdateAlone(flow);
  bool fits = true;
  for (size_t i = 0; i < flow.uses.size(); ++i) {
    Flow::Use& use = flow.uses[i];
    Resource& resource = resources_[use.resource];
    fits = fits && resource.used + flow.alone * use.times <= resource.capacity;
    use.position = resource.flows.size();
    resource.flows.push_back({&flow, i});
    resource.demand += flow.alone * use.times;
  }
  flow.rate = 0;
  flow.anchor_time = now;
  flow.next_departure = kNever;
  HeapInsert(flow);
  // As fast as alone, and nobody is slowed down: that is fair.
  if (fits) return SetRate(flow, flow.alone, now);
  Compete(flow);
  Reallocate(now);
}

void FlowNetwork::Deactivate(Flow& flow, SimTime now) {
  HeapErase(flow);
  for (const Flow::Use& use : flow.uses) {
    Resource& resource = resources_[use.resource];
    const bool was_full = resource.IsFull();
    const Resource::User moved = resource.flows.back();
    resource.flows[use.position] = moved;
    moved.flow->uses[moved.use].position = use.position;
    resource.flows.pop_back();
    resource.used -= flow.rate * use.times;
    resource.demand -= flow.alone * use.times;
    if (resource.flows.empty()) resource.used = resource.demand = 0;
    if (was_full) CompeteAll(resource);  // they may be faster now
  }
  flow.rate = 0;
  flow.empty_since = now;
  Reallocate(now);
}

void FlowNetwork::SetCapacity(uint32_t index, BytesPerSecond capacity, SimTime now) {
  Resource& resource = resources_[index];
  resource.capacity = ToBytesPerPicosecond(capacity);
  for (const Resource::User& user : resource.flows) {
    Flow& flow = *user.flow;
    const double before = flow.alone;
    UpdateAlone(flow);
    for (const Flow::Use& use : flow.uses) {
      Resource& crossed = resources_[use.resource];
      if (crossed.IsFull()) CompeteAll(crossed);
      crossed.demand += (flow.alone - before) * use.times;
    }
    Compete(flow);
  }
  Reallocate(now);
}

FlowNetwork::PastService FlowNetwork::ServeInThePast(const Flow& flow, double bytes, SimTime since,
                                                     SimTime now) {
  SimTime start = std::max(since, flow.empty_since);
  if (start >= now) return {};
  double spare = kNoLimit;
  for (const Flow::Use& use : flow.uses) {
    const Resource& resource = resources_[use.resource];
    start = std::max(start, resource.sold_until);
    spare = std::min(spare, (resource.capacity - resource.used) / use.times);
  }
  if (start >= now || spare <= 0) return {};
  PastService service{static_cast<double>(now - start) * spare, now};
  if (service.bytes >= bytes) service = {bytes, start + DurationOf(bytes, spare)};
  for (const Flow::Use& use : flow.uses) resources_[use.resource].sold_until = service.until;
  return service;
}

bool FlowNetwork::Post(Flow& flow, FlowMessage& message, double bytes, SimTime since, SimTime now) {
  if (flow.uses.empty()) {
    message.departed = now;
    return true;
  }
  message.next = nullptr;
  message.previous = flow.last;
  if (flow.active()) {
    message.flow = &flow;
    message.end = flow.last->end + bytes;
    flow.last->next = &message;
    flow.last = &message;
    return false;
  }
  const PastService past = ServeInThePast(flow, bytes, since, now);
  if (past.bytes >= bytes) {
    message.departed = bytes > 0 ? past.until : now;
    flow.empty_since = message.departed;
    return true;
  }
  message.flow = &flow;
  message.end = bytes;
  flow.first = flow.last = &message;
  flow.anchor_bytes = past.bytes;
  Activate(flow, now);
  return false;
}

void FlowNetwork::Remove(FlowMessage& message, SimTime now) {
  Flow& flow = *message.flow;
  const bool was_first = flow.first == &message;
  (was_first ? flow.first : message.previous->next) = message.next;
  (message.next == nullptr ? flow.last : message.next->previous) = message.previous;
  message.flow = nullptr;
  if (!flow.active()) return Deactivate(flow, now);
  if (!was_first) return;
  flow.UpdateDeparture();
  HeapMove(flow.heap_index);
}

FlowMessage* FlowNetwork::TakeDeparted(SimTime now) {
  if (NextDeparture() > now) return nullptr;
  Flow& flow = *heap_.front();
  FlowMessage& message = *flow.first;
  message.departed = flow.next_departure;
  message.flow = nullptr;
  flow.first = message.next;
  if (flow.active()) {
    flow.first->previous = nullptr;
    flow.UpdateDeparture();
    HeapMove(0);
  } else {
    flow.last = nullptr;
    Deactivate(flow, message.departed);
  }
  return &message;
}

SimTime FlowNetwork::NextDeparture() const {
  return heap_.empty() ? kNever : heap_.front()->next_departure;
}

SimTime FlowNetwork::ExpectedDeparture(const FlowMessage& message) const {
  return message.flow->DepartureOf(message);
}

BytesPerSecond FlowNetwork::RateOf(const Flow& flow) const {
  return BytesPerSecond{flow.rate * 1e12};
}

// Progressive filling. Only those whose rates may change take part: from the flows noted by Compete
// to all that share a resource with them which could limit somebody, and so on.

void FlowNetwork::Compete(Flow& flow) {
  if (flow.competes) return;
  flow.competes = true;
  competitors_.push_back(&flow);
}

void FlowNetwork::CompeteAll(const Resource& resource) {
  for (const Resource::User& user : resource.flows) Compete(*user.flow);
}

void FlowNetwork::FindCompetitors() {
  for (size_t i = 0; i < competitors_.size(); ++i) {  // grows
    for (const Flow::Use& use : competitors_[i]->uses) {
      Resource& resource = resources_[use.resource];
      if (resource.waiting == 0 && !resource.IsAmple()) {
        contended_.push_back(use.resource);
        resource.left = resource.capacity;
        CompeteAll(resource);
      }
      resource.waiting += use.times;
    }
  }
}

// The share at which the next resource is full.
double FlowNetwork::FairLevel() const {
  double level = kNoLimit;
  for (const uint32_t index : contended_) {
    const Resource& resource = resources_[index];
    if (resource.waiting > 0) level = std::min(level, resource.left / resource.waiting);
  }
  return std::max(level, kLeastRate);
}

void FlowNetwork::Fix(Flow& flow, double rate) {
  flow.fair_rate = rate;
  for (const Flow::Use& use : flow.uses) {
    Resource& resource = resources_[use.resource];
    resource.left -= rate * use.times;
    resource.waiting -= use.times;
  }
}

// Fixes the rates of all that stop at `level`. Returns how many.
size_t FlowNetwork::FixWhere(double level) {
  size_t fixed = 0;
  for (Flow* flow : competitors_) {
    if (flow->fair_rate >= 0 || flow->alone > level) continue;
    Fix(*flow, flow->alone);
    ++fixed;
  }
  if (fixed > 0) return fixed;  // what they leave raises the level
  for (const uint32_t index : contended_) {
    Resource& resource = resources_[index];
    if (resource.waiting <= 0 || resource.left / resource.waiting > level * (1 + kSameRate)) {
      continue;
    }
    for (const Resource::User& user : resource.flows) {
      if (user.flow->fair_rate >= 0) continue;
      Fix(*user.flow, level);
      ++fixed;
    }
  }
  return fixed;
}

void FlowNetwork::Reallocate(SimTime now) {
  if (competitors_.empty()) return;
  FindCompetitors();
  for (Flow* flow : competitors_) flow->fair_rate = -1;
  for (size_t open = competitors_.size(); open > 0;) {
    const size_t fixed = FixWhere(FairLevel());
    RAILGAUGE_CHECK(fixed > 0);
    open -= fixed;
  }
  for (Flow* flow : competitors_) {
    for (const Flow::Use& use : flow->uses) resources_[use.resource].waiting = 0;
    flow->competes = false;
    SetRate(*flow, flow->fair_rate, now);
  }
  competitors_.clear();
  contended_.clear();
}

// A binary heap of flows by their next departure, which changes in place. Ties are broken by the
// order of adding, so that the same run is the same.

void FlowNetwork::HeapPlace(size_t index, Flow* flow) {
  heap_[index] = flow;
  flow->heap_index = index;
}

void FlowNetwork::HeapInsert(Flow& flow) {
  heap_.push_back(&flow);
  HeapPlace(heap_.size() - 1, &flow);
  HeapMove(heap_.size() - 1);
}

void FlowNetwork::HeapErase(Flow& flow) {
  const size_t index = flow.heap_index;
  Flow* last = heap_.back();
  heap_.pop_back();
  if (last == &flow) return;
  HeapPlace(index, last);
  HeapMove(index);
}

// Restores the order after the departure of the flow at `index` changed.
void FlowNetwork::HeapMove(size_t index) {
  Flow* flow = heap_[index];
  const auto before = [](const Flow* a, const Flow* b) {
    return std::pair(a->next_departure, a->serial) < std::pair(b->next_departure, b->serial);
  };
  while (index > 0 && before(flow, heap_[(index - 1) / 2])) {
    HeapPlace(index, heap_[(index - 1) / 2]);
    index = (index - 1) / 2;
  }
  for (size_t child = 2 * index + 1; child < heap_.size(); child = 2 * index + 1) {
    if (child + 1 < heap_.size() && before(heap_[child + 1], heap_[child])) ++child;
    if (!before(heap_[child], flow)) break;
    HeapPlace(index, heap_[child]);
    index = child;
  }
  HeapPlace(index, flow);
}

}  // namespace railgauge::efa
