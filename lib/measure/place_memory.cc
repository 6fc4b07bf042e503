#include "lib/measure/place_memory.h"

#include <algorithm>
#include <charconv>
#include <cstdint>

#include "lib/base/file.h"
#include "lib/memory/gpu_buffer.h"
#include "lib/memory/host_buffer.h"

namespace railgauge {
namespace {

constexpr uint64_t kSmallest = uint64_t{64} << 20;
constexpr uint64_t kLargest = uint64_t{512} << 20;

// Of the first CPU's third level, "107520K" in sysfs; 0 when it is not shown.
uint64_t LastLevelCacheBytes(const std::string& sysfs) {
  const auto text = ReadAttribute(sysfs + "/devices/system/cpu/cpu0/cache/index3/size");
  if (!text) return 0;
  uint64_t kibibytes = 0;
  const char* end = text->data() + text->size();
  const auto parsed = std::from_chars(text->data(), end, kibibytes);
  if (parsed.ec != std::errc() || end - parsed.ptr != 1 || *parsed.ptr != 'K') return 0;
  return kibibytes * 1024;
}

}  // namespace

WorkingSet DefaultWorkingSet(const std::string& sysfs) {
  constexpr uint64_t kMebibyte = uint64_t{1} << 20;
  const uint64_t twice_cache = LastLevelCacheBytes(sysfs) * 2 / kMebibyte * kMebibyte;
  return {Bytes{std::clamp(twice_cache, kSmallest, kLargest)}, Bytes{kSmallest}};
}

Result<Buffer*> PlaceMemory::Get(const MemoryPlace& place, MemoryRole role) {
  auto it = buffers_.find({place, role});
  if (it == buffers_.end()) it = buffers_.emplace(std::pair{place, role}, Make(place)).first;
  if (!it->second) return Fail(it->second.error());
  return it->second->get();
}

Result<std::unique_ptr<Buffer>> PlaceMemory::Make(const MemoryPlace& place) const {
  if (place.is_gpu()) {
    RAILGAUGE_ASSIGN_OR_RETURN(auto buffer, GpuBuffer::Create(cuda_, place.gpu, SizeFor(place)));
    return buffer;
  }
  // Fewer, larger pages: registration is faster and the device's translation table smaller.
  RAILGAUGE_ASSIGN_OR_RETURN(auto buffer, HostBuffer::Create(place.numa_node, SizeFor(place),
                                                             HostBuffer::Pages::kTransparent));
  return buffer;
}

}  // namespace railgauge
