#include "lib/peer/token.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>

#include "gtest/gtest.h"
#include "lib/base/file.h"

namespace railgauge {
namespace {

std::string PathOf(const std::string& name) {
  const std::string path = testing::TempDir() + "/" + name;
  ::unlink(path.c_str());
  return path;
}

TEST(TokenTest, AFileMadeIsPrivateOneLineAndReadBack) {
  const std::string path = PathOf("token");
  const mode_t mask = ::umask(0);
  ASSERT_TRUE(MakeTokenFile(path));
  ::umask(mask);
  struct stat facts = {};
  ASSERT_EQ(::stat(path.c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 07777u, 0600u);
  const auto token = ReadTokenFile(path);
  ASSERT_TRUE(token) << token.error().ToString();
  EXPECT_EQ(*ReadFile(path), token->ToText());
  EXPECT_EQ(token->ToText().find('\n'), token->ToText().size() - 1);
}

TEST(TokenTest, EachIsAnother) {
  const auto one = Token::Random();
  const auto other = Token::Random();
  ASSERT_TRUE(one && other);
  EXPECT_NE(*one, *other);
  EXPECT_EQ(Token::Parse(one->ToText()), *one);
}

TEST(TokenTest, IsNeverReplaced) {
  const std::string path = PathOf("kept");
  ASSERT_TRUE(MakeTokenFile(path));
  const std::string before = *ReadFile(path);
  const Status again = MakeTokenFile(path);
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().ToString(),
            "make token file " + path +
                ": EEXIST (File exists). A token is never replaced: remove it, or choose another "
                "name.");
  EXPECT_EQ(*ReadFile(path), before);
}

TEST(TokenTest, AFileThatOthersCanReadIsRefused) {
  const std::string path = PathOf("open");
  ASSERT_TRUE(MakeTokenFile(path));
  for (const mode_t mode : {0640u, 0604u, 0620u, 0601u}) {
    ASSERT_EQ(::chmod(path.c_str(), mode), 0);
    const auto token = ReadTokenFile(path);
    ASSERT_FALSE(token) << mode;
    EXPECT_EQ(token.error().advice, "Run: chmod 600 " + path);
  }
  ASSERT_EQ(::chmod(path.c_str(), 0400), 0);
  EXPECT_TRUE(ReadTokenFile(path));
}

TEST(TokenTest, WhatIsNoTokenFileIsNamed) {
  EXPECT_EQ(ReadTokenFile(PathOf("none")).error().error_number, ENOENT);
  EXPECT_EQ(ReadTokenFile("/dev/null").error().reason, "it is no regular file");
  const std::string path = PathOf("text");
  const std::string good = Token{}.ToText();
  for (const std::string& text :
       {std::string(), std::string("hello\n"), good.substr(0, good.size() - 2), good + "x",
        good.substr(1), std::string(4096, '0'),
        std::string("railgauge-token-1 ") + std::string(63, '0') + "G\n"}) {
    ::unlink(path.c_str());
    ASSERT_TRUE(WriteFileAtomically(path, text));
    ASSERT_EQ(::chmod(path.c_str(), 0600), 0);
    const auto token = ReadTokenFile(path);
    ASSERT_FALSE(token) << text;
    EXPECT_EQ(token.error().reason, "it holds no railgauge token");
    // As none is made over a file that is there.
    EXPECT_EQ(token.error().advice, "Remove it, then make one with: railgauge token FILE");
  }
}

}  // namespace
}  // namespace railgauge
