// run.json: what a run was: the machine, the software, the command line, the clock, the thresholds.
//
// Everything here comes from the caller as plain data; this file reads no clock and no device. An
// empty string or optional is written as null: unknown.
#ifndef RAILGAUGE_LIB_REPORT_RUN_JSON_H_
#define RAILGAUGE_LIB_REPORT_RUN_JSON_H_

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "lib/base/pci_address.h"
#include "lib/record/memory_facts.h"
#include "lib/record/records.h"
#include "lib/topology/machine.h"

namespace railgauge {

// What PCI does not show of a NIC of the machine.
struct NicFacts {
  PciAddress address;
  std::string firmware;                   // as the device reports it
  std::string p2p_provider;               // the kernel's peer memory provider; "none" is one answer
  std::vector<std::string> capabilities;  // "rdma_read", "rdma_write", …
};

// A number that a verdict depended on.
struct Threshold {
  std::string name;
  double value = 0;
  std::string reason;
};

// The other host of a two-host run, as it says itself.
struct PeerFacts {
  std::string software;  // "railgauge 0.1.0"
  std::string host;
  std::string instance_id;
  std::string instance_type;
  std::string platform;
};

struct RunInfo {
  RunIdentity run;
  Machine machine;
  std::vector<NicFacts> nics;        // of any NICs of `machine`
  std::vector<CudaGpuFacts> cuda;    // of the GPUs that CUDA shows
  std::vector<BufferFacts> buffers;  // what was measured with
  std::string availability_zone;
  std::string image_id;
  std::string kernel;
  std::string driver_version;                   // of the efa driver
  std::map<std::string, std::string> versions;  // railgauge, rdma-core, hwloc, …
  std::string command;                          // "check"
  std::vector<std::string> command_line;
  std::chrono::system_clock::time_point start;
  std::optional<std::chrono::system_clock::time_point> end;  // empty while the run goes on
  std::optional<int> exit_status;
  // What the launcher was asked to emulate ("p5.48xlarge,FAULT"); empty otherwise. The tool cannot
  // know it by itself.
  std::string scenario;
  std::vector<Threshold> thresholds;
  std::optional<PeerFacts> peer;        // empty: loopback
  std::optional<uint32_t> queue_pairs;  // per NIC, at most; empty: nothing was measured
  std::vector<std::string> notes;       // warnings that a reader of the report needs
};

// "2025-01-02T03:04:05.678Z".
std::string FormatUtc(std::chrono::system_clock::time_point time);

// The file's content: one JSON object, indented, keys always in the same order.
std::string RunJson(const RunInfo& info);

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_REPORT_RUN_JSON_H_
