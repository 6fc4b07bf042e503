#include "lib/emulator/fabric/process_copy.h"

#include <algorithm>
#include <cerrno>

#include "lib/emulator/preload/safe_copy.h"
#include "lib/emulator/uverbs/raw_syscall.h"

namespace railgauge {

using efa::CopyOutcome;
using efa::kOwnMemory;
using efa::MemoryCopy;
using efa::MemoryOwner;

namespace {

// All `bytes` of the ranges to or from `local`: 0, or an errno value.
int Transfer(int64_t call, MemoryOwner owner, std::byte* local, size_t bytes,
             std::span<const iovec> ranges) {
  const iovec here = {.iov_base = local, .iov_len = bytes};
  const int64_t done = RawSyscall(call, owner, &here, 1, ranges.data(), ranges.size(), 0);
  if (done < 0) return static_cast<int>(-done);
  // It stops at the first range that it cannot reach.
  return static_cast<size_t>(done) == bytes ? 0 : EFAULT;
}

}  // namespace

ProcessCopy::ProcessCopy() : buffer_(kBufferBytes) {
  ranges_.reserve(kMostRanges);
  run_.reserve(kMostRanges);
}

CopyOutcome ProcessCopy::CopyThroughBuffer(std::span<const MemoryCopy> copies) {
  const MemoryOwner source = copies.front().source_owner;
  const MemoryOwner destination = copies.front().destination_owner;
  size_t total = 0;
  for (const MemoryCopy& copy : copies) total += copy.bytes;
  if (source == kOwnMemory) {
    size_t at = 0;
    for (const MemoryCopy& copy : copies) {
      if (SafeCopy(buffer_.data() + at, copy.source, copy.bytes) != CopyOutcome::kDone) {
        return CopyOutcome::kSourceFault;
      }
      at += copy.bytes;
    }
  } else {
    ranges_.clear();
    for (const MemoryCopy& copy : copies) {
      ranges_.push_back({const_cast<std::byte*>(copy.source), copy.bytes});
    }
    const int error = Transfer(SYS_process_vm_readv, source, buffer_.data(), total, ranges_);
    if (error != 0) return error == ESRCH ? CopyOutcome::kSourceGone : CopyOutcome::kSourceFault;
  }
  if (destination == kOwnMemory) {
    size_t at = 0;
    for (const MemoryCopy& copy : copies) {
      if (SafeCopy(copy.destination, buffer_.data() + at, copy.bytes) != CopyOutcome::kDone) {
        return CopyOutcome::kDestinationFault;
      }
      at += copy.bytes;
    }
    return CopyOutcome::kDone;
  }
  ranges_.clear();
  for (const MemoryCopy& copy : copies) ranges_.push_back({copy.destination, copy.bytes});
  const int error = Transfer(SYS_process_vm_writev, destination, buffer_.data(), total, ranges_);
  if (error == 0) return CopyOutcome::kDone;
  return error == ESRCH ? CopyOutcome::kDestinationGone : CopyOutcome::kDestinationFault;
}

CopyOutcome ProcessCopy::Copy(std::span<const MemoryCopy> copies) {
  size_t next = 0;
  uint64_t skip = 0;  // of copies[next]
  while (next < copies.size()) {
    const MemoryCopy& first = copies[next];
    if (first.source_owner == kOwnMemory && first.destination_owner == kOwnMemory) {
      const CopyOutcome outcome = SafeCopy(first.destination, first.source, first.bytes);
      if (outcome != CopyOutcome::kDone) return outcome;
      ++next;
      continue;
    }
    run_.clear();
    uint64_t room = kBufferBytes;
    while (next < copies.size() && room > 0 && run_.size() < kMostRanges) {
      MemoryCopy piece = copies[next];
      if (piece.source_owner != first.source_owner ||
          piece.destination_owner != first.destination_owner) {
        break;
      }
      piece.source += skip;
      piece.destination += skip;
      piece.bytes = std::min(piece.bytes - skip, room);
      room -= piece.bytes;
      skip += piece.bytes;
      if (skip == copies[next].bytes) {
        skip = 0;
        ++next;
      }
      if (piece.bytes > 0) run_.push_back(piece);
    }
    if (run_.empty()) continue;
    const CopyOutcome outcome = CopyThroughBuffer(run_);
    if (outcome != CopyOutcome::kDone) return outcome;
  }
  return CopyOutcome::kDone;
}

}  // namespace railgauge
