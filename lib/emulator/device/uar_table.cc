#include "lib/emulator/device/uar_table.h"

#include <algorithm>
#include <cstddef>

namespace railgauge::efa {
namespace {

constexpr uint32_t kWordSize = sizeof(uint32_t);
constexpr uint32_t kWordsOfPage = UarTable::kPageSize / kWordSize;

}  // namespace

std::optional<uint16_t> UarTable::Allocate() {
  const std::optional<uint32_t> number = numbers_.Allocate();
  if (!number) return std::nullopt;
  pages_[*number].words.resize(kWordsOfPage);
  return static_cast<uint16_t>(*number);
}

bool UarTable::IsAllocated(uint16_t uar) const {
  return uar < pages_.size() && !pages_[uar].words.empty();
}

void UarTable::Free(uint16_t uar) {
  pages_[uar] = {};
  numbers_.Free(uar);
}

std::optional<uint32_t> UarTable::Bind(uint16_t uar, const DoorbellTarget& target) {
  Page& page = pages_[uar];
  const auto word =
      std::find_if(page.words.begin(), page.words.end(), [](const DoorbellTarget& candidate) {
        return candidate.kind == DoorbellTarget::Kind::kNone;
      });
  if (word == page.words.end()) return std::nullopt;
  *word = target;
  ++page.used;
  return uint32_t{uar} * kPageSize + static_cast<uint32_t>(word - page.words.begin()) * kWordSize;
}

void UarTable::Unbind(uint32_t offset) {
  Page& page = pages_[offset / kPageSize];
  page.words[offset % kPageSize / kWordSize] = {};
  --page.used;
}

DoorbellTarget UarTable::Find(uint64_t offset) const {
  const uint64_t number = offset / kPageSize;
  if (offset % kWordSize != 0 || number >= pages_.size()) return {};
  const Page& page = pages_[number];
  return page.words.empty() ? DoorbellTarget{} : page.words[offset % kPageSize / kWordSize];
}

}  // namespace railgauge::efa
