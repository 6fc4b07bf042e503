// IoctlCall: an ioctl on a uverbs file under construction, as libibverbs lays it out; for tests.
#ifndef RAILGAUGE_LIB_EMULATOR_UVERBS_IOCTL_CALL_H_
#define RAILGAUGE_LIB_EMULATOR_UVERBS_IOCTL_CALL_H_

#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/rdma_user_ioctl.h>
#include <rdma/rdma_user_ioctl_cmds.h>

#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

namespace railgauge {

struct IoctlCall {
  std::vector<uint64_t> words = std::vector<uint64_t>(4096 / sizeof(uint64_t));
  // What the attributes point to, each with room for the longest.
  std::vector<std::vector<uint8_t>> memory;

  ib_uverbs_ioctl_hdr& header() { return *reinterpret_cast<ib_uverbs_ioctl_hdr*>(words.data()); }
  std::span<ib_uverbs_attr> attributes() { return {header().attrs, header().num_attrs}; }

  IoctlCall(uint16_t object, uint16_t method) {
    header().object_id = object;
    header().method_id = method;
    header().driver_id = RDMA_DRIVER_EFA;
    SetLength();
  }
  void SetLength() {
    header().length = static_cast<uint16_t>(sizeof(ib_uverbs_ioctl_hdr) +
                                            header().num_attrs * sizeof(ib_uverbs_attr));
  }
  ib_uverbs_attr& Add(uint16_t id, size_t length, uint64_t data) {
    ib_uverbs_attr& attribute = header().attrs[header().num_attrs++];
    attribute = {};
    attribute.attr_id = id;
    attribute.len = static_cast<uint16_t>(length);
    attribute.flags = UVERBS_ATTR_F_MANDATORY;
    attribute.data = data;
    SetLength();
    return attribute;
  }
  template <typename T>
  void In(uint16_t id, const T& value) {
    if (sizeof value <= sizeof(uint64_t)) {
      uint64_t data = 0;
      std::memcpy(&data, &value, sizeof value);
      Add(id, sizeof value, data);
      return;
    }
    memory.emplace_back(1 << 16);
    std::memcpy(memory.back().data(), &value, sizeof value);
    Add(id, sizeof value, reinterpret_cast<uint64_t>(memory.back().data()));
  }
  void Out(uint16_t id, size_t length) {
    memory.emplace_back(1 << 16);
    Add(id, length, reinterpret_cast<uint64_t>(memory.back().data()));
  }
  template <typename T>
  T Result(uint16_t id) {
    T value = {};
    for (const ib_uverbs_attr& attribute : attributes()) {
      if (attribute.attr_id != id) continue;
      std::memcpy(&value, reinterpret_cast<const void*>(attribute.data), sizeof value);
    }
    return value;
  }
  uint32_t NewHandle(uint16_t id) {
    for (const ib_uverbs_attr& attribute : attributes()) {
      if (attribute.attr_id == id) return static_cast<uint32_t>(attribute.data);
    }
    return 0;
  }
};

// One of the older commands, in DEVICE.INVOKE_WRITE.
inline IoctlCall LegacyCall(uint32_t command) {
  IoctlCall call(UVERBS_OBJECT_DEVICE, UVERBS_METHOD_INVOKE_WRITE);
  call.In(UVERBS_ATTR_WRITE_CMD, command);
  return call;
}

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_EMULATOR_UVERBS_IOCTL_CALL_H_
