// The census of an emulated machine equals its scenario in every NIC, place, way, field and
// validity bit; and what it stands on: GPUs, NUMA nodes, registrations.
//
//   census_emulated_test --emulate=SPEC SPEC STATUS…
//
// The statuses are those that the machine's rows must show, each at least once, so that a scenario
// that lost its point is noticed.
#include <sys/mman.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "lib/base/runfiles.h"
#include "lib/emulator/launcher/restart.h"
#include "lib/interconnect/census.h"
#include "lib/interconnect/classes.h"
#include "lib/memory/gpu_buffer.h"
#include "lib/memory/host_buffer.h"
#include "lib/memory/registration.h"
#include "lib/scenario/load.h"
#include "lib/scenario/location.h"
#include "lib/topology/load.h"
#include "lib/verbs/context.h"

namespace railgauge {
namespace {

std::string spec;                             // set by main
std::vector<CensusStatus> expected_statuses;  // set by main

template <typename T>
T Must(Result<T> result) {
  if (!result) {
    std::fprintf(stderr, "%s\n", result.error().ToString().c_str());
    std::abort();
  }
  return *std::move(result);
}

const EmulatedMachine& Scenario() {
  static const EmulatedMachine* const machine =
      new EmulatedMachine(Must(LoadSpec(spec, Must(FindDataFile("scenarios")))));
  return *machine;
}

const Machine& Live() {
  static const Machine* const machine = new Machine(Must(LoadLiveMachine()));
  return *machine;
}

const CudaDriver& Cuda() {
  static const CudaDriver* const driver = new CudaDriver(Must(CudaDriver::Open()));
  return *driver;
}

const EmulatedGpu& ScenarioGpu(const PciAddress& address) {
  return *std::find_if(Scenario().gpus.begin(), Scenario().gpus.end(),
                       [&](const EmulatedGpu& gpu) { return gpu.address == address; });
}

// What the scenario says of a row.
CensusStatus ExpectedStatus(const EmulatedNic& nic, const MemoryPlace& place, RegistrationWay way) {
  if (place.kind == MemoryPlace::Kind::kAccelerator) return CensusStatus::kNotSupported;
  if (way == RegistrationWay::kDmabuf && !ScenarioGpu(place.gpu).dmabuf)
    return CensusStatus::kRegistrationFailed;
  if (way == RegistrationWay::kPeerMemory && Scenario().p2p_provider == "none")
    return CensusStatus::kRegistrationFailed;
  if (!nic.model.can_query_mr) return CensusStatus::kCannotTell;
  return Scenario().IdsOf(nic.address, place, way).any() ? CensusStatus::kOk : CensusStatus::kNoId;
}

std::string ExpectedAccess(const EmulatedNic& nic, const MemoryPlace& place) {
  if (place.kind == MemoryPlace::Kind::kAccelerator) return "";
  std::string access = "local_write";
  if (nic.model.rdma_write) access += "|remote_write";
  if (nic.model.rdma_read) access += "|remote_read";
  return access;
}

TEST(CensusEmulatedTest, EqualsTheScenario) {
  size_t progress = 0;
  CensusOptions options;
  options.progress = [&](size_t done, size_t) { progress = done; };
  const std::vector<CensusRow> rows = Must(RunCensus(Live(), Cuda(), options));
  const size_t gpus = Scenario().gpus.size();
  const size_t nodes = Scenario().Places().size() - gpus;
  const size_t accelerators = Scenario().accelerators.size();
  ASSERT_EQ(rows.size(), Scenario().nics.size() * (nodes + 2 * gpus + accelerators));
  const PciLocations locations(Scenario());
  EXPECT_EQ(progress, rows.size());

  std::set<std::tuple<PciAddress, MemoryPlace, RegistrationWay>> seen;
  std::set<std::pair<PciAddress, MemoryPlace>> told;
  std::set<CensusStatus> statuses;
  for (const CensusRow& row : rows) {
    SCOPED_TRACE(row.nic.name + " " + row.place.ToString() + " " + std::string(ToString(row.way)) +
                 ": " + row.reason);
    const EmulatedNic* nic = Scenario().FindNic(row.nic.address);
    ASSERT_NE(nic, nullptr);
    EXPECT_EQ(row.nic.name, nic->name);
    EXPECT_TRUE(seen.emplace(row.nic.address, row.place, row.way).second);
    EXPECT_EQ(row.status, ExpectedStatus(*nic, row.place, row.way));
    statuses.insert(row.status);
    if (row.status == CensusStatus::kOk) {
      EXPECT_EQ(row.ids, Scenario().IdsOf(row.nic.address, row.place, row.way));
      EXPECT_EQ(row.reason, "");
      told.emplace(row.nic.address, row.place);
    } else {
      EXPECT_EQ(row.ids, InterconnectIds{});
      EXPECT_EQ(row.reason.empty(), row.status == CensusStatus::kNoId);
    }
    EXPECT_EQ(row.access_flags, ExpectedAccess(*nic, row.place));
    EXPECT_EQ(row.relation, locations.RelationOf(row.nic.address, row.place));
    EXPECT_EQ(row.pci_path.empty(), row.relation == Relation::kUnknown);
  }
  for (const CensusStatus status : expected_statuses)
    EXPECT_TRUE(statuses.contains(status)) << ToString(status);
  std::printf("%zu rows, %zu NIC x place pairs with an id\n", rows.size(), told.size());
  if (spec == "p5.48xlarge") {
    EXPECT_EQ(told.size(), 320u);
  }
}

TEST(CensusEmulatedTest, TakesWellUnderASecond) {
  // The best of three: a measure of the work, not of what else this host does.
  auto best = std::chrono::nanoseconds::max();
  for (int i = 0; i < 3; ++i) {
    const auto start = std::chrono::steady_clock::now();
    Must(RunCensus(Live(), Cuda()));
    best = std::min<std::chrono::nanoseconds>(best, std::chrono::steady_clock::now() - start);
  }
  std::printf("census: %s\n", FormatDuration(best).c_str());
  EXPECT_LT(best, std::chrono::seconds(1));
}

TEST(CensusEmulatedTest, ClassesCoverEveryPlaceInEveryField) {
  const std::vector<CensusRow> rows = Must(RunCensus(Live(), Cuda()));
  const auto classes = ClassifyIds(rows);
  ASSERT_EQ(classes.size(), Scenario().nics.size() * 3);
  for (const IdClasses& c : classes) {
    std::set<MemoryPlace> places(c.no_id.begin(), c.no_id.end());
    places.insert(c.unknown.begin(), c.unknown.end());
    for (const auto& [id, members] : c.by_id) places.insert(members.begin(), members.end());
    EXPECT_EQ(places.size(), Scenario().Places().size() + Scenario().accelerators.size());
  }
}

TEST(CensusEmulatedTest, CudaShowsTheScenariosGpusInItsOrder) {
  const auto& gpus = Cuda().gpus();
  ASSERT_EQ(gpus.size(), Scenario().gpus.size());
  for (size_t i = 0; i < gpus.size(); ++i) {
    EXPECT_EQ(gpus[i].address, Scenario().gpus[i].address);
    EXPECT_EQ(gpus[i].name, Scenario().gpus[i].name);
    EXPECT_EQ(gpus[i].memory, Scenario().gpus[i].memory);
    EXPECT_EQ(gpus[i].dmabuf, Scenario().gpus[i].dmabuf);
    EXPECT_NE(Live().FindGpu(gpus[i].address), nullptr);
  }
}

TEST(CensusEmulatedTest, HostBuffersLieOnNodesThatThisHostLacks) {
  for (const EmulatedNumaNode& node : Scenario().numa_nodes) {
    if (node.memory.count == 0) continue;
    const auto buffer = Must(HostBuffer::Create(node.index, Bytes{5 << 20}));
    EXPECT_TRUE(buffer->verified()) << buffer->unverified_reason();
    ASSERT_TRUE(buffer->Fill(node.index));
    EXPECT_EQ(Must(buffer->Verify(node.index)), std::nullopt);
  }
  EXPECT_FALSE(HostBuffer::Create(77, Bytes{4096}));
}

TEST(CensusEmulatedTest, GpuBuffersHoldDataAndShareItAsDmabuf) {
  for (const CudaGpu& gpu : Cuda().gpus()) {
    const auto buffer = Must(GpuBuffer::Create(Cuda(), gpu.address, Bytes{3 << 20}));
    ASSERT_TRUE(buffer->Fill(gpu.address.bus));
    EXPECT_EQ(Must(buffer->Verify(gpu.address.bus)), std::nullopt);
    const auto dmabuf = buffer->dmabuf();
    ASSERT_EQ(dmabuf.has_value(), gpu.dmabuf);
    if (!dmabuf) continue;
    void* view = mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, dmabuf->fd, 4096);
    ASSERT_NE(view, MAP_FAILED);
    static_cast<std::byte*>(view)[7] ^= std::byte{1};
    munmap(view, 4096);
    const auto mismatch = Must(buffer->Verify(gpu.address.bus));
    ASSERT_TRUE(mismatch);
    EXPECT_EQ(mismatch->offset, 4096u + 7);
  }
}

TEST(CensusEmulatedTest, AnyWayPrefersDmabuf) {
  const Context context = Must(Context::Open(Scenario().nics[0].name));
  const ProtectionDomain domain = Must(ProtectionDomain::Create(context));
  for (const CudaGpu& gpu : Cuda().gpus()) {
    const auto buffer = Must(GpuBuffer::Create(Cuda(), gpu.address, Bytes{4096}));
    RegistrationWay way = RegistrationWay::kHost;
    const auto region = RegisterBufferAnyWay(domain, *buffer, context.AccessFlags(), &way);
    const bool peer_memory = Scenario().p2p_provider != "none";
    ASSERT_EQ(region.has_value(), gpu.dmabuf || peer_memory);
    if (!region) continue;
    EXPECT_EQ(way, gpu.dmabuf ? RegistrationWay::kDmabuf : RegistrationWay::kPeerMemory);
    EXPECT_EQ(region->address(), buffer->address());
  }
}

TEST(CensusEmulatedDeathTest, TheCpuCannotReadGpuMemory) {
  if (Cuda().gpus().empty()) GTEST_SKIP() << "this machine has no GPU";
  EXPECT_DEATH(
      {
        const auto buffer = Must(GpuBuffer::Create(Cuda(), Cuda().gpus()[0].address, Bytes{4096}));
        (void)*reinterpret_cast<volatile char*>(buffer->address());
      },
      "");
}

}  // namespace

bool SetExpectations(int argc, char** argv) {
  if (argc < 2) return false;
  spec = argv[1];
  for (int i = 2; i < argc; ++i) {
    const auto status = ParseCensusStatus(argv[i]);
    if (!status) return false;
    expected_statuses.push_back(*status);
  }
  return true;
}

}  // namespace railgauge

int main(int argc, char** argv) {
  railgauge::RestartOnEmulatedMachine(&argc, argv);
  testing::InitGoogleTest(&argc, argv);
  if (!railgauge::SetExpectations(argc, argv)) {
    std::fprintf(stderr, "usage: census_emulated_test --emulate=SPEC SPEC STATUS...\n");
    return 2;
  }
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  return RUN_ALL_TESTS();
}
