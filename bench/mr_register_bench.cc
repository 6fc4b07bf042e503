// How long it takes to register memory with a NIC, to deregister it, and to ask for its
// interconnect ids (ibv_reg_mr(3) or ibv_reg_dmabuf_mr(3), ibv_dereg_mr(3), efadv_query_mr(3)), per
// NIC, memory place, registration way and size.

#include <array>
#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bench/names.h"
#include "bench/program.h"
#include "bench/timing_row.h"
#include "benchmark/benchmark.h"
#include "cli/interrupt.h"
#include "lib/memory/gpu_buffer.h"
#include "lib/memory/host_buffer.h"
#include "lib/memory/registration.h"
#include "lib/verbs/context.h"
#include "lib/verbs/device_list.h"
#include "lib/verbs/protection_domain.h"

namespace railgauge {
namespace {

using Clock = std::chrono::steady_clock;

constexpr char kExamples[] =
    "          --emulate=p5.48xlarge --nics=rdmap79s0 --places=numa0,gpu0 --sizes=4KiB,1MiB\n"
    "          --nics=rdmap79s0 --benchmark_filter=^query/ --csv_out=rows.csv\n"
    "          --benchmark_filter=way:dmabuf --benchmark_min_time=100x\n";

enum class Timed { kRegister, kDeregister, kQuery };

constexpr std::array<std::pair<Timed, const char*>, 3> kOperations = {
    {{Timed::kRegister, "register"}, {Timed::kDeregister, "deregister"}, {Timed::kQuery, "query"}}};

struct OpenNic {
  Context context;
  ProtectionDomain domain;
};

Result<OpenNic> Open(const DeviceList& devices, const NicKey& nic) {
  if (nic.name.empty()) {
    return Fail(MakeError("open RDMA device", nic.address.ToString(),
                          "PCI shows this EFA device and the kernel has no RDMA device for it",
                          "Load the efa and ib_uverbs kernel modules"));
  }
  RAILGAUGE_ASSIGN_OR_RETURN(Context context, Context::Open(devices, nic.name));
  RAILGAUGE_ASSIGN_OR_RETURN(ProtectionDomain domain, ProtectionDomain::Create(context));
  return OpenNic{std::move(context), std::move(domain)};
}

// What all benchmarks share. NICs stay open; of buffers only the last one is kept, since those of
// all places and sizes together could be more than there is memory.
class Bench {
 public:
  Bench(const CudaDriver& cuda, DeviceList devices, RowLog& log)
      : cuda_(cuda), devices_(std::move(devices)), log_(log) {}

  RowLog& log() { return log_; }

  Result<const OpenNic*> NicOf(const NicKey& key) {
    auto it = nics_.find(key);
    if (it == nics_.end()) it = nics_.emplace(key, Open(devices_, key)).first;
    if (!it->second) return Fail(it->second.error());
    return &*it->second;
  }

  Result<const Buffer*> BufferIn(const MemoryPlace& place, Bytes size) {
    if (buffer_ == nullptr || !(buffer_->place() == place) || buffer_->length() != size.count) {
      buffer_.reset();
      RAILGAUGE_ASSIGN_OR_RETURN(buffer_, Make(place, size));
    }
    return buffer_.get();
  }

 private:
  Result<std::unique_ptr<Buffer>> Make(const MemoryPlace& place, Bytes size) const {
    if (place.is_gpu()) {
      RAILGAUGE_ASSIGN_OR_RETURN(auto buffer, GpuBuffer::Create(cuda_, place.gpu, size));
      return buffer;
    }
    RAILGAUGE_ASSIGN_OR_RETURN(auto buffer, HostBuffer::Create(place.numa_node, size));
    return buffer;
  }

  CudaDriver cuda_;
  DeviceList devices_;
  RowLog& log_;
  std::map<NicKey, Result<OpenNic>> nics_;
  std::unique_ptr<Buffer> buffer_;
};

struct Case {
  Timed timed = Timed::kRegister;
  TimingRow row;  // its variables
  std::string name;
};

// Memory and NIC of a case, ready.
struct Subject {
  const OpenNic* nic = nullptr;
  const Buffer* buffer = nullptr;
  RegistrationWay way = RegistrationWay::kHost;

  Result<MemoryRegion> Register() const {
    return RegisterBuffer(nic->domain, *buffer, way, nic->context.AccessFlags());
  }
};

template <typename Function>
Nanoseconds TimeOf(const Function& function) {
  const auto start = Clock::now();
  function();
  return Clock::now() - start;
}

// One operation of the case, timed, with what it needs before and leaves behind untimed. `kept` is
// the region that queries ask about.
Result<Nanoseconds> TimeOnce(const Subject& subject, Timed timed,
                             std::optional<MemoryRegion>* kept) {
  if (timed == Timed::kQuery) {
    if (!*kept) {
      RAILGAUGE_ASSIGN_OR_RETURN(*kept, subject.Register());
    }
    std::optional<Result<IdAnswer>> answer;
    const Nanoseconds took = TimeOf([&] { answer = (*kept)->QueryIds(); });
    RAILGAUGE_RETURN_IF_ERROR(*answer);
    return took;
  }
  std::optional<Result<MemoryRegion>> region;
  const Nanoseconds registering = TimeOf([&] { region = subject.Register(); });
  if (!*region) return Fail(region->error());
  const Nanoseconds deregistering = TimeOf([&] { region.reset(); });
  return timed == Timed::kRegister ? registering : deregistering;
}

// Whether there is such a query at all: else asking fails in no time, which is no latency.
Result<std::string> WhyNotAsked(const Subject& subject) {
  RAILGAUGE_ASSIGN_OR_RETURN(const MemoryRegion region, subject.Register());
  RAILGAUGE_ASSIGN_OR_RETURN(const IdAnswer answer, region.QueryIds());
  return answer.can_tell ? std::string() : answer.reason;
}

Result<Subject> Prepare(Bench& bench, const TimingRow& row) {
  RAILGAUGE_ASSIGN_OR_RETURN(const OpenNic* const nic, bench.NicOf(row.nic));
  RAILGAUGE_ASSIGN_OR_RETURN(const Buffer* const buffer, bench.BufferIn(*row.place, *row.size));
  return Subject{nic, buffer, *row.way};
}

// Adds the row of a case that was not timed, and ends its benchmark.
void End(benchmark::State& state, Bench& bench, const Case& test, SampleStatus status,
         const std::string& reason) {
  TimingRow row = test.row;
  row.status = status;
  row.reason = reason;
  bench.log().Add(test.name, RowOf(row));
  if (status == SampleStatus::kSkipped) {
    state.SkipWithMessage(reason);
  } else {
    state.SkipWithError(reason);
  }
}

void RunCase(benchmark::State& state, Bench& bench, const Case& test) {
  if (EndsByInterrupt(state, test.name, bench.log())) return;
  const auto subject = Prepare(bench, test.row);
  // As in the census: without its memory or its NIC nothing was tried.
  if (!subject) {
    return End(state, bench, test, SampleStatus::kSkipped, subject.error().ToString());
  }
  if (test.timed == Timed::kQuery) {
    const auto why_not = WhyNotAsked(*subject);
    if (!why_not) return End(state, bench, test, SampleStatus::kFailed, why_not.error().ToString());
    if (!why_not->empty()) return End(state, bench, test, SampleStatus::kSkipped, *why_not);
  }
  std::optional<MemoryRegion> kept;
  std::vector<Nanoseconds> latencies;
  latencies.reserve(static_cast<size_t>(state.max_iterations));
  while (state.KeepRunning()) {
    if (EndsByInterrupt(state, test.name, bench.log())) return;
    const auto took = TimeOnce(*subject, test.timed, &kept);
    if (!took) return End(state, bench, test, SampleStatus::kFailed, took.error().ToString());
    latencies.push_back(*took);
    state.SetIterationTime(std::chrono::duration<double>(*took).count());
  }
  TimingRow row = test.row;
  SetLatencies(std::move(latencies), &row);
  row.status = SampleStatus::kOk;
  bench.log().Add(test.name, RowOf(row));
  state.counters["latency_p50_ns"] = static_cast<double>(row.latency_p50->count());
  state.counters["latency_p99_ns"] = static_cast<double>(row.latency_p99->count());
  state.counters["latency_max_ns"] = static_cast<double>(row.latency_max->count());
}

// By place and size first, so that each buffer is made once.
Status RegisterAll(const BenchRun& run, std::unique_ptr<Bench>* bench) {
  RAILGAUGE_ASSIGN_OR_RETURN(DeviceList devices, DeviceList::Get());
  *bench = std::make_unique<Bench>(run.session.cuda, std::move(devices), run.log);
  Bench* const shared = bench->get();
  const auto add = [&](Timed timed, const char* operation, const TimingRow& variables) {
    Case test = {timed, variables, ""};
    test.row.operation = operation;
    test.name = NameOf(RegistrationVariables{operation, variables.nic.address, *variables.place,
                                             *variables.way, *variables.size});
    benchmark::RegisterBenchmark(
        test.name, [shared, test](benchmark::State& state) { RunCase(state, *shared, test); })
        ->UseManualTime()
        ->Unit(benchmark::kMicrosecond);
  };
  for (const MemoryPlace& place : run.session.places) {
    for (const Bytes size : run.flags.sizes) {
      for (const RegistrationWay way : WaysOf(place)) {
        for (const PciAddress& nic : run.session.nics) {
          TimingRow row;
          row.nic = run.session.machine.FindNic(nic)->key();
          row.place = place;
          row.way = way;
          row.size = size;
          for (const auto& [timed, operation] : kOperations) add(timed, operation, row);
        }
      }
    }
  }
  return {};
}

int Main(int argc, char** argv) {
  std::unique_ptr<Bench> bench;
  BenchProgram program;
  program.name = "mr_register_bench";
  program.flags = {.sizes = true};
  program.examples = kExamples;
  program.csv_header = TimingHeader();
  program.prepare = [&](const BenchRun& run) { return RegisterAll(run, &bench); };
  return RunBenchProgram(program, argc, argv);
}

}  // namespace
}  // namespace railgauge

int main(int argc, char** argv) { return railgauge::Main(argc, argv); }
