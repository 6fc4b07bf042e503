#include "lib/emulator/device/mr_table.h"

#include <algorithm>
#include <bit>
#include <iterator>
#include <optional>
#include <utility>

#include "lib/base/result.h"

namespace railgauge::efa {
namespace {

const std::shared_ptr<Mr> kNoMr;

}  // namespace

bool Mr::Contains(uint64_t address, uint64_t bytes) const {
  if (address < iova) return false;
  const uint64_t offset = address - iova;
  return offset <= length && bytes <= length - offset;
}

const Mr::Segment& Mr::SegmentAt(uint64_t offset) const {
  const auto next = std::upper_bound(
      segments.begin(), segments.end(), offset,
      [](uint64_t value, const Segment& segment) { return value < segment.offset; });
  return *std::prev(next);
}

void Mr::AppendRuns(uint64_t address, uint64_t bytes, std::vector<MemoryRun>& runs) const {
  RAILGAUGE_CHECK(Contains(address, bytes));
  uint64_t offset = address - iova;
  while (bytes > 0) {
    const Segment& segment = SegmentAt(offset);
    const uint64_t skip = offset - segment.offset;
    const uint64_t take = std::min(bytes, segment.length - skip);
    runs.push_back({segment.memory + skip, take, segment.owner});
    offset += take;
    bytes -= take;
  }
}

const PathsOfPlace& Mr::PathsAt(uint64_t address) const {
  RAILGAUGE_CHECK(Contains(address, 0));
  return *SegmentAt(address - iova).paths;
}

MrTable::MrTable(uint32_t limit)
    : index_bits_(static_cast<uint32_t>(std::bit_width(std::max(limit, 2u) - 1))), indexes_(limit) {
  RAILGAUGE_CHECK(index_bits_ < kLkeyBits);
}

std::shared_ptr<Mr> MrTable::Add(Mr mr) {
  const std::optional<uint32_t> index = indexes_.Allocate();
  if (!index) return nullptr;
  if (*index >= regions_.size()) {
    regions_.resize(*index + 1);
    generations_.resize(*index + 1);
  }
  uint32_t& generation = generations_[*index];
  generation = (generation + 1) % (1u << (kLkeyBits - index_bits_));
  if (generation == 0) generation = 1;
  mr.lkey = (generation << index_bits_) | *index;
  // The bits that an lkey has no room for make an old rkey stale for longer.
  mr.rkey = mr.lkey | (serial_++ << kLkeyBits);
  regions_[*index] = std::make_shared<Mr>(std::move(mr));
  return regions_[*index];
}

std::shared_ptr<Mr> MrTable::Remove(uint32_t lkey) {
  if (FindLocal(lkey) == nullptr) return nullptr;
  const uint32_t index = lkey & ((1u << index_bits_) - 1);
  std::shared_ptr<Mr> mr = std::exchange(regions_[index], nullptr);
  mr->alive = false;
  indexes_.Free(index);
  return mr;
}

const std::shared_ptr<Mr>& MrTable::FindLocal(uint32_t lkey) const {
  const uint32_t index = lkey & ((1u << index_bits_) - 1);
  if (index >= regions_.size() || !regions_[index] || regions_[index]->lkey != lkey) return kNoMr;
  return regions_[index];
}

const std::shared_ptr<Mr>& MrTable::FindRemote(uint32_t rkey) const {
  const std::shared_ptr<Mr>& mr = FindLocal(rkey & ((1u << kLkeyBits) - 1));
  return mr && mr->rkey == rkey ? mr : kNoMr;
}

AdminResult<Mr> MakeMr(const RegMrParams& params, const DmaSpace& dma_space,
                       const PathTable& paths) {
  const auto illegal = tl::unexpected(AdminStatus::kIllegalParameter);
  if (params.length == 0 || params.iova + params.length < params.iova) return illegal;
  Mr mr;
  mr.pd = params.pd;
  mr.iova = params.iova;
  mr.length = params.length;
  mr.permissions = params.permissions;
  uint64_t skip = params.first_page_offset;
  uint64_t filled = 0;
  for (const DmaSegment& page : params.pages) {
    if (filled == params.length) break;
    if (skip >= page.length) return illegal;
    const auto range = dma_space.Resolve(page.dma_address, page.length);
    if (!range) return illegal;
    const PathsOfPlace* page_paths = paths.Find(range->place);
    if (page_paths == nullptr) return illegal;
    const uint64_t take = std::min(page.length - skip, params.length - filled);
    std::byte* memory = range->memory + skip;
    Mr::Segment* last = mr.segments.empty() ? nullptr : &mr.segments.back();
    if (last != nullptr && last->memory + last->length == memory && last->place == range->place &&
        last->way == range->way && last->owner == range->owner) {
      last->length += take;
    } else {
      mr.segments.push_back(
          {filled, memory, take, page_paths, range->place, range->way, range->owner});
    }
    filled += take;
    skip = 0;
  }
  if (filled != params.length) return illegal;
  return mr;
}

}  // namespace railgauge::efa
