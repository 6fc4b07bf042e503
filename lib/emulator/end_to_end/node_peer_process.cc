// The peer's own side of node_peer.h.
#include "lib/emulator/end_to_end/node_peer_process.h"

#include <arpa/inet.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <memory>
#include <random>

#include "lib/base/result.h"
#include "lib/emulator/end_to_end/rig.h"

namespace railgauge {

namespace {

using Clock = std::chrono::steady_clock;

class PeerProcess {
 public:
  PeerProcess(int socket, const std::string& nic) : socket_(socket), nic_(nic, true) {
    const int fd = gpu_.Export(0);
    gpu_mr_ = Mr(ibv_reg_dmabuf_mr(
        nic_.pd, 0, kPeerBytes, reinterpret_cast<uint64_t>(gpu_.device_pointer()), fd, kAllAccess));
    close(fd);
    RAILGAUGE_CHECK(gpu_mr_ != nullptr);
    PeerAddress own;
    own.gid = nic_.gid;
    own.qp_num = nic_.qp->qp_num;
    own.address = {AddressOf(PeerPlace::kHost), AddressOf(PeerPlace::kGpu)};
    own.rkey = {host_mr_->rkey, gpu_mr_->rkey};
    RAILGAUGE_CHECK(send(socket_, &own, sizeof own, MSG_NOSIGNAL) == sizeof own);
  }

  // Until the test closes the socket.
  void Serve() {
    PeerCommand command;
    while (recv(socket_, &command, sizeof command, 0) == sizeof command) {
      if (command.kind == PeerCommand::Kind::kTraffic) {
        RunTraffic(command);
        continue;
      }
      const PeerAnswer answer = Do(command);
      if (send(socket_, &answer, sizeof answer, MSG_NOSIGNAL) != sizeof answer) return;
    }
  }

 private:
  static uint8_t Pattern(size_t i, uint32_t seed) {
    return static_cast<uint8_t>(i * 31 + (i >> 8) * 7 + (i >> 16) * 13 + seed);
  }
  std::byte* MemoryOf(PeerPlace place) const {
    return place == PeerPlace::kHost ? host_.data() : gpu_.alias();
  }
  // As work requests name it.
  uint64_t AddressOf(PeerPlace place) const {
    return reinterpret_cast<uint64_t>(place == PeerPlace::kHost ? static_cast<void*>(host_.data())
                                                                : gpu_.device_pointer());
  }
  const ibv_mr& RegionOf(PeerPlace place) const {
    return place == PeerPlace::kHost ? *host_mr_ : *gpu_mr_;
  }

  PeerAnswer Do(const PeerCommand& command) {
    PeerAnswer answer;
    answer.ok = true;
    switch (command.kind) {
      case PeerCommand::Kind::kMeet:
        peer_ = command.address;
        ah_ = nic_.AddressOf(peer_.gid);
        break;
      case PeerCommand::Kind::kFill:
        for (size_t i = 0; i < kPeerBytes; ++i) {
          MemoryOf(command.place)[i] = std::byte{Pattern(i, command.seed)};
        }
        break;
      case PeerCommand::Kind::kCheck:
        for (size_t i = 0; i < command.length; ++i) {
          if (MemoryOf(command.place)[i] == std::byte{Pattern(i, command.seed)}) continue;
          answer.ok = false;
          answer.value = i;
          break;
        }
        break;
      case PeerCommand::Kind::kTransfer:
        nic_.Post({MakeRequest(command)});
        return Completed();
      case PeerCommand::Kind::kReceive:
        nic_.PostReceive(RegionOf(command.place).lkey, AddressOf(command.place), command.length);
        break;
      case PeerCommand::Kind::kWaitReceive:
        return Completed();
      case PeerCommand::Kind::kSleepReceive:
        return Slept();
      case PeerCommand::Kind::kCounter:
        answer.value = ReadCounter(nic_.name, command.name.data());
        break;
      case PeerCommand::Kind::kHostName:
        gethostname(answer.name.data(), answer.name.size() - 1);
        break;
      default:
        answer.ok = false;
    }
    return answer;
  }

  Nic::Request MakeRequest(const PeerCommand& command) const {
    const auto remote = static_cast<size_t>(command.remote_place);
    const ibv_mr& local = RegionOf(command.place);
    Nic::Request request;
    request.write = command.op == PeerOp::kWrite || command.op == PeerOp::kWriteWithImmediate;
    request.send = command.op == PeerOp::kSend;
    if (command.op == PeerOp::kWriteWithImmediate) request.immediate = htonl(kPeerImmediate);
    request.ah = ah_.get();
    request.qp_num = peer_.qp_num;
    request.local_address = AddressOf(command.place);
    request.remote_address = peer_.address[remote];
    request.lkey = local.lkey;
    request.rkey = peer_.rkey[remote];
    request.length = command.length;
    return request;
  }

  PeerAnswer Completed() {
    PeerAnswer answer;
    const auto completion = nic_.WaitForCompletion();
    if (!completion) return answer;
    answer.ok = completion->status == IBV_WC_SUCCESS;
    answer.status = completion->status;
    answer.vendor_error = completion->vendor_err;
    answer.opcode = completion->opcode;
    answer.bytes = completion->byte_len;
    if ((completion->wc_flags & IBV_WC_WITH_IMM) != 0) {
      answer.immediate = ntohl(completion->imm_data);
    }
    return answer;
  }

  PeerAnswer Slept() {
    RAILGAUGE_CHECK(ibv_req_notify_cq(nic_.cq, 0) == 0);
    const PeerAnswer armed = {.ok = true};
    RAILGAUGE_CHECK(send(socket_, &armed, sizeof armed, MSG_NOSIGNAL) == sizeof armed);
    pollfd ready = {.fd = nic_.channel->fd, .events = POLLIN, .revents = 0};
    constexpr int kPatienceMs = 10'000;
    if (poll(&ready, 1, kPatienceMs) != 1) return {};
    ibv_cq* cq = nullptr;
    void* cookie = nullptr;
    RAILGAUGE_CHECK(ibv_get_cq_event(nic_.channel, &cq, &cookie) == 0 && cq == nic_.cq);
    ibv_ack_cq_events(cq, 1);
    return Completed();
  }

  bool IsToldToStop() const {
    pollfd ready = {.fd = socket_, .events = POLLIN, .revents = 0};
    return poll(&ready, 1, 0) == 1;
  }

  // Keeps requests of random sizes in flight. After a failure the peer is taken for dead; some more
  // requests show what later ones get.
  void RunTraffic(const PeerCommand& command) {
    constexpr uint32_t kWindow = 16, kMostFailures = 32;
    std::mt19937 random(command.seed);
    PeerAnswer report;
    uint32_t in_flight = 0, failures = 0;
    const auto post = [&] {
      PeerCommand one;
      one.op = random() % 2 == 0 ? PeerOp::kRead : PeerOp::kWrite;
      one.place = random() % 4 == 0 ? PeerPlace::kGpu : PeerPlace::kHost;
      one.remote_place = random() % 4 == 0 ? PeerPlace::kGpu : PeerPlace::kHost;
      one.length = 1u << (random() % 17);
      nic_.Post({MakeRequest(one)});
      ++in_flight;
    };
    for (uint32_t i = 0; i < kWindow; ++i) post();
    constexpr auto kPatience = std::chrono::seconds(10);
    auto deadline = Clock::now() + kPatience;
    bool stopping = false;
    while (in_flight > 0 && Clock::now() < deadline) {
      if (!stopping && IsToldToStop()) {
        stopping = true;
        deadline = Clock::now() + kPatience;
      }
      if (!stopping) deadline = Clock::now() + kPatience;
      ibv_wc completion = {};
      if (ibv_poll_cq(nic_.cq, 1, &completion) != 1) continue;
      --in_flight;
      const bool ok = completion.status == IBV_WC_SUCCESS;
      ++report.vendor_errors[ok ? 0 : std::min(completion.vendor_err, 31u)];
      if (!ok) ++failures;
      if (!stopping && failures < kMostFailures) post();
    }
    report.lost = in_flight;
    report.ok = in_flight == 0;
    PeerCommand stop;
    RAILGAUGE_CHECK(recv(socket_, &stop, sizeof stop, 0) == sizeof stop);
    RAILGAUGE_CHECK(send(socket_, &report, sizeof report, MSG_NOSIGNAL) == sizeof report);
  }

  const int socket_;
  Nic nic_;
  NodeMemory host_{kPeerBytes, 0};
  GpuMemory gpu_{kPeerBytes, 0};
  Mr host_mr_ = nic_.Register(host_);
  Mr gpu_mr_;
  PeerAddress peer_;
  Ah ah_;
};

}  // namespace

void ServeAsPeer(int socket, const std::string& nic) { PeerProcess(socket, nic).Serve(); }

}  // namespace railgauge
