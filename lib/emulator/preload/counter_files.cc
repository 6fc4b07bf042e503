#include "lib/emulator/preload/counter_files.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/file.h>

#include <charconv>
#include <cstdint>

#include "lib/emulator/uverbs/raw_syscall.h"

namespace railgauge {

namespace {

using efa::DeviceStats;

struct Counter {
  const char* file;
  uint64_t DeviceStats::*value;
};
constexpr Counter kCounters[] = {
    {"tx_bytes", &DeviceStats::tx_bytes},
    {"tx_pkts", &DeviceStats::tx_pkts},
    {"rx_bytes", &DeviceStats::rx_bytes},
    {"rx_pkts", &DeviceStats::rx_pkts},
    {"rx_drops", &DeviceStats::rx_drops},
    {"send_bytes", &DeviceStats::send_bytes},
    {"send_wrs", &DeviceStats::send_wrs},
    {"recv_bytes", &DeviceStats::recv_bytes},
    {"recv_wrs", &DeviceStats::recv_wrs},
    {"rdma_read_wrs", &DeviceStats::rdma_read_wrs},
    {"rdma_read_bytes", &DeviceStats::rdma_read_bytes},
    {"rdma_read_wr_err", &DeviceStats::rdma_read_wr_err},
    {"rdma_read_resp_bytes", &DeviceStats::rdma_read_resp_bytes},
    {"rdma_write_wrs", &DeviceStats::rdma_write_wrs},
    {"rdma_write_bytes", &DeviceStats::rdma_write_bytes},
    {"rdma_write_wr_err", &DeviceStats::rdma_write_wr_err},
    {"rdma_write_recv_bytes", &DeviceStats::rdma_write_recv_bytes},
    {"retrans_bytes", &DeviceStats::retrans_bytes},
    {"retrans_pkts", &DeviceStats::retrans_pkts},
    {"retrans_timeout_events", &DeviceStats::retrans_timeout_events},
    {"unresponsive_remote_events", &DeviceStats::unresponsive_remote_events},
    {"impaired_remote_conn_events", &DeviceStats::impaired_remote_conn_events},
    {"submitted_cmds", &DeviceStats::submitted_cmds},
    {"completed_cmds", &DeviceStats::completed_cmds},
    {"cmds_err", &DeviceStats::cmds_err},
};

// Where the tree has no such file, nobody asks for the counter.
void AddToFile(int folder, const char* name, uint64_t amount) {
  const int64_t fd = RawSyscall(SYS_openat, folder, name, O_RDWR | O_CLOEXEC);
  if (fd < 0) return;
  char text[32];
  const int64_t length = RawSyscall(SYS_pread64, fd, &text[0], sizeof text, 0);
  uint64_t value = 0;
  if (length > 0) std::from_chars(text, text + length, value);
  // Counters only grow, so that the new text covers the old one.
  const auto end = fmt::format_to_n(text, sizeof text, "{}\n", value + amount);
  RawSyscall(SYS_pwrite64, fd, &text[0], end.size, 0);
  RawSyscall(SYS_close, fd);
}

}  // namespace

void CounterFiles::AddDevice(const std::string& name, const efa::Device* device) {
  const std::lock_guard lock(mutex_);
  for (const Watched& watched : devices_) {
    if (watched.device == device) return;
  }
  devices_.push_back({folder_ + "/" + name + "/ports/1/hw_counters", device, {}});
}

void CounterFiles::PublishDevice(Watched& watched) {
  const DeviceStats now = watched.device->GetStats();
  int64_t folder = -1;
  for (const Counter& counter : kCounters) {
    const uint64_t amount = now.*counter.value - watched.published.*counter.value;
    if (amount == 0) continue;
    if (folder < 0) {
      folder = RawSyscall(SYS_openat, base_.valid() ? base_.get() : AT_FDCWD,
                          watched.folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
      if (folder < 0) return;
      RawSyscall(SYS_flock, folder, LOCK_EX);
    }
    AddToFile(static_cast<int>(folder), counter.file, amount);
  }
  watched.published = now;
  if (folder >= 0) RawSyscall(SYS_close, folder);
}

void CounterFiles::Publish() {
  const std::lock_guard lock(mutex_);
  for (Watched& watched : devices_) PublishDevice(watched);
}

}  // namespace railgauge
