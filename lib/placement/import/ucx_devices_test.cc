#include "lib/placement/import/ucx_devices.h"

#include <string>

#include "gtest/gtest.h"
#include "lib/placement/import/import_testutil.h"
#include "lib/topology/machine_testutil.h"

namespace railgauge {
namespace {

TEST(UcxDevicesTest, OneProcessPerBlock) {
  EXPECT_EQ(
      ImportLines(ImportUcxDevices,
                  "#!/bin/sh\n# UCX_NET_DEVICES=rdmap999s0:1\n"
                  "CUDA_VISIBLE_DEVICES=0 UCX_NET_DEVICES=rdmap79s0:1,rdmap80s0 ./serve\n"
                  "CUDA_VISIBLE_DEVICES=1,2 UCX_NET_DEVICES='0000:60:00.0' ./serve\n"
                  "\nexport UCX_NET_DEVICES=\"rdmap198s0:1\"\nexport CUDA_VISIBLE_DEVICES=7\n",
                  MakeP5()),
      "53: 4f 50; 64: 60; 75: 60; ca: c6");
}

TEST(UcxDevicesTest, WithoutGpusItIsForAll) {
  Machine machine = MakeP4d();
  machine.gpus.resize(2);
  EXPECT_EQ(ImportLines(ImportUcxDevices, "UCX_NET_DEVICES=rdmap16s27:1", machine),
            "10.1c: 10.1b; 10.1d: 10.1b");
  EXPECT_EQ(ImportLines(ImportUcxDevices, "UCX_NET_DEVICES=all", machine),
            "10.1c: 10.1b 20.1b 90.1b a0.1b; 10.1d: 10.1b 20.1b 90.1b a0.1b");
}

TEST(UcxDevicesTest, Errors) {
  const struct {
    const char* content;
    const char* start;
  } cases[] = {
      {"", "error: read f:1: it sets UCX_NET_DEVICES to no device"},
      {"UCX_NET_DEVICES=", "error: read f:1: it sets UCX_NET_DEVICES to no device"},
      {"MY_UCX_NET_DEVICES=rdmap79s0", "error: read f:1: it sets UCX_NET_DEVICES to no device"},
      {"\nUCX_NET_DEVICES=rdmap79s1:1",
       "error: read f:2: find NIC 'rdmap79s1': this machine has no EFA NIC of that name. The "
       "nearest "
       "spelling"},
      {"UCX_NET_DEVICES=mlx5_0:1", "error: read f:1: find NIC 'mlx5_0'"},
      {"UCX_NET_DEVICES=rdmap79s0:2", "error: read f:1: find NIC 'rdmap79s0:2'"},
      {"\nUCX_NET_DEVICES=rdmap79s0:1,rdmap80s0,0000:4f:00.0",
       "error: read f:2: UCX_NET_DEVICES names 0000:4f:00.0 twice. Name every NIC once."},
      {"UCX_NET_DEVICES=rdmap79s0,all",
       "error: read f:1: UCX_NET_DEVICES names 0000:4f:00.0 twice"},
      {"CUDA_VISIBLE_DEVICES=1,0,1\nUCX_NET_DEVICES=rdmap79s0",
       "error: read f:1: CUDA_VISIBLE_DEVICES names GPU 1 twice. Name every GPU once."},
      {"CUDA_VISIBLE_DEVICES=8\nUCX_NET_DEVICES=rdmap79s0",
       "error: read f:1: it names GPU 8, and this machine shows 8"},
      {"UCX_NET_DEVICES=rdmap79s0 CUDA_VISIBLE_DEVICES=GPU-1",
       "error: read f:1: 'GPU-1' in CUDA_VISIBLE_DEVICES is no number"},
  };
  for (const auto& c : cases) {
    const std::string lines = ImportLines(ImportUcxDevices, c.content, MakeP5());
    EXPECT_TRUE(lines.starts_with(c.start)) << lines;
  }
}

TEST(UcxDevicesTest, DamageDoesNoHarm) {
  ExpectNoHarm(ImportUcxDevices,
               "CUDA_VISIBLE_DEVICES=0 UCX_NET_DEVICES=rdmap79s0:1,rdmap80s0:1 ./serve\n"
               "CUDA_VISIBLE_DEVICES=1 UCX_NET_DEVICES=rdmap96s0:1 ./serve\n",
               MakeP5());
}

}  // namespace
}  // namespace railgauge
