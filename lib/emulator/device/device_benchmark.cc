// What the device model costs on this host: work requests per second through Doorbell and Poll, and
// how near to their configured rate many NICs run at once with a poller of their own.
#include <benchmark/benchmark.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <thread>
#include <vector>

#include "lib/emulator/device/test_rig.h"

namespace railgauge::efa {
namespace {

TestEnd::Options Options(uint64_t bytes) {
  TestEnd::Options options;
  options.bytes = bytes;
  options.qp.sq_depth = 128;
  options.cq.depth = 256;
  return options;
}

// Time stands still: cost of a request from doorbell to completion, without copying.
void BM_RequestCost(benchmark::State& state) {
  TestFabric rig;
  rig.copy = [](void*, const void*, size_t) { return CopyOutcome::kDone; };
  TestEnd initiator(rig, kNicA, Options(8192));
  TestEnd target(rig, kNicB, Options(8192));
  const uint16_t ah = initiator.Meet(target);
  const efa_io_tx_wqe wqe = MakeRdma(SendOp::kRdmaRead, initiator, ah, target, 4096);
  constexpr int kBatch = 16;
  for ([[maybe_unused]] auto _ : state) {
    for (int i = 0; i < kBatch; ++i) initiator.qp.Post(wqe);
    initiator.qp.RingSend();
    rig.Advance(Nanoseconds(1'000'000));
    rig.Poll();
    rig.Poll();
    for (int i = 0; i < kBatch; ++i) benchmark::DoNotOptimize(initiator.send_cq.Poll());
  }
  state.SetItemsProcessed(state.iterations() * kBatch);
}
BENCHMARK(BM_RequestCost);

// As many NICs as the argument says, each with a window of 16 reads of 1 MiB, on the real clock.
void BM_ManyNics(benchmark::State& state) {
  const auto pairs = static_cast<size_t>(state.range(0));
  EmulatedMachine machine = MakeTestMachine();
  const EmulatedNic pattern = machine.nics[0];
  machine.nics.clear();
  machine.paths.clear();
  for (size_t i = 0; i < 2 * pairs; ++i) {
    EmulatedNic& nic = machine.nics.emplace_back(pattern);
    nic.address = {0, static_cast<uint8_t>(i), 0, 0};
    nic.gid = "fe80::" + std::to_string(i + 1);
    machine.resources.push_back({"rx", BytesPerSecond{kLineRate}});
    machine.resources.push_back({"tx", BytesPerSecond{kLineRate}});
    const auto last = static_cast<uint32_t>(machine.resources.size());
    machine.paths[{nic.address, kNode0}] = {EmulatedPath{{last - 2}, {}},
                                            EmulatedPath{{last - 1}, {}}};
  }
  TestFabric rig(machine, true);
  constexpr uint32_t kBytes = 1024 * 1024;
  std::vector<std::unique_ptr<TestEnd>> initiators, targets;
  std::vector<efa_io_tx_wqe> requests;
  for (size_t i = 0; i < pairs; ++i) {
    initiators.push_back(
        std::make_unique<TestEnd>(rig, machine.nics[2 * i].address, Options(kBytes)));
    targets.push_back(
        std::make_unique<TestEnd>(rig, machine.nics[2 * i + 1].address, Options(kBytes)));
    const uint16_t ah = initiators[i]->Meet(*targets[i]);
    requests.push_back(MakeRdma(SendOp::kRdmaRead, *initiators[i], ah, *targets[i], kBytes));
  }
  std::atomic<bool> stop{false};
  // Off the lock until something is due: a poller that takes it again at once starves the others.
  std::thread poller([&] {
    while (!stop) {
      const int seen = rig.wakes;
      const auto next = rig.Poll();
      const auto due = std::chrono::steady_clock::time_point(next.value_or(Nanoseconds::max()));
      while (!stop && rig.wakes == seen && std::chrono::steady_clock::now() < due) {
      }
    }
  });
  uint64_t completed = 0;
  const auto step = [&](size_t i) {
    int done = 0;
    while (initiators[i]->send_cq.Poll()) ++done;
    for (int k = 0; k < done; ++k) initiators[i]->qp.Post(requests[i]);
    if (done > 0) initiators[i]->qp.RingSend();
    return static_cast<uint64_t>(done);
  };
  for (size_t i = 0; i < pairs; ++i) {
    for (int k = 0; k < 16; ++k) initiators[i]->qp.Post(requests[i]);
    initiators[i]->qp.RingSend();
  }
  const auto now = [] { return std::chrono::steady_clock::now(); };
  const auto warm = now() + std::chrono::milliseconds(100);
  while (now() < warm) {
    for (size_t i = 0; i < pairs; ++i) step(i);
  }
  for ([[maybe_unused]] auto _ : state) {
    const auto end = now() + std::chrono::milliseconds(100);
    while (now() < end) {
      for (size_t i = 0; i < pairs; ++i) completed += step(i);
    }
  }
  state.counters["of_configured_rate"] = benchmark::Counter(
      static_cast<double>(completed) * kBytes / kLineRate / static_cast<double>(pairs),
      benchmark::Counter::kIsRate);
  stop = true;
  poller.join();
}
BENCHMARK(BM_ManyNics)->Arg(1)->Arg(4)->Arg(16)->Arg(32)->UseRealTime()->Iterations(5);

}  // namespace
}  // namespace railgauge::efa

BENCHMARK_MAIN();
