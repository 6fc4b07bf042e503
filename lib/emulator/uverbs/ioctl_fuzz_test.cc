// Ioctls that no library would make: calls as libibverbs makes them, with random parts of them
// changed. None may crash, each must be answered as ib_uverbs answers, and what is left must work.
//
// Seeded; a failure names seed and step. Again: --test_env=RAILGAUGE_RANDOM_SEED=N
#include <gtest/gtest.h>
#include <rdma/efa-abi.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ib_user_ioctl_verbs.h>
#include <rdma/ib_user_verbs.h>
#include <rdma/rdma_user_ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "lib/base/runfiles.h"
#include "lib/emulator/uverbs/hosted_fabric.h"
#include "lib/emulator/uverbs/ioctl_call.h"
#include "lib/emulator/uverbs/local_hardware.h"
#include "lib/emulator/uverbs/uverbs_host.h"
#include "lib/scenario/load.h"

namespace railgauge {
namespace {

constexpr size_t kScratchBytes = 256 * 1024;  // more than an attribute can be long
constexpr size_t kPage = 4096;

// All of an attribute's 65,535 bytes, and then nothing: a page that may not be touched.
class Scratch {
 public:
  Scratch()
      : memory_(static_cast<std::byte*>(mmap(nullptr, kScratchBytes + kPage, PROT_READ | PROT_WRITE,
                                             MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))) {
    mprotect(memory_ + kScratchBytes, kPage, PROT_NONE);
  }
  ~Scratch() { munmap(memory_, kScratchBytes + kPage); }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  std::byte* data() const { return memory_; }
  std::byte* end() const { return memory_ + kScratchBytes; }

 private:
  std::byte* memory_;
};

// Nothing but the scratch memory is there to be registered.
class ScratchLocator : public MemoryLocator {
 public:
  explicit ScratchLocator(const Scratch& scratch) : scratch_(scratch) {}
  tl::expected<LocatedMemory, int> Locate(uint64_t address, uint64_t length) override {
    const auto begin = reinterpret_cast<uint64_t>(scratch_.data());
    if (address < begin || length > kScratchBytes || address - begin > kScratchBytes - length) {
      return tl::unexpected(EFAULT);
    }
    LocatedMemory located;
    located.segments.push_back(
        {reinterpret_cast<std::byte*>(address), length, MemoryPlace::NumaNode(0)});
    return located;
  }
  tl::expected<LocatedMemory, int> LocateDmabuf(int, uint64_t, uint64_t) override {
    return tl::unexpected(EBADF);
  }

 private:
  const Scratch& scratch_;
};

class Fuzzer {
 public:
  Fuzzer(UverbsHost& host, int fd, const Scratch& scratch, uint64_t seed)
      : host_(host), fd_(fd), scratch_(scratch), random_(seed) {}

  // A call with `changes` random changes. What it answered.
  int Step(int changes) {
    IoctlCall call = Make();
    for (int i = 0; i < changes; ++i) Change(call);
    last_ = "object " + std::to_string(call.header().object_id) + " method " +
            std::to_string(call.header().method_id) + ", " +
            std::to_string(call.header().num_attrs) + " attributes";
    const int result = host_.Ioctl(fd_, RDMA_VERBS_IOCTL, &call.header());
    if (result == 0 && changes == 0) Learn(call);
    return result;
  }
  const std::string& last() const { return last_; }
  void CloseChannels() {
    for (const int fd : channels_) {
      host_.Close(fd);
      close(fd);
    }
  }

 private:
  uint64_t Below(uint64_t limit) { return random_() % limit; }
  uint32_t Any(const std::vector<uint32_t>& handles) {
    return handles.empty() ? 0 : handles[Below(handles.size())];
  }

  IoctlCall Make();
  IoctlCall MakeCq();
  IoctlCall MakeQp();
  IoctlCall MakeMr();
  IoctlCall MakeAh();
  IoctlCall MakeModify();
  IoctlCall MakeQuery();
  IoctlCall MakeDestroy();
  void Learn(IoctlCall& call);
  void Change(IoctlCall& call);
  uint64_t OddPointer();

  UverbsHost& host_;
  const int fd_;
  const Scratch& scratch_;
  std::mt19937_64 random_;
  std::vector<uint32_t> pds_, cqs_, qps_, mrs_, ahs_;
  std::vector<int> channels_;
  std::string last_;
};

IoctlCall Fuzzer::MakeCq() {
  IoctlCall call(UVERBS_OBJECT_CQ, UVERBS_METHOD_CQ_CREATE);
  efa_ibv_create_cq efa = {};
  efa.cq_entry_size = 32;
  efa.num_sub_cqs = 2;
  call.Add(UVERBS_ATTR_CREATE_CQ_HANDLE, 0, 0);
  call.In(UVERBS_ATTR_CREATE_CQ_CQE, static_cast<uint32_t>(1 + Below(256)));
  call.In(UVERBS_ATTR_CREATE_CQ_USER_HANDLE, uint64_t{0x1234});
  call.In(UVERBS_ATTR_CREATE_CQ_COMP_VECTOR, uint32_t{0});
  if (!channels_.empty() && Below(2) == 0) {
    efa.flags = EFA_CREATE_CQ_WITH_COMPLETION_CHANNEL;
    call.Add(UVERBS_ATTR_CREATE_CQ_COMP_CHANNEL, 0,
             static_cast<uint64_t>(channels_[Below(channels_.size())]));
  }
  call.Out(UVERBS_ATTR_CREATE_CQ_RESP_CQE, 4);
  call.In(UVERBS_ATTR_UHW_IN, efa);
  call.Out(UVERBS_ATTR_UHW_OUT, sizeof(efa_ibv_create_cq_resp));
  return call;
}

IoctlCall Fuzzer::MakeQp() {
  IoctlCall call(UVERBS_OBJECT_QP, UVERBS_METHOD_QP_CREATE);
  ib_uverbs_qp_cap cap = {};
  cap.max_send_wr = cap.max_recv_wr = 16;
  cap.max_send_sge = cap.max_recv_sge = 1;
  efa_ibv_create_qp efa = {};
  efa.sq_ring_size = 16 * 64;
  efa.rq_ring_size = 16 * 16;
  call.Add(UVERBS_ATTR_CREATE_QP_HANDLE, 0, 0);
  call.Add(UVERBS_ATTR_CREATE_QP_PD_HANDLE, 0, Any(pds_));
  call.Add(UVERBS_ATTR_CREATE_QP_SEND_CQ_HANDLE, 0, Any(cqs_));
  call.Add(UVERBS_ATTR_CREATE_QP_RECV_CQ_HANDLE, 0, Any(cqs_));
  call.In(UVERBS_ATTR_CREATE_QP_USER_HANDLE, uint64_t{7});
  call.In(UVERBS_ATTR_CREATE_QP_CAP, cap);
  call.In(UVERBS_ATTR_CREATE_QP_TYPE, uint64_t{IB_UVERBS_QPT_DRIVER});
  call.Out(UVERBS_ATTR_CREATE_QP_RESP_CAP, sizeof cap);
  call.Out(UVERBS_ATTR_CREATE_QP_RESP_QP_NUM, 4);
  call.In(UVERBS_ATTR_UHW_IN, efa);
  call.Out(UVERBS_ATTR_UHW_OUT, sizeof(efa_ibv_create_qp_resp));
  return call;
}

IoctlCall Fuzzer::MakeMr() {
  IoctlCall call = LegacyCall(IB_USER_VERBS_CMD_REG_MR);
  ib_uverbs_reg_mr command = {};
  command.start = command.hca_va = reinterpret_cast<uint64_t>(scratch_.data());
  command.length = 1 + Below(kScratchBytes);
  command.pd_handle = Any(pds_);
  command.access_flags = IB_UVERBS_ACCESS_LOCAL_WRITE;
  call.In(UVERBS_ATTR_CORE_IN, command);
  call.Out(UVERBS_ATTR_CORE_OUT, sizeof(ib_uverbs_reg_mr_resp));
  return call;
}

IoctlCall Fuzzer::MakeModify() {
  IoctlCall call = LegacyCall(IB_USER_VERBS_CMD_MODIFY_QP);
  ib_uverbs_modify_qp command = {};
  command.qp_handle = Any(qps_);
  command.attr_mask = 1;  // IBV_QP_STATE
  command.qp_state = Below(2) == 0 ? 0 : 6;
  call.In(UVERBS_ATTR_CORE_IN, command);
  return call;
}

IoctlCall Fuzzer::MakeAh() {
  IoctlCall call = LegacyCall(IB_USER_VERBS_CMD_CREATE_AH);
  ib_uverbs_create_ah command = {};
  command.pd_handle = Any(pds_);
  command.attr.port_num = 1;
  command.attr.is_global = 1;
  command.attr.grh.dgid[15] = static_cast<uint8_t>(Below(4));
  call.In(UVERBS_ATTR_CORE_IN, command);
  call.Out(UVERBS_ATTR_CORE_OUT, sizeof(ib_uverbs_create_ah_resp));
  call.Out(UVERBS_ATTR_UHW_OUT, sizeof(efa_ibv_create_ah_resp));
  return call;
}

IoctlCall Fuzzer::MakeQuery() {
  if (Below(3) == 0) {
    IoctlCall call = LegacyCall(IB_USER_VERBS_CMD_QUERY_QP);
    ib_uverbs_query_qp command = {};
    command.qp_handle = Any(qps_);
    command.attr_mask = 1;
    call.In(UVERBS_ATTR_CORE_IN, command);
    call.Out(UVERBS_ATTR_CORE_OUT, sizeof(ib_uverbs_query_qp_resp));
    return call;
  }
  if (Below(2) == 0) {
    IoctlCall call(UVERBS_OBJECT_DEVICE, UVERBS_METHOD_QUERY_PORT);
    call.In(UVERBS_ATTR_QUERY_PORT_PORT_NUM, uint8_t{1});
    call.Out(UVERBS_ATTR_QUERY_PORT_RESP, sizeof(ib_uverbs_query_port_resp_ex));
    return call;
  }
  IoctlCall call(UVERBS_OBJECT_MR, EFA_IB_METHOD_MR_QUERY);
  call.Add(EFA_IB_ATTR_QUERY_MR_HANDLE, 0, Any(mrs_));
  for (const uint16_t id :
       {EFA_IB_ATTR_QUERY_MR_RESP_IC_ID_VALIDITY, EFA_IB_ATTR_QUERY_MR_RESP_RECV_IC_ID,
        EFA_IB_ATTR_QUERY_MR_RESP_RDMA_READ_IC_ID, EFA_IB_ATTR_QUERY_MR_RESP_RDMA_RECV_IC_ID}) {
    call.Out(id, 2);
  }
  return call;
}

// Of an MR, AH, QP or CQ; the last two answer something.
IoctlCall Fuzzer::MakeDestroy() {
  struct Method {
    uint16_t object, method, handle_id;
    const std::vector<uint32_t>& handles;
    size_t response_id, response_bytes;
  };
  const Method methods[] = {
      {UVERBS_OBJECT_MR, UVERBS_METHOD_MR_DESTROY, UVERBS_ATTR_DESTROY_MR_HANDLE, mrs_, 0, 0},
      {UVERBS_OBJECT_AH, UVERBS_METHOD_AH_DESTROY, UVERBS_ATTR_DESTROY_AH_HANDLE, ahs_, 0, 0},
      {UVERBS_OBJECT_QP, UVERBS_METHOD_QP_DESTROY, UVERBS_ATTR_DESTROY_QP_HANDLE, qps_,
       UVERBS_ATTR_DESTROY_QP_RESP, sizeof(ib_uverbs_destroy_qp_resp)},
      {UVERBS_OBJECT_CQ, UVERBS_METHOD_CQ_DESTROY, UVERBS_ATTR_DESTROY_CQ_HANDLE, cqs_,
       UVERBS_ATTR_DESTROY_CQ_RESP, sizeof(ib_uverbs_destroy_cq_resp)},
  };
  const Method& method = methods[Below(std::size(methods))];
  IoctlCall call(method.object, method.method);
  call.Add(method.handle_id, 0, Any(method.handles));
  if (method.response_bytes > 0) {
    call.Out(static_cast<uint16_t>(method.response_id), method.response_bytes);
  }
  return call;
}

// A call that works when the objects that it names exist.
IoctlCall Fuzzer::Make() {
  switch (Below(14)) {
    case 0: {
      IoctlCall call = LegacyCall(IB_USER_VERBS_CMD_ALLOC_PD);
      call.In(UVERBS_ATTR_CORE_IN, ib_uverbs_alloc_pd{});
      call.Out(UVERBS_ATTR_CORE_OUT, sizeof(ib_uverbs_alloc_pd_resp));
      call.Out(UVERBS_ATTR_UHW_OUT, sizeof(efa_ibv_alloc_pd_resp));
      return call;
    }
    case 1: {
      IoctlCall call = LegacyCall(IB_USER_VERBS_CMD_CREATE_COMP_CHANNEL);
      call.In(UVERBS_ATTR_CORE_IN, ib_uverbs_create_comp_channel{});
      call.Out(UVERBS_ATTR_CORE_OUT, sizeof(ib_uverbs_create_comp_channel_resp));
      return call;
    }
    case 2:
      return MakeCq();
    case 3:
      return MakeQp();
    case 4:
      return MakeMr();
    case 5:
      return MakeAh();
    case 6:
      return MakeModify();
    case 7:
    case 8:
    case 9:
      return MakeQuery();
    default:
      return MakeDestroy();
  }
}

// Keeps what an unchanged call made. Handles of what is destroyed stay: stale ones are input too.
void Fuzzer::Learn(IoctlCall& call) {
  const ib_uverbs_ioctl_hdr& header = call.header();
  if (header.object_id == UVERBS_OBJECT_CQ && header.method_id == UVERBS_METHOD_CQ_CREATE) {
    cqs_.push_back(call.NewHandle(UVERBS_ATTR_CREATE_CQ_HANDLE));
  }
  if (header.object_id == UVERBS_OBJECT_QP && header.method_id == UVERBS_METHOD_QP_CREATE) {
    qps_.push_back(call.NewHandle(UVERBS_ATTR_CREATE_QP_HANDLE));
  }
  if (header.object_id != UVERBS_OBJECT_DEVICE || header.method_id != UVERBS_METHOD_INVOKE_WRITE) {
    return;
  }
  const auto first = call.Result<uint32_t>(UVERBS_ATTR_CORE_OUT);
  switch (static_cast<uint32_t>(call.attributes()[0].data)) {
    case IB_USER_VERBS_CMD_ALLOC_PD:
      return pds_.push_back(first);
    case IB_USER_VERBS_CMD_REG_MR:
      return mrs_.push_back(first);
    case IB_USER_VERBS_CMD_CREATE_AH:
      return ahs_.push_back(first);
    case IB_USER_VERBS_CMD_CREATE_COMP_CHANNEL:
      return channels_.push_back(static_cast<int>(first));
  }
}

uint64_t Fuzzer::OddPointer() {
  const auto end = reinterpret_cast<uint64_t>(scratch_.end());
  const uint64_t odd[] = {0,
                          8,
                          end,
                          end - 1,
                          end - 3,
                          ~0ull,
                          1ull << 63,
                          INT32_MAX,
                          UINT32_MAX,
                          random_(),
                          random_() % 1024,
                          ~uint64_t{0} - static_cast<uint64_t>(Below(3))};
  return odd[Below(std::size(odd))];
}

void Fuzzer::Change(IoctlCall& call) {
  ib_uverbs_ioctl_hdr& header = call.header();
  const std::span<ib_uverbs_attr> attributes = call.attributes();
  ib_uverbs_attr* attribute = attributes.empty() ? nullptr : &attributes[Below(attributes.size())];
  if (attribute == nullptr) return;
  switch (Below(12)) {
    case 0:
      attribute->data = OddPointer();
      break;
    case 1: {
      constexpr uint16_t kLengths[] = {0, 1, 2, 3, 4, 7, 8, 9, 12, 16, 24, 64, 255, 4096, 65535};
      attribute->len = kLengths[Below(std::size(kLengths))];
      break;
    }
    case 2:
      attribute->attr_id = static_cast<uint16_t>(Below(2) == 0 ? Below(16) : 0x1000 + Below(8));
      break;
    case 3:
      attribute->flags = static_cast<uint16_t>(random_());
      break;
    case 4:
      *attribute = attributes[0];
      break;
    case 5:
      --header.num_attrs;
      call.SetLength();
      break;
    case 6:
      header.object_id = static_cast<uint16_t>(Below(20));
      break;
    case 7:
      header.method_id = static_cast<uint16_t>(Below(2) == 0 ? Below(10) : 4096 + Below(4));
      break;
    case 8:
      header.length = static_cast<uint16_t>(random_());
      break;
    case 9:
      if (Below(2) == 0) {
        header.reserved1 = Below(2);
      } else {
        header.reserved2 = static_cast<uint32_t>(Below(2));
      }
      header.driver_id = static_cast<uint16_t>(Below(3) == 0 ? Below(30) : header.driver_id);
      break;
    default:
      // A bit of what an attribute points to, in its first words.
      if (call.memory.empty()) break;
      call.memory[Below(call.memory.size())][Below(64)] ^= static_cast<uint8_t>(1u << Below(8));
  }
}

const std::set<int>& AllowedErrors() {
  static const std::set<int> errors = {
      0, EINVAL, EFAULT, ENOENT, EPROTONOSUPPORT, EOPNOTSUPP, ENOSPC, EBUSY, ENOMEM, EBADF, EPERM};
  return errors;
}

class IoctlFuzz : public testing::Test {
 protected:
  void SetUp() override {
    const auto scenarios = FindDataFile("scenarios");
    ASSERT_TRUE(scenarios.has_value());
    auto machine = LoadSpec("p5.48xlarge", *scenarios);
    ASSERT_TRUE(machine.has_value());
    machine_ = std::make_unique<EmulatedMachine>(*std::move(machine));
    auto fabric =
        HostedFabric::Create(std::span(machine_.get(), 1), {.now = [] { return Nanoseconds(1); },
                                                            .wake = {},
                                                            .completion_event = {},
                                                            .device_removed = {},
                                                            .copy = {},
                                                            .between_copies = {}});
    ASSERT_TRUE(fabric.has_value());
    fabric_ = fabric->get();
    auto host = UverbsHost::Create(*machine_, &locator_,
                                   std::make_unique<LocalHardware>(*std::move(fabric)));
    ASSERT_TRUE(host.has_value());
    host_ = *std::move(host);
  }

  int Open() {
    const int fd = host_->Open(0, true);
    EXPECT_GE(fd, 0);
    IoctlCall call(UVERBS_OBJECT_DEVICE, UVERBS_METHOD_GET_CONTEXT);
    efa_ibv_alloc_ucontext_cmd efa = {};
    efa.comp_mask = EFA_ALLOC_UCONTEXT_CMD_COMP_TX_BATCH | EFA_ALLOC_UCONTEXT_CMD_COMP_MIN_SQ_WR;
    call.Out(UVERBS_ATTR_GET_CONTEXT_NUM_COMP_VECTORS, 4);
    call.Out(UVERBS_ATTR_GET_CONTEXT_CORE_SUPPORT, 8);
    call.In(UVERBS_ATTR_UHW_IN, efa);
    call.Out(UVERBS_ATTR_UHW_OUT, sizeof(efa_ibv_alloc_ucontext_resp));
    EXPECT_EQ(host_->Ioctl(fd, RDMA_VERBS_IOCTL, &call.header()), 0);
    return fd;
  }
  void Close(int fd) {
    host_->Close(fd);
    close(fd);
  }

  Scratch scratch_;
  ScratchLocator locator_{scratch_};
  std::unique_ptr<EmulatedMachine> machine_;
  HostedFabric* fabric_ = nullptr;
  std::unique_ptr<UverbsHost> host_;
};

TEST_F(IoctlFuzz, EveryCallIsAnsweredAndNothingIsLeft) {
  constexpr int kSteps = 20'000;
  const char* given = std::getenv("RAILGAUGE_RANDOM_SEED");
  const uint64_t seed = given == nullptr ? 1 : std::strtoull(given, nullptr, 0);
  const int fd = Open();
  Fuzzer fuzzer(*host_, fd, scratch_, seed);
  std::map<int, int> answers;
  std::mt19937_64 changes(seed + 1);
  for (int step = 0; step < kSteps; ++step) {
    const int result = fuzzer.Step(static_cast<int>(changes() % 4));
    ++answers[-result];
    ASSERT_EQ(AllowedErrors().count(-result), 1u) << "errno " << -result << " for " << fuzzer.last()
                                                  << " in step " << step << " of seed " << seed;
  }
  // The test reaches what it is about.
  for (const int error : {0, EINVAL, EFAULT, ENOENT, EPROTONOSUPPORT, EOPNOTSUPP, ENOSPC, EBUSY}) {
    EXPECT_GT(answers[error], 20) << "errno " << error << " hardly occurs";
  }
  fuzzer.CloseChannels();
  Close(fd);
  const efa::ObjectCounts left = fabric_->device(0, 0).CountObjects();
  EXPECT_EQ(left.pds + left.uars + left.mrs + left.ahs + left.cqs + left.qps, 0u);
  EXPECT_EQ(left.llq_bytes, 0u);
  Close(Open());
}

TEST_F(IoctlFuzz, PointersThatLeadNowhere) {
  const int fd = Open();
  for (void* nowhere :
       {static_cast<void*>(nullptr), reinterpret_cast<void*>(8), static_cast<void*>(scratch_.end()),
        static_cast<void*>(scratch_.end() - sizeof(ib_uverbs_ioctl_hdr) / 2)}) {
    EXPECT_EQ(host_->Ioctl(fd, RDMA_VERBS_IOCTL, nowhere), -EFAULT);
  }
  EXPECT_EQ(host_->Ioctl(fd, RDMA_VERBS_IOCTL + 1, scratch_.data()), -ENOTTY);
  // A header whose attributes end in memory that is not there.
  IoctlCall call(UVERBS_OBJECT_DEVICE, UVERBS_METHOD_QUERY_PORT);
  call.In(UVERBS_ATTR_QUERY_PORT_PORT_NUM, uint8_t{1});
  call.Out(UVERBS_ATTR_QUERY_PORT_RESP, sizeof(ib_uverbs_query_port_resp_ex));
  std::byte* at_the_end = scratch_.end() - sizeof(ib_uverbs_ioctl_hdr);
  std::memcpy(at_the_end, &call.header(), sizeof(ib_uverbs_ioctl_hdr));
  EXPECT_EQ(host_->Ioctl(fd, RDMA_VERBS_IOCTL, at_the_end), -EFAULT);
  // An answer that has nowhere to go.
  call.attributes()[1].data = reinterpret_cast<uint64_t>(scratch_.end() - 4);
  EXPECT_EQ(host_->Ioctl(fd, RDMA_VERBS_IOCTL, &call.header()), -EFAULT);
  Close(fd);
}

}  // namespace
}  // namespace railgauge
