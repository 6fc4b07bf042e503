#include "lib/emulator/uverbs/attributes.h"

#include <cerrno>
#include <climits>

#include "lib/emulator/uverbs/user_memory.h"

namespace railgauge {

namespace {

using Kind = AttributeSpec::Kind;

// Whether the encoding of `attribute` fits its kind.
bool WellFormed(const ib_uverbs_attr& attribute, const AttributeSpec& spec) {
  switch (spec.kind) {
    case Kind::kIn:
    case Kind::kOut:
      return attribute.len >= spec.min_length;
    case Kind::kHandle:
    case Kind::kNewHandle:
      return attribute.len == 0 && attribute.data <= INT_MAX;
    case Kind::kFd:
    case Kind::kNewFd:
      return attribute.len == 0 && attribute.data_s64 >= 0 && attribute.data_s64 <= INT_MAX;
  }
  return false;
}

}  // namespace

int Attributes::Parse(ib_uverbs_ioctl_hdr* header, std::span<const AttributeSpec> specs) {
  count_ = 0;
  faulted_ = false;
  for (uint16_t i = 0; i < header->num_attrs; ++i) {
    ib_uverbs_attr& attribute = header->attrs[i];
    constexpr uint16_t kKnownFlags = UVERBS_ATTR_F_MANDATORY | UVERBS_ATTR_F_VALID_OUTPUT;
    if ((attribute.flags & ~kKnownFlags) != 0) return EINVAL;
    const auto spec = std::find_if(specs.begin(), specs.end(), [&](const AttributeSpec& s) {
      return s.id == attribute.attr_id;
    });
    if (spec == specs.end()) {
      if ((attribute.flags & UVERBS_ATTR_F_MANDATORY) != 0) return EPROTONOSUPPORT;
      continue;
    }
    if (Has(attribute.attr_id) || count_ == kMaxAttributes) return EINVAL;
    if (!WellFormed(attribute, *spec)) return EINVAL;
    attributes_[count_++] = &attribute;
  }
  for (const AttributeSpec& spec : specs) {
    if (spec.mandatory && !Has(spec.id)) return EINVAL;
  }
  return 0;
}

ib_uverbs_attr* Attributes::Find(uint16_t id) const {
  for (size_t i = 0; i < count_; ++i) {
    if (attributes_[i]->attr_id == id) return attributes_[i];
  }
  return nullptr;
}

size_t Attributes::Length(uint16_t id) const {
  const ib_uverbs_attr* attribute = Find(id);
  return attribute == nullptr ? 0 : attribute->len;
}

void Attributes::CopyIn(uint16_t id, void* data, size_t length) const {
  const ib_uverbs_attr* attribute = Find(id);
  if (attribute == nullptr) return;
  const size_t copied = std::min<size_t>(length, attribute->len);
  if (attribute->len <= sizeof attribute->data) {
    std::memcpy(data, &attribute->data, copied);
  } else if (!CopyFromUser(data, reinterpret_cast<const void*>(attribute->data), copied)) {
    faulted_ = true;
  }
}

void Attributes::CopyOut(uint16_t id, const void* data, size_t length) {
  ib_uverbs_attr* attribute = Find(id);
  if (attribute == nullptr) return;
  static constexpr std::byte kZeros[256] = {};
  auto* destination = reinterpret_cast<std::byte*>(attribute->data);
  size_t done = std::min<size_t>(length, attribute->len);
  bool good = CopyToUser(destination, data, done);
  while (good && done < attribute->len) {
    const size_t zeros = std::min(sizeof kZeros, attribute->len - done);
    good = CopyToUser(destination + done, &kZeros[0], zeros);
    done += zeros;
  }
  if (!good) faulted_ = true;
  attribute->flags |= UVERBS_ATTR_F_VALID_OUTPUT;
}

uint32_t Attributes::Handle(uint16_t id) const {
  const ib_uverbs_attr* attribute = Find(id);
  return attribute == nullptr ? UINT32_MAX : static_cast<uint32_t>(attribute->data);
}

int Attributes::Fd(uint16_t id) const {
  const ib_uverbs_attr* attribute = Find(id);
  return attribute == nullptr ? -1 : static_cast<int>(attribute->data_s64);
}

void Attributes::SetData(uint16_t id, uint64_t data) {
  if (ib_uverbs_attr* attribute = Find(id)) attribute->data = data;
}

}  // namespace railgauge
