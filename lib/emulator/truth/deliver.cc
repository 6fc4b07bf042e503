#include "lib/emulator/truth/deliver.h"

#include <limits>
#include <memory>
#include <set>

#include "fmt/core.h"
#include "lib/base/result.h"
#include "lib/emulator/device/test_rig.h"

namespace railgauge {
namespace {

using efa::CopyOutcome;
using efa::MakeRdma;
using efa::SendOp;
using efa::TestEnd;
using efa::TestFabric;

constexpr Nanoseconds kWarmUp{2'000'000};
constexpr Nanoseconds kWindow{10'000'000};
constexpr uint32_t kDepth = 64;

const MemoryPlace kFarPlace = MemoryPlace::NumaNode(0);

PciAddress FarNic(size_t index) { return {0xffff, static_cast<uint8_t>(index), 0, 0}; }

// The machine with only the NICs of the flows, and a partner for each.
EmulatedMachine MachineOf(const EmulatedMachine& machine, std::span<const TruthFlow> flows) {
  EmulatedMachine result = machine;
  std::set<PciAddress> used;
  for (const TruthFlow& flow : flows) used.insert(flow.nic);
  std::erase_if(result.nics, [&](const EmulatedNic& nic) { return !used.contains(nic.address); });
  RAILGAUGE_CHECK(!result.nics.empty());
  for (size_t i = 0; i < flows.size(); ++i) {
    EmulatedNic far = result.nics.front();
    far.address = FarNic(i);
    far.gid = fmt::format("fd00::{:x}", i + 1);
    const EmulatedPath free{{}, BytesPerSecond{std::numeric_limits<double>::infinity()}};
    result.paths[{far.address, kFarPlace}] = {free, free};
    result.nics.push_back(far);
  }
  for (EmulatedNic& nic : result.nics) {
    nic.model.rdma_read = nic.model.rdma_write = true;
    nic.model.max_rdma_size = 1u << 30;
  }
  return result;
}

TestEnd::Options OptionsOf(const EmulatedNic& nic, const MemoryPlace& place, uint32_t bytes) {
  TestEnd::Options options;
  options.place = place;
  options.bytes = bytes;
  options.qp.sq_depth = kDepth;
  options.cq.depth = 2 * kDepth;
  options.cq.num_sub_cqs = static_cast<uint16_t>(nic.model.sub_cqs_per_cq);
  return options;
}

class Stream {
 public:
  Stream(TestFabric& rig, const EmulatedMachine& machine, const TruthFlow& flow, size_t index)
      : rig_(rig),
        op_(flow.direction == Direction::kToMemory ? SendOp::kRdmaRead : SendOp::kRdmaWrite),
        bytes_(index % 2 == 0 ? 256 * 1024 : 1024 * 1024),
        near_(rig, flow.nic, OptionsOf(*machine.FindNic(flow.nic), flow.place, bytes_)),
        far_(rig, FarNic(index), OptionsOf(*machine.FindNic(flow.nic), kFarPlace, bytes_)),
        ah_(near_.Meet(far_)) {
    Post(index % 2 == 0 ? kDepth / 2 : kDepth);
  }

  // Reaps and refills.
  void Step(Nanoseconds warm) {
    uint32_t done = 0;
    while (const auto completion = near_.send_cq.Poll()) {
      RAILGAUGE_CHECK(completion->status() == efa::CompletionStatus::kOk);
      ++done;
    }
    if (done == 0) return;
    Post(done);
    if (rig_.now() < warm) return;
    // Counted from one completion to another, so that no part of a message is lost.
    if (first_ == Nanoseconds(0)) {
      first_ = rig_.now();
      return;
    }
    counted_ += uint64_t{done} * bytes_;
    last_ = rig_.now();
  }

  double Rate() const {
    RAILGAUGE_CHECK(last_ > first_);
    return static_cast<double>(counted_) / (static_cast<double>((last_ - first_).count()) * 1e-9);
  }

 private:
  void Post(uint32_t count) {
    for (uint32_t i = 0; i < count; ++i) near_.qp.Post(MakeRdma(op_, near_, ah_, far_, bytes_));
    near_.qp.RingSend();
  }

  TestFabric& rig_;
  const SendOp op_;
  const uint32_t bytes_;
  TestEnd near_, far_;
  const uint16_t ah_;
  uint64_t counted_ = 0;
  Nanoseconds first_{0}, last_{0};
};

}  // namespace

std::vector<double> Deliver(const EmulatedMachine& machine, std::span<const TruthFlow> flows) {
  const EmulatedMachine reduced = MachineOf(machine, flows);
  TestFabric rig(reduced);
  rig.copy = [](void*, const void*, size_t) { return CopyOutcome::kDone; };
  std::vector<std::unique_ptr<Stream>> streams;
  for (size_t i = 0; i < flows.size(); ++i) {
    streams.push_back(std::make_unique<Stream>(rig, reduced, flows[i], i));
  }
  const Nanoseconds warm = rig.now() + kWarmUp;
  while (rig.now() < warm + kWindow) {
    const auto next = rig.Poll();
    for (const auto& stream : streams) stream->Step(warm);
    if (next && *next > rig.now()) rig.Advance(*next - rig.now());
  }
  std::vector<double> rates;
  for (const auto& stream : streams) rates.push_back(stream->Rate());
  return rates;
}

}  // namespace railgauge
