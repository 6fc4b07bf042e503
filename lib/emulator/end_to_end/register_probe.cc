// register_probe DEVICE BYTES: opens the device, registers so much memory twice, and prints what
// came of each step, one word a line: "ok" or the errno's name.
#include <infiniband/verbs.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "lib/base/result.h"

namespace {

void Print(const char* step, bool good) {
  std::printf("%s %s\n", step, good ? "ok" : railgauge::ErrnoName(errno).c_str());
}

ibv_context* Open(const std::string& name) {
  ibv_device** list = ibv_get_device_list(nullptr);
  ibv_context* context = nullptr;
  errno = ENODEV;
  for (ibv_device** device = list; device != nullptr && *device != nullptr; ++device) {
    if (name != ibv_get_device_name(*device)) continue;
    context = ibv_open_device(*device);
    // libibverbs looks for another node after a failure, and leaves the errno of that.
    const std::string node = std::string("/dev/infiniband/") + (*device)->dev_name;
    if (context == nullptr) (void)access(node.c_str(), R_OK | W_OK);
    break;
  }
  Print("open", context != nullptr);
  ibv_free_device_list(list);
  return context;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const size_t bytes = std::strtoull(argv[2], nullptr, 10);
  ibv_context* context = Open(argv[1]);
  if (context == nullptr) return 1;
  ibv_pd* pd = ibv_alloc_pd(context);
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ibv_mr* first = ibv_reg_mr(pd, memory, bytes, IBV_ACCESS_LOCAL_WRITE);
  Print("first", first != nullptr);
  ibv_mr* second = ibv_reg_mr(pd, memory, bytes, IBV_ACCESS_LOCAL_WRITE);
  Print("second", second != nullptr);
  if (first != nullptr) ibv_dereg_mr(first);
  ibv_mr* after = ibv_reg_mr(pd, memory, bytes, IBV_ACCESS_LOCAL_WRITE);
  Print("after", after != nullptr);
  for (ibv_mr* mr : {second, after}) {
    if (mr != nullptr) ibv_dereg_mr(mr);
  }
  ibv_dealloc_pd(pd);
  ibv_close_device(context);
  return 0;
}
