#include "lib/base/file_error.h"

#include <cerrno>

#include "gtest/gtest.h"

namespace railgauge {
namespace {

TEST(FileErrorTest, SaysWhatToDoByUse) {
  EXPECT_EQ(FileError(FileUse::kRead, ENOENT, "open", "x.csv").ToString(),
            "open x.csv: ENOENT (No such file or directory). Check how the path is spelled.");
  EXPECT_EQ(FileError(FileUse::kWrite, ENOENT, "write", "a/x.csv").ToString(),
            "write a/x.csv: ENOENT (No such file or directory). Make its folder first, or choose "
            "another place.");
}

TEST(FileErrorTest, TheCallersAdviceGoesFirst) {
  EXPECT_EQ(FileError(FileUse::kRead, ENOENT, "open", "token", "Make one").advice, "Make one");
}

TEST(FileErrorTest, EveryUsualErrnoHasAdvice) {
  for (const int number : {ENOENT, ENOTDIR, EISDIR, EACCES, ELOOP, ENAMETOOLONG, EIO}) {
    EXPECT_NE(FileError(FileUse::kRead, number, "read", "x").advice, "") << number;
  }
  for (const int number : {ENOENT, ENOTDIR, EISDIR, EACCES, EPERM, EROFS, ENOSPC, EDQUOT, ELOOP,
                           ENAMETOOLONG, EEXIST, EFBIG, ENXIO, EIO}) {
    EXPECT_NE(FileError(FileUse::kWrite, number, "write", "x").advice, "") << number;
  }
}

TEST(FileErrorTest, ALimitOfTheProcessIsToldAsOne) {
  EXPECT_NE(FileError(FileUse::kRead, EMFILE, "open", "x").advice.find("ulimit -n"),
            std::string::npos);
}

}  // namespace
}  // namespace railgauge
