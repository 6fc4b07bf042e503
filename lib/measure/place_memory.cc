#include "lib/measure/place_memory.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>
#include <system_error>

#include "fmt/core.h"
#include "lib/base/file.h"
#include "lib/memory/gpu_buffer.h"
#include "lib/memory/host_buffer.h"

namespace railgauge {
namespace {

constexpr uint64_t kMebibyte = uint64_t{1} << 20;
constexpr uint64_t kSmallest = 64 * kMebibyte;
// All of a run's host buffers are pinned at once: two for each NUMA node.
constexpr uint64_t kLargest = 1024 * kMebibyte;

std::optional<uint64_t> ReadNumber(const std::string& path, std::string_view unit) {
  const auto text = ReadAttribute(path);
  if (!text || !text->ends_with(unit)) return std::nullopt;
  const char* const end = text->data() + text->size() - unit.size();
  uint64_t number = 0;
  const auto parsed = std::from_chars(text->data(), end, number);
  if (parsed.ec != std::errc() || parsed.ptr != end) return std::nullopt;
  return number;
}

// The largest cache of the highest level that any CPU shows; 0 when none is shown. All CPUs, since
// the first may be another kind, or offline.
uint64_t LastLevelCacheBytes(const std::string& sysfs) {
  uint64_t last_level = 0, bytes = 0;
  const std::string cpus = sysfs + "/devices/system/cpu";
  std::error_code error;
  for (const auto& cpu : std::filesystem::directory_iterator(cpus, error)) {
    const std::string name = cpu.path().filename().string();
    if (!name.starts_with("cpu") || name.size() == 3 || name[3] < '0' || name[3] > '9') continue;
    for (int index = 0;; ++index) {
      const std::string cache = fmt::format("{}/cache/index{}", cpu.path().string(), index);
      const auto level = ReadNumber(cache + "/level", "");
      if (!level) break;
      if (*level < last_level) continue;
      const auto kibibytes = ReadNumber(cache + "/size", "K");  // "107520K"
      if (!kibibytes) continue;
      bytes = *level > last_level ? *kibibytes * 1024 : std::max(bytes, *kibibytes * 1024);
      last_level = *level;
    }
  }
  return bytes;
}

}  // namespace

WorkingSet DefaultWorkingSet(const std::string& sysfs) {
  const uint64_t cache = LastLevelCacheBytes(sysfs);
  const uint64_t wanted = (cache * kCacheMultiple + kMebibyte - 1) / kMebibyte * kMebibyte;
  return {.host = Bytes{std::clamp(wanted, kSmallest, kLargest)},
          .gpu = Bytes{kSmallest},
          .last_level_cache = Bytes{cache},
          .asked_for = false};
}

std::string WorkingSet::Remark() const {
  if (last_level_cache.count == 0) {
    return fmt::format(
        "the size of the last-level cache is not shown: a working set of {} may fit it",
        FormatBytes(host));
  }
  if (host.count >= last_level_cache.count * kCacheMultiple) return "";
  return fmt::format(
      "the working set of {} is not {} times the last-level cache ({}): rates of host "
      "memory may be its",
      FormatBytes(host), kCacheMultiple, FormatBytes(last_level_cache));
}

Result<Buffer*> PlaceMemory::Get(const MemoryPlace& place, MemoryRole role) {
  auto it = buffers_.find({place, role});
  if (it == buffers_.end()) {
    it = buffers_.emplace(std::pair{place, role}, Make(place, role)).first;
    if (it->second) Remark(it->second->second);
  }
  if (!it->second) return Fail(it->second.error());
  return it->second->first.get();
}

std::vector<BufferFacts> PlaceMemory::Facts() const {
  std::vector<BufferFacts> facts;
  for (const auto& [key, made] : buffers_) {
    if (made) facts.push_back(made->second);
  }
  return facts;
}

void PlaceMemory::Remark(const BufferFacts& facts) {
  const auto add = [&](std::string remark) {
    if (std::find(remarks_.begin(), remarks_.end(), remark) != remarks_.end()) return;
    remarks_.push_back(std::move(remark));
  };
  if (facts.place_verified == false) {
    add(fmt::format("memory of {} is not known to lie there: {}", facts.place.ToString(),
                    facts.unverified_reason));
  }
  if (std::string remark = working_set_.Remark(); facts.place.is_host() && !remark.empty()) {
    add(std::move(remark));
  }
}

Result<PlaceMemory::Made> PlaceMemory::Make(const MemoryPlace& place, MemoryRole role) const {
  BufferFacts facts;
  facts.place = place;
  facts.role = role == MemoryRole::kUnderTest ? "under_test" : "partner";
  facts.length = SizeFor(place);
  if (place.is_gpu()) {
    RAILGAUGE_ASSIGN_OR_RETURN(auto buffer, GpuBuffer::Create(cuda_, place.gpu, SizeFor(place)));
    facts.dmabuf_mapping = buffer->dmabuf_mapping();
    if (const auto dmabuf = buffer->dmabuf(); !dmabuf) {
      facts.no_dmabuf_reason = dmabuf.error().ToString();
    }
    const Status on_gpu = buffer->CheckOnGpu();
    facts.checked_by = on_gpu ? "gpu" : "copies";
    if (!on_gpu) facts.checked_by_reason = on_gpu.error().ToString();
    return Made{std::move(buffer), std::move(facts)};
  }
  // Fewer, larger pages: registration is faster and the device's translation table smaller.
  RAILGAUGE_ASSIGN_OR_RETURN(auto buffer, HostBuffer::Create(place.numa_node, SizeFor(place),
                                                             HostBuffer::Pages::kLargest));
  facts.pages = ToString(buffer->pages());
  facts.huge_share = buffer->HugeShare();
  facts.place_verified = buffer->verified();
  facts.unverified_reason = buffer->unverified_reason();
  return Made{std::move(buffer), std::move(facts)};
}

}  // namespace railgauge
