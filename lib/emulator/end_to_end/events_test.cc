// Completion channels and asynchronous events, as ibv_get_cq_event(3) and its kin describe them.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>

#include <cerrno>
#include <chrono>
#include <future>
#include <memory>
#include <thread>

#include "lib/emulator/end_to_end/messenger.h"

namespace railgauge {
namespace {

constexpr int kPatience = 10'000;  // ms
constexpr int kNever = 100;        // ms for which nothing must happen

bool IsReadable(int fd, int milliseconds) {
  pollfd ready = {.fd = fd, .events = POLLIN, .revents = 0};
  return poll(&ready, 1, milliseconds) == 1;
}

class Events : public testing::Test {
 protected:
  void SendToB() { a_.Post(a_.To(b_, to_b_.get(), {})); }
  bool BHasAnEvent(int milliseconds) const { return IsReadable(b_.channel->fd, milliseconds); }
  // The CQ that the next event of b's channel is of; not acknowledged.
  ibv_cq* NextOfB() const {
    ibv_cq* cq = nullptr;
    void* cookie = nullptr;
    if (!BHasAnEvent(kPatience)) return nullptr;
    EXPECT_EQ(ibv_get_cq_event(b_.channel, &cq, &cookie), 0);
    return cq;
  }
  static void Arm(ibv_cq_ex* cq) { ASSERT_EQ(ibv_req_notify_cq(ibv_cq_ex_to_cq(cq), 0), 0); }

  Messenger a_{Scenario().nics[0].name};
  Messenger b_{Scenario().nics[1].name, {.with_events = true}};
  Ah to_b_ = a_.AddressOf(b_), to_a_ = b_.AddressOf(a_);
};

TEST_F(Events, OneForEachArming) {
  b_.PostReceive(1);
  SendToB();
  EXPECT_EQ(b_.Received().status, IBV_WC_SUCCESS);
  EXPECT_FALSE(BHasAnEvent(kNever));  // not armed
  for (int round = 0; round < 20; ++round) {
    Arm(b_.recv_cq);
    for (int i = 0; i < 3; ++i) {
      b_.PostReceive(1);
      SendToB();
    }
    ASSERT_EQ(NextOfB(), ibv_cq_ex_to_cq(b_.recv_cq)) << round;
    ibv_ack_cq_events(ibv_cq_ex_to_cq(b_.recv_cq), 1);
    for (int i = 0; i < 3; ++i) ASSERT_EQ(b_.Received().status, IBV_WC_SUCCESS);
  }
  EXPECT_FALSE(BHasAnEvent(kNever));
}

TEST_F(Events, NameTheCqAmongThoseOfAChannel) {
  for (ibv_cq_ex** cq : {&b_.recv_cq, &b_.send_cq, &b_.recv_cq}) {
    Arm(*cq);
    if (cq == &b_.recv_cq) {
      b_.PostReceive(1);
      SendToB();
    } else {
      a_.PostReceive(1);
      b_.Post(b_.To(a_, to_a_.get(), {}));
    }
    EXPECT_EQ(NextOfB(), ibv_cq_ex_to_cq(*cq));
    ibv_ack_cq_events(ibv_cq_ex_to_cq(*cq), 1);
    EXPECT_TRUE(Messenger::WaitFor(*cq).has_value());
  }
}

// libefa refuses it; a device that knew solicited events would too.
TEST_F(Events, SolicitedOnlyIsNotSupported) {
  EXPECT_EQ(ibv_req_notify_cq(ibv_cq_ex_to_cq(b_.recv_cq), 1), EOPNOTSUPP);
}

TEST_F(Events, AnArmedCqTellsOfErrorsToo) {
  Arm(b_.recv_cq);
  b_.PostReceive(1);
  b_.ToState(IBV_QPS_ERR);
  EXPECT_EQ(NextOfB(), ibv_cq_ex_to_cq(b_.recv_cq));
  ibv_ack_cq_events(ibv_cq_ex_to_cq(b_.recv_cq), 1);
  EXPECT_EQ(b_.Received().status, IBV_WC_WR_FLUSH_ERR);
}

TEST_F(Events, ANonBlockingChannelSaysSo) {
  const int flags = fcntl(b_.channel->fd, F_GETFL);
  ASSERT_EQ(fcntl(b_.channel->fd, F_SETFL, flags | O_NONBLOCK), 0);
  ibv_cq* cq = nullptr;
  void* cookie = nullptr;
  EXPECT_EQ(ibv_get_cq_event(b_.channel, &cq, &cookie), -1);
  EXPECT_EQ(errno, EAGAIN);
}

TEST(EventsOfADestroyedCq, MustBeAcknowledgedWhenRead) {
  Messenger a(Scenario().nics[0].name);
  auto b =
      std::make_unique<Messenger>(Scenario().nics[1].name, Messenger::Options{.with_events = true});
  const Ah to_b = a.AddressOf(*b);
  ASSERT_EQ(ibv_req_notify_cq(ibv_cq_ex_to_cq(b->recv_cq), 0), 0);
  b->PostReceive(1);
  a.Post(a.To(*b, to_b.get(), {}));
  ASSERT_EQ(b->Received().status, IBV_WC_SUCCESS);
  ibv_cq* cq = nullptr;
  void* cookie = nullptr;
  ASSERT_TRUE(IsReadable(b->channel->fd, kPatience));
  ASSERT_EQ(ibv_get_cq_event(b->channel, &cq, &cookie), 0);
  // Everything of b goes, and the destruction of the CQ waits for the acknowledgement.
  std::future<void> gone = std::async(std::launch::async, [&b] { b.reset(); });
  EXPECT_EQ(gone.wait_for(std::chrono::milliseconds(kNever)), std::future_status::timeout);
  ibv_ack_cq_events(cq, 1);
  EXPECT_EQ(gone.wait_for(std::chrono::milliseconds(kPatience)), std::future_status::ready);
}

TEST(EventsOfADestroyedCq, AreGoneWhenNotRead) {
  Messenger a(Scenario().nics[0].name);
  {
    Messenger b(Scenario().nics[1].name, {.with_events = true});
    const Ah to_b = a.AddressOf(b);
    ASSERT_EQ(ibv_req_notify_cq(ibv_cq_ex_to_cq(b.recv_cq), 0), 0);
    b.PostReceive(1);
    a.Post(a.To(b, to_b.get(), {}));
    ASSERT_EQ(b.Received().status, IBV_WC_SUCCESS);
    ASSERT_TRUE(IsReadable(b.channel->fd, kPatience));
    // Without a word of the event: b's destructor does not wait for anything.
  }
}

// Two sleepers that wake each other, as a server does that does not want to spin.
TEST(EventDriven, PingPong) {
  constexpr int kRounds = 300;
  Messenger a(Scenario().nics[0].name, {.with_events = true});
  Messenger b(Scenario().nics[1].name, {.with_events = true});
  const Ah to_b = a.AddressOf(b), to_a = b.AddressOf(a);
  const auto wait = [](Messenger& self) {
    for (;;) {
      if (const auto completion = Messenger::Poll(self.recv_cq)) return completion->status;
      // Armed, and looked once more: what came before the arming raises no event.
      EXPECT_EQ(ibv_req_notify_cq(ibv_cq_ex_to_cq(self.recv_cq), 0), 0);
      if (const auto completion = Messenger::Poll(self.recv_cq)) return completion->status;
      if (!IsReadable(self.channel->fd, kPatience)) return IBV_WC_GENERAL_ERR;
      ibv_cq* cq = nullptr;
      void* cookie = nullptr;
      EXPECT_EQ(ibv_get_cq_event(self.channel, &cq, &cookie), 0);
      ibv_ack_cq_events(cq, 1);
    }
  };
  for (int i = 0; i < 2; ++i) {
    a.PostReceive(0);
    b.PostReceive(0);
  }
  std::thread answering([&] {
    for (int round = 0; round < kRounds; ++round) {
      ASSERT_EQ(wait(b), IBV_WC_SUCCESS) << round;
      b.PostReceive(0);
      b.Post(b.To(a, to_a.get(), {}));
      ASSERT_EQ(b.Sent().status, IBV_WC_SUCCESS);
    }
  });
  for (int round = 0; round < kRounds; ++round) {
    a.Post(a.To(b, to_b.get(), {}));
    if (a.Sent().status != IBV_WC_SUCCESS || wait(a) != IBV_WC_SUCCESS) {
      ADD_FAILURE() << "round " << round;
      break;
    }
    a.PostReceive(0);
  }
  answering.join();
}

// The driver raises none of its own: completion events come by EQs, and the AENQ has no handler
// that would make an event of it. Nothing a program does wrong may make one either.
TEST_F(Events, NoAsynchronousOnes) {
  const int flags = fcntl(a_.context->async_fd, F_GETFL);
  ASSERT_EQ(fcntl(a_.context->async_fd, F_SETFL, flags | O_NONBLOCK), 0);
  Messenger::Request bad = a_.To(b_, to_b_.get(), {});
  bad.qp_num ^= 1;
  a_.Post(bad);
  EXPECT_EQ(a_.Sent().status, IBV_WC_REM_INV_RD_REQ_ERR);
  a_.ToState(IBV_QPS_ERR);
  EXPECT_FALSE(IsReadable(a_.context->async_fd, kNever));
  ibv_async_event event = {};
  EXPECT_EQ(ibv_get_async_event(a_.context, &event), -1);
  EXPECT_EQ(errno, EAGAIN);
}

}  // namespace
}  // namespace railgauge
