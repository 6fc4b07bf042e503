// What the emulated machine must not take from a process: its signals, and its idea of CPUs and
// NUMA nodes.
#include <gtest/gtest.h>
#include <hwloc.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <thread>

#include "lib/emulator/end_to_end/rig.h"

namespace railgauge {
namespace {

constexpr size_t kPage = 4096;

class Signals : public testing::Test {
 protected:
  // A read that needs doorbells to work.
  bool ReadWorks() {
    memory_b_.Fill(9);
    a_.Post({Transfer(false, b_, to_b_.get(), *mr_a_, *mr_b_, kPage)});
    const auto completion = a_.WaitForCompletion();
    return completion && completion->status == IBV_WC_SUCCESS && memory_a_.IsFilled(9);
  }
  Nic a_{Scenario().nics[0].name};
  Nic b_{Scenario().nics[4].name};
  Ah to_b_ = a_.AddressOf(b_);
  Ah to_a_ = b_.AddressOf(a_);
  NodeMemory memory_a_{kPage, 0};
  NodeMemory memory_b_{kPage, 0};
  Mr mr_a_ = a_.Register(memory_a_);
  Mr mr_b_ = b_.Register(memory_b_);
};

sigjmp_buf g_jump;
void JumpOut(int) { siglongjmp(g_jump, 1); }

volatile int* const kNowhere = reinterpret_cast<volatile int*>(kPage);

// By the signal; or by the handler of a sanitizer, which reports and exits.
bool KilledByFault(int status) {
  if (WIFSIGNALED(status)) return WTERMSIG(status) == SIGSEGV;
  struct sigaction action = {};
  sigaction(SIGSEGV, nullptr, &action);
  return action.sa_handler != SIG_DFL && WEXITSTATUS(status) != 0;
}

TEST_F(Signals, AFaultOfTheApplicationStillKillsIt) {
  ASSERT_TRUE(ReadWorks());
  EXPECT_EXIT(*kNowhere = 1, KilledByFault, "");
}

TEST_F(Signals, AFaultOfTheApplicationReachesItsHandler) {
  struct sigaction before = {}, mine = {};
  ASSERT_EQ(sigaction(SIGSEGV, nullptr, &before), 0);
  ASSERT_EQ(signal(SIGSEGV, JumpOut), before.sa_handler);
  for (int i = 0; i < 3; ++i) {
    if (sigsetjmp(g_jump, 1) == 0) {
      *kNowhere = 1;
      FAIL() << "the store was not trapped";
    }
    EXPECT_TRUE(ReadWorks());
  }
  EXPECT_EQ(sigaction(SIGSEGV, &before, &mine), 0);
  EXPECT_EQ(mine.sa_handler, JumpOut);
}

TEST_F(Signals, AThreadThatBlocksAllSignalsCanPost) {
  bool works = false;
  std::thread([&] {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, nullptr);
    works = ReadWorks();
  }).join();
  EXPECT_TRUE(works);
}

TEST(Placement, CpusOfTheEmulatedMachine) {
  EXPECT_EQ(sysconf(_SC_NPROCESSORS_ONLN), 192);
  cpu_set_t cpus;
  ASSERT_EQ(sched_getaffinity(0, sizeof cpus, &cpus), 0);
  EXPECT_EQ(CPU_COUNT(&cpus), 192);
  CPU_ZERO(&cpus);
  CPU_SET(150, &cpus);
  ASSERT_EQ(pthread_setaffinity_np(pthread_self(), sizeof cpus, &cpus), 0);
  EXPECT_EQ(sched_getcpu(), 150);
  unsigned cpu = 0, node = 0;
  ASSERT_EQ(syscall(SYS_getcpu, &cpu, &node, nullptr), 0);
  EXPECT_EQ(cpu, 150u);
  EXPECT_EQ(node, 1u);
  std::thread([] {
    cpu_set_t other;
    ASSERT_EQ(sched_getaffinity(0, sizeof other, &other), 0);
    EXPECT_EQ(CPU_COUNT(&other), 192);
  }).join();
  CPU_ZERO(&cpus);
  CPU_SET(500, &cpus);
  EXPECT_EQ(sched_setaffinity(0, sizeof cpus, &cpus), -1);
  EXPECT_EQ(errno, EINVAL);
  for (int i = 0; i < 192; ++i) CPU_SET(i, &cpus);
  EXPECT_EQ(sched_setaffinity(0, sizeof cpus, &cpus), 0);
}

TEST(Placement, HwlocBindsAndFindsMemoryAgain) {
  hwloc_topology_t topology = nullptr;
  ASSERT_EQ(hwloc_topology_init(&topology), 0);
  ASSERT_EQ(hwloc_topology_load(topology), 0);
  ASSERT_EQ(hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_NUMANODE), 2);
  for (unsigned node = 0; node < 2; ++node) {
    hwloc_obj_t object = hwloc_get_obj_by_type(topology, HWLOC_OBJ_NUMANODE, node);
    void* memory = hwloc_alloc_membind(topology, 16 * kPage, object->nodeset, HWLOC_MEMBIND_BIND,
                                       HWLOC_MEMBIND_BYNODESET | HWLOC_MEMBIND_STRICT);
    ASSERT_NE(memory, nullptr) << node << " " << errno;
    std::memset(memory, 1, 16 * kPage);
    hwloc_bitmap_t where = hwloc_bitmap_alloc();
    EXPECT_EQ(
        hwloc_get_area_memlocation(topology, memory, 16 * kPage, where, HWLOC_MEMBIND_BYNODESET),
        0);
    EXPECT_TRUE(hwloc_bitmap_isequal(where, object->nodeset)) << node;
    hwloc_bitmap_free(where);
    hwloc_free(topology, memory, 16 * kPage);
    EXPECT_EQ(hwloc_set_cpubind(topology, object->cpuset, HWLOC_CPUBIND_THREAD), 0);
    hwloc_bitmap_t bound = hwloc_bitmap_alloc();
    EXPECT_EQ(hwloc_get_cpubind(topology, bound, HWLOC_CPUBIND_THREAD), 0);
    EXPECT_TRUE(hwloc_bitmap_isequal(bound, object->cpuset)) << node;
    hwloc_bitmap_free(bound);
  }
  hwloc_topology_destroy(topology);
}

}  // namespace
}  // namespace railgauge
