#include "lib/topology/names.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>

#include "fmt/core.h"
#include "lib/base/quoted.h"
#include "lib/topology/spelling.h"

namespace railgauge {
namespace {

constexpr size_t kMaxListed = 10;
// Longer texts are cut before they are compared; no name here is that long.
constexpr size_t kMaxTextSize = 100;

std::string_view Trim(std::string_view text) {
  const size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

// "This machine has A, B, C".
std::string ListAdvice(const std::vector<std::string>& listed) {
  if (listed.empty()) return "This machine shows none";
  return fmt::format("This machine has {}", JoinSome(listed, kMaxListed));
}

// "The nearest spellings are X and Y"; when nothing is near, as ListAdvice.
std::string NearestAdvice(std::string_view text, const std::vector<std::string>& candidates,
                          const std::vector<std::string>& listed) {
  const std::vector<std::string> nearest =
      NearestSpellings(text.substr(0, kMaxTextSize), candidates);
  if (nearest.empty()) return ListAdvice(listed);
  return (nearest.size() == 1 ? "The nearest spelling is " : "The nearest spellings are ") +
         JoinWithAnd(nearest);
}

Error NicError(const Machine& machine, std::string_view text, std::string reason) {
  if (Status status = machine.CheckHasNics(); !status) return std::move(status).error();
  std::vector<std::string> candidates;
  std::vector<std::string> listed;
  for (const Nic& nic : machine.nics) {
    if (!nic.name.empty()) candidates.push_back(nic.name);
    listed.push_back(nic.name.empty() ? nic.position.address.ToString() : nic.name);
  }
  for (const Nic& nic : machine.nics) candidates.push_back(nic.position.address.ToString());
  return MakeError("find NIC", Quoted(text), std::move(reason),
                   NearestAdvice(text, candidates, listed));
}

std::vector<std::string> PlaceNames(const Machine& machine) {
  std::vector<std::string> names;
  for (const MemoryPlace& place : machine.Places()) names.push_back(place.ToString());
  return names;
}

// The names of the machine's places of one kind.
std::vector<std::string> PlaceNames(const Machine& machine, MemoryPlace::Kind kind) {
  std::vector<std::string> names;
  for (const MemoryPlace& place : machine.Places()) {
    if (place.kind == kind) names.push_back(place.ToString());
  }
  return names;
}

Error PlaceError(std::string_view text, std::string reason, std::string advice) {
  return MakeError("find memory place", Quoted(text), std::move(reason), std::move(advice));
}

// Decimal digits alone.
std::optional<uint32_t> ParseIndex(std::string_view text) {
  uint32_t value = 0;
  const char* last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, value);
  if (text.empty() || error != std::errc() || end != last) return std::nullopt;
  return value;
}

Result<MemoryPlace> ResolveNode(const Machine& machine, std::string_view text, uint32_t index) {
  const NumaNode* node = machine.FindNumaNode(index);
  if (node != nullptr && node->memory.count > 0) return MemoryPlace::NumaNode(index);
  return Fail(PlaceError(
      text, node == nullptr ? "this machine has no such NUMA node" : "this NUMA node has no memory",
      ListAdvice(PlaceNames(machine, MemoryPlace::Kind::kNumaNode))));
}

Error NotSupported(const Machine& machine, std::string_view text) {
  return PlaceError(text, "the memory of accelerators that are no CUDA GPU is not supported yet",
                    ListAdvice(PlaceNames(machine)));
}

Result<MemoryPlace> ResolveGpu(const Machine& machine, std::string_view text,
                               const PciAddress& address,
                               const std::vector<PciAddress>& cuda_order) {
  const bool in_cuda = std::find(cuda_order.begin(), cuda_order.end(), address) != cuda_order.end();
  if (in_cuda || machine.FindGpu(address) != nullptr) return MemoryPlace::Gpu(address);
  if (machine.FindAccelerator(address) != nullptr) return Fail(NotSupported(machine, text));
  return Fail(PlaceError(text, "this machine has no GPU at that PCI address",
                         ListAdvice(PlaceNames(machine, MemoryPlace::Kind::kGpu))));
}

Result<MemoryPlace> ResolveOrdinal(const Machine& machine, std::string_view text, uint32_t ordinal,
                                   const std::vector<PciAddress>& cuda_order) {
  if (ordinal < cuda_order.size()) return MemoryPlace::Gpu(cuda_order[ordinal]);
  if (cuda_order.empty()) {
    return Fail(
        PlaceError(text,
                   "the order of CUDA's devices is not known here, so an ordinal stands for "
                   "nothing; name the GPU by its PCI address",
                   ListAdvice(PlaceNames(machine, MemoryPlace::Kind::kGpu))));
  }
  std::vector<std::string> devices;
  for (size_t i = 0; i < cuda_order.size(); ++i) {
    devices.push_back(fmt::format("gpu{} ({})", i, cuda_order[i].ToString()));
  }
  return Fail(PlaceError(text, "CUDA has no device of that ordinal",
                         fmt::format("It lists {}", JoinSome(devices, kMaxListed))));
}

// Resolves each entry of a comma list by `resolve`; one that is there twice is an Error of `twice`.
template <typename T, typename Resolve, typename Twice>
Result<std::vector<T>> ResolveList(std::string_view list, const Resolve& resolve,
                                   const Twice& twice) {
  std::vector<T> resolved;
  while (true) {
    const size_t comma = list.find(',');
    const std::string_view entry = Trim(list.substr(0, comma));
    RAILGAUGE_ASSIGN_OR_RETURN(T item, resolve(entry));
    if (std::find(resolved.begin(), resolved.end(), item) != resolved.end()) {
      return Fail(twice(entry, item));
    }
    resolved.push_back(std::move(item));
    if (comma == std::string_view::npos) return resolved;
    list.remove_prefix(comma + 1);
  }
}

}  // namespace

Result<NicKey> ResolveNic(const Machine& machine, std::string_view text) {
  if (text.empty()) return Fail(NicError(machine, text, "the name is empty"));
  if (const auto address = PciAddress::ParseLenient(text)) {
    if (const Nic* nic = machine.FindNic(*address)) return nic->key();
    const auto& others = machine.other_rdma_devices;
    if (std::find(others.begin(), others.end(), *address) != others.end()) {
      return Fail(NicError(machine, text, "this is an RDMA device and no EFA"));
    }
    return Fail(NicError(machine, text, "this machine has no EFA NIC at that PCI address"));
  }
  for (const Nic& nic : machine.nics) {
    if (nic.name == text) return nic.key();
  }
  return Fail(NicError(machine, text, "this machine has no EFA NIC of that name"));
}

Result<MemoryPlace> ResolvePlace(const Machine& machine, std::string_view text,
                                 const std::vector<PciAddress>& cuda_order) {
  if (text.starts_with("numa")) {
    if (const auto index = ParseIndex(text.substr(4))) return ResolveNode(machine, text, *index);
  } else if (text.starts_with("gpu:")) {
    if (const auto address = PciAddress::ParseLenient(text.substr(4))) {
      return ResolveGpu(machine, text, *address, cuda_order);
    }
  } else if (const auto place = MemoryPlace::Parse(text);
             place && machine.FindAccelerator(place->gpu) != nullptr) {
    return Fail(NotSupported(machine, text));
  } else if (text.starts_with("gpu")) {
    if (const auto ordinal = ParseIndex(text.substr(3))) {
      return ResolveOrdinal(machine, text, *ordinal, cuda_order);
    }
  }
  const std::vector<std::string> places = PlaceNames(machine);
  return Fail(PlaceError(text,
                         "a place is numaN, gpu:DDDD:BB:DD.F (a PCI address) or gpuN (a CUDA "
                         "ordinal)",
                         NearestAdvice(text, places, places)));
}

Result<std::vector<NicKey>> ResolveNics(const Machine& machine, std::string_view list) {
  return ResolveList<NicKey>(
      list, [&](std::string_view text) { return ResolveNic(machine, text); },
      [](std::string_view text, const NicKey& nic) {
        return MakeError("find NIC", Quoted(text),
                         "NIC " + nic.address.ToString() + " is in the list twice",
                         "Name each NIC once");
      });
}

Result<std::vector<MemoryPlace>> ResolvePlaces(const Machine& machine, std::string_view list,
                                               const std::vector<PciAddress>& cuda_order) {
  return ResolveList<MemoryPlace>(
      list, [&](std::string_view text) { return ResolvePlace(machine, text, cuda_order); },
      [](std::string_view text, const MemoryPlace& place) {
        return PlaceError(text, place.ToString() + " is in the list twice", "Name each place once");
      });
}

}  // namespace railgauge
