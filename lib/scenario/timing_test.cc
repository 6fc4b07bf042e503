#include "lib/scenario/timing.h"

#include <string>

#include "gtest/gtest.h"
#include "lib/scenario/yaml_document.h"

namespace railgauge {
namespace {

EmulatedTiming Read(const std::string& text, uint64_t* seed) {
  const auto document = ParseYaml(text, "file");
  EXPECT_TRUE(document.has_value());
  YamlErrors errors("file");
  const EmulatedTiming timing = ReadTiming(&*document, seed, &errors);
  EXPECT_TRUE(errors.ok());
  return timing;
}

std::string ErrorOf(const std::string& text) {
  const auto document = ParseYaml(text, "file");
  EXPECT_TRUE(document.has_value());
  YamlErrors errors("file");
  uint64_t seed = 0;
  ReadTiming(&*document, &seed, &errors);
  return errors.ok() ? "" : errors.first().ToString();
}

TEST(TimingTest, WhatIsLeftOutIsTheDefault) {
  YamlErrors errors("file");
  uint64_t seed = 5;
  const EmulatedTiming nothing = ReadTiming(nullptr, &seed, &errors);
  EXPECT_TRUE(errors.ok());
  EXPECT_TRUE(nothing.pacing);
  EXPECT_EQ(nothing.latency_spread, Nanoseconds(500));
  EXPECT_EQ(nothing.jitter, 0);
  EXPECT_EQ(nothing.drift_amplitude, 0);
  EXPECT_EQ(nothing.spike_probability, 0);
  EXPECT_EQ(seed, 5u);
  EXPECT_EQ(Read("seed: 7", &seed).latency_spread, Nanoseconds(500));
  EXPECT_EQ(seed, 7u);
}

TEST(TimingTest, EveryKeyIsRead) {
  uint64_t seed = 0;
  const EmulatedTiming timing = Read(R"(
pacing: false
latency_spread: 2us
jitter: 2.5%
drift: {amplitude: 5%, period: 2s}
spikes: {probability: 0.01%, length: 3ms}
seed: 18446744073709551615
)",
                                     &seed);
  EXPECT_FALSE(timing.pacing);
  EXPECT_EQ(timing.latency_spread, Nanoseconds(2'000));
  EXPECT_DOUBLE_EQ(timing.jitter, 0.025);
  EXPECT_DOUBLE_EQ(timing.drift_amplitude, 0.05);
  EXPECT_EQ(timing.drift_period, Nanoseconds(2'000'000'000));
  EXPECT_DOUBLE_EQ(timing.spike_probability, 0.0001);
  EXPECT_EQ(timing.spike_length, Nanoseconds(3'000'000));
  EXPECT_EQ(seed, ~uint64_t{0});
}

TEST(TimingTest, ErrorsSayWhereAndWhat) {
  const auto has = [](const std::string& text, const std::string& part) {
    const std::string error = ErrorOf(text);
    EXPECT_NE(error.find(part), std::string::npos) << text << " gives: " << error;
    EXPECT_NE(error.find("file:1"), std::string::npos) << error;
  };
  has("jitter: 2", "jitter is '2'. Write a percentage from 0% to 1000%");
  has("jitter: -2%", "jitter is '-2%'");
  has("jitter: nan%", "jitter is 'nan%'");
  has("jitter: 2x%", "jitter is '2x%'");
  has("jitter: {a: b}", "jitter is a map");
  has("latency_spread: 5", "latency_spread is '5': it has no unit");
  has("drift: {amplitude: 100%, period: 1s}", "amplitude is '100%'");
  has("drift: {amplitude: 1%, period: 10us}", "period is '10us'. Write at least 1ms");
  has("drift: {amplitude: 1%}", "drift has no 'period'");
  has("spikes: {probability: 101%, length: 1s}", "probability is '101%'");
  has("seed: -1", "seed is '-1'");
  has("pacing: off", "pacing is 'off'. Write true or false");
  has("jiter: 1%", "unknown key 'jiter' in timing. Write 'jitter'");
}

}  // namespace
}  // namespace railgauge
