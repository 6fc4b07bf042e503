// UverbsFile: one open file of /dev/infiniband/uverbsN, as the kernel's ib_uverbs and efa driver
// keep it: the objects that user space made through it, by handle.
//
// Speaks the kernel's ioctl ABI (rdma/ib_user_ioctl_cmds.h, rdma/efa-abi.h) on one side and the
// device's admin commands on the other. The write(2) ABI is not there: libibverbs uses ioctl for
// everything where DEVICE.INVOKE_WRITE exists. Destroying the file destroys what is left in it, in
// the order that dependencies ask for.
#ifndef RAILGAUGE_LIB_EMULATOR_UVERBS_UVERBS_FILE_H_
#define RAILGAUGE_LIB_EMULATOR_UVERBS_UVERBS_FILE_H_

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <tl/expected.hpp>
#include <variant>
#include <vector>

#include "lib/emulator/device/admin.h"
#include "lib/emulator/uverbs/attributes.h"
#include "lib/emulator/uverbs/event_channel.h"
#include "lib/emulator/uverbs/memory_locator.h"
#include "lib/emulator/uverbs/pinned_pages.h"
#include "lib/emulator/uverbs/uverbs_device.h"

namespace railgauge {

class UverbsFile {
 public:
  explicit UverbsFile(UverbsDevice* device) : device_(*device) {}
  ~UverbsFile();
  UverbsFile(const UverbsFile&) = delete;
  UverbsFile& operator=(const UverbsFile&) = delete;

  const UverbsDevice& device() const { return device_; }

  // ioctl(2) on the file: 0 or a negative errno value. `argument` is the caller's pointer.
  int Ioctl(unsigned long request, void* argument);

  // The device is no more: whoever listens for asynchronous events hears of it.
  void OnDeviceLost();

  // The application closed the descriptor of an event channel of this file. False: not ours.
  bool CloseEventFd(int fd);

 private:
  struct Pd {
    uint16_t number = 0;
    uint32_t users = 0;
  };
  struct Ah {
    uint32_t pd_handle = 0;
    uint16_t number = 0;
  };
  struct Mr {
    uint32_t pd_handle = 0;
    efa::RegMrResult registered;
    uint64_t length = 0, iova = 0;
    std::vector<uint64_t> dma_addresses;
    PinnedPages pinned;
    std::shared_ptr<void> keep;
  };
  struct Cq {
    uint16_t number = 0;
    uint32_t users = 0;
    uint64_t ring_key = 0;
    uint64_t dma_address = 0;
    std::shared_ptr<EventChannel> channel;  // null without events
    uint64_t user_handle = 0;
  };
  struct Qp {
    uint32_t pd_handle = 0, send_cq_handle = 0, recv_cq_handle = 0;
    efa::CreateQpResult created;
    efa::QpType type = efa::QpType::kSrd;
    uint32_t max_send_wr = 0, max_recv_wr = 0, max_send_sge = 0, max_recv_sge = 0,
             max_inline_data = 0;
    bool sq_sig_all = false;
    uint64_t rq_ring_key = 0, rq_dma_address = 0;
  };
  using Object = std::variant<Pd, Ah, Mr, Cq, Qp>;
  using Handler = int (UverbsFile::*)(Attributes&);

  int Dispatch(ib_uverbs_ioctl_hdr* header);

  // The object of that handle. ENOENT: no object; EINVAL: one of another kind.
  template <typename T>
  tl::expected<T*, int> Find(uint32_t handle) {
    const auto it = objects_.find(handle);
    if (it == objects_.end()) return tl::unexpected(ENOENT);
    T* object = std::get_if<T>(&it->second);
    if (object == nullptr) return tl::unexpected(EINVAL);
    return object;
  }
  template <typename T>
  uint32_t Insert(T object) {
    const uint32_t handle = next_handle_++;
    objects_.emplace(handle, std::move(object));
    return handle;
  }

  // Methods, by object. Each returns 0 or an errno value.
  int InvokeWrite(Attributes& attributes);
  int GetContext(Attributes& attributes);
  int QueryPort(Attributes& attributes);
  int QueryGidTable(Attributes& attributes);
  int QueryGidEntry(Attributes& attributes);
  int AllocAsyncEvent(Attributes& attributes);
  int DestroyPd(Attributes& attributes);
  int DestroyAh(Attributes& attributes);
  int CreateCq(Attributes& attributes);
  int DestroyCq(Attributes& attributes);
  int CreateQp(Attributes& attributes);
  int DestroyQp(Attributes& attributes);
  int RegDmabufMr(Attributes& attributes);
  int QueryMr(Attributes& attributes);
  int QueryMrInterconnects(Attributes& attributes);
  int DestroyMr(Attributes& attributes);

  // Commands of the older ABI, carried by DEVICE.INVOKE_WRITE.
  int WriteQueryDevice(Attributes& attributes);
  int WriteQueryDeviceEx(Attributes& attributes);
  int WriteAllocPd(Attributes& attributes);
  int WriteCreateAh(Attributes& attributes);
  int WriteRegMr(Attributes& attributes);
  int WriteCreateCompChannel(Attributes& attributes);
  int WriteQueryQp(Attributes& attributes);
  int WriteModifyQp(Attributes& attributes);

  int CheckAccess(uint32_t access) const;
  tl::expected<uint32_t, int> Register(uint32_t pd_handle, LocatedMemory memory, PinnedPages pinned,
                                       uint64_t iova, uint64_t length, uint32_t access);

  void Destroy(Qp& qp);
  uint32_t Destroy(Cq& cq);  // how many events were sent
  int Destroy(Mr& mr);
  void Destroy(Ah& ah);
  void ReleaseRing(uint64_t key, uint64_t dma_address);

  UverbsDevice& device_;
  std::mutex mutex_;
  bool has_context_ = false;
  uint16_t uar_ = 0;
  uint32_t next_handle_ = 1;
  std::map<uint32_t, Object> objects_;
  std::map<int, std::shared_ptr<EventChannel>> channels_;  // by the application's descriptor
  std::shared_ptr<EventChannel> async_channel_;
};

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_EMULATOR_UVERBS_UVERBS_FILE_H_
