// Kills the fabric process under an open device and says what the application then sees, one line
// each. Run on a node; nodes_launcher_test.sh reads the lines.
#include <infiniband/verbs.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "lib/base/result.h"
#include "lib/emulator/end_to_end/rig.h"

namespace railgauge {
namespace {

void Report(const char* what, const char* answer) {
  std::printf("%s %s\n", what, answer);
  std::fflush(stdout);
}

void Probe(const char* nic_name) {
  auto* nic = new Nic(nic_name);  // its destructor checks what must work
  const NodeMemory memory(4096, 0);
  const Mr region = nic->Register(memory, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ);
  Ah to_self = nic->AddressOf(*nic);
  Nic::Request read = Transfer(false, *nic, to_self.get(), *region, *region, 64);
  nic->Post({read});
  Report("before", nic->WaitForCompletion() ? "completion" : "nothing");

  // The launcher is the fabric process; without this the kernel would kill us with it.
  prctl(PR_SET_PDEATHSIG, 0);
  kill(getppid(), SIGKILL);
  pollfd ready = {.fd = nic->context->async_fd, .events = POLLIN, .revents = 0};
  constexpr int kPatienceMs = 10'000;
  if (poll(&ready, 1, kPatienceMs) != 1) return Report("event", "none");
  ibv_async_event event = {};
  const bool got = ibv_get_async_event(nic->context, &event) == 0;
  Report("event", got ? ibv_event_type_str(event.event_type) : "error");
  if (got) ibv_ack_async_event(&event);

  ibv_pd* pd = ibv_alloc_pd(nic->context);
  Report("alloc_pd", pd == nullptr ? ErrnoName(errno).c_str() : "ok");
  ibv_mr* mr = ibv_reg_mr(nic->pd, memory.data(), memory.size(), IBV_ACCESS_LOCAL_WRITE);
  Report("reg_mr", mr == nullptr ? ErrnoName(errno).c_str() : "ok");
  // More doorbells than any ring holds: none may wait for a reader that is gone.
  for (int i = 0; i < 100; ++i) nic->Post({read});
  Report("doorbells", "ok");
  Report("open",
         ibv_open_device(nic->context->device) == nullptr ? ErrnoName(errno).c_str() : "ok");
  std::fflush(stdout);
  _exit(0);  // nothing could be given back
}

}  // namespace
}  // namespace railgauge

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  railgauge::Probe(argv[1]);
  return 1;
}
