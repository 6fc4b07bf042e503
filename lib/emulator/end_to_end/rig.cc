#include "lib/emulator/end_to_end/rig.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <linux/mempolicy.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <cstring>

#include "lib/base/file.h"
#include "lib/base/result.h"
#include "lib/base/runfiles.h"
#include "lib/emulator/launcher/environment.h"
#include "lib/emulator/preload/gpu_interface.h"
#include "lib/scenario/load.h"

namespace railgauge {

namespace {

constexpr uint32_t kQkey = 0x11111111;

uint8_t Pattern(size_t i, uint8_t seed) {
  return static_cast<uint8_t>(i * 31 + (i >> 8) * 7 + (i >> 16) * 13 + seed);
}

std::byte* Map(size_t bytes, int protection, int flags, int fd) {
  void* mapped = mmap(nullptr, bytes, protection, flags, fd, 0);
  RAILGAUGE_CHECK(mapped != MAP_FAILED);
  return static_cast<std::byte*>(mapped);
}

template <typename F>
F* PreloadFunction(const char* name) {
  auto* function = reinterpret_cast<F*>(dlsym(RTLD_DEFAULT, name));
  RAILGAUGE_CHECK(function != nullptr);
  return function;
}

}  // namespace

const EmulatedMachine& Scenario() {
  static const auto* machine = [] {
    const auto scenarios = FindDataFile("scenarios");
    RAILGAUGE_CHECK(scenarios.has_value());
    auto loaded = LoadSpec(std::getenv(kSpecVariable), *scenarios);
    RAILGAUGE_CHECK(loaded.has_value());
    return new EmulatedMachine(*std::move(loaded));
  }();
  return *machine;
}

uint64_t ReadCounter(const std::string& device, const std::string& counter) {
  const auto text =
      ReadAttribute("/sys/class/infiniband/" + device + "/ports/1/hw_counters/" + counter);
  RAILGAUGE_CHECK(text.has_value());
  return std::strtoull(text->c_str(), nullptr, 10);
}

NodeMemory::NodeMemory(size_t bytes, uint32_t node)
    : data_(Map(bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1)), bytes_(bytes) {
  const unsigned long mask = 1ul << node;
  RAILGAUGE_CHECK(syscall(SYS_mbind, data_, bytes, MPOL_BIND, &mask, 64, 0) == 0);
}

NodeMemory::~NodeMemory() { munmap(data_, bytes_); }

void NodeMemory::Fill(uint8_t seed) {
  for (size_t i = 0; i < bytes_; ++i) data_[i] = std::byte{Pattern(i, seed)};
}

bool NodeMemory::IsFilled(uint8_t seed) const { return IsFilled(seed, 0, bytes_); }

bool NodeMemory::IsFilled(uint8_t seed, size_t begin, size_t end) const {
  for (size_t i = begin; i < end; ++i) {
    if (data_[i] != std::byte{Pattern(i, seed)}) return false;
  }
  return true;
}

GpuMemory::GpuMemory(size_t bytes, int gpu)
    : bytes_(bytes), memfd_(memfd_create("gpu", MFD_CLOEXEC)) {
  RAILGAUGE_CHECK(ftruncate(memfd_, static_cast<off_t>(bytes)) == 0);
  device_pointer_ = Map(bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1);
  alias_ = Map(bytes, PROT_READ | PROT_WRITE, MAP_SHARED, memfd_);
  const RailgaugeGpuAllocation allocation = {
      .device_pointer = reinterpret_cast<uint64_t>(device_pointer_),
      .length = bytes,
      .memfd = memfd_,
      .gpu = gpu};
  auto* add =
      PreloadFunction<decltype(RailgaugeEmulatedGpuRegister)>("RailgaugeEmulatedGpuRegister");
  RAILGAUGE_CHECK(add(&allocation) == 0);
}

GpuMemory::~GpuMemory() {
  auto* remove =
      PreloadFunction<decltype(RailgaugeEmulatedGpuUnregister)>("RailgaugeEmulatedGpuUnregister");
  RAILGAUGE_CHECK(remove(reinterpret_cast<uint64_t>(device_pointer_)) == 0);
  munmap(device_pointer_, bytes_);
  munmap(alias_, bytes_);
  close(memfd_);
}

int GpuMemory::Export(size_t offset) const {
  const std::string path = "/proc/self/fd/" + std::to_string(memfd_);
  const int fd = open(path.c_str(), O_RDWR | O_CLOEXEC);
  RAILGAUGE_CHECK(fd >= 0 && lseek(fd, static_cast<off_t>(offset), SEEK_SET) >= 0);
  return fd;
}

Nic::Nic(const std::string& device_name, bool with_events) : name(device_name) {
  int count = 0;
  ibv_device** list = ibv_get_device_list(&count);
  for (int i = 0; i < count; ++i) {
    if (name == ibv_get_device_name(list[i])) context = ibv_open_device(list[i]);
  }
  ibv_free_device_list(list);
  RAILGAUGE_CHECK(context != nullptr);
  RAILGAUGE_CHECK(ibv_query_gid(context, 1, 0, &gid) == 0);
  pd = ibv_alloc_pd(context);
  if (with_events) channel = ibv_create_comp_channel(context);
  cq = ibv_create_cq(context, 512, nullptr, channel, 0);
  RAILGAUGE_CHECK(pd != nullptr && cq != nullptr);

  efadv_device_attr device = {};
  RAILGAUGE_CHECK(efadv_query_device(context, &device, sizeof device) == 0);
  ibv_qp_init_attr_ex attributes = {};
  attributes.qp_type = IBV_QPT_DRIVER;
  attributes.send_cq = attributes.recv_cq = cq;
  attributes.cap = {.max_send_wr = 256,
                    .max_recv_wr = 64,
                    .max_send_sge = 1,
                    .max_recv_sge = 1,
                    .max_inline_data = 0};
  attributes.pd = pd;
  attributes.comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS;
  attributes.send_ops_flags = IBV_QP_EX_WITH_SEND;
  if ((device.device_caps & EFADV_DEVICE_ATTR_CAPS_RDMA_READ) != 0) {
    attributes.send_ops_flags |= IBV_QP_EX_WITH_RDMA_READ;
  }
  if ((device.device_caps & EFADV_DEVICE_ATTR_CAPS_RDMA_WRITE) != 0) {
    attributes.send_ops_flags |= IBV_QP_EX_WITH_RDMA_WRITE | IBV_QP_EX_WITH_RDMA_WRITE_WITH_IMM;
  }
  efadv_qp_init_attr efa = {};
  efa.driver_qp_type = EFADV_QP_DRIVER_TYPE_SRD;
  qp = efadv_create_qp_ex(context, &attributes, &efa, sizeof efa);
  RAILGAUGE_CHECK(qp != nullptr);
  ibv_qp_attr state = {};
  state.qp_state = IBV_QPS_INIT;
  state.port_num = 1;
  state.qkey = kQkey;
  RAILGAUGE_CHECK(
      ibv_modify_qp(qp, &state, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_QKEY) == 0);
  state.qp_state = IBV_QPS_RTR;
  RAILGAUGE_CHECK(ibv_modify_qp(qp, &state, IBV_QP_STATE) == 0);
  state.qp_state = IBV_QPS_RTS;
  RAILGAUGE_CHECK(ibv_modify_qp(qp, &state, IBV_QP_STATE | IBV_QP_SQ_PSN) == 0);
}

Nic::~Nic() {
  RAILGAUGE_CHECK(ibv_destroy_qp(qp) == 0);
  RAILGAUGE_CHECK(ibv_destroy_cq(cq) == 0);
  if (channel != nullptr) RAILGAUGE_CHECK(ibv_destroy_comp_channel(channel) == 0);
  RAILGAUGE_CHECK(ibv_dealloc_pd(pd) == 0);
  RAILGAUGE_CHECK(ibv_close_device(context) == 0);
}

Mr Nic::Register(const NodeMemory& memory, int access) const {
  Mr mr(ibv_reg_mr(pd, memory.data(), memory.size(), access));
  RAILGAUGE_CHECK(mr != nullptr);
  return mr;
}

void Nic::PostReceive(uint32_t lkey, uint64_t address, uint32_t length, uint64_t id) {
  ibv_sge entry = {.addr = address, .length = length, .lkey = lkey};
  ibv_recv_wr request = {};
  request.wr_id = id;
  request.sg_list = &entry;
  request.num_sge = 1;
  ibv_recv_wr* bad = nullptr;
  RAILGAUGE_CHECK(ibv_post_recv(qp, &request, &bad) == 0);
}

Ah Nic::AddressOf(const ibv_gid& peer) const {
  ibv_ah_attr attributes = {};
  attributes.is_global = 1;
  attributes.port_num = 1;
  attributes.grh.dgid = peer;
  Ah ah(ibv_create_ah(pd, &attributes));
  RAILGAUGE_CHECK(ah != nullptr);
  return ah;
}

void Nic::Post(const std::vector<Request>& requests) {
  ibv_qp_ex* ex = ibv_qp_to_qp_ex(qp);
  ibv_wr_start(ex);
  for (const Request& request : requests) {
    ex->wr_id = request.id;
    ex->wr_flags = IBV_SEND_SIGNALED;
    if (request.send) {
      ibv_wr_send(ex);
    } else if (request.write && request.immediate) {
      ibv_wr_rdma_write_imm(ex, request.rkey, request.remote_address, *request.immediate);
    } else if (request.write) {
      ibv_wr_rdma_write(ex, request.rkey, request.remote_address);
    } else {
      ibv_wr_rdma_read(ex, request.rkey, request.remote_address);
    }
    ibv_wr_set_sge(ex, request.lkey, request.local_address, request.length);
    ibv_wr_set_ud_addr(ex, request.ah, request.qp_num, kQkey);
  }
  RAILGAUGE_CHECK(ibv_wr_complete(ex) == 0);
}

std::optional<ibv_wc> Nic::WaitForCompletion() {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(5);
  ibv_wc completion = {};
  for (;;) {
    const int polled = ibv_poll_cq(cq, 1, &completion);
    RAILGAUGE_CHECK(polled >= 0);
    if (polled == 1) return completion;
    if (std::chrono::steady_clock::now() > deadline) return std::nullopt;
  }
}

Nic::Request Transfer(bool write, const Nic& peer, ibv_ah* ah, const ibv_mr& local,
                      const ibv_mr& remote, uint32_t length) {
  return {.write = write,
          .send = false,
          .immediate = {},
          .ah = ah,
          .qp_num = peer.qp->qp_num,
          .local_address = reinterpret_cast<uint64_t>(local.addr),
          .remote_address = reinterpret_cast<uint64_t>(remote.addr),
          .lkey = local.lkey,
          .rkey = remote.rkey,
          .length = length,
          .id = 0};
}

}  // namespace railgauge
