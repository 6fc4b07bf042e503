// PlaceMemory: the buffers that a run measures with, one per place and role, made when first asked
// for.
#ifndef RAILGAUGE_LIB_MEASURE_PLACE_MEMORY_H_
#define RAILGAUGE_LIB_MEASURE_PLACE_MEMORY_H_

#include <map>
#include <memory>
#include <string>
#include <utility>

#include "lib/base/result.h"
#include "lib/base/units.h"
#include "lib/memory/buffer.h"
#include "lib/memory/cuda_driver.h"
#include "lib/record/place.h"

namespace railgauge {

// Both ends of a transfer may lie in one NUMA node, so each node has a buffer for each.
enum class MemoryRole { kUnderTest, kPartner };

// How much memory a run rotates over. Host memory: twice the last-level cache, so that the device
// is not served from the cache alone, between 64 MiB and 512 MiB; 64 MiB where the cache's size is
// not shown (`sysfs` is for tests). GPUs: 64 MiB, more than their caches.
struct WorkingSet {
  Bytes host;
  Bytes gpu;
};
WorkingSet DefaultWorkingSet(const std::string& sysfs = "/sys");

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

 private:
  Result<std::unique_ptr<Buffer>> Make(const MemoryPlace& place) const;

  CudaDriver cuda_;
  WorkingSet working_set_;
  std::map<std::pair<MemoryPlace, MemoryRole>, Result<std::unique_ptr<Buffer>>> buffers_;
};

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_MEASURE_PLACE_MEMORY_H_
