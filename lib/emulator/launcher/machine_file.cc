#include "lib/emulator/launcher/machine_file.h"

#include <cstdint>
#include <cstring>
#include <type_traits>

namespace railgauge {

namespace {

constexpr std::string_view kMagic = "railgauge emulated machine 1\n";

// One archive for both ways: a reader fills what a writer wrote, in the same order. Structured
// bindings fail to compile when a struct gets a field that is not listed here.
class Writer {
 public:
  template <typename T>
  void Scalar(const T& value) {
    out.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  void Text(const std::string& text) {
    Scalar(uint64_t{text.size()});
    out += text;
  }
  // The number of elements, as it is or as it was written.
  template <typename C>
  uint64_t Count(const C& container) {
    Scalar(uint64_t{container.size()});
    return container.size();
  }
  static constexpr bool kReads = false;
  std::string out;
};

class Reader {
 public:
  explicit Reader(std::string_view content) : in_(content) {}
  template <typename T>
  void Scalar(T& value) {
    if (in_.size() < sizeof value) {
      good_ = false;
      in_ = {};
      return;
    }
    std::memcpy(&value, in_.data(), sizeof value);
    in_.remove_prefix(sizeof value);
  }
  void Text(std::string& text) {
    const uint64_t size = Count(text);
    text.assign(in_.substr(0, size));
    in_.remove_prefix(size);
  }
  // Every element has at least a byte, so that a damaged count asks for no absurd memory.
  template <typename C>
  uint64_t Count(const C&) {
    uint64_t count = 0;
    Scalar(count);
    if (count <= in_.size()) return count;
    good_ = false;
    return 0;
  }
  bool good() const { return good_; }
  bool at_end() const { return in_.empty(); }
  static constexpr bool kReads = true;

 private:
  std::string_view in_;
  bool good_ = true;
};

template <typename A, typename... T>
void All(A& archive, T&... values);

template <typename A, typename T>
requires(std::is_arithmetic_v<T> || std::is_enum_v<T>) void Field(A& archive, T& value) {
  archive.Scalar(value);
}
template <typename A>
void Field(A& archive, std::string& text) {
  archive.Text(text);
}
template <typename A>
void Field(A& archive, Nanoseconds& value) {
  int64_t count = value.count();
  archive.Scalar(count);
  value = Nanoseconds(count);
}
template <typename A>
void Field(A& archive, Bytes& value) {
  auto& [count] = value;
  All(archive, count);
}
template <typename A>
void Field(A& archive, BytesPerSecond& value) {
  auto& [rate] = value;
  All(archive, rate);
}
template <typename A>
void Field(A& archive, PciAddress& value) {
  auto& [domain, bus, device, function] = value;
  All(archive, domain, bus, device, function);
}
template <typename A, typename T>
void Field(A& archive, std::optional<T>& value) {
  bool has = value.has_value();
  archive.Scalar(has);
  T content = value.value_or(T{});
  if (has) Field(archive, content);
  value = has ? std::optional<T>(content) : std::nullopt;
}
template <typename A, typename T>
void Field(A& archive, std::vector<T>& values) {
  const uint64_t count = archive.Count(values);
  values.resize(count);
  for (T& value : values) Field(archive, value);
}
template <typename A, typename T, size_t n>
void Field(A& archive, std::array<T, n>& values) {
  for (T& value : values) Field(archive, value);
}
template <typename A, typename K, typename V>
void Field(A& archive, std::map<K, V>& values) {
  const uint64_t count = archive.Count(values);
  if constexpr (A::kReads) {
    for (uint64_t i = 0; i < count; ++i) {
      K key{};
      V value{};
      All(archive, key.first, key.second, value);
      values.emplace(key, std::move(value));
    }
  } else {
    for (auto& [const_key, value] : values) {
      K key = const_key;
      All(archive, key.first, key.second, value);
    }
  }
}
template <typename A>
void Field(A& archive, MemoryPlace& value) {
  auto& [kind, numa_node, gpu] = value;
  All(archive, kind, numa_node, gpu);
}
template <typename A>
void Field(A& archive, InterconnectIds& value) {
  auto& [recv, rdma_read, rdma_recv] = value;
  All(archive, recv, rdma_read, rdma_recv);
}
template <typename A>
void Field(A& archive, EmulatedNumaNode& value) {
  auto& [index, package, cpus, memory] = value;
  All(archive, index, package, cpus, memory);
}
template <typename A>
void Field(A& archive, EmulatedPciDevice& value) {
  auto& [kind, address, vendor, device, subsystem_vendor, subsystem_device, class_code, revision,
         speed, width, secondary, subordinate, interface, rdma_device, driver, acs_redirects,
         children] = value;
  All(archive, kind, address, vendor, device, subsystem_vendor, subsystem_device, class_code,
      revision, speed, width, secondary, subordinate, interface, rdma_device, driver, acs_redirects,
      children);
}
template <typename A>
void Field(A& archive, EmulatedHostBridge& value) {
  auto& [domain, bus, subordinate, numa_node, children] = value;
  All(archive, domain, bus, subordinate, numa_node, children);
}
template <typename A>
void Field(A& archive, EmulatedNicModel& value) {
  auto& [firmware, rdma_read, rdma_write, rnr_retry, cq_with_sgid, unsolicited_write_recv,
         can_query_mr, max_sq_wr, max_rq_wr, max_sq_sge, max_rq_sge, inline_buf_size, max_rdma_size,
         mtu, max_qp, max_cq, max_cqe, max_mr, max_pd, max_ah, max_mr_pages, max_llq_size,
         max_tx_batch, min_sq_wr, sub_cqs_per_cq, reported] = value;
  All(archive, firmware, rdma_read, rdma_write, rnr_retry, cq_with_sgid, unsolicited_write_recv,
      can_query_mr, max_sq_wr, max_rq_wr, max_sq_sge, max_rq_sge, inline_buf_size, max_rdma_size,
      mtu, max_qp, max_cq, max_cqe, max_mr, max_pd, max_ah, max_mr_pages, max_llq_size,
      max_tx_batch, min_sq_wr, sub_cqs_per_cq, reported);
}
template <typename A>
void Field(A& archive, EmulatedNicFault& value) {
  auto& [kind, amount, code, way, start] = value;
  All(archive, kind, amount, code, way, start);
}
template <typename A>
void Field(A& archive, EmulatedNic& value) {
  auto& [address, name, gid, node_guid, model, line_rate, faults] = value;
  All(archive, address, name, gid, node_guid, model, line_rate, faults);
}
template <typename A>
void Field(A& archive, EmulatedSurroundings& value) {
  auto& [shows_pci, reads_config, cuda_visible_devices, device_mode, memlock] = value;
  All(archive, shows_pci, reads_config, cuda_visible_devices, device_mode, memlock);
}
template <typename A>
void Field(A& archive, EmulatedGpu& value) {
  auto& [address, name, memory, dmabuf] = value;
  All(archive, address, name, memory, dmabuf);
}
template <typename A>
void Field(A& archive, EmulatedResource& value) {
  auto& [name, capacity] = value;
  All(archive, name, capacity);
}
template <typename A>
void Field(A& archive, EmulatedPath& value) {
  auto& [resources, capacity] = value;
  All(archive, resources, capacity);
}
template <typename A>
void Field(A& archive, EmulatedCache& value) {
  auto& [level, type, size, cores] = value;
  All(archive, level, type, size, cores);
}
template <typename A>
void Field(A& archive, EmulatedTiming& value) {
  auto& [pacing, latency_spread, jitter, drift_amplitude, drift_period, spike_probability,
         spike_length] = value;
  All(archive, pacing, latency_spread, jitter, drift_amplitude, drift_period, spike_probability,
      spike_length);
}
template <typename A>
void Field(A& archive, EmulatedMachine& value) {
  auto& [spec, source_file, instance_type, cpu_model, arm_cpu, cpu_mhz, threads_per_core, caches,
         p2p_provider, base_latency, timing, numa_nodes, host_bridges, nics, gpus, accelerators,
         resources, surroundings, seed, host_and_dmabuf_ids, peer_memory_ids, paths] = value;
  All(archive, spec, source_file, instance_type, cpu_model, arm_cpu, cpu_mhz, threads_per_core,
      caches, p2p_provider, base_latency, timing, numa_nodes, host_bridges, nics, gpus,
      accelerators, resources, surroundings, seed, host_and_dmabuf_ids, peer_memory_ids, paths);
}

template <typename A, typename... T>
void All(A& archive, T&... values) {
  (Field(archive, values), ...);
}

}  // namespace

std::string SerializeMachine(const EmulatedMachine& machine) {
  Writer writer;
  writer.out = kMagic;
  EmulatedMachine copy = machine;  // the archive takes what it could also fill
  Field(writer, copy);
  return std::move(writer.out);
}

Result<EmulatedMachine> ParseMachine(std::string_view content, const std::string& file) {
  EmulatedMachine machine;
  if (content.starts_with(kMagic)) {
    Reader reader(content.substr(kMagic.size()));
    Field(reader, machine);
    if (reader.good() && reader.at_end()) return machine;
  }
  return Fail(MakeError("read the emulated machine", file, "it is not of this build's launcher",
                        "Build the launcher and the preload library together"));
}

}  // namespace railgauge
