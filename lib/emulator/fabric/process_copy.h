// ProcessCopy: copies between the memory of this process and of others.
//
// An owner of memory is a process id; other processes are reached by process_vm_readv(2) and
// process_vm_writev(2), which an ancestor of the same user may (also under Yama's scope 1), and
// which answer EFAULT, not a signal, where memory is gone. Each call takes up to 1024 ranges, so a
// sampled payload costs as many calls as one that lies in one piece. Between two other processes,
// data goes through a buffer here that fits into the CPU's cache.
#ifndef RAILGAUGE_LIB_EMULATOR_FABRIC_PROCESS_COPY_H_
#define RAILGAUGE_LIB_EMULATOR_FABRIC_PROCESS_COPY_H_

#include <sys/uio.h>

#include <cstddef>
#include <span>
#include <vector>

#include "lib/emulator/device/environment.h"

namespace railgauge {

// Not thread-safe.
class ProcessCopy {
 public:
  ProcessCopy();

  // Needs the handler of preload/fault_handler.h: own memory may be a file that somebody truncates.
  efa::CopyOutcome Copy(std::span<const efa::MemoryCopy> copies);

 private:
  static constexpr size_t kBufferBytes = size_t{256} << 10;
  static constexpr size_t kMostRanges = 1024;  // IOV_MAX

  // The same owners, at most kMostRanges, at most kBufferBytes together.
  efa::CopyOutcome CopyThroughBuffer(std::span<const efa::MemoryCopy> copies);

  std::vector<std::byte> buffer_;
  std::vector<iovec> ranges_;
  std::vector<efa::MemoryCopy> run_;
};

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_EMULATOR_FABRIC_PROCESS_COPY_H_
