// Measuring with a peer, both hosts in this process: the NICs of one NUMA node of an emulated
// machine are this host's, those of the other are the peer's, and the control channel between them
// is a real one on localhost. The machine is that of --emulate, on which this test restarts itself.
//
// What it is about is that all of it works together; rates are for the tests that run alone.

#include <algorithm>
#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "gtest/gtest.h"
#include "lib/measure/engine.h"
#include "lib/measure/peer_service.h"
#include "lib/measure/peer_side.h"
#include "lib/peer/server.h"
#include "lib/report/schema.h"
#include "lib/topology/load.h"

namespace railgauge {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

// The machine with the NICs of one NUMA node only.
Machine WithNicsOf(Machine machine, uint32_t node) {
  std::erase_if(machine.nics, [&](const Nic& nic) { return nic.position.numa_node != node; });
  return machine;
}

// The serving host. It can vanish in the middle of a request.
class ServingHost {
 public:
  ServingHost(const Machine& machine, const CudaDriver& cuda, const Token& token)
      : machine_(machine),
        cuda_(cuda),
        server_(*Server::Listen({"127.0.0.1", 0}, token,
                                {"railgauge test", "node-b", "i-b", "p5.48xlarge", "emulated"})),
        thread_([this] { Serve(); }) {}
  ~ServingHost() { End(); }

  uint16_t port() const { return server_->port(); }
  // Before the first request: what becomes of each answer.
  void Tamper(std::function<std::string(const std::string&)> tamper) {
    tamper_ = std::move(tamper);
  }
  void VanishAfter(int requests) { requests_left_ = requests; }
  void End() {
    stop_ = true;
    if (thread_.joinable()) thread_.join();
  }

 private:
  void Serve() {
    while (!stop_) {
      const auto client = server_->NextClient(milliseconds{20});
      if (client == nullptr) continue;
      PeerService service(machine_, cuda_, client->gone());
      while (!stop_) {
        const auto request = client->Next(milliseconds{20});
        if (!request) break;
        if (!*request) continue;
        if (requests_left_-- == 0) {
          stop_ = true;
          break;
        }
        std::string answer = service.Answer(**request);
        client->Reply(tamper_ ? tamper_(answer) : answer);
      }
    }
    server_ = nullptr;
  }

  const Machine machine_;
  const CudaDriver cuda_;
  std::unique_ptr<Server> server_;
  std::atomic<bool> stop_{false};
  std::atomic<int> requests_left_{1 << 30};
  std::function<std::string(const std::string&)> tamper_;  // set and read between requests
  std::thread thread_;
};

class PeerEmulatedTest : public testing::Test {
 protected:
  void SetUp() override {
    const auto machine = LoadLiveMachine();
    ASSERT_TRUE(machine) << machine.error().ToString();
    here_ = WithNicsOf(*machine, 0);
    const Machine there = WithNicsOf(*machine, 1);
    ASSERT_EQ(here_.nics.size(), 16u);
    ASSERT_EQ(there.nics.size(), 16u);
    const auto cuda = CudaDriver::Open();
    ASSERT_TRUE(cuda) << cuda.error().ToString();
    const auto token = Token::Random();
    ASSERT_TRUE(token);
    host_ = std::make_unique<ServingHost>(there, *cuda, *token);
    auto peer =
        PeerSide::Connect({"127.0.0.1", host_->port()}, *token,
                          {"railgauge test", "node-a", "", "p5.48xlarge", "emulated"}, here_);
    ASSERT_TRUE(peer) << peer.error().ToString();
    notes_ = (*peer)->notes();
    auto engine = Engine::Create(here_, *cuda, {}, *std::move(peer));
    ASSERT_TRUE(engine) << engine.error().ToString();
    engine_ = *std::move(engine);
  }

  // Reads and writes, both ways, of two NICs, with host and GPU memory.
  Plan SmallPlan() const {
    Plan plan;
    plan.timing = {milliseconds{2}, milliseconds{20}};
    for (const Operation operation : {Operation::kRead, Operation::kWrite}) {
      for (const Direction direction : {Direction::kToMemory, Direction::kFromMemory}) {
        for (const MemoryPlace& place :
             {MemoryPlace::NumaNode(0), MemoryPlace::Gpu(here_.gpus[0].position.address)}) {
          for (const size_t nic : {0u, 5u}) {
            PlannedWindow window;
            window.cell.nic = here_.nics[nic].key();
            window.cell.place = place;
            window.cell.operation = operation;
            window.cell.direction = direction;
            window.cell.size = Bytes{64 << 10};
            plan.windows.push_back(window);
          }
        }
      }
    }
    return plan;
  }

  std::vector<Sample> Measure(const Plan& plan) {
    std::vector<Sample> samples;
    engine_->MeasureAll(plan, [&](const Sample& sample) { samples.push_back(sample); });
    return samples;
  }

  Machine here_;
  std::vector<std::string> notes_;
  std::unique_ptr<ServingHost> host_;
  std::unique_ptr<Engine> engine_;
};

TEST_F(PeerEmulatedTest, EveryOperationAndDirectionIsProvenByBothHosts) {
  // No slot is on both hosts here.
  ASSERT_EQ(notes_.size(), 16u);
  EXPECT_EQ(notes_[0].find("node-b has no NIC at 0000:4f:00.0: the partner of rdmap79s0 is "), 0u)
      << notes_[0];
  const Plan plan = SmallPlan();
  const std::vector<Sample> samples = Measure(plan);
  ASSERT_EQ(samples.size(), plan.windows.size());
  for (const Sample& sample : samples) {
    SCOPED_TRACE(std::string(ToString(sample.cell.operation)) + " " +
                 std::string(ToString(sample.cell.direction)) + " " + sample.cell.place.ToString());
    EXPECT_EQ(sample.status, SampleStatus::kOk) << sample.reason;
    EXPECT_EQ(sample.peer, "node-b");
    EXPECT_EQ(sample.partner_place, MemoryPlace::NumaNode(1));
    EXPECT_EQ(here_.FindNic(sample.partner.address), nullptr);
    EXPECT_GT(sample.completions, 0u);
    EXPECT_GT(sample.throughput.value_or(BytesPerSecond{}).value, 0);
    // Held against the counters of the initiator, which is the peer's NIC for half of them.
    ASSERT_TRUE(sample.counter_bytes);
    const auto posted = static_cast<double>(*sample.posted_bytes);
    EXPECT_NEAR(static_cast<double>(*sample.counter_bytes), posted, 0.005 * posted);
    EXPECT_EQ(sample.interconnect_id.has_value(), sample.cell.direction == Direction::kToMemory);
  }
  EXPECT_FALSE(engine_->peer_gone());
}

TEST_F(PeerEmulatedTest, AWindowThatThePeerPostsShowsItsInside) {
  WindowRequest request;
  request.timing = {milliseconds{2}, milliseconds{100}};
  request.interval = milliseconds{10};
  for (const Direction direction : {Direction::kToMemory, Direction::kFromMemory}) {
    Cell cell;
    cell.nic = here_.nics[0].key();
    cell.place = MemoryPlace::NumaNode(0);
    cell.operation = Operation::kWrite;  // to_memory is posted by the peer
    cell.direction = direction;
    cell.size = Bytes{64 << 10};
    const Sample sample = engine_->Measure(cell, request);
    ASSERT_EQ(sample.status, SampleStatus::kOk) << sample.reason;
    ASSERT_TRUE(sample.interval_count);
    EXPECT_GE(*sample.interval_count, 3u);
    EXPECT_LE(*sample.interval_count, 10u);
    EXPECT_EQ(sample.interval, request.interval);
    EXPECT_GT(sample.interval_min->value, 0);
    EXPECT_LE(sample.interval_min, sample.interval_median);
    EXPECT_NEAR(*sample.post_fraction + *sample.poll_fraction + *sample.idle_fraction, 1, 1e-6);
    EXPECT_EQ(*sample.cpu_bound, *sample.idle_fraction < 0.05);
  }
}

TEST_F(PeerEmulatedTest, WindowsOfTimeAndOfCompletionsReportTheSameColumns) {
  Cell cell;
  cell.nic = here_.nics[0].key();
  cell.place = MemoryPlace::NumaNode(0);
  cell.size = Bytes{64 << 10};
  for (const bool latency : {false, true}) {
    WindowRequest by_time;
    by_time.timing = {milliseconds{2}, milliseconds{100}};
    by_time.interval = milliseconds{2};
    by_time.latency = latency;
    const Sample timed = engine_->Measure(cell, by_time);
    ASSERT_EQ(timed.status, SampleStatus::kOk) << timed.reason;
    WindowRequest by_count = by_time;
    by_count.timing.window = Nanoseconds{0};
    by_count.min_completions = timed.completions;
    const Sample counted = engine_->Measure(cell, by_count);
    ASSERT_EQ(counted.status, SampleStatus::kOk) << counted.reason;
    EXPECT_GE(counted.completions, timed.completions);
    for (const Column<Sample>& column : ColumnsOf<Sample>()) {
      if (column.name == "reason") continue;  // remarks on this host's state, or none
      EXPECT_EQ(column.print(timed).empty(), column.print(counted).empty()) << column.name;
    }
  }
}

TEST_F(PeerEmulatedTest, ReadsAreTimedFromEitherHost) {
  WindowRequest request;
  request.latency = true;
  request.timing = {milliseconds{2}, milliseconds{20}};
  for (const Direction direction : {Direction::kToMemory, Direction::kFromMemory}) {
    Cell cell;
    cell.nic = here_.nics[0].key();
    cell.place = MemoryPlace::NumaNode(0);
    cell.operation = Operation::kRead;  // from_memory is posted by the peer
    cell.direction = direction;
    cell.size = Bytes{4096};
    const Sample sample = engine_->Measure(cell, request);
    ASSERT_EQ(sample.status, SampleStatus::kOk) << sample.reason;
    EXPECT_EQ(sample.cell.depth, 1u);
    ASSERT_TRUE(sample.latency_min && sample.latency_p50 && sample.latency_max);
    // No faster than light, and the mean lies between the extremes.
    EXPECT_GT(*sample.latency_min, Nanoseconds{0});
    EXPECT_LE(*sample.latency_min, *sample.latency_p50);
    EXPECT_LE(*sample.latency_p50, *sample.latency_p99);
    EXPECT_LE(*sample.latency_p99, *sample.latency_max);
    const Nanoseconds mean = sample.duration / static_cast<int64_t>(sample.completions);
    EXPECT_LE(*sample.latency_min, mean);
    EXPECT_GE(*sample.latency_max, mean * 99 / 100);
  }
}

TEST_F(PeerEmulatedTest, WritesAreAnsweredByThePeer) {
  WindowRequest request;
  request.latency = true;
  request.timing = {milliseconds{2}, milliseconds{20}};
  Cell cell;
  cell.nic = here_.nics[0].key();
  cell.place = MemoryPlace::Gpu(here_.gpus[0].position.address);
  cell.operation = Operation::kWrite;
  cell.direction = Direction::kFromMemory;
  cell.size = Bytes{4096};
  for (int i = 0; i < 2; ++i) {  // with queues of its own each time
    const Sample sample = engine_->Measure(cell, request);
    ASSERT_EQ(sample.status, SampleStatus::kOk) << sample.reason;
    EXPECT_EQ(sample.counter_bytes, sample.posted_bytes);
    ASSERT_TRUE(sample.latency_min && sample.latency_max);
    const Nanoseconds mean = sample.duration / static_cast<int64_t>(sample.completions) / 2;
    EXPECT_GT(*sample.latency_min, Nanoseconds{0});
    EXPECT_LE(*sample.latency_min, mean);
    EXPECT_GE(*sample.latency_max, mean * 9 / 10);
  }
}

TEST_F(PeerEmulatedTest, APeerThatCannotAnswerSaysWhy) {
  host_->Tamper([](const std::string& answer) {
    if (!Decode<Answered>(answer)) return answer;
    Answered answered;
    answered.failure = FailureOf(MakeError("answer rdma write", "rdmap128s0", "it stopped"));
    return Encode(answered);
  });
  WindowRequest request;
  request.latency = true;
  Cell cell;
  cell.nic = here_.nics[0].key();
  cell.place = MemoryPlace::NumaNode(0);
  cell.operation = Operation::kWrite;
  cell.direction = Direction::kFromMemory;
  cell.size = Bytes{8};
  const Sample sample = engine_->Measure(cell, request);
  EXPECT_EQ(sample.status, SampleStatus::kFailed);
  EXPECT_EQ(sample.reason, "answer rdma write rdmap128s0: it stopped");
}

// Two statuses that no fault of an emulated machine drives.
TEST_F(PeerEmulatedTest, WithoutThePeersCountersASampleIsMeasuredAndNotProven) {
  host_->Tamper([](const std::string& answer) {
    if (!Decode<CounterReading>(answer)) return answer;
    return Encode(FailureOf(MakeError("read device counter", "x", "there are none")));
  });
  const Sample sample = Measure(SmallPlan()).front();
  EXPECT_EQ(sample.status, SampleStatus::kNoCounters) << sample.reason;
  EXPECT_GT(sample.throughput.value_or(BytesPerSecond{}).value, 0);
  EXPECT_FALSE(sample.counter_bytes);
  EXPECT_FALSE(sample.retransmitted_bytes);
  EXPECT_NE(sample.reason.find("not held against the devices' counters"), std::string::npos);
}

TEST_F(PeerEmulatedTest, DataThatArrivedWrongIsSaidToBeWrong) {
  host_->Tamper([](const std::string& answer) {
    if (!Decode<Verified>(answer)) return answer;
    return Encode(Verified{"byte 0 is 1 instead of 2"});
  });
  Plan plan = SmallPlan();
  std::erase_if(plan.windows, [](const PlannedWindow& window) {
    return window.cell.direction == Direction::kToMemory;  // arrives here
  });
  for (const Sample& sample : Measure(plan)) {
    EXPECT_EQ(sample.status, SampleStatus::kWrongData) << sample.reason;
    EXPECT_EQ(sample.reason,
              "the data that arrived differs from what was sent: byte 0 is 1 instead of 2");
  }
}

TEST_F(PeerEmulatedTest, WhenThePeerDiesFinishedRowsStayAndTheOthersSayWhy) {
  constexpr size_t kBeforeItDies = 4;
  const Plan plan = SmallPlan();
  std::vector<Sample> samples;
  engine_->MeasureAll(plan, [&](const Sample& sample) {
    samples.push_back(sample);
    if (samples.size() == kBeforeItDies) host_->VanishAfter(2);
  });
  ASSERT_EQ(samples.size(), plan.windows.size());
  const auto lost = std::find_if(samples.begin(), samples.end(), [](const Sample& sample) {
    return sample.reason.find("the peer is gone: control channel 127.0.0.1:") != std::string::npos;
  });
  EXPECT_GE(lost - samples.begin(), static_cast<ptrdiff_t>(kBeforeItDies));
  EXPECT_GE(samples.end() - lost, 2);
  for (auto sample = samples.begin(); sample != lost; ++sample) {
    EXPECT_EQ(sample->status, SampleStatus::kOk) << sample->reason;
    EXPECT_GT(sample->throughput.value_or(BytesPerSecond{}).value, 0);
  }
  for (auto sample = lost; sample != samples.end(); ++sample) {
    EXPECT_NE(sample->status, SampleStatus::kOk);
    EXPECT_NE(sample->reason.find("the peer is gone: control channel 127.0.0.1:"),
              std::string::npos)
        << sample->reason;
  }
  EXPECT_EQ(samples.back().status, SampleStatus::kSkipped);
  EXPECT_EQ(samples.back().skip_cause, SkipCause::kPeerGone);
  EXPECT_TRUE(engine_->peer_gone());
}

}  // namespace
}  // namespace railgauge
