// PlaceMemory: the buffers that a run measures with, one per place and role, made when first asked
// for.
#ifndef RAILGAUGE_LIB_MEASURE_PLACE_MEMORY_H_
#define RAILGAUGE_LIB_MEASURE_PLACE_MEMORY_H_

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "lib/base/result.h"
#include "lib/base/units.h"
#include "lib/memory/buffer.h"
#include "lib/memory/cuda_driver.h"
#include "lib/record/memory_facts.h"
#include "lib/record/place.h"

namespace railgauge {

// Both ends of a transfer may lie in one NUMA node, so each node has a buffer for each.
enum class MemoryRole { kUnderTest, kPartner };

// How much memory a run rotates over. Host memory: kCacheMultiple times the last-level cache (the
// largest of the machine), so that the device is not served from a cache alone; 64 MiB at least and
// where no cache is shown, 1 GiB at most. GPUs: 64 MiB, more than their caches.
inline constexpr uint64_t kCacheMultiple = 2;
struct WorkingSet {
  Bytes host;
  Bytes gpu;
  Bytes last_level_cache;  // 0: not shown
  bool asked_for = false;  // somebody wants just this: it holds for the other end, too

  // Why it may be served from a cache; empty when it is known to be beyond kCacheMultiple of it.
  std::string Remark() const;
};
WorkingSet DefaultWorkingSet(const std::string& sysfs = "/sys");  // `sysfs` is for tests

class PlaceMemory {
 public:
  PlaceMemory(CudaDriver cuda, WorkingSet working_set)
      : cuda_(std::move(cuda)), working_set_(working_set) {}

  const CudaDriver& cuda() const { return cuda_; }
  Bytes SizeFor(const MemoryPlace& place) const {
    return place.is_gpu() ? working_set_.gpu : working_set_.host;
  }

  // The buffer stays where it is as long as this object. A failure is remembered and given again.
  Result<Buffer*> Get(const MemoryPlace& place, MemoryRole role);

  // Of every buffer made so far, in order of place and role.
  std::vector<BufferFacts> Facts() const;
  // What a reader of the results should know of them, each once: a place that the kernel would not
  // confirm.
  const std::vector<std::string>& remarks() const { return remarks_; }

 private:
  using Made = std::pair<std::unique_ptr<Buffer>, BufferFacts>;
  Result<Made> Make(const MemoryPlace& place, MemoryRole role) const;
  // Of a buffer that was just made.
  void Remark(const BufferFacts& facts);

  CudaDriver cuda_;
  WorkingSet working_set_;
  std::map<std::pair<MemoryPlace, MemoryRole>, Result<Made>> buffers_;
  std::vector<std::string> remarks_;
};

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_MEASURE_PLACE_MEMORY_H_
