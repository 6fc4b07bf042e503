// What the emulator costs on this host, through the unmodified rdma-core: throughput beside memcpy
// of the same buffers in the same process, the cost of a doorbell, and the latency of a small
// message.
//
// Runs with pacing off (--emulate=p5.48xlarge,unpaced) unless told otherwise, so that nothing but
// this host is measured. Two CPUs that are otherwise idle are needed for figures that mean
// anything: one for the application, one for the emulated devices.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "lib/base/result.h"
#include "lib/emulator/end_to_end/rig.h"
#include "lib/emulator/launcher/environment.h"
#include "lib/emulator/launcher/restart.h"

namespace railgauge {
namespace {

using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

// What is copied in a round: larger than the caches of a core.
constexpr size_t kBytes = size_t{64} << 20;

// Two NICs and registered memory of each.
class Pair {
 public:
  explicit Pair(bool with_events = false)
      : initiator(Scenario().nics[0].name, with_events),
        target(Scenario().nics[1].name),
        local(kBytes, 0),
        remote(kBytes, 0),
        local_mr_(initiator.Register(local)),
        remote_mr_(target.Register(remote)),
        ah_(initiator.AddressOf(target)),
        back_(target.AddressOf(initiator)) {
    local.Fill(0);
    remote.Fill(1);
  }

  // A request that moves `bytes` at `offset` of both.
  Nic::Request At(bool write, size_t offset, uint32_t bytes) const {
    Nic::Request request = Transfer(write, target, ah_.get(), *local_mr_, *remote_mr_, bytes);
    request.local_address += offset;
    request.remote_address += offset;
    return request;
  }

  Nic initiator, target;
  NodeMemory local, remote;

 private:
  Mr local_mr_, remote_mr_;
  Ah ah_, back_;
};

// Waits for at least one completion; returns how many came.
int Reap(const Nic& nic) {
  ibv_wc completions[32];
  const auto deadline = Clock::now() + std::chrono::seconds(10);
  for (;;) {
    const int polled = ibv_poll_cq(nic.cq, 32, completions);
    for (int i = 0; i < polled; ++i) RAILGAUGE_CHECK(completions[i].status == IBV_WC_SUCCESS);
    if (polled != 0) return polled;
    RAILGAUGE_CHECK(Clock::now() < deadline);
  }
}

// All of the memory once, in messages of `bytes`, `depth` at a time.
void MoveAll(Pair& pair, bool write, uint32_t bytes, size_t depth) {
  const size_t batch = std::min<size_t>(16, depth / 2);
  std::vector<Nic::Request> requests;
  size_t in_flight = 0;
  for (size_t offset = 0; offset < kBytes || in_flight > 0;) {
    while (offset < kBytes && in_flight + batch <= depth) {
      requests.clear();
      for (size_t i = 0; i < batch && offset < kBytes; ++i, offset += bytes) {
        requests.push_back(pair.At(write, offset, bytes));
      }
      pair.initiator.Post(requests);
      in_flight += requests.size();
    }
    in_flight -= static_cast<size_t>(Reap(pair.initiator));
  }
}

void CopyAll(Pair& pair, bool write, uint32_t bytes) {
  const NodeMemory& to = write ? pair.remote : pair.local;
  const NodeMemory& from = write ? pair.local : pair.remote;
  for (size_t offset = 0; offset < kBytes; offset += bytes) {
    std::memcpy(to.data() + offset, from.data() + offset, bytes);
    benchmark::ClobberMemory();
  }
}

double Median(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// Rounds of both in turn; the ratio is the median of the rounds'.
void BM_Throughput(benchmark::State& state) {
  const auto bytes = static_cast<uint32_t>(state.range(0));
  const bool write = state.range(1) != 0;
  const size_t depth = bytes > 65536 ? 16 : 128;
  Pair pair;
  std::vector<double> ratios;
  double memcpy_seconds = 0;
  MoveAll(pair, write, bytes, depth);
  for ([[maybe_unused]] auto _ : state) {
    const auto start = Clock::now();
    MoveAll(pair, write, bytes, depth);
    const auto between = Clock::now();
    CopyAll(pair, write, bytes);
    const double copying = Seconds(Clock::now() - between).count();
    const double moving = Seconds(between - start).count();
    state.SetIterationTime(moving);
    memcpy_seconds += copying;
    ratios.push_back(copying / moving);
  }
  RAILGAUGE_CHECK(pair.local.IsFilled(write ? 0 : 1) && pair.remote.IsFilled(write ? 0 : 1));
  const auto total = static_cast<double>(state.iterations()) * static_cast<double>(kBytes);
  state.SetBytesProcessed(static_cast<int64_t>(total));
  state.SetItemsProcessed(state.iterations() * static_cast<int64_t>(kBytes / bytes));
  state.counters["memcpy_GB_per_s"] = total / memcpy_seconds / 1e9;
  state.counters["ratio_to_memcpy"] = Median(ratios);
}
BENCHMARK(BM_Throughput)
    ->ArgNames({"bytes", "write"})
    ->ArgsProduct({{4096, 1 << 20}, {0, 1}})
    ->UseManualTime();

// A store to a CQ's doorbell (ibv_req_notify_cq): the trap, and next to nothing in the model.
void BM_Doorbell(benchmark::State& state) {
  Pair pair(/*with_events=*/true);
  for ([[maybe_unused]] auto _ : state) {
    RAILGAUGE_CHECK(ibv_req_notify_cq(pair.initiator.cq, 0) == 0);
  }
}
BENCHMARK(BM_Doorbell);

// Posting alone: descriptor, trapped doorbell, decoding, scheduling, perhaps waking the devices.
void BM_Post(benchmark::State& state) {
  Pair pair;
  const std::vector<Nic::Request> requests(static_cast<size_t>(state.range(0)),
                                           pair.At(false, 0, 8));
  for ([[maybe_unused]] auto _ : state) {
    const auto start = Clock::now();
    pair.initiator.Post(requests);
    state.SetIterationTime(Seconds(Clock::now() - start).count());
    for (size_t done = 0; done < requests.size();) {
      done += static_cast<size_t>(Reap(pair.initiator));
    }
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(BM_Post)->ArgName("requests")->Arg(1)->Arg(16)->UseManualTime();

// One message of 8 bytes at a time, from posting to its completion.
void BM_Latency(benchmark::State& state) {
  Pair pair;
  const std::vector<Nic::Request> request = {pair.At(state.range(0) != 0, 0, 8)};
  std::vector<double> microseconds;
  for ([[maybe_unused]] auto _ : state) {
    const auto start = Clock::now();
    pair.initiator.Post(request);
    Reap(pair.initiator);
    const double seconds = Seconds(Clock::now() - start).count();
    state.SetIterationTime(seconds);
    microseconds.push_back(seconds * 1e6);
  }
  state.counters["typical_us"] = Median(microseconds);
}
BENCHMARK(BM_Latency)->ArgName("write")->Arg(0)->Arg(1)->UseManualTime();

}  // namespace
}  // namespace railgauge

int main(int argc, char** argv) {
  using railgauge::RestartOnEmulatedMachine;
  RestartOnEmulatedMachine(&argc, argv);
  if (std::getenv(railgauge::kSpecVariable) == nullptr) {
    std::string spec = "--emulate=p5.48xlarge,unpaced";
    std::vector<char*> arguments(argv, argv + argc);
    arguments.insert(arguments.begin() + 1, spec.data());
    int count = argc + 1;
    arguments.push_back(nullptr);
    RestartOnEmulatedMachine(&count, arguments.data());
  }
  const railgauge::EmulatedMachine& machine = railgauge::Scenario();
  std::printf("%s (emulated), pacing %s\n", machine.spec.c_str(),
              machine.timing.pacing ? "on" : "off");
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
