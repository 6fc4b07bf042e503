#include "lib/interconnect/census.h"

#include <fmt/core.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "lib/memory/buffer.h"
#include "lib/memory/gpu_buffer.h"
#include "lib/memory/host_buffer.h"
#include "lib/memory/registration.h"
#include "lib/topology/relation.h"
#include "lib/verbs/access.h"
#include "lib/verbs/context.h"
#include "lib/verbs/device_list.h"
#include "lib/verbs/protection_domain.h"

namespace railgauge {
namespace {

using BufferResult = Result<std::unique_ptr<Buffer>>;

// A place of the census with its one buffer, or why it has none.
struct PlaceBuffer {
  MemoryPlace place;
  BufferResult buffer;
};

// The verbs side of one NIC.
struct OpenNic {
  Context context;
  ProtectionDomain domain;
};

BufferResult MakeBuffer(const MemoryPlace& place, const CudaDriver& cuda,
                        const CensusOptions& options) {
  if (place.kind == MemoryPlace::Kind::kAccelerator) {
    return Fail(MakeError("allocate memory", place.ToString(), "not supported yet"));
  }
  if (place.is_gpu()) {
    RAILGAUGE_ASSIGN_OR_RETURN(auto buffer, GpuBuffer::Create(cuda, place.gpu, options.gpu_buffer));
    return buffer;
  }
  RAILGAUGE_ASSIGN_OR_RETURN(auto buffer, HostBuffer::Create(place.numa_node, options.host_buffer));
  return buffer;
}

Result<OpenNic> Open(const DeviceList& devices, const Nic& nic) {
  if (nic.name.empty()) {
    return Fail(MakeError("open RDMA device", nic.position.address.ToString(),
                          "PCI shows this EFA device and the kernel has no RDMA device for it",
                          "Load the efa and ib_uverbs kernel modules"));
  }
  RAILGAUGE_ASSIGN_OR_RETURN(Context context, Context::Open(devices, nic.name));
  RAILGAUGE_ASSIGN_OR_RETURN(ProtectionDomain domain, ProtectionDomain::Create(context));
  return OpenNic{std::move(context), std::move(domain)};
}

// Null for a place that is none.
const Accelerator* AcceleratorOf(const Machine& machine, const MemoryPlace& place) {
  if (place.kind != MemoryPlace::Kind::kAccelerator) return nullptr;
  return machine.FindAccelerator(place.gpu);
}

void SetNotSupported(const Accelerator& item, CensusRow* row) {
  row->status = CensusStatus::kNotSupported;
  row->reason =
      fmt::format("memory place not supported yet: accelerator {:04x}:{:04x} is no CUDA GPU",
                  item.vendor_id, item.device_id);
}

template <typename T, typename Key>
bool Wanted(const std::vector<T>& wanted, const Key& key) {
  return wanted.empty() || std::find(wanted.begin(), wanted.end(), key) != wanted.end();
}

// Registers the buffer in the row's way and asks for the ids; the region is gone on return.
void FillRow(const OpenNic& nic, const Buffer& buffer, CensusRow* row) {
  const int access = nic.context.AccessFlags();
  row->access_flags = AccessFlagsToString(access);
  const auto region = RegisterBuffer(nic.domain, buffer, row->way, access);
  if (!region) {
    row->status = CensusStatus::kRegistrationFailed;
    row->reason = region.error().ToString();
    return;
  }
  SetAnswer(region->QueryIds(), row);
}

}  // namespace

void SetAnswer(const Result<IdAnswer>& answer, CensusRow* row) {
  if (!answer) {
    // Neither an id nor a clear "there is no such query": not told, and the errno says why.
    row->status = CensusStatus::kCannotTell;
    row->reason = answer.error().ToString();
    return;
  }
  if (!answer->can_tell) {
    row->status = CensusStatus::kCannotTell;
    row->reason = answer->reason;
    return;
  }
  row->ids = answer->ids;
  row->status = answer->ids.any() ? CensusStatus::kOk : CensusStatus::kNoId;
  for (const IcField field : {IcField::kRecv, IcField::kRdmaRead, IcField::kRdmaRecv}) {
    const auto& id = answer->ids.Get(field);
    if (!id || *id <= 255) continue;
    if (!row->reason.empty()) row->reason += "; ";
    row->reason += fmt::format("{} id {} is above 255, and the device's answer has 8 bits",
                               ToString(field), *id);
  }
}

Result<std::vector<CensusRow>> RunCensus(const Machine& machine, const CudaDriver& cuda,
                                         const CensusOptions& options) {
  RAILGAUGE_RETURN_IF_ERROR(machine.CheckHasNics());
  std::vector<const Nic*> nics;
  for (const Nic& nic : machine.nics)
    if (Wanted(options.nics, nic.position.address)) nics.push_back(&nic);
  if (nics.empty()) {
    return Fail(MakeError("census", machine.hostname, "this machine has none of the chosen NICs"));
  }
  RAILGAUGE_ASSIGN_OR_RETURN(const DeviceList devices, DeviceList::Get());

  std::vector<MemoryPlace> named = machine.Places();
  const std::vector<MemoryPlace> unsupported = machine.UnsupportedPlaces();
  named.insert(named.end(), unsupported.begin(), unsupported.end());
  std::vector<PlaceBuffer> places;
  size_t rows_per_nic = 0;
  for (const MemoryPlace& place : named) {
    if (!Wanted(options.places, place)) continue;
    places.push_back({place, MakeBuffer(place, cuda, options)});
    rows_per_nic += WaysOf(place).size();
  }

  std::vector<CensusRow> rows;
  rows.reserve(nics.size() * rows_per_nic);
  for (const Nic* nic : nics) {
    const bool stop = options.should_stop && options.should_stop();
    const Result<OpenNic> open =
        stop ? Result<OpenNic>(Fail(MakeError("census", nic->name, "interrupted")))
             : Open(devices, *nic);
    for (const PlaceBuffer& place : places) {
      const RelationResult relation = RelationOf(machine, *nic, place.place);
      for (const RegistrationWay way : WaysOf(place.place)) {
        CensusRow row;
        row.nic = nic->key();
        row.place = place.place;
        row.way = way;
        row.relation = relation.relation;
        row.pci_path = relation.pci_path;
        if (const Accelerator* item = AcceleratorOf(machine, place.place); item != nullptr) {
          SetNotSupported(*item, &row);
        } else if (!open) {
          row.reason = open.error().ToString();
        } else if (!place.buffer) {
          row.reason = place.buffer.error().ToString();
        } else {
          FillRow(*open, **place.buffer, &row);
        }
        rows.push_back(std::move(row));
        if (options.progress) options.progress(rows.size(), nics.size() * rows_per_nic);
      }
    }
  }
  return rows;
}

}  // namespace railgauge
