// Where there is no GPU; emulator/cuda has the tests with (emulated) GPUs.
#include "lib/memory/cuda_driver.h"

#include "gtest/gtest.h"
#include "lib/memory/gpu_buffer.h"

namespace railgauge {
namespace {

TEST(CudaDriverTest, NoDriverIsANormalStateWithAReason) {
  auto driver = CudaDriver::Open("libcuda-that-is-not-there.so.1");
  ASSERT_TRUE(driver);
  EXPECT_TRUE(driver->gpus().empty());
  EXPECT_EQ(driver->absence_reason(),
            "no CUDA driver: libcuda-that-is-not-there.so.1: cannot open shared object file: "
            "No such file or directory");
}

TEST(CudaDriverTest, ALibraryThatIsNoCudaDriverIsAnError) {
  auto driver = CudaDriver::Open("libm.so.6");
  ASSERT_FALSE(driver);
  EXPECT_EQ(driver.error().object, "libm.so.6");
  EXPECT_EQ(driver.error().reason, "it lacks cuInit");
  EXPECT_EQ(CudaDriver::OpenOrAbsent("libm.so.6").absence_reason(), driver.error().ToString());
}

TEST(CudaDriverTest, AGpuBufferWithoutADriverSaysWhy) {
  const CudaDriver driver = CudaDriver::Absent("no CUDA driver: test");
  auto buffer = GpuBuffer::Create(driver, *PciAddress::Parse("0000:53:00.0"), Bytes{4096});
  ASSERT_FALSE(buffer);
  EXPECT_EQ(buffer.error().ToString(),
            "allocate GPU memory gpu:0000:53:00.0: no CUDA driver: test");
}

}  // namespace
}  // namespace railgauge
