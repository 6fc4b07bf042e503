// Attributes: the arguments of one RDMA_VERBS_IOCTL, checked against the method's specification.
//
// The kernel's ib_uverbs describes every method by a table of attributes and validates a call
// against it before any handler runs; so does this. A handler then reads and writes attributes by
// id and knows nothing of the encoding.
#ifndef RAILGAUGE_LIB_EMULATOR_UVERBS_ATTRIBUTES_H_
#define RAILGAUGE_LIB_EMULATOR_UVERBS_ATTRIBUTES_H_

#include <rdma/rdma_user_ioctl_cmds.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>

namespace railgauge {

struct AttributeSpec {
  enum class Kind : uint8_t {
    kIn,         // bytes from the caller; up to eight are in the attribute itself
    kOut,        // bytes to the caller
    kHandle,     // an object of the file
    kNewHandle,  // an object that the method makes
    kFd,         // a descriptor
    kNewFd,      // a descriptor that the method makes
  };
  uint16_t id = 0;
  Kind kind = Kind::kIn;
  bool mandatory = true;
  uint16_t min_length = 0;  // kIn, kOut
};

class Attributes {
 public:
  static constexpr size_t kMaxAttributes = 32;

  // Reads the header's attributes, which are the front end's copy of them: what they point to is
  // the caller's, what they hold goes back to it when the method is done. 0, or the errno value
  // that ib_uverbs answers: EINVAL for a missing, doubled or wrongly sized attribute,
  // EPROTONOSUPPORT for an unknown mandatory one.
  int Parse(ib_uverbs_ioctl_hdr* header, std::span<const AttributeSpec> specs);

  // Whether memory that the caller named was not there: EFAULT, whatever the method made of it.
  bool faulted() const { return faulted_; }

  bool Has(uint16_t id) const { return Find(id) != nullptr; }
  size_t Length(uint16_t id) const;  // 0 when absent

  // The first sizeof(T) bytes of a kIn attribute, zeros where the caller gave fewer or none: both
  // sides may have a longer struct than the other.
  template <typename T>
  T In(uint16_t id) const {
    static_assert(std::is_trivially_copyable_v<T>);
    T value = {};
    CopyIn(id, &value, sizeof value);
    return value;
  }

  // Writes as much of `value` as the caller has room for and zeros after it; nothing when the
  // attribute is absent.
  template <typename T>
  void Out(uint16_t id, const T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    CopyOut(id, &value, sizeof value);
  }
  void CopyOut(uint16_t id, const void* data, size_t length);

  uint32_t Handle(uint16_t id) const;  // kHandle; UINT32_MAX, which is no handle, when absent
  int Fd(uint16_t id) const;           // kFd; -1 when absent
  void SetHandle(uint16_t id, uint32_t handle) { SetData(id, handle); }
  void SetFd(uint16_t id, int fd) { SetData(id, static_cast<uint64_t>(fd)); }

 private:
  ib_uverbs_attr* Find(uint16_t id) const;
  void CopyIn(uint16_t id, void* data, size_t length) const;
  void SetData(uint16_t id, uint64_t data);

  mutable bool faulted_ = false;
  size_t count_ = 0;
  ib_uverbs_attr* attributes_[kMaxAttributes] = {};  // those that the method knows
};

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_EMULATOR_UVERBS_ATTRIBUTES_H_
