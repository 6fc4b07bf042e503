#include "lib/emulator/preload/process_memory.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/mempolicy.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <string>

#include "lib/base/unique_fd.h"

namespace railgauge {
namespace {

constexpr uint64_t kPage = 4096;
constexpr uint64_t kPointer = uint64_t{1} << 44;

bool NothingResident(uint64_t, std::vector<bool>*) { return true; }

class ProcessMemoryTest : public testing::Test {
 protected:
  ProcessMemoryTest() {
    machine_.numa_nodes.resize(2);
    machine_.numa_nodes[1].index = 1;
    for (EmulatedNumaNode& node : machine_.numa_nodes) node.memory = Bytes{kPage};
    machine_.gpus.resize(2);
    machine_.gpus[1].address = *PciAddress::Parse("0000:53:00.0");
    machine_.p2p_provider = "NVIDIA";
    memfd_ = UniqueFd(memfd_create("gpu", MFD_CLOEXEC));
    EXPECT_EQ(ftruncate(memfd_.get(), 4 * kPage), 0);
  }

  int Register() {
    return gpus_.Register(
        {.device_pointer = kPointer, .length = 4 * kPage, .memfd = memfd_.get(), .gpu = 1});
  }

  EmulatedMachine machine_;
  NumaPlacement numa_{machine_, NothingResident};
  GpuRegistry gpus_;
  ProcessMemory memory_{machine_, numa_, gpus_, [] { return ProcessMemory::Here{}; }};
  UniqueFd memfd_;
};

TEST_F(ProcessMemoryTest, HostMemoryByNode) {
  NumaPlacement numa({machine_}, NothingResident);
  const unsigned long one = 2;
  ASSERT_EQ(numa.Bind(kPage, kPage, MPOL_BIND, &one, 64, 0, 0, {}), 0);
  ProcessMemory memory(machine_, numa, gpus_, [] { return ProcessMemory::Here{}; });
  const auto located = memory.Locate(kPage - 10, kPage + 10);
  ASSERT_TRUE(located.has_value());
  EXPECT_EQ(located->way, RegistrationWay::kHost);
  ASSERT_EQ(located->segments.size(), 2u);
  EXPECT_EQ(located->segments[0].length, 10u);
  EXPECT_EQ(located->segments[0].place, MemoryPlace::NumaNode(0));
  EXPECT_EQ(located->segments[1].place, MemoryPlace::NumaNode(1));
  EXPECT_EQ(reinterpret_cast<uint64_t>(located->segments[1].memory), kPage);
}

TEST_F(ProcessMemoryTest, PeerMemoryByDevicePointer) {
  ASSERT_EQ(Register(), 0);
  const auto located = memory_.Locate(kPointer + 100, kPage);
  ASSERT_TRUE(located.has_value());
  EXPECT_EQ(located->way, RegistrationWay::kPeerMemory);
  EXPECT_EQ(located->segments[0].place, MemoryPlace::Gpu(machine_.gpus[1].address));
  located->segments[0].memory[0] = std::byte{7};
  char byte = 0;
  ASSERT_EQ(pread(memfd_.get(), &byte, 1, 100), 1);
  EXPECT_EQ(byte, 7);
  EXPECT_EQ(memory_.Locate(kPointer + 100, 4 * kPage).error(), EFAULT);  // over the end
  EXPECT_EQ(memory_.Locate(kPointer - kPage, 2 * kPage).error(), EFAULT);
  machine_.p2p_provider = "none";
  EXPECT_EQ(memory_.Locate(kPointer, kPage).error(), EFAULT);
}

TEST_F(ProcessMemoryTest, DmabufByFile) {
  ASSERT_EQ(Register(), 0);
  const std::string path = "/proc/self/fd/" + std::to_string(memfd_.get());
  const UniqueFd exported(open(path.c_str(), O_RDWR | O_CLOEXEC));
  ASSERT_EQ(lseek(exported.get(), kPage, SEEK_SET), static_cast<off_t>(kPage));
  const auto located = memory_.LocateDmabuf(exported.get(), kPage, 2 * kPage);
  ASSERT_TRUE(located.has_value());
  EXPECT_EQ(located->way, RegistrationWay::kDmabuf);
  located->segments[0].memory[0] = std::byte{9};
  char byte = 0;
  ASSERT_EQ(pread(memfd_.get(), &byte, 1, 2 * kPage), 1);
  EXPECT_EQ(byte, 9);
  EXPECT_EQ(memory_.LocateDmabuf(exported.get(), kPage, 3 * kPage).error(), EINVAL);
  EXPECT_EQ(memory_.LocateDmabuf(exported.get(), UINT64_MAX - kPage, kPage).error(), EINVAL);
  EXPECT_EQ(memory_.LocateDmabuf(0, 0, kPage).error(), EINVAL);
  EXPECT_EQ(memory_.LocateDmabuf(-1, 0, kPage).error(), EBADF);
}

TEST_F(ProcessMemoryTest, MemoryInUseOutlivesItsAllocation) {
  ASSERT_EQ(Register(), 0);
  EXPECT_EQ(Register(), EEXIST);
  const auto located = memory_.Locate(kPointer, kPage);
  ASSERT_TRUE(located.has_value());
  EXPECT_EQ(gpus_.Unregister(kPointer), 0);
  EXPECT_EQ(gpus_.Unregister(kPointer), ENOENT);
  located->segments[0].memory[0] = std::byte{1};  // does not fault
  EXPECT_EQ(Register(), 0);
}

TEST_F(ProcessMemoryTest, RegistrationIsChecked) {
  EXPECT_EQ(gpus_.Register({.device_pointer = 0, .length = kPage, .memfd = memfd_.get(), .gpu = 0}),
            EINVAL);
  EXPECT_EQ(
      gpus_.Register({.device_pointer = kPointer, .length = 10, .memfd = memfd_.get(), .gpu = 0}),
      EINVAL);
  EXPECT_EQ(gpus_.Register(
                {.device_pointer = kPointer, .length = 5 * kPage, .memfd = memfd_.get(), .gpu = 0}),
            EINVAL);
  EXPECT_EQ(gpus_.Register({.device_pointer = kPointer, .length = kPage, .memfd = -1, .gpu = 0}),
            EBADF);
}

}  // namespace
}  // namespace railgauge
