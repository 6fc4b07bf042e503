#include "lib/emulator/preload/fault_handler.h"

#include <gtest/gtest.h>
#include <setjmp.h>
#include <sys/mman.h>

#include <cerrno>
#include <cstring>
#include <vector>

#include "lib/emulator/preload/safe_copy.h"

namespace railgauge {
namespace {

constexpr size_t kPage = 4096;

struct Store {
  uint64_t address;
  uint32_t value;
  friend bool operator==(const Store&, const Store&) = default;
};
std::vector<Store>* g_stores = new std::vector<Store>;
uint64_t g_doorbells = 0;

bool IsOurs(uint64_t address) { return address >= g_doorbells && address < g_doorbells + kPage; }
bool Record(uint64_t address, uint32_t value) {
  g_stores->push_back({address, value});
  errno = ENOTTY;  // a store must not change errno
  return true;
}

void* Map(int protection) {
  return mmap(nullptr, kPage, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

class FaultHandlerTest : public testing::Test {
 protected:
  FaultHandlerTest() {
    static const bool installed = [] {
      g_doorbells = reinterpret_cast<uint64_t>(Map(PROT_READ));
      InstallFaultHandler(IsOurs, Record);
      return true;
    }();
    (void)installed;
    g_stores->clear();
    struct sigaction by_default = {};
    by_default.sa_handler = SIG_DFL;
    SetApplicationAction(SIGSEGV, &by_default, nullptr);
  }
  volatile uint32_t* doorbell(size_t word) {
    return reinterpret_cast<volatile uint32_t*>(g_doorbells) + word;
  }
};

TEST_F(FaultHandlerTest, DoorbellsAreHeardInOrder) {
  errno = 0;
  for (uint32_t i = 0; i < 100; ++i) *doorbell(i % 7) = i * 0x01010101;
  *doorbell(3) = 0x80000001;
  EXPECT_EQ(errno, 0);
  ASSERT_EQ(g_stores->size(), 101u);
  for (uint32_t i = 0; i < 100; ++i) {
    EXPECT_EQ((*g_stores)[i], (Store{g_doorbells + uint64_t{4} * (i % 7), i * 0x01010101}));
  }
  EXPECT_EQ(g_stores->back(), (Store{g_doorbells + 12, 0x80000001}));
}

TEST_F(FaultHandlerTest, CopyTellsWhichSideFaulted) {
  auto* source = static_cast<char*>(Map(PROT_READ | PROT_WRITE));
  auto* destination = static_cast<char*>(Map(PROT_READ | PROT_WRITE));
  void* none = Map(PROT_NONE);
  void* read_only = Map(PROT_READ);
  std::memset(source, 7, kPage);
  EXPECT_EQ(SafeCopy(destination, source, kPage), efa::CopyOutcome::kDone);
  EXPECT_EQ(std::memcmp(destination, source, kPage), 0);
  EXPECT_EQ(SafeCopy(destination, none, 1), efa::CopyOutcome::kSourceFault);
  EXPECT_EQ(SafeCopy(none, source, 1), efa::CopyOutcome::kDestinationFault);
  EXPECT_EQ(SafeCopy(read_only, source, 100), efa::CopyOutcome::kDestinationFault);
  EXPECT_EQ(SafeCopy(none, none, 0), efa::CopyOutcome::kDone);
}

sigjmp_buf g_jump;
int g_code = 0;
void JumpOut(int, siginfo_t* info, void*) {
  g_code = info->si_code;
  siglongjmp(g_jump, 1);
}

TEST_F(FaultHandlerTest, OtherFaultsReachTheApplicationsHandler) {
  struct sigaction action = {}, old_action = {};
  action.sa_sigaction = JumpOut;
  action.sa_flags = SA_SIGINFO;
  ASSERT_TRUE(SetApplicationAction(SIGSEGV, &action, &old_action));
  EXPECT_EQ(old_action.sa_handler, SIG_DFL);
  auto* none = static_cast<volatile uint32_t*>(Map(PROT_NONE));
  for (int i = 0; i < 3; ++i) {
    if (sigsetjmp(g_jump, 1) == 0) {
      *none = 1;
      FAIL() << "the store was not trapped";
    }
    EXPECT_EQ(g_code, SEGV_ACCERR);
    *doorbell(0) = 5;  // doorbells work with an application's handler, and after it
  }
  EXPECT_EQ(g_stores->size(), 3u);
  ASSERT_TRUE(SetApplicationAction(SIGSEGV, nullptr, &old_action));
  EXPECT_EQ(old_action.sa_sigaction, JumpOut);
}

TEST_F(FaultHandlerTest, WithoutAHandlerAFaultKills) {
  EXPECT_EXIT(*static_cast<volatile int*>(Map(PROT_NONE)) = 1, testing::KilledBySignal(SIGSEGV),
              "");
  EXPECT_EXIT(raise(SIGSEGV), testing::KilledBySignal(SIGSEGV), "");
}

// 64 bits at once is no way to ring a doorbell: said, and then as any fault.
TEST_F(FaultHandlerTest, AnUndecodableStoreIsNamed) {
  EXPECT_EXIT(*reinterpret_cast<volatile uint64_t*>(g_doorbells) = 1,
              testing::KilledBySignal(SIGSEGV), "cannot decode");
}

}  // namespace
}  // namespace railgauge
