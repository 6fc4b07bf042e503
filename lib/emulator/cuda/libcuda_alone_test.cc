// The emulated libcuda.so.1 in a process without the preload library.
#include "gtest/gtest.h"
#include "lib/memory/cuda_driver.h"

namespace railgauge {
namespace {

TEST(LibcudaAloneTest, IsADriverThatFindsNoGpu) {
  auto driver = CudaDriver::Open("lib/emulator/cuda/libcuda.so.1");
  ASSERT_TRUE(driver) << driver.error().ToString();
  EXPECT_TRUE(driver->gpus().empty());
  EXPECT_EQ(driver->absence_reason(),
            "the CUDA driver shows no GPU (cuInit: CUDA_ERROR_NO_DEVICE)");
}

}  // namespace
}  // namespace railgauge
