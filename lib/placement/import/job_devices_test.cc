#include "lib/placement/import/job_devices.h"

#include <string>

#include "gtest/gtest.h"
#include "lib/placement/import/import_testutil.h"
#include "lib/topology/machine_testutil.h"

namespace railgauge {
namespace {

constexpr char kScontrol[] =
    "JobId=7 JobName=train\n   TRES=cpu=96,node=2,gres/gpu=2\n   JOB_GRES=gpu:h100:2\n"
    "     Nodes=test-host CPU_IDs=0-47 Mem=0 GRES=gpu:h100:2(IDX:0,7),efa:8(IDX:0-3,28-31)\n"
    "     Nodes=node-b CPU_IDs=0-47 Mem=0 GRES=gpu:h100:1(IDX:3)\n";

TEST(SlurmJobTest, ThisHostsDevices) {
  EXPECT_EQ(ImportLines(ImportSlurmJob, kScontrol, MakeP5()), "53: 4f 50 51 52; ca: c6 c7 c8 c9");
  Machine other = MakeP5();
  other.hostname = "node-b";
  // No gres counts NICs there: all 32 are the job's.
  EXPECT_EQ(ImportLines(ImportSlurmJob, kScontrol, other).size(),
            std::string("86:").size() + 32 * 3);
  other.hostname = "node-c";
  EXPECT_TRUE(ImportLines(ImportSlurmJob, kScontrol, other)
                  .starts_with("error: read f:4: it lists several hosts and not this machine"));
}

// One NIC each first, the nearest free one; the fourth NIC to the first GPU.
TEST(SlurmJobTest, TheVariableOfAJob) {
  EXPECT_EQ(ImportLines(ImportSlurmJob, "SLURM_JOB_GPUS=0,2-3\n", MakeP4d()),
            "10.1c: 10.1b a0.1b; 20.1c: 20.1b; 20.1d: 90.1b");
}

TEST(SlurmJobTest, JobAndStepMayNameTheSame) {
  EXPECT_EQ(ImportLines(ImportSlurmJob, "SLURM_JOB_GPUS=0,2 SLURM_STEP_GPUS=0\n", MakeP4d()),
            ImportLines(ImportSlurmJob, "SLURM_JOB_GPUS=0,2\n", MakeP4d()));
}

TEST(SlurmJobTest, Errors) {
  const struct {
    const char* content;
    const char* start;
  } cases[] = {
      {"Nodes=a GRES=gpu:8", "error: read f:1: it says of no GPU that the job has it"},
      {"\nNodes=a GRES=gpu:8(IDX:0-8)",
       "error: read f:2: it names GPU 8, and this machine shows 8"},
      {"Nodes=a GRES=gpu:8(IDX:0),efa:1(IDX:32)",
       "error: read f:1: it names NIC 32, and this machine shows 32"},
      {"SLURM_JOB_GPUS=all", "error: read f:1: 'all' is no list of indexes"},
      {"SLURM_JOB_GPUS=3-1", "error: read f:1: '3-1' is no list of indexes"},
      {"\nSLURM_JOB_GPUS=0-2,1", "error: read f:2: it names GPU 1 twice. Name every device"},
      {"Nodes=a GRES=gpu:8(IDX:0),efa:1(IDX:3,3)", "error: read f:1: it names NIC 3 twice"},
      {"SLURM_JOB_GPUS=0-999999999", "error: read f:1: '0-999999999' is no list of indexes"},
  };
  for (const auto& c : cases) {
    const std::string lines = ImportLines(ImportSlurmJob, c.content, MakeP5());
    EXPECT_TRUE(lines.starts_with(c.start)) << lines;
  }
  ExpectNoHarm(ImportSlurmJob, kScontrol, MakeP5());
}

constexpr char kPodResources[] = R"({"podResources": [
  {"name": "prefill", "namespace": "default", "containers": [
    {"name": "main", "devices": [
      {"resourceName": "nvidia.com/gpu", "deviceIds": ["0000:53:00.0", "1"]},
      {"resourceName": "vpc.amazonaws.com/efa", "deviceIds": ["rdmap79s0", "0000:60:00.0"]},
      {"resourceName": "hugepages", "deviceIds": ["whatever"]}]},
    {"name": "sidecar"}]},
  {"name": "decode", "containers": [
    {"devices": [
      {"resource_name": "nvidia.com/gpu", "device_ids": ["7"]},
      {"resource_name": "vpc.amazonaws.com/efa", "device_ids": ["rdmap198s0"]}]}]}]})";

TEST(KubernetesDevicesTest, EachContainersDevices) {
  EXPECT_EQ(ImportLines(ImportKubernetesDevices, kPodResources, MakeP5()),
            "53: 4f; 64: 60; ca: c6");
}

// A container whose NICs are below other switches than its GPU keeps them: that is the verdict's.
TEST(KubernetesDevicesTest, TheCheckpointByNodeAndAsAList) {
  EXPECT_EQ(ImportLines(ImportKubernetesDevices,
                        R"({"Data": {"PodDeviceEntries": [
  {"PodUID": "u", "ContainerName": "c", "ResourceName": "nvidia.com/gpu", "DeviceIDs": {"0": ["0"]}},
  {"PodUID": "u", "ContainerName": "c", "ResourceName": "vpc.amazonaws.com/efa",
   "DeviceIDs": {"0": ["rdmap96s0"], "1": ["rdmap198s0"]}},
  {"PodUID": "v", "ContainerName": "c", "ResourceName": "nvidia.com/gpu", "DeviceIDs": ["7"]},
  {"PodUID": "v", "ContainerName": "c", "ResourceName": "vpc.amazonaws.com/efa",
   "DeviceIDs": ["0000:c7:00.0"]}]}, "Checksum": 1})",
                        MakeP5()),
            "53: 60 c6; ca: c7");
}

TEST(KubernetesDevicesTest, Errors) {
  const struct {
    const char* content;
    const char* start;
  } cases[] = {
      {R"({"podResources": []})", "error: read f:1: it gives no GPU to any container"},
      {R"([])", "error: read f:1: it gives no GPU to any container"},
      {R"({"podResources": 3, "Data": {"PodDeviceEntries": "x"}})",
       "error: read f:1: it gives no GPU to any container"},
      {"{\"podResources\": [{\"containers\": [{\"devices\": [{\"resourceName\": "
       "\"nvidia.com/gpu\",\n"
       "\"deviceIds\": [\"GPU-4d2c\"]}]}]}]}",
       "error: read f:2: it names a GPU by its UUID, 'GPU-4d2c'"},
      {"{\"podResources\": [{\"containers\": [{\"devices\": [{\"resourceName\": \"a/efa\",\n"
       "\"deviceIds\": [\"rdmap79\"]}]}]}]}",
       "error: read f:2: find NIC 'rdmap79': this machine has no EFA NIC of that name. The nearest "
       "spelling is rdmap79s0"},
  };
  for (const auto& c : cases) {
    const std::string lines = ImportLines(ImportKubernetesDevices, c.content, MakeP5());
    EXPECT_TRUE(lines.starts_with(c.start)) << lines;
  }
  ExpectNoHarm(ImportKubernetesDevices, kPodResources, MakeP5());
}

}  // namespace
}  // namespace railgauge
