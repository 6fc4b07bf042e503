#include "lib/emulator/device/flow_network.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <random>
#include <vector>

namespace railgauge::efa {
namespace {

constexpr SimTime kMicrosecond = 1'000'000;
constexpr double kGiga = 1e9;

// A network in GB/s, so that a byte at capacity 1000 takes a picosecond.
class FlowNetworkTest : public testing::Test {
 protected:
  uint32_t Add(double gigabytes_per_second) {
    return network_.AddResource(BytesPerSecond{gigabytes_per_second * kGiga});
  }
  Flow* AddFlow(std::vector<uint32_t> resources) { return network_.AddFlow(resources); }
  double Rate(const Flow* flow) const { return network_.RateOf(*flow).value / kGiga; }

  // Posts at `now`, after what departed until then.
  FlowMessage& Post(Flow* flow, double bytes, SimTime now, SimTime since) {
    Drain(now);
    FlowMessage& message = *messages_.emplace_back(std::make_unique<FlowMessage>());
    if (network_.Post(*flow, message, bytes, since, now)) departed_.push_back(&message);
    return message;
  }
  FlowMessage& Post(Flow* flow, double bytes, SimTime now) { return Post(flow, bytes, now, now); }

  void Drain(SimTime now) {
    while (FlowMessage* message = network_.TakeDeparted(now)) {
      EXPECT_EQ(message->flow, nullptr);
      departed_.push_back(message);
    }
  }

  FlowNetwork network_;
  std::vector<std::unique_ptr<FlowMessage>> messages_;
  std::vector<FlowMessage*> departed_;
};

TEST_F(FlowNetworkTest, AloneAMessageTakesItsOwnTime) {
  Flow* flow = AddFlow({Add(12.5), Add(100)});
  const FlowMessage& first = Post(flow, 4096, 1000);
  EXPECT_EQ(network_.NextDeparture(), 1000 + 327'680);
  Drain(1000 + 327'679);
  EXPECT_TRUE(departed_.empty());
  Drain(1000 + 327'680);
  EXPECT_EQ(first.departed, 1000 + 327'680);
  EXPECT_EQ(network_.NextDeparture(), kNever);
  EXPECT_EQ(network_.ExpectedDeparture(Post(flow, 4096, kMicrosecond)), kMicrosecond + 327'680);
}

TEST_F(FlowNetworkTest, MessagesOfAFlowPassInOrder) {
  Flow* flow = AddFlow({Add(1000)});
  const FlowMessage& first = Post(flow, 100, 0);
  const FlowMessage& second = Post(flow, 50, 10);
  const FlowMessage& third = Post(flow, 0, 20);
  Drain(1000);
  EXPECT_EQ(departed_, (std::vector<FlowMessage*>{messages_[0].get(), messages_[1].get(),
                                                  messages_[2].get()}));
  EXPECT_EQ(first.departed, 100);
  EXPECT_EQ(second.departed, 150);
  EXPECT_EQ(third.departed, 150);
}

TEST_F(FlowNetworkTest, RoundingDoesNotBendTheRate) {
  // 64 bytes at 700 GB/s are 91.43 ps: rounded one by one they would be 0.5 % off.
  Flow* flow = AddFlow({Add(700)});
  constexpr int kMessages = 1'000'000;
  FlowMessage window[2];
  for (FlowMessage& message : window) network_.Post(*flow, message, 64, 0, 0);
  SimTime end = 0;
  for (int i = 0; i < kMessages; ++i) {
    FlowMessage* message = network_.TakeDeparted(kNever - 1);
    end = message->departed;
    network_.Post(*flow, *message, 64, end, end);
  }
  EXPECT_NEAR(static_cast<double>(end), kMessages * 64.0 / 700e9 * 1e12, 2.0);
}

TEST_F(FlowNetworkTest, FlowsShareAlikeWhateverTheirMessages) {
  const uint32_t shared = Add(1000);
  Flow* large = AddFlow({shared});
  Flow* small = AddFlow({shared});
  for (int i = 0; i < 32; ++i) Post(large, 1'000'000, 0);
  for (int i = 0; i < 4; ++i) Post(small, 1000, 0);
  EXPECT_DOUBLE_EQ(Rate(large), 500);
  EXPECT_DOUBLE_EQ(Rate(small), 500);
  Drain(8000);
  EXPECT_EQ(departed_.size(), 4u);
  EXPECT_EQ(departed_.back()->departed, 8000);
  // Alone again, with 4000 bytes behind it.
  EXPECT_DOUBLE_EQ(Rate(large), 1000);
  EXPECT_DOUBLE_EQ(Rate(small), 0);
  EXPECT_EQ(network_.NextDeparture(), 8000 + 996'000);
}

TEST_F(FlowNetworkTest, WhatOneCannotUseGoesToTheOthers) {
  const uint32_t wide = Add(10), narrow = Add(4);
  Flow* on_wide = AddFlow({wide});
  Flow* on_both = AddFlow({wide, narrow});
  Flow* on_narrow = AddFlow({narrow});
  Post(on_wide, 1e9, 0);
  EXPECT_DOUBLE_EQ(Rate(on_wide), 10);
  Post(on_both, 1e9, 0);
  EXPECT_DOUBLE_EQ(Rate(on_wide), 6);
  EXPECT_DOUBLE_EQ(Rate(on_both), 4);
  FlowMessage& removed = Post(on_narrow, 1e9, 0);
  EXPECT_DOUBLE_EQ(Rate(on_wide), 8);
  EXPECT_DOUBLE_EQ(Rate(on_both), 2);
  EXPECT_DOUBLE_EQ(Rate(on_narrow), 2);
  network_.Remove(removed, 0);
  EXPECT_DOUBLE_EQ(Rate(on_wide), 6);
  EXPECT_DOUBLE_EQ(Rate(on_both), 4);
}

TEST_F(FlowNetworkTest, APathThatCrossesTwicePaysTwice) {
  const uint32_t link = Add(12);
  Flow* twice = AddFlow({link, link});
  Post(twice, 1e9, 0);
  EXPECT_DOUBLE_EQ(Rate(twice), 6);
  Flow* once = AddFlow({link});
  Post(once, 1e9, 0);
  EXPECT_DOUBLE_EQ(Rate(twice), 4);
  EXPECT_DOUBLE_EQ(Rate(once), 4);
}

TEST_F(FlowNetworkTest, ACapacityChangesUnderWay) {
  const uint32_t first = Add(1000), second = Add(1000), other = Add(300);
  Flow* a = AddFlow({first, second});
  Flow* b = AddFlow({second, other});
  Post(a, 10'000, 0);
  Post(b, 1e9, 0);
  EXPECT_DOUBLE_EQ(Rate(a), 700);
  network_.SetCapacity(first, BytesPerSecond{100 * kGiga}, 10'000);  // 7000 are through
  EXPECT_DOUBLE_EQ(Rate(a), 100);
  EXPECT_EQ(network_.NextDeparture(), 40'000);
  network_.SetCapacity(other, BytesPerSecond{2000 * kGiga}, 10'000);
  EXPECT_DOUBLE_EQ(Rate(b), 900);
  network_.SetCapacity(first, BytesPerSecond{5000 * kGiga}, 10'000);
  EXPECT_DOUBLE_EQ(Rate(a), 500);
  EXPECT_EQ(network_.NextDeparture(), 16'000);
}

TEST_F(FlowNetworkTest, RemovedMessagesLeaveTheirPlaceOrEndTheFlow) {
  Flow* flow = AddFlow({Add(1000)});
  FlowMessage& first = Post(flow, 100, 0);
  FlowMessage& second = Post(flow, 100, 0);
  FlowMessage& third = Post(flow, 100, 0);
  FlowMessage& fourth = Post(flow, 100, 0);
  network_.Remove(first, 10);
  network_.Remove(third, 10);
  network_.Remove(fourth, 10);
  EXPECT_EQ(network_.ExpectedDeparture(second), 200);
  EXPECT_EQ(network_.ExpectedDeparture(Post(flow, 50, 20)), 250);
  Drain(1000);
  EXPECT_EQ(departed_.size(), 2u);
  network_.RemoveFlow(flow);
}

TEST_F(FlowNetworkTest, NoLimitIsNoTime) {
  Flow* free = AddFlow({});
  EXPECT_EQ(Post(free, 1e9, 77).departed, 77);
  const uint32_t unlimited =
      network_.AddResource(BytesPerSecond{std::numeric_limits<double>::infinity()});
  Post(AddFlow({unlimited}), 1e6, 100);
  EXPECT_LE(network_.NextDeparture(), 101);
}

TEST_F(FlowNetworkTest, WhoIsLateUsesWhatWasToSpare) {
  const uint32_t shared = Add(1000);
  Flow* flow = AddFlow({shared});
  Post(flow, 100, 0);
  Drain(500);
  // Posted at 500, as if at 200: through at 300.
  EXPECT_EQ(Post(flow, 100, 500, 200).departed, 300);
  // As if at 100, which is before the one before was through.
  EXPECT_EQ(Post(flow, 100, 500, 100).departed, 400);
  // The rest of the time, and the rest of it from now on.
  EXPECT_EQ(network_.ExpectedDeparture(Post(flow, 150, 500, 100)), 550);
  Drain(1000);
  // Another one's past is the same resource's.
  Flow* other = AddFlow({shared});
  EXPECT_EQ(Post(other, 100, 1000, 0).departed, 600);
  EXPECT_EQ(network_.ExpectedDeparture(Post(flow, 450, 1000, 0)), 1050);
}

TEST_F(FlowNetworkTest, WhoIsLateTakesNothingFromTheBusy) {
  const uint32_t shared = Add(1000);
  Flow* busy = AddFlow({shared});
  Flow* late = AddFlow({shared});
  const FlowMessage& first = Post(busy, 1000, 0);
  EXPECT_EQ(network_.ExpectedDeparture(Post(late, 100, 500, 0)), 700);
  EXPECT_EQ(network_.ExpectedDeparture(first), 1500);
}

// Max-min fairness by its definition: nothing is above its capacity, and every flow crosses a full
// resource where nobody is faster. Of random networks, after every change.
class RandomNetwork {
 public:
  explicit RandomNetwork(uint32_t seed) : random_(seed) {
    for (size_t i = 2 + Draw(12); i > 0; --i) {
      capacities_.push_back(Capacity());
      network_.AddResource(BytesPerSecond{capacities_.back()});
    }
    for (size_t i = 1 + Draw(16); i > 0; --i) {
      Member& member = members_.emplace_back();
      for (size_t k = 1 + Draw(5); k > 0; --k) {
        member.resources.push_back(static_cast<uint32_t>(Draw(capacities_.size())));
      }
      member.flow = network_.AddFlow(member.resources);
    }
  }

  void Step() {
    now_ += static_cast<SimTime>(Draw(3'000'000));
    while (FlowMessage* message = network_.TakeDeparted(now_)) Leave(message);
    Member& member = members_[Draw(members_.size())];
    const size_t what = Draw(10);
    if (what == 0) {
      const size_t resource = Draw(capacities_.size());
      capacities_[resource] = Capacity();
      network_.SetCapacity(static_cast<uint32_t>(resource), BytesPerSecond{capacities_[resource]},
                           now_);
    } else if (what == 1 && !member.messages.empty()) {
      FlowMessage* message = member.messages[Draw(member.messages.size())].get();
      network_.Remove(*message, now_);
      Leave(message);
    } else {
      auto message = std::make_unique<FlowMessage>();
      const auto bytes = static_cast<double>(Draw(100'000));
      if (!network_.Post(*member.flow, *message, bytes, now_, now_)) {
        member.messages.push_back(std::move(message));
      }
    }
    Check();
  }

 private:
  struct Member {
    std::vector<uint32_t> resources;
    Flow* flow = nullptr;
    std::vector<std::unique_ptr<FlowMessage>> messages;
  };

  size_t Draw(size_t end) { return random_() % end; }
  double Capacity() { return static_cast<double>(1 + Draw(50)) * kGiga; }

  void Leave(const FlowMessage* message) {
    for (Member& member : members_) {
      std::erase_if(member.messages, [&](const auto& own) { return own.get() == message; });
    }
  }

  void Check() const {
    std::vector<double> used(capacities_.size()), fastest(capacities_.size());
    for (const Member& member : members_) {
      const double rate = network_.RateOf(*member.flow).value;
      ASSERT_EQ(rate > 0, !member.messages.empty());
      for (const uint32_t resource : member.resources) {
        used[resource] += rate;
        fastest[resource] = std::max(fastest[resource], rate);
      }
    }
    for (size_t i = 0; i < used.size(); ++i) ASSERT_LE(used[i], capacities_[i] * (1 + 1e-9));
    for (const Member& member : members_) {
      const double rate = network_.RateOf(*member.flow).value;
      ASSERT_TRUE(rate == 0 || std::any_of(member.resources.begin(), member.resources.end(),
                                           [&](uint32_t resource) {
                                             return used[resource] >=
                                                        capacities_[resource] * (1 - 1e-6) &&
                                                    rate >= fastest[resource] * (1 - 1e-6);
                                           }));
    }
  }

  std::mt19937 random_;
  FlowNetwork network_;
  std::vector<double> capacities_;
  std::vector<Member> members_;
  SimTime now_ = 0;
};

TEST(RandomFlowNetworkTest, RatesAreMaxMinFair) {
  for (uint32_t seed = 0; seed < 200; ++seed) {
    RandomNetwork network(seed);
    for (int step = 0; step < 300; ++step) {
      network.Step();
      ASSERT_FALSE(testing::Test::HasFatalFailure()) << "seed " << seed << " step " << step;
    }
  }
}

}  // namespace
}  // namespace railgauge::efa
