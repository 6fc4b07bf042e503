#include "lib/peer/messages.h"

#include <random>

#include "gtest/gtest.h"
#include "lib/peer/frame.h"

namespace railgauge {
namespace {

RunRequest SomeRun() {
  RunRequest run;
  run.nic = *PciAddress::Parse("0000:4f:00.0");
  run.place = MemoryPlace::NumaNode(1);
  run.operation = Operation::kWrite;
  run.gid.fill(0xfe);
  run.queue_pairs = {1, 2, 0xffffffff};
  run.queue_key = 7;
  run.remote_address = 0xffff'ffff'ffff'f000;
  run.message_bytes = 1 << 20;
  run.depth = 32;
  run.window = std::chrono::milliseconds{18};
  run.stall_deadline = std::chrono::seconds{10};
  return run;
}

TEST(MessagesTest, ARequestComesBackAsItWas) {
  const RunRequest sent = SomeRun();
  const auto read = DecodeRequest(Encode(sent));
  ASSERT_TRUE(read) << read.error().ToString();
  ASSERT_TRUE(std::holds_alternative<RunRequest>(*read));
  const RunRequest& run = std::get<RunRequest>(*read);
  EXPECT_EQ(run.nic, sent.nic);
  EXPECT_EQ(run.place, sent.place);
  EXPECT_EQ(run.operation, sent.operation);
  EXPECT_EQ(run.gid, sent.gid);
  EXPECT_EQ(run.queue_pairs, sent.queue_pairs);
  EXPECT_EQ(run.remote_address, sent.remote_address);
  EXPECT_EQ(run.window, sent.window);
  EXPECT_EQ(Encode(run), Encode(sent));
}

TEST(MessagesTest, EmptyIsNotZero) {
  Ran ran;
  auto read = DecodeAnswer<Ran>(Encode(ran));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->cpu_wait, std::nullopt);
  EXPECT_FALSE(read->failure);
  EXPECT_TRUE(read->interval_times.empty());
  ran.interval_times = {Nanoseconds{7}};
  ran.interval_counts = {UINT64_MAX};
  ran.cpu_wait = Nanoseconds{0};
  ran.failure = FailureOf(MakeError("rdma read", "rdmap79s0", "it stopped", "Look at it"));
  read = DecodeAnswer<Ran>(Encode(ran));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->cpu_wait, Nanoseconds{0});
  EXPECT_EQ(read->interval_times, ran.interval_times);
  EXPECT_EQ(read->interval_counts, ran.interval_counts);
  ASSERT_TRUE(read->failure);
  EXPECT_EQ(ErrorOf(*read->failure).ToString(), "rdma read rdmap79s0: it stopped. Look at it.");
}

TEST(MessagesTest, AFailureIsTheAnswersError) {
  const Error error = ErrnoError(12, "ibv_reg_mr", "rdmap79s0", "Raise the memlock limit");
  const auto read = DecodeAnswer<Registered>(Encode(FailureOf(error)));
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().ToString(), error.ToString());
}

TEST(MessagesTest, OtherVersionsAreTold) {
  const auto hello = Decode<AnyHello>(R"({"type":"hello","protocol":99,"new":{"a":[1]}})");
  ASSERT_TRUE(hello);
  EXPECT_EQ(hello->protocol, 99u);
}

TEST(MessagesTest, LongestDescriptionFitsAFrame) {
  Description description;
  for (int i = 0; i < 64; ++i) {
    description.nics.push_back({*PciAddress::Parse("ffff:ff:1f.7"), std::string(64, 'n'),
                                4294967295, MemoryPlace::NumaNode(4294967295)});
  }
  const std::string text = Encode(description);
  EXPECT_LE(text.size(), kMaxMessageBytes);
  const auto read = DecodeAnswer<Description>(text);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->nics, description.nics);
}

TEST(MessagesTest, WhatIsWrongIsNamed) {
  const struct {
    const char* text;
    const char* reason;
  } kCases[] = {
      {"", "it is no JSON object"},
      {"[]", "it is no JSON object"},
      {"{\"type\":\"run\"", "it is no JSON object"},
      {"{}", "it has no type"},
      {R"({"type":7})", "it has no type"},
      {R"({"type":"launch"})", "there is no request 'launch'"},
      {R"({"type":"open","nic":"4f:00.0"})",
       "field 'nic' of 'open' is missing or has no value of its type"},
      {R"({"type":"open","nic":"0000:4f:00.0","queue_pairs":4294967296})",
       "field 'queue_pairs' of 'open' is missing or has no value of its type"},
      {R"({"type":"open","nic":"0000:4f:00.0","queue_pairs":-1})",
       "field 'queue_pairs' of 'open' is missing or has no value of its type"},
      {R"({"type":"open","nic":"0000:4f:00.0","queue_pairs":1.5})",
       "field 'queue_pairs' of 'open' is missing or has no value of its type"},
      {R"({"type":"open","nic":"0000:4f:00.0","queue_pairs":1})",
       "field 'max_depth' of 'open' is missing or has no value of its type"},
      {R"({"type":"meet","nic":"0000:4f:00.0","gid":[1,2,3]})",
       "field 'gid' of 'meet' is missing or has no value of its type"},
      {R"({"type":"fill","place":"numa-1"})",
       "field 'place' of 'fill' is missing or has no value of its type"},
  };
  for (const auto& c : kCases) {
    const auto read = DecodeRequest(c.text);
    ASSERT_FALSE(read) << c.text;
    EXPECT_EQ(read.error().reason, c.reason) << c.text;
  }
  EXPECT_EQ(Decode<Welcome>(Encode(Refusal{})).error().reason,
            "'refusal' came instead of 'welcome'");
}

TEST(MessagesTest, ControlCharactersDoNotGetThrough) {
  const auto read = DecodeAnswer<Opened>(
      R"({"type":"failure","operation":"a\u001b[2J","object":"","reason":"b\n","advice":""})");
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().operation, "a?[2J");
  EXPECT_EQ(read.error().reason, "b?");
}

TEST(MessagesTest, DeepNestingIsRefused) {
  const std::string deep =
      R"({"type":"describe","a":)" + std::string(30000, '[') + std::string(30000, ']') + "}";
  const auto read = DecodeRequest(deep);  // no crash; whether it is a "describe" is of no matter
  if (!read) {
    EXPECT_EQ(read.error().operation, "read message");
  }
}

// Seeded noise and mutations of good messages: an answer or one Error, never a crash.
TEST(MessagesTest, NoiseIsAnErrorAndNothingElse) {
  std::mt19937_64 random(20260102);
  const std::string good = Encode(SomeRun());
  const std::string alphabet = "{}[]\",:0123456789.eE+-truefalsn\\u \xff\x80\n";
  int refused = 0;
  for (int round = 0; round < 20000; ++round) {
    std::string text = good;
    switch (round % 3) {
      case 0:  // random bytes
        text.resize(random() % 200);
        for (char& c : text) c = static_cast<char>(random());
        break;
      case 1:  // JSON's own characters
        text.resize(random() % 200);
        for (char& c : text) c = alphabet[random() % alphabet.size()];
        break;
      default:  // a good one with a few changes
        for (uint64_t changes = 1 + random() % 4; changes > 0; --changes) {
          text[random() % text.size()] = alphabet[random() % alphabet.size()];
        }
        if (random() % 4 == 0) text.resize(random() % text.size());
    }
    const auto read = DecodeRequest(text);
    if (read) continue;
    ++refused;
    ASSERT_EQ(read.error().operation, "read message");
    ASSERT_FALSE(read.error().reason.empty());
    ASSERT_EQ(read.error().ToString(), Printable(read.error().ToString()));
    ASSERT_LT(read.error().ToString().size(), 300u);
  }
  EXPECT_GT(refused, 13334);  // all of the first two kinds, and more
}

}  // namespace
}  // namespace railgauge
