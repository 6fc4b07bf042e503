// What railgauge needs of CUDA, on whatever GPUs this machine has: run by scripts/gpu_check on one
// with GPUs, and on an emulated machine (--emulate) in every test run. Without a GPU it says why it
// skips.
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>

#include "gtest/gtest.h"
#include "lib/base/file.h"
#include "lib/emulator/launcher/restart.h"
#include "lib/memory/cuda_driver.h"
#include "lib/memory/gpu_buffer.h"

namespace railgauge {
namespace {

constexpr uint64_t kLength = (uint64_t{4} << 20) + 12345;

class GpuCheckTest : public testing::Test {
 protected:
  void SetUp() override {
    auto opened = CudaDriver::Open();
    ASSERT_TRUE(opened) << opened.error().ToString();
    driver_ = *std::move(opened);
    if (driver_.gpus().empty()) {
      std::printf("skipped: %s\n", driver_.absence_reason().c_str());
      GTEST_SKIP() << driver_.absence_reason();
    }
  }
  std::unique_ptr<GpuBuffer> Make(const CudaGpu& gpu) const {
    auto buffer = GpuBuffer::Create(driver_, gpu.address, Bytes{kLength});
    EXPECT_TRUE(buffer) << (buffer ? "" : buffer.error().ToString());
    return buffer ? *std::move(buffer) : nullptr;
  }
  CudaDriver driver_ = CudaDriver::Absent("not opened yet");
};

TEST_F(GpuCheckTest, EveryOrdinalIsAnNvidiaDeviceOnPci) {
  for (const CudaGpu& gpu : driver_.gpus()) {
    std::printf("gpu%d %s %s, %s, CUDA %s\n", gpu.ordinal, gpu.address.ToString().c_str(),
                gpu.name.c_str(), FormatBytes(gpu.memory).c_str(), driver_.version().c_str());
    for (const auto& [name, value] : gpu.attributes) {
      std::printf("  %s %s\n", name.c_str(), value ? std::to_string(*value).c_str() : "unknown");
    }
    const auto vendor = ReadAttribute("/sys/bus/pci/devices/" + gpu.address.ToString() + "/vendor");
    if (!vendor) {
      std::printf("  PCI is hidden here: %s\n", vendor.error().ToString().c_str());
      continue;
    }
    EXPECT_EQ(*vendor, "0x10de");
  }
}

// The driver reads the environment once a process, so this asks another one, of this program.
TEST_F(GpuCheckTest, ReversedOrdinalsLeadToTheSameAddresses) {
  if (const char* already = std::getenv("CUDA_VISIBLE_DEVICES")) {
    std::printf("skipped: CUDA_VISIBLE_DEVICES is set already: %s\n", already);
    GTEST_SKIP() << "CUDA_VISIBLE_DEVICES is set";
  }
  std::string order, expected;
  for (auto gpu = driver_.gpus().rbegin(); gpu != driver_.gpus().rend(); ++gpu) {
    order += (order.empty() ? "" : ",") + std::to_string(gpu->ordinal);
    expected += gpu->address.ToString() + "\n";
  }
  const std::string self = std::filesystem::read_symlink("/proc/self/exe").string();
  const std::string command = "CUDA_VISIBLE_DEVICES=" + order + " '" + self + "' --addresses";
  FILE* const output = popen(command.c_str(), "r");
  ASSERT_NE(output, nullptr);
  std::string found;
  for (int c = std::fgetc(output); c != EOF; c = std::fgetc(output)) {
    found += static_cast<char>(c);
  }
  EXPECT_EQ(pclose(output), 0);
  EXPECT_EQ(found, expected);
}

TEST_F(GpuCheckTest, MemoryIsAllocatedHoldsDataAndIsGivenBack) {
  for (const CudaGpu& gpu : driver_.gpus()) {
    for (int round = 0; round < 3; ++round) {
      const auto buffer = Make(gpu);
      ASSERT_TRUE(buffer);
      EXPECT_EQ(buffer->address() % kBufferAlignment, 0u);
      ASSERT_TRUE(buffer->Fill(7));
      const auto verified = buffer->Verify(7);
      ASSERT_TRUE(verified) << verified.error().ToString();
      EXPECT_EQ(*verified, std::nullopt);
    }
  }
}

TEST_F(GpuCheckTest, ADmabufIsExportedWhereTheDriverSaysSo) {
  for (const CudaGpu& gpu : driver_.gpus()) {
    const auto buffer = Make(gpu);
    ASSERT_TRUE(buffer);
    const auto dmabuf = buffer->dmabuf();
    if (!gpu.dmabuf) {
      ASSERT_FALSE(dmabuf);
      std::printf("gpu%d: no dma-buf: %s\n", gpu.ordinal, dmabuf.error().ToString().c_str());
      continue;
    }
    ASSERT_TRUE(dmabuf) << dmabuf.error().ToString();
    struct stat file = {};
    EXPECT_EQ(fstat(dmabuf->fd, &file), 0);
    const off_t end = lseek(dmabuf->fd, 0, SEEK_END);
    EXPECT_TRUE(end < 0 || static_cast<uint64_t>(end) >= dmabuf->offset + kLength) << end;
    std::printf("gpu%d: dma-buf of %lld bytes, mapping %s\n", gpu.ordinal,
                static_cast<long long>(end), buffer->dmabuf_mapping().c_str());
  }
}

TEST_F(GpuCheckTest, TheGpusOwnKernelsAndCopiesSeeTheSame) {
  for (const CudaGpu& gpu : driver_.gpus()) {
    const auto buffer = Make(gpu);
    ASSERT_TRUE(buffer);
    const Status on_gpu = buffer->CheckOnGpu();
    if (!on_gpu) {
      std::printf("gpu%d: goes on by copies: %s\n", gpu.ordinal, on_gpu.error().ToString().c_str());
      continue;
    }
    ASSERT_TRUE(buffer->Fill(11));
    EXPECT_EQ(buffer->Buffer::Verify(11, 0, kLength, 0).value(), std::nullopt);
    ASSERT_TRUE(buffer->Buffer::Fill(12, 0, kLength, 0));
    EXPECT_EQ(buffer->Verify(12).value(), std::nullopt);
    for (const uint64_t wrong : {kLength - 1, uint64_t{3} << 20, uint64_t{1}}) {
      const std::byte byte{0};
      std::byte before{};
      ASSERT_TRUE(buffer->CopyOut(wrong, {&before, 1}));
      if (before == byte) continue;
      ASSERT_TRUE(buffer->CopyIn(wrong, {&byte, 1}));
      const auto found = buffer->Verify(12);
      ASSERT_TRUE(found && *found) << wrong;
      EXPECT_EQ((*found)->offset, wrong);
    }
    std::printf("gpu%d: data is made and compared on the GPU\n", gpu.ordinal);
  }
}

}  // namespace
}  // namespace railgauge

int main(int argc, char** argv) {
  railgauge::RestartOnEmulatedMachine(&argc, argv);
  if (argc == 2 && std::string(argv[1]) == "--addresses") {
    const auto driver = railgauge::CudaDriver::OpenOrAbsent();
    for (const auto& gpu : driver.gpus()) std::printf("%s\n", gpu.address.ToString().c_str());
    return driver.gpus().empty() ? 1 : 0;
  }
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
