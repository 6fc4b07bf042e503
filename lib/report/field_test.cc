#include "lib/report/field.h"

#include <clocale>
#include <cmath>
#include <limits>
#include <locale>

#include "gtest/gtest.h"

namespace railgauge {
namespace {

template <typename T>
void ExpectRoundTrip(const T& value, const std::string& text) {
  EXPECT_EQ(PrintField(value), text);
  T back{};
  EXPECT_TRUE(ParseField(text, back)) << text;
  EXPECT_EQ(back, value) << text;
}

TEST(FieldTest, RoundTrips) {
  ExpectRoundTrip(std::string("plain"), "plain");
  ExpectRoundTrip(uint64_t{18446744073709551615u}, "18446744073709551615");
  ExpectRoundTrip(0.1, "0.1");
  ExpectRoundTrip(1.0 / 3, "0.3333333333333333");
  ExpectRoundTrip(BytesPerSecond{12.5e9}, "12500000000");
  ExpectRoundTrip(BytesPerSecond{0}, "0");
  ExpectRoundTrip(Bytes{1048576}, "1048576");
  ExpectRoundTrip(Nanoseconds(20'000'000), "20000000");
  ExpectRoundTrip(std::optional<uint16_t>(), "");
  ExpectRoundTrip(std::optional<uint16_t>(0), "0");
  ExpectRoundTrip(PciAddress{}, "");
  ExpectRoundTrip(PciAddress{1, 0xc6, 0, 0}, "0001:c6:00.0");
  ExpectRoundTrip(MemoryPlace::NumaNode(1), "numa1");
  ExpectRoundTrip(std::vector<MemoryPlace>{}, "");
  ExpectRoundTrip(std::vector{MemoryPlace::NumaNode(0), MemoryPlace::Gpu({0, 0x53, 0, 0})},
                  "numa0;gpu:0000:53:00.0");
  ExpectRoundTrip(Verdict::kOversubscribed, "OVERSUBSCRIBED");
  ExpectRoundTrip(IcField::kRdmaRecv, "rdma_recv");
  ExpectRoundTrip(SkipCause::kNoTime, "no_time");
  ExpectRoundTrip(std::optional<bool>(), "");
  ExpectRoundTrip(std::optional<bool>(false), "false");
  ExpectRoundTrip(std::optional<bool>(true), "true");
}

TEST(FieldTest, WhatIsNotFiniteIsUnknown) {
  EXPECT_EQ(PrintField(std::nan("")), "");
  EXPECT_EQ(PrintField(-std::nan("")), "");
  EXPECT_EQ(PrintField(std::numeric_limits<double>::infinity()), "");
  EXPECT_EQ(PrintField(std::optional<BytesPerSecond>(BytesPerSecond{std::nan("")})), "");
}

TEST(FieldTest, RefusesWhatIsNoSuchValue) {
  const auto refuses = [](const char* text, auto value) {
    EXPECT_FALSE(ParseField(text, value)) << text;
  };
  for (const char* text : {"", "x", "-1", "1 ", " 1", "1.5", "65536", "0x1"}) {
    refuses(text, uint16_t{});
  }
  for (const char* text : {"", "nan", "inf", "1,5", "1e999", "12.5GB/s"}) refuses(text, 0.0);
  refuses("-1", BytesPerSecond{});
  refuses("rdmap0s0", PciAddress{});
  refuses("gpu3", MemoryPlace{});
  refuses("numa0;", std::vector<MemoryPlace>{});
  refuses("ok", Verdict{});
  refuses("", Operation{});
  refuses("1", false);
}

TEST(FieldTest, ListsOfNicsTakeTwoFields) {
  const std::vector<NicKey> nics = {{{0, 0xc6, 0, 0}, "rdmap198s0"}, {{0, 0xc7, 0, 0}, ""}};
  EXPECT_EQ(PrintAddresses(nics), "0000:c6:00.0;0000:c7:00.0");
  EXPECT_EQ(PrintNames(nics), "rdmap198s0;");
  std::vector<NicKey> back;
  EXPECT_TRUE(ParseAddresses(PrintAddresses(nics), back));
  EXPECT_TRUE(ParseNames(PrintNames(nics), back));
  EXPECT_EQ(back, nics);
  EXPECT_FALSE(ParseNames("one", back));
  EXPECT_FALSE(ParseAddresses("0000:c6:00.0;", back));
  EXPECT_TRUE(ParseAddresses("", back));
  EXPECT_TRUE(back.empty());
  EXPECT_TRUE(ParseNames("", back));
}

// A locale with ',' as its decimal point and '.' between thousands.
class CommaPoint : public std::numpunct<char> {
 protected:
  char do_decimal_point() const override { return ','; }
  char do_thousands_sep() const override { return '.'; }
  std::string do_grouping() const override { return "\3"; }
};

TEST(FieldTest, NumbersDoNotDependOnTheLocale) {
  const std::locale before = std::locale::global(std::locale(std::locale(), new CommaPoint));
  std::setlocale(LC_ALL, "de_DE.UTF-8");  // Changes nothing where it is not installed.
  EXPECT_EQ(PrintField(1234567.5), "1234567.5");
  EXPECT_EQ(PrintField(uint64_t{1234567}), "1234567");
  double back = 0;
  EXPECT_TRUE(ParseField("1234567.5", back));
  EXPECT_EQ(back, 1234567.5);
  std::setlocale(LC_ALL, "C");
  std::locale::global(before);
}

}  // namespace
}  // namespace railgauge
