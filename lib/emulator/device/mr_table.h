// MrTable: the memory regions of one device and their keys.
#ifndef RAILGAUGE_LIB_EMULATOR_DEVICE_MR_TABLE_H_
#define RAILGAUGE_LIB_EMULATOR_DEVICE_MR_TABLE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "lib/emulator/device/admin.h"
#include "lib/emulator/device/dma_space.h"
#include "lib/emulator/device/id_pool.h"
#include "lib/emulator/device/path.h"

namespace railgauge::efa {

// A piece of memory that lies in one run.
struct MemoryRun {
  std::byte* memory = nullptr;
  uint64_t length = 0;
  MemoryOwner owner = kOwnMemory;
};

// A registered region. Transfers hold it by shared_ptr: the registration can end while they are in
// flight, which `alive` tells them.
class Mr {
 public:
  struct Segment {
    uint64_t offset = 0;  // from the region's start
    std::byte* memory = nullptr;
    uint64_t length = 0;
    const PathsOfPlace* paths = nullptr;
    MemoryPlace place;
    RegistrationWay way = RegistrationWay::kHost;
    MemoryOwner owner = kOwnMemory;
  };

  uint32_t lkey = 0, rkey = 0;
  uint16_t pd = 0;
  uint64_t iova = 0, length = 0;
  uint32_t permissions = 0;
  std::vector<Segment> segments;  // by offset, without gaps
  bool alive = true;              // guarded by the fabric's lock

  // Whether [address, address + bytes) lies in the region. Free of overflow for any argument.
  bool Contains(uint64_t address, uint64_t bytes) const;

  // The memory behind a range that Contains says yes to, appended to `runs`.
  void AppendRuns(uint64_t address, uint64_t bytes, std::vector<MemoryRun>& runs) const;

  // The paths of the place where `address` lies: a transfer takes those of the first page that it
  // touches, though a range may span places.
  const PathsOfPlace& PathsAt(uint64_t address) const;

 private:
  const Segment& SegmentAt(uint64_t offset) const;
};

class MrTable {
 public:
  static constexpr uint32_t kLkeyBits = 24;

  // At most `limit` regions at a time; at most 2^23.
  explicit MrTable(uint32_t limit);

  uint32_t count() const { return indexes_.in_use(); }

  // Gives `mr` its keys; null when the table is full.
  std::shared_ptr<Mr> Add(Mr mr);
  // The region that was removed and marked, null for an unknown key.
  std::shared_ptr<Mr> Remove(uint32_t lkey);

  // Null for keys that were never given or whose region is gone.
  const std::shared_ptr<Mr>& FindLocal(uint32_t lkey) const;
  const std::shared_ptr<Mr>& FindRemote(uint32_t rkey) const;

 private:
  uint32_t index_bits_;
  IdPool indexes_;
  std::vector<std::shared_ptr<Mr>> regions_;  // by index
  std::vector<uint32_t> generations_;         // by index; never 0, so that no key is 0
  uint32_t serial_ = 0;
};

// The region that `params` describes, without keys, its DMA addresses resolved. kIllegalParameter
// where they do not add up or lie nowhere.
AdminResult<Mr> MakeMr(const RegMrParams& params, const DmaSpace& dma_space,
                       const PathTable& paths);

}  // namespace railgauge::efa

#endif  // RAILGAUGE_LIB_EMULATOR_DEVICE_MR_TABLE_H_
