// HostBuffer: anonymous memory of the host, bound to one NUMA node, every page present.
//
// A page that lies on another node than the place says would make every measurement of that place
// wrong without a sign of it. So the memory is bound before it is touched, and where the kernel can
// tell, each page's node is asked back (page_nodes.h) and a wrong one is an error. Afterwards it
// cannot move: registration pins it.
#ifndef RAILGAUGE_LIB_MEMORY_HOST_BUFFER_H_
#define RAILGAUGE_LIB_MEMORY_HOST_BUFFER_H_

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "lib/base/result.h"
#include "lib/base/units.h"
#include "lib/memory/buffer.h"

namespace railgauge {

class HostBuffer final : public Buffer {
 public:
  enum class Pages {
    kDefault,      // the kernel's choice
    kTransparent,  // ask for transparent huge pages; the kernel may refuse silently
    kHugeTlb,      // 2 MiB pages of the node's reserved pool, else an error
    kLargest,      // kHugeTlb where the pool has them, else kTransparent
  };

  // `length` > 0 bytes on NUMA node `node` (OS index), zeroed and present. Errors name the node and
  // what to do: no such node or none allowed (cpuset), no memory left on it, binding forbidden.
  static Result<std::unique_ptr<HostBuffer>> Create(uint32_t node, Bytes length,
                                                    Pages pages = Pages::kDefault);
  ~HostBuffer() override;

  // Whether every page was seen to lie on the node. False where the kernel would not tell
  // (containers may forbid move_pages); unverified_reason() then says why.
  bool verified() const { return unverified_reason_.empty(); }
  const std::string& unverified_reason() const { return unverified_reason_; }
  // Asks again. An Error names the node wanted, the nodes found and how many pages lie on each.
  Status VerifyPlace();

  // Which pages it was made of: never kLargest.
  Pages pages() const { return pages_; }
  // The part (0…1) that is in huge pages, whoever asked for them; empty where the kernel does not
  // show it. Reads /proc: not for use while something is measured.
  std::optional<double> HugeShare() const;

  std::span<std::byte> data() { return {data_, static_cast<size_t>(length())}; }
  std::span<const std::byte> data() const { return {data_, static_cast<size_t>(length())}; }

  Result<Dmabuf> dmabuf() const override;
  Status CopyIn(uint64_t offset, std::span<const std::byte> data) override;
  Status CopyOut(uint64_t offset, std::span<std::byte> data) const override;

 private:
  HostBuffer(uint32_t node, std::byte* data, Bytes length, size_t mapped_length, Pages pages)
      : Buffer(MemoryPlace::NumaNode(node), reinterpret_cast<uint64_t>(data), length.count),
        pages_(pages),
        data_(data),
        mapped_length_(mapped_length) {}

  static Result<std::unique_ptr<HostBuffer>> CreateOf(uint32_t node, Bytes length, Pages pages);

  const Pages pages_;
  std::byte* data_;
  size_t mapped_length_;
  std::string unverified_reason_;
};

// "default", "transparent", "huge_tlb".
std::string_view ToString(HostBuffer::Pages pages);

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_MEMORY_HOST_BUFFER_H_
