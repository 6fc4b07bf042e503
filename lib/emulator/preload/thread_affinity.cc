#include "lib/emulator/preload/thread_affinity.h"

#include <cerrno>

namespace railgauge {

int ThreadAffinity::Set(const Thread& thread, const IndexSet& cpus) {
  const IndexSet allowed = cpus.Intersect(all_);
  if (allowed.empty()) return -EINVAL;
  const std::lock_guard lock(mutex_);
  const Entry entry = {++sequence_, allowed};
  if (thread.id) by_id_[*thread.id] = entry;
  if (thread.handle) by_handle_[*thread.handle] = entry;
  return 0;
}

IndexSet ThreadAffinity::Get(const Thread& thread) const {
  const std::lock_guard lock(mutex_);
  Entry latest = {0, all_};
  const auto consider = [&latest](const auto& table, const auto& key) {
    if (!key) return;
    const auto found = table.find(*key);
    if (found != table.end() && found->second.sequence > latest.sequence) latest = found->second;
  };
  consider(by_id_, thread.id);
  consider(by_handle_, thread.handle);
  return latest.cpus;
}

}  // namespace railgauge
