// The emulated libcuda.so.1 through the tools' own CudaDriver and GpuBuffer, and by raw calls.
//
// The test plays the preload library: it exports the interface that libcuda looks up.
#include <dlfcn.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <thread>
#include <vector>

#include "gtest/gtest.h"
#include "lib/emulator/preload/gpu_interface.h"
#include "lib/memory/cuda_driver.h"
#include "lib/memory/gpu_buffer.h"
#include "lib/memory/gpu_pattern.h"
#include "lib/memory/gpu_pattern_ptx.h"

namespace {

constexpr char kLibrary[] = "lib/emulator/cuda/libcuda.so.1";
constexpr uint64_t kGpuBytes = uint64_t{80} << 30;
constexpr int kGpus = 3;  // the last one cannot export dma-bufs

struct Known {
  std::mutex mutex;
  std::map<uint64_t, RailgaugeGpuAllocation> allocations;
};
Known& known() {
  static Known* const k = new Known;
  return *k;
}

}  // namespace

extern "C" {

int RailgaugeEmulatedGpuCount(void) { return std::getenv("NO_GPUS") != nullptr ? 0 : kGpus; }

int RailgaugeEmulatedGpuGet(int index, RailgaugeEmulatedGpu* gpu) {
  if (index < 0 || index >= kGpus) return ENODEV;
  std::snprintf(gpu->pci_address, sizeof(gpu->pci_address), "0000:%x3:00.0", 5 + index);
  std::snprintf(gpu->name, sizeof(gpu->name), "Emulated GPU %d", index);
  gpu->memory_bytes = kGpuBytes;
  gpu->supports_dmabuf = index != 2;
  gpu->supports_peer_memory = 1;
  gpu->knows_pcie_mapping = index == 1;
  gpu->orders_writes = index != 1;
  return 0;
}

int RailgaugeEmulatedGpuRegister(const RailgaugeGpuAllocation* allocation) {
  std::lock_guard lock(known().mutex);
  return known().allocations.emplace(allocation->device_pointer, *allocation).second ? 0 : EEXIST;
}

int RailgaugeEmulatedGpuUnregister(uint64_t device_pointer) {
  std::lock_guard lock(known().mutex);
  return known().allocations.erase(device_pointer) == 1 ? 0 : ENOENT;
}

}  // extern "C"

namespace railgauge {
namespace {

CudaDriver Open() {
  auto driver = CudaDriver::Open(kLibrary);
  if (!driver) {
    std::fprintf(stderr, "%s\n", driver.error().ToString().c_str());
    std::abort();
  }
  return *driver;
}

PciAddress Gpu(int index) {
  return *PciAddress::Parse("0000:" + std::to_string(5 + index) + "3:00.0");
}

std::unique_ptr<GpuBuffer> Make(const CudaDriver& driver, int index, uint64_t length) {
  auto buffer = GpuBuffer::Create(driver, Gpu(index), Bytes{length});
  EXPECT_TRUE(buffer) << (buffer ? "" : buffer.error().ToString());
  return buffer ? *std::move(buffer) : nullptr;
}

TEST(LibcudaTest, ShowsTheMachinesGpus) {
  const CudaDriver driver = Open();
  ASSERT_EQ(driver.gpus().size(), 3u);
  EXPECT_EQ(driver.absence_reason(), "");
  EXPECT_EQ(driver.version(), "12.4");
  for (int i = 0; i < kGpus; ++i) {
    const CudaGpu& gpu = driver.gpus()[static_cast<size_t>(i)];
    EXPECT_EQ(gpu.ordinal, i);
    EXPECT_EQ(gpu.address, Gpu(i));
    EXPECT_EQ(gpu.name, "Emulated GPU " + std::to_string(i));
    EXPECT_EQ(gpu.memory.count, kGpuBytes);
    EXPECT_EQ(gpu.dmabuf, i != 2);
  }
  EXPECT_EQ(driver.FindGpu(Gpu(1)), &driver.gpus()[1]);
  EXPECT_EQ(driver.FindGpu(*PciAddress::Parse("0000:99:00.0")), nullptr);
}

TEST(LibcudaTest, BuffersHoldWhatIsCopiedIn) {
  const CudaDriver driver = Open();
  const auto a = Make(driver, 0, (3 << 20) + 5);
  const auto b = Make(driver, 1, 4096);
  ASSERT_TRUE(a && b);
  EXPECT_EQ(a->place().ToString(), "gpu:0000:53:00.0");
  EXPECT_EQ(a->length(), (3u << 20) + 5);
  EXPECT_EQ(a->address() % (2 << 20), 0u);
  ASSERT_TRUE(a->Fill(1));
  ASSERT_TRUE(b->Fill(2));
  EXPECT_EQ(a->Verify(1).value(), std::nullopt);
  EXPECT_EQ(b->Verify(2).value(), std::nullopt);
  const std::byte wrong{0};
  ASSERT_TRUE(a->CopyIn(1234567, {&wrong, 1}));
  const auto mismatch = a->Verify(1).value();
  ASSERT_TRUE(mismatch);
  EXPECT_EQ(mismatch->offset, 1234567u);
}

TEST(LibcudaTest, BuffersWorkFromAnyThread) {
  const CudaDriver driver = Open();
  const auto buffer = Make(driver, 0, 1 << 20);
  ASSERT_TRUE(buffer);
  std::thread([&] {
    ASSERT_TRUE(buffer->Fill(7));  // this thread has no context yet
    EXPECT_EQ(buffer->Verify(7).value(), std::nullopt);
  }).join();
}

TEST(LibcudaTest, ADmabufShowsTheSameBytes) {
  const CudaDriver driver = Open();
  const auto buffer = Make(driver, 0, 2 << 20);
  ASSERT_TRUE(buffer);
  ASSERT_TRUE(buffer->Fill(5));
  const auto dmabuf = buffer->dmabuf();
  ASSERT_TRUE(dmabuf) << dmabuf.error().ToString();
  EXPECT_EQ(dmabuf->offset, 0u);
  void* view = mmap(nullptr, 2 << 20, PROT_READ | PROT_WRITE, MAP_SHARED, dmabuf->fd, 0);
  ASSERT_NE(view, MAP_FAILED);
  std::vector<std::byte> copy(2 << 20);
  ASSERT_TRUE(buffer->CopyOut(0, copy));
  EXPECT_EQ(std::memcmp(view, copy.data(), copy.size()), 0);
  std::memset(view, 0xee, 4096);
  const auto mismatch = buffer->Verify(5).value();
  ASSERT_TRUE(mismatch);
  EXPECT_EQ(mismatch->found, std::byte{0xee});
  munmap(view, 2 << 20);
}

TEST(LibcudaTest, AGpuWithoutDmabufSaysSo) {
  const CudaDriver driver = Open();
  const auto buffer = Make(driver, 2, 4096);
  ASSERT_TRUE(buffer);
  const auto dmabuf = buffer->dmabuf();
  ASSERT_FALSE(dmabuf);
  EXPECT_EQ(dmabuf.error().object, "gpu:0000:73:00.0");
}

TEST(LibcudaTest, OutOfMemoryNamesTheGpu) {
  const CudaDriver driver = Open();
  const auto half = Make(driver, 0, kGpuBytes / 2);
  ASSERT_TRUE(half);
  auto more = GpuBuffer::Create(driver, Gpu(0), Bytes{kGpuBytes / 2 + 1});
  ASSERT_FALSE(more);
  EXPECT_EQ(more.error().object, "gpu:0000:53:00.0");
  EXPECT_EQ(more.error().reason, "CUDA_ERROR_OUT_OF_MEMORY (2)");
  EXPECT_TRUE(Make(driver, 0, kGpuBytes / 2));  // and it came back
}

TEST(LibcudaTest, TheDeviceModelKnowsExactlyTheLivingAllocations) {
  const CudaDriver driver = Open();
  ASSERT_TRUE(known().allocations.empty());
  {
    const auto buffer = Make(driver, 1, (2 << 20) + 1);
    ASSERT_TRUE(buffer);
    ASSERT_EQ(known().allocations.size(), 1u);
    const RailgaugeGpuAllocation record = known().allocations.begin()->second;
    EXPECT_EQ(record.device_pointer, buffer->address());
    EXPECT_EQ(record.length, 4u << 20);
    EXPECT_EQ(record.gpu, 1);
    struct stat memfd = {}, dmabuf = {};
    ASSERT_EQ(fstat(record.memfd, &memfd), 0);
    ASSERT_EQ(fstat(buffer->dmabuf()->fd, &dmabuf), 0);
    EXPECT_EQ(memfd.st_ino, dmabuf.st_ino);
    EXPECT_EQ(memfd.st_dev, dmabuf.st_dev);
  }
  EXPECT_TRUE(known().allocations.empty());
}

TEST(LibcudaTest, TheMappingOverPcieIsAskedForWhereTheDriverKnowsIt) {
  const CudaDriver driver = Open();
  EXPECT_EQ(Make(driver, 0, 4096)->dmabuf_mapping(), "default");
  EXPECT_EQ(Make(driver, 1, 4096)->dmabuf_mapping(), "pcie");
  EXPECT_EQ(Make(driver, 2, 4096)->dmabuf_mapping(), "");
}

TEST(LibcudaTest, TellsItsAbilities) {
  const CudaDriver driver = Open();
  const CudaGpu& gpu = driver.gpus()[1];
  EXPECT_EQ(gpu.Attribute("dma_buf_supported"), 1);
  EXPECT_EQ(driver.gpus()[2].Attribute("dma_buf_supported"), 0);
  EXPECT_EQ(gpu.Attribute("gpu_direct_rdma_supported"), 1);
  EXPECT_EQ(gpu.Attribute("gpu_direct_rdma_with_cuda_vmm_supported"), 1);
  EXPECT_EQ(gpu.Attribute("gpu_direct_rdma_flush_writes_options"), 1);
  EXPECT_EQ(gpu.Attribute("gpu_direct_rdma_writes_ordering"), 0);
  EXPECT_EQ(driver.gpus()[0].Attribute("gpu_direct_rdma_writes_ordering"), 100);
  EXPECT_EQ(gpu.Attribute("no_such_attribute"), 0);
}

// By the GPU and by copies alike: what one fills the other must find right, and both must find the
// same first wrong byte.
TEST(LibcudaTest, TheGpuMakesAndComparesTheSamePatternAsCopies) {
  const CudaDriver driver = Open();
  constexpr uint64_t kLength = (1 << 20) + 4096;
  for (const int gpu : {0, 1}) {  // 1: its writes have to be flushed first
    const auto buffer = Make(driver, gpu, kLength);
    ASSERT_TRUE(buffer);
    const Status on_gpu = buffer->CheckOnGpu();
    ASSERT_TRUE(on_gpu) << on_gpu.error().ToString();
    struct Range {
      uint64_t offset, length, position;
    };
    for (const Range& r : {Range{0, kLength, 0}, Range{5, 100'003, 5}, Range{8, 70'000, 4096},
                           Range{3, 70'001, 11}, Range{1, 70'000, 0}, Range{0, 4096, 0}}) {
      ASSERT_TRUE(buffer->Fill(0, 0, kLength, 0));
      ASSERT_TRUE(buffer->Fill(42, r.offset, r.length, r.position));
      // As copies see it, and what lies beside is untouched.
      EXPECT_EQ(buffer->Buffer::Verify(42, r.offset, r.length, r.position).value(), std::nullopt);
      EXPECT_EQ(buffer->Buffer::Verify(0, 0, r.offset, 0).value(), std::nullopt);
      const uint64_t end = r.offset + r.length;
      EXPECT_EQ(buffer->Buffer::Verify(0, end, kLength - end, end).value(), std::nullopt);
      EXPECT_EQ(buffer->Verify(42, r.offset, r.length, r.position).value(), std::nullopt);
      for (const uint64_t wrong : {r.length - 1, r.length / 2, uint64_t{9}, uint64_t{0}}) {
        std::byte byte{};
        ASSERT_TRUE(buffer->CopyOut(r.offset + wrong, {&byte, 1}));
        byte ^= std::byte{0x20};
        ASSERT_TRUE(buffer->CopyIn(r.offset + wrong, {&byte, 1}));
        const auto found = buffer->Verify(42, r.offset, r.length, r.position).value();
        ASSERT_TRUE(found) << r.offset << " + " << wrong;
        EXPECT_EQ(found->offset, r.offset + wrong);
        EXPECT_EQ(found->found, byte);
      }
    }
  }
}

TEST(LibcudaTest, KernelsAndModulesAreChecked) {
  const CudaDriver driver = Open();
  const cuda::Calls& calls = driver.calls();
  const auto buffer = Make(driver, 0, 4096);
  ASSERT_TRUE(buffer);
  cuda::CuModule module = nullptr;
  cuda::CuFunction function = nullptr;
  EXPECT_EQ(calls.cuModuleLoadData(&module, ".version 6.3\n.target sm_70\nnonsense;"),
            cuda::kErrorInvalidPtx);
  ASSERT_EQ(calls.cuModuleLoadData(&module, GpuPatternPtx().c_str()), cuda::kSuccess);
  EXPECT_EQ(calls.cuModuleGetFunction(&function, module, "no_such_kernel"), cuda::kErrorNotFound);
  ASSERT_EQ(calls.cuModuleGetFunction(&function, module, "railgauge_fill"), cuda::kSuccess);
  uint64_t address = buffer->address(), words = 1, seed = 0, first = 0;
  void* parameters[] = {&address, &words, &seed, &first};
  const auto launch = [&](unsigned blocks, unsigned threads) {
    return calls.cuLaunchKernel(function, blocks, 1, 1, threads, 1, 1, 0, nullptr, parameters,
                                nullptr);
  };
  EXPECT_EQ(launch(1, 32), cuda::kSuccess);
  EXPECT_EQ(launch(0, 32), cuda::kErrorInvalidValue);
  EXPECT_EQ(launch(1, 1025), cuda::kErrorInvalidValue);
  EXPECT_EQ(calls.cuCtxSynchronize(), cuda::kSuccess);
  EXPECT_EQ(calls.cuModuleUnload(module), cuda::kSuccess);
  EXPECT_EQ(calls.cuModuleUnload(module), cuda::kErrorInvalidHandle);
  EXPECT_EQ(launch(1, 32), cuda::kErrorInvalidHandle);
}

TEST(LibcudaTest, WrongArgumentsGetTheDriversErrors) {
  const CudaDriver driver = Open();
  const cuda::Calls& calls = driver.calls();
  const auto buffer = Make(driver, 0, 2 << 20);
  ASSERT_TRUE(buffer);
  const uint64_t pointer = buffer->address();
  char byte = 0;
  int value = 0;
  EXPECT_EQ(calls.cuInit(1), cuda::kErrorInvalidValue);
  EXPECT_EQ(calls.cuDeviceGet(&value, 3), cuda::kErrorInvalidDevice);
  EXPECT_EQ(calls.cuDeviceGet(&value, -1), cuda::kErrorInvalidDevice);
  EXPECT_EQ(calls.cuDeviceGetAttribute(&value, 9999, 0), cuda::kErrorInvalidValue);
  EXPECT_EQ(calls.cuDeviceGetAttribute(&value, cuda::kAttributePciBusId, 1), cuda::kSuccess);
  EXPECT_EQ(value, 0x63);
  char id[13];
  EXPECT_EQ(calls.cuDeviceGetPCIBusId(id, 12, 0), cuda::kErrorInvalidValue);
  EXPECT_EQ(calls.cuDeviceGetPCIBusId(id, 13, 0), cuda::kSuccess);
  EXPECT_STREQ(id, "0000:53:00.0");
  EXPECT_EQ(calls.cuMemcpyHtoD_v2(pointer + (2 << 20), &byte, 1), cuda::kErrorInvalidValue);
  EXPECT_EQ(calls.cuMemcpyDtoH_v2(&byte, pointer - 1, 1), cuda::kErrorInvalidValue);
  EXPECT_EQ(calls.cuMemFree_v2(pointer + 4096), cuda::kErrorInvalidValue);
  cuda::CuDevicePointer more = 0;
  EXPECT_EQ(calls.cuMemAlloc_v2(&more, 0), cuda::kErrorInvalidValue);

  int fd = -1;
  const auto get_handle = [&](uint64_t p, size_t n, int type, unsigned long long flags) {
    return calls.cuMemGetHandleForAddressRange(&fd, p, n, type, flags);
  };
  EXPECT_EQ(get_handle(pointer + 1, 4096, 1, 0), cuda::kErrorInvalidValue);
  EXPECT_EQ(get_handle(pointer, 4095, 1, 0), cuda::kErrorInvalidValue);
  EXPECT_EQ(get_handle(pointer, (2 << 20) + 4096, 1, 0), cuda::kErrorInvalidValue);
  EXPECT_EQ(get_handle(pointer, 4096, 2, 0), cuda::kErrorInvalidValue);
  EXPECT_EQ(get_handle(pointer, 4096, 1, 8), cuda::kErrorInvalidValue);
  EXPECT_EQ(get_handle(pointer, 4096, 1, cuda::kDmaBufMappingPcie), cuda::kErrorInvalidValue);
  EXPECT_EQ(calls.cuFlushGPUDirectRDMAWrites(0, 100), cuda::kSuccess);
  EXPECT_EQ(calls.cuFlushGPUDirectRDMAWrites(0, 7), cuda::kErrorInvalidValue);
  ASSERT_EQ(get_handle(pointer + 8192, 4096, 1, 0), cuda::kSuccess);
  EXPECT_EQ(lseek(fd, 0, SEEK_CUR), 8192);
  close(fd);

  std::thread([&] {  // a thread of its own has no current context
    EXPECT_EQ(calls.cuMemAlloc_v2(&more, 1), cuda::kErrorInvalidContext);
    EXPECT_EQ(calls.cuMemcpyDtoH_v2(&byte, pointer, 1), cuda::kErrorInvalidContext);
  })
      .join();
}

// Each in a process of its own, as the environment is read once.

void ExitIfAddressesAre(const std::vector<PciAddress>& expected) {
  const CudaDriver driver = Open();
  std::vector<PciAddress> addresses;
  for (const CudaGpu& gpu : driver.gpus()) addresses.push_back(gpu.address);
  std::fprintf(stderr, "%s", driver.absence_reason().c_str());
  std::_Exit(addresses == expected ? 0 : 1);
}

TEST(LibcudaDeathTest, CudaVisibleDevicesPermutesTheOrdinals) {
  EXPECT_EXIT(
      {
        setenv("CUDA_VISIBLE_DEVICES", "2,0", 1);
        ExitIfAddressesAre({Gpu(2), Gpu(0)});
      },
      testing::ExitedWithCode(0), "");
}

TEST(LibcudaDeathTest, AnAllocationLiesOnTheGpuWhoseOrdinalItIs) {
  EXPECT_EXIT(
      {
        setenv("CUDA_VISIBLE_DEVICES", "1,0", 1);
        const CudaDriver driver = Open();
        const auto buffer = Make(driver, 1, 4096);
        std::_Exit(buffer && known().allocations.begin()->second.gpu == 1 ? 0 : 1);
      },
      testing::ExitedWithCode(0), "");
}

TEST(LibcudaDeathTest, WithoutAJitCompilerItGoesOnByCopies) {
  EXPECT_EXIT(
      {
        setenv("RAILGAUGE_EMULATED_CUDA_JIT", "none", 1);
        const CudaDriver driver = Open();
        const auto buffer = Make(driver, 0, 1 << 20);
        const Status on_gpu = buffer->CheckOnGpu();
        std::fprintf(stderr, "%s", on_gpu ? "" : on_gpu.error().ToString().c_str());
        const bool right = !on_gpu && buffer->Fill(3) && buffer->Verify(3).value() == std::nullopt;
        std::_Exit(right ? 0 : 1);
      },
      testing::ExitedWithCode(0),
      "cuModuleLoadData gpu:0000:53:00.0: CUDA_ERROR_JIT_COMPILER_NOT_FOUND \\(221\\)");
}

TEST(LibcudaDeathTest, AKernelOutsideOfItsMemoryIsToldAndTheContextStaysBroken) {
  EXPECT_EXIT(
      {
        const CudaDriver driver = Open();
        const auto buffer = Make(driver, 0, 4096);
        auto pattern = GpuPattern::Create(driver, driver.gpus()[0]);
        const Status beyond = (*pattern)->Fill(buffer->address(), uint64_t{1} << 20, 1, 0);
        std::fprintf(stderr, "%s", beyond ? "" : beyond.error().ToString().c_str());
        std::_Exit(!beyond && !(*pattern)->Fill(buffer->address(), 1, 1, 0) ? 0 : 1);
      },
      testing::ExitedWithCode(0), "CUDA_ERROR_ILLEGAL_ADDRESS");
}

TEST(LibcudaDeathTest, WithoutVisibleGpusThereIsAReason) {
  EXPECT_EXIT(
      {
        setenv("CUDA_VISIBLE_DEVICES", "", 1);
        ExitIfAddressesAre({});
      },
      testing::ExitedWithCode(0), "CUDA_ERROR_NO_DEVICE");
  EXPECT_EXIT(
      {
        setenv("NO_GPUS", "1", 1);
        ExitIfAddressesAre({});
      },
      testing::ExitedWithCode(0), "CUDA_ERROR_NO_DEVICE");
}

TEST(LibcudaDeathTest, BeforeCuInitEveryCallIsRefused) {
  EXPECT_EXIT(
      {
        void* library = dlopen(kLibrary, RTLD_NOW | RTLD_LOCAL);
        const auto get_count =
            reinterpret_cast<cuda::CuResult (*)(int*)>(dlsym(library, "cuDeviceGetCount"));
        int count = 0;
        std::_Exit(get_count(&count) == cuda::kErrorNotInitialized ? 0 : 1);
      },
      testing::ExitedWithCode(0), "");
}

TEST(LibcudaDeathTest, TheCpuCannotReadADevicePointer) {
  EXPECT_DEATH(
      {
        const CudaDriver driver = Open();
        const auto buffer = Make(driver, 0, 4096);
        (void)*reinterpret_cast<volatile char*>(buffer->address());
      },
      "");
}

}  // namespace
}  // namespace railgauge

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  return RUN_ALL_TESTS();
}
