#include "lib/measure/proof.h"

#include "gtest/gtest.h"

namespace railgauge {
namespace {

constexpr uint64_t kMillion = 1'000'000;

// A million bytes read in messages of 1000, seen from the initiator.
const RdmaBytes kPosted = {kMillion, 0, 0, 0};

DeviceCounters Moved(const RdmaBytes& rdma, uint64_t send = 0, uint64_t recv = 0,
                     std::optional<uint64_t> again = {}, std::optional<uint64_t> timeouts = {}) {
  return {rdma, send, recv, again, timeouts};
}

TEST(ProofTest, CountersToStatus) {
  constexpr SampleStatus kAgrees = SampleStatus::kOk;
  const struct {
    const char* what;
    DeviceCounters moved;
    SampleStatus status;
  } kCases[] = {
      {"exactly", Moved({kMillion, 0, 0, 0}), kAgrees},
      {"half a percent more", Moved({1'005'000, 0, 0, 0}), kAgrees},
      {"half a percent less", Moved({995'000, 0, 0, 0}), kAgrees},
      {"little else", Moved({kMillion, 5'000, 5'000, 5'000}, 5'000, 5'000), kAgrees},
      {"no retransmissions", Moved({kMillion, 0, 0, 0}, 0, 0, 0, 0), kAgrees},
      {"few retransmissions", Moved({kMillion, 0, 0, 0}, 0, 0, 5'000, 5), kAgrees},

      {"nothing", Moved({}), SampleStatus::kWrongBytes},
      {"a byte too few", Moved({994'999, 0, 0, 0}), SampleStatus::kWrongBytes},
      {"half, and little else", Moved({500'000, 0, 0, 0}, 0, 6'000), SampleStatus::kWrongBytes},

      {"a WRITE", Moved({0, 0, kMillion, 0}), SampleStatus::kWrongOperation},
      {"a SEND", Moved({}, kMillion, 0), SampleStatus::kWrongOperation},
      {"the other way round", Moved({0, kMillion, 0, 0}), SampleStatus::kWrongOperation},
      {"half by SEND", Moved({500'000, 0, 0, 0}, 0, 500'000), SampleStatus::kWrongOperation},

      {"a byte too many", Moved({1'005'001, 0, 0, 0}), SampleStatus::kForeignTraffic},
      {"served another's WRITE", Moved({kMillion, 0, 0, 500'000}), SampleStatus::kForeignTraffic},
      {"sent a message", Moved({kMillion, 0, 0, 0}, 5'001, 0), SampleStatus::kForeignTraffic},
      {"received one", Moved({kMillion, 0, 0, 0}, 0, 5'001), SampleStatus::kForeignTraffic},

      {"sent again", Moved({kMillion, 0, 0, 0}, 0, 0, 5'001), SampleStatus::kRetransmissionBurst},
      {"timed out", Moved({kMillion, 0, 0, 0}, 0, 0, 0, 6), SampleStatus::kRetransmissionBurst},
      {"foreign before burst", Moved({kMillion, 0, 0, kMillion}, 0, 0, kMillion),
       SampleStatus::kForeignTraffic},
  };
  for (const auto& c : kCases) {
    const auto found = FindContradiction("rdmap79s0", c.moved, kPosted, Bytes{1000});
    EXPECT_EQ(found ? found->status : kAgrees, c.status) << c.what;
    if (found) {
      EXPECT_NE(found->reason.find("rdmap79s0"), std::string::npos) << found->reason;
      EXPECT_TRUE(IsContradicted(found->status));
    }
  }
}

TEST(ProofTest, ReasonsHaveTheFigures) {
  EXPECT_EQ(FindContradiction("rdmap79s0", Moved({}), kPosted, Bytes{1000})->reason,
            "the device's counters contradict it: rdma_read_bytes of rdmap79s0 grew by 0 instead "
            "of 1000000");
  EXPECT_EQ(
      FindContradiction("rdmap79s0", Moved({0, 0, kMillion, 0}), kPosted, Bytes{1000})->reason,
      "the device's counters contradict it: rdma_read_bytes of rdmap79s0 grew by 0 instead "
      "of 1000000, and rdma_write_bytes of rdmap79s0 grew by 1000000 instead of 0");
  EXPECT_EQ(
      FindContradiction("rdmap79s0", Moved(kPosted, 0, 0, 9'000, 2), kPosted, Bytes{1000})->reason,
      "retransmission burst: rdmap79s0 sent 9000 bytes again and had 2 time-outs, for a payload "
      "of 1000000 bytes");
}

TEST(ProofTest, NothingPostedAllowsNothing) {
  EXPECT_FALSE(FindContradiction("x", Moved({}), {}, Bytes{1000}));
  EXPECT_EQ(FindContradiction("x", Moved({1, 0, 0, 0}), {}, Bytes{1000})->status,
            SampleStatus::kForeignTraffic);
}

TEST(ProofTest, OnlyAKnownCeilingCanBeExceeded) {
  constexpr Nanoseconds kSecond = std::chrono::seconds{1};
  const BytesPerSecond line{12.5e9};
  const Bytes much{uint64_t{13'200} * kMillion}, enough{uint64_t{13'100} * kMillion};
  EXPECT_FALSE(FindAboveCeiling(much, Bytes{0}, kSecond, std::nullopt));
  EXPECT_FALSE(FindAboveCeiling(much, Bytes{0}, Nanoseconds{0}, line));
  EXPECT_FALSE(FindAboveCeiling(enough, Bytes{0}, kSecond, line));
  EXPECT_FALSE(FindAboveCeiling(much, Bytes{100 * kMillion}, kSecond, line)) << "in flight before";
  EXPECT_FALSE(FindAboveCeiling(Bytes{5}, Bytes{10}, Nanoseconds{1}, line));
  const auto above = FindAboveCeiling(much, Bytes{50 * kMillion}, kSecond, line);
  ASSERT_TRUE(above);
  EXPECT_EQ(above->status, SampleStatus::kAboveCeiling);
  EXPECT_EQ(above->reason,
            "above the ceiling: 13.20 GB/s where the line rate is 12.50 GB/s at the most");
}

// A window of 20 ms with 32 messages of 1 MiB in flight, on a line of 12.5 GB/s.
struct ShortCase {
  const char* what;
  uint64_t completions;
  Nanoseconds duration;
  const char* reason;  // empty: it has a rate
};

TEST(ProofTest, AWindowThatHoldsTooLittleHasNoRate) {
  constexpr std::chrono::milliseconds kWindow{20};
  const ShortCase cases[] = {
      {"enough", 238, kWindow, ""},
      {"one more than in flight, and slow", 33, kWindow, ""},
      {"nothing", 0, Nanoseconds{0}, "nothing completed in the common window"},
      {"one", 1, kWindow, "holds 1 completion, no more than the 32 in flight"},
      {"what was in flight", 32, kWindow, "holds 32 completions, no more than the 32 in flight"},
      {"a heap", 64, std::chrono::milliseconds{9}, "20.0 ms lie within 9.0 ms"},
      {"half of it", 64, std::chrono::milliseconds{10}, ""},
      // 13.4 GB/s, of which 32 messages may have crossed before.
      {"above the line", 256, kWindow, "what was in flight when it opened counts for too much"},
      // 16.8 GB/s, 15.1 without those: that is another contradiction, and not this one.
      {"far above the line", 320, kWindow, ""},
  };
  for (const ShortCase& c : cases) {
    const WindowContent content = {c.completions, Bytes{1 << 20}, 32, c.duration, kWindow};
    const auto found = FindShortWindow(content, BytesPerSecond{12.5e9});
    EXPECT_EQ(found.has_value(), *c.reason != '\0') << c.what;
    if (!found) continue;
    EXPECT_EQ(found->status, SampleStatus::kShortWindow) << c.what;
    EXPECT_NE(found->reason.find(c.reason), std::string::npos) << c.what << ": " << found->reason;
  }
  const WindowContent fast = {256, Bytes{1 << 20}, 32, kWindow, kWindow};
  EXPECT_FALSE(FindShortWindow(fast, std::nullopt)) << "no line rate is known";
  const WindowContent brief = {64, Bytes{64}, 4, std::chrono::milliseconds{2},
                               std::chrono::milliseconds{4}};
  EXPECT_TRUE(FindShortWindow(brief, std::nullopt)) << "half of it is too short for anything";
}

}  // namespace
}  // namespace railgauge
