#include "lib/placement/import/job_devices.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "fmt/core.h"
#include "lib/base/quoted.h"
#include "lib/placement/import/json_text.h"
#include "lib/placement/policies/nearest.h"

namespace railgauge {
namespace {

using Json = nlohmann::ordered_json;

struct Job {
  size_t line = 0;
  std::vector<PciAddress> gpus;
  std::vector<PciAddress> nics;  // empty: all
};

// Adds the pairs of a job that has GPUs.
Status AddJob(const ImportSource& source, const Job& job, Decision& decision) {
  Machine own = source.machine;
  const auto lacks = [](const std::vector<PciAddress>& list, const PciAddress& address) {
    return std::find(list.begin(), list.end(), address) == list.end();
  };
  std::erase_if(own.gpus, [&](const Gpu& gpu) { return lacks(job.gpus, gpu.position.address); });
  if (!job.nics.empty()) {
    std::erase_if(own.nics, [&](const Nic& nic) { return lacks(job.nics, nic.position.address); });
  }
  if (own.nics.empty()) return Fail(ImportError(source, job.line, "the job has no NIC"));
  RAILGAUGE_ASSIGN_OR_RETURN(const Decision nearest, DecideNearest(own));
  for (const Assignment& assignment : nearest.assignments) {
    AddPairs(assignment.consumer, assignment.nics, decision);
  }
  return {};
}

std::optional<size_t> ParseIndex(std::string_view text) {
  size_t index = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), index);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return {};
  return index;
}

// The PCI address of number `index` of `devices`.
template <typename Device>
Result<PciAddress> AddressOfIndex(const ImportSource& source, size_t line, std::string_view what,
                                  const std::vector<Device>& devices, size_t index) {
  if (index < devices.size()) return devices[index].position.address;
  return Fail(ImportError(
      source, line,
      fmt::format("it names {} {}, and this machine shows {}", what, index, devices.size()),
      "Judge it on the machine that the job ran on"));
}

bool IsNicResource(std::string_view name) {
  for (const std::string_view kind : {"efa", "nic", "rdma", "hca"}) {
    if (name.find(kind) != std::string_view::npos) return true;
  }
  return false;
}

Status AddDevice(const ImportSource& source, size_t line, bool nic, size_t index, Job& job) {
  RAILGAUGE_ASSIGN_OR_RETURN(const PciAddress address,
                             nic ? AddressOfIndex(source, line, "NIC", source.machine.nics, index)
                                 : AddressOfIndex(source, line, "GPU", source.machine.gpus, index));
  (nic ? job.nics : job.gpus).push_back(address);
  return {};
}

// "0-3,7": every index of it.
Status AddIndexes(const ImportSource& source, size_t line, std::string_view list, bool nic,
                  Job& job) {
  std::set<size_t> named;
  while (!list.empty()) {
    const size_t comma = list.find(',');
    const std::string_view item = list.substr(0, comma);
    list.remove_prefix(comma == std::string_view::npos ? list.size() : comma + 1);
    const size_t dash = item.find('-');
    const auto first = ParseIndex(item.substr(0, dash));
    const auto last = dash == std::string_view::npos ? first : ParseIndex(item.substr(dash + 1));
    constexpr size_t kMost = 1000;
    if (!first || !last || *last < *first || *last - *first > kMost) {
      return Fail(ImportError(source, line, Quoted(item) + " is no list of indexes",
                              "Give what scontrol show job -d prints, or SLURM_JOB_GPUS=0,1"));
    }
    for (size_t index = *first; index <= *last; ++index) {
      if (!named.insert(index).second) {
        return Fail(ImportError(source, line,
                                fmt::format("it names {} {} twice", nic ? "NIC" : "GPU", index),
                                "Name every device of a list once"));
      }
      RAILGAUGE_RETURN_IF_ERROR(AddDevice(source, line, nic, index, job));
    }
  }
  return {};
}

// Of "gpu:h100:2(IDX:0-1),efa:8(IDX:0-7)" the indexes of GPUs and NICs.
Status AddGres(const ImportSource& source, size_t line, std::string_view gres, Job& job) {
  while (!gres.empty()) {
    const size_t open = gres.find("(IDX:");
    if (open == std::string_view::npos) return {};
    const std::string_view name = gres.substr(0, gres.find(':'));
    gres.remove_prefix(open + 5);
    const size_t close = std::min(gres.find(')'), gres.size());
    if (name == "gpu" || IsNicResource(name)) {
      RAILGAUGE_RETURN_IF_ERROR(
          AddIndexes(source, line, gres.substr(0, close), name != "gpu", job));
    }
    gres.remove_prefix(std::min(close + 1, gres.size()));
    if (gres.starts_with(',')) gres.remove_prefix(1);
  }
  return {};
}

std::string_view WordBehind(std::string_view line, std::string_view key) {
  const size_t at = line.find(key);
  if (at == std::string_view::npos) return {};
  const std::string_view rest = line.substr(at + key.size());
  return rest.substr(0, rest.find_first_of(" \t"));
}

}  // namespace

Result<Decision> ImportSlurmJob(const ImportSource& source) {
  std::vector<std::pair<std::string_view, Job>> jobs;  // with their hosts
  for (const TextLine& line : LinesOf(source.content)) {
    Job job{line.number, {}, {}};
    for (const std::string_view variable : {"SLURM_JOB_GPUS=", "SLURM_STEP_GPUS="}) {
      RAILGAUGE_RETURN_IF_ERROR(
          AddIndexes(source, line.number, WordBehind(line.text, variable), false, job));
    }
    RAILGAUGE_RETURN_IF_ERROR(AddGres(source, line.number, WordBehind(line.text, " GRES="), job));
    if (!job.gpus.empty()) jobs.emplace_back(WordBehind(line.text, "Nodes="), std::move(job));
  }
  if (jobs.empty()) {
    return Fail(ImportError(source, 1, "it says of no GPU that the job has it (GRES=gpu:…(IDX:…))",
                            "Give what scontrol show job -d prints, or SLURM_JOB_GPUS=0,1"));
  }
  Decision decision{source.file_name, {}};
  for (const auto& [host, job] : jobs) {
    if (jobs.size() > 1 && host != source.machine.hostname) continue;
    RAILGAUGE_RETURN_IF_ERROR(AddJob(source, job, decision));
  }
  if (decision.assignments.empty()) {
    return Fail(ImportError(
        source, jobs.front().second.line,
        "it lists several hosts and not this machine, '" + Shortened(source.machine.hostname) + "'",
        "Give the line of one host"));
  }
  return decision;
}

namespace {

// Adds the devices of one resource of a container.
Status AddResource(const ImportSource& source, const std::string& resource, const Json& ids,
                   Job& job) {
  const bool nic = IsNicResource(resource);
  if (!nic && resource.find("gpu") == std::string::npos) return {};
  for (const Json& id : ids) {
    if (!id.is_string()) continue;
    const auto& text = id.get_ref<const std::string&>();
    const size_t line = LineOf(source, "\"" + text + "\"");
    job.line = line;
    if (const auto index = ParseIndex(text)) {
      RAILGAUGE_RETURN_IF_ERROR(AddDevice(source, line, nic, *index, job));
    } else if (nic) {
      RAILGAUGE_ASSIGN_OR_RETURN(const NicKey key, NicAt(source, line, text));
      job.nics.push_back(key.address);
    } else if (text.starts_with("GPU-") || text.starts_with("MIG-")) {
      return Fail(ImportError(source, line, "it names a GPU by its UUID, " + Quoted(text),
                              "Replace UUIDs by what nvidia-smi --query-gpu=uuid,pci.bus_id says"));
    } else {
      RAILGAUGE_ASSIGN_OR_RETURN(const MemoryPlace gpu, GpuAt(source, line, text));
      job.gpus.push_back(gpu.gpu);
    }
  }
  return {};
}

// The member of an object under the first of two spellings that it has; null where there is none.
const Json& Member(const Json& object, const char* name, const char* other) {
  static const Json kNull;
  if (!object.is_object()) return kNull;
  if (const auto it = object.find(name); it != object.end()) return *it;
  const auto it = object.find(other);
  return it == object.end() ? kNull : *it;
}

std::string StringMember(const Json& object, const char* name, const char* other) {
  const Json& value = Member(object, name, other);
  return value.is_string() ? value.get<std::string>() : "";
}

Status AddPodResources(const ImportSource& source, const Json& pods, Decision& decision) {
  for (const Json& pod : pods) {
    for (const Json& container : Member(pod, "containers", "containers")) {
      Job job;
      for (const Json& device : Member(container, "devices", "devices")) {
        RAILGAUGE_RETURN_IF_ERROR(AddResource(source,
                                              StringMember(device, "resourceName", "resource_name"),
                                              Member(device, "deviceIds", "device_ids"), job));
      }
      if (!job.gpus.empty()) RAILGAUGE_RETURN_IF_ERROR(AddJob(source, job, decision));
    }
  }
  return {};
}

// The checkpoint has an entry per container and resource; its ids are by NUMA node, or a plain list
// in old versions.
Status AddCheckpoint(const ImportSource& source, const Json& entries, Decision& decision) {
  std::vector<std::pair<std::string, Job>> jobs;  // by pod and container
  for (const Json& entry : entries) {
    const std::string name = StringMember(entry, "PodUID", "podUID") + "/" +
                             StringMember(entry, "ContainerName", "containerName");
    auto job =
        std::find_if(jobs.begin(), jobs.end(), [&](const auto& j) { return j.first == name; });
    if (job == jobs.end()) job = jobs.insert(jobs.end(), {name, Job{}});
    const std::string resource = StringMember(entry, "ResourceName", "resourceName");
    const Json& ids = Member(entry, "DeviceIDs", "deviceIDs");
    if (ids.is_array()) {
      RAILGAUGE_RETURN_IF_ERROR(AddResource(source, resource, ids, job->second));
    } else if (ids.is_object()) {
      for (const Json& of_node : ids) {
        RAILGAUGE_RETURN_IF_ERROR(AddResource(source, resource, of_node, job->second));
      }
    }
  }
  for (const auto& [name, job] : jobs) {
    if (!job.gpus.empty()) RAILGAUGE_RETURN_IF_ERROR(AddJob(source, job, decision));
  }
  return {};
}

}  // namespace

Result<Decision> ImportKubernetesDevices(const ImportSource& source) {
  RAILGAUGE_ASSIGN_OR_RETURN(const Json root, ParseJson(source));
  Decision decision{source.file_name, {}};
  RAILGAUGE_RETURN_IF_ERROR(
      AddPodResources(source, Member(root, "podResources", "pod_resources"), decision));
  RAILGAUGE_RETURN_IF_ERROR(AddCheckpoint(
      source, Member(Member(root, "Data", "data"), "PodDeviceEntries", "podDeviceEntries"),
      decision));
  if (decision.assignments.empty()) {
    return Fail(ImportError(source, 1, "it gives no GPU to any container",
                            "Give the kubelet's podresources list or device checkpoint as JSON"));
  }
  return decision;
}

}  // namespace railgauge
