#include "lib/base/result.h"

#include <cerrno>

#include "gtest/gtest.h"

namespace railgauge {
namespace {

Result<int> Half(int value) {
  if (value % 2 != 0) return Fail(MakeError("halve", std::to_string(value), "it is odd"));
  return value / 2;
}

Result<int> Quarter(int value) {
  RAILGAUGE_ASSIGN_OR_RETURN(const int half, Half(value));
  return Half(half);
}

TEST(ResultTest, PassesValuesAndErrorsOn) {
  EXPECT_EQ(*Quarter(8), 2);
  EXPECT_EQ(Quarter(6).error().ToString(), "halve 3: it is odd");
}

TEST(ResultTest, ErrnoHasNameAndText) {
  EXPECT_EQ(ErrnoError(EACCES, "open", "uverbs0", "Ask for access").ToString(),
            "open uverbs0: EACCES (Permission denied). Ask for access.");
  EXPECT_EQ(ErrnoName(99999), "errno 99999");
}

TEST(ResultTest, AnExhaustedLimitIsWhatToRaiseWhateverTheObject) {
  EXPECT_EQ(ErrnoError(EMFILE, "open", "x", "Ask for access").advice,
            "Raise this process's limit of open files (ulimit -n)");
  EXPECT_EQ(ErrnoError(ENOMEM, "ibv_reg_mr", "x", "Raise memlock").advice, "Raise memlock");
  EXPECT_NE(ErrnoError(ENOMEM, "mmap", "x").advice.find("ulimit -v"), std::string::npos);
}

TEST(ResultTest, AdviceEndsAsASentenceOnce) {
  EXPECT_EQ(MakeError("run", "x", "no", "Is it installed?").ToString(),
            "run x: no. Is it installed?");
}

TEST(ResultTest, OneLineWhateverTheInput) {
  EXPECT_EQ(MakeError("read", "a\nb\x1b[31m", "no").ToString(), "read a?b?[31m: no");
}

TEST(ResultDeathTest, CheckAborts) { EXPECT_DEATH(RAILGAUGE_CHECK(1 == 2), "1 == 2"); }

}  // namespace
}  // namespace railgauge
