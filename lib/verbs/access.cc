#include "lib/verbs/access.h"

#include <infiniband/verbs.h>

#include "fmt/core.h"

namespace railgauge {

int AccessFlagsFor(bool rdma_read, bool rdma_write) {
  int access = IBV_ACCESS_LOCAL_WRITE;
  if (rdma_read) access |= IBV_ACCESS_REMOTE_READ;
  if (rdma_write) access |= IBV_ACCESS_REMOTE_WRITE;
  return access;
}

std::string AccessFlagsToString(int access) {
  struct Name {
    int bit;
    const char* text;
  };
  static constexpr Name kNames[] = {
      {IBV_ACCESS_LOCAL_WRITE, "local_write"},
      {IBV_ACCESS_REMOTE_WRITE, "remote_write"},
      {IBV_ACCESS_REMOTE_READ, "remote_read"},
      {IBV_ACCESS_RELAXED_ORDERING, "relaxed_ordering"},
  };
  std::string text;
  for (const Name& name : kNames) {
    if ((access & name.bit) == 0) continue;
    if (!text.empty()) text += '|';
    text += name.text;
    access &= ~name.bit;
  }
  if (access != 0) text += fmt::format("{}{:#x}", text.empty() ? "" : "|", access);
  return text.empty() ? "none" : text;
}

}  // namespace railgauge
