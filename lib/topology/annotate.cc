#include "lib/topology/annotate.h"

#include <hwloc.h>
#include <hwloc/helper.h>

#include <cstdlib>
#include <cstring>

#include "lib/topology/hwloc_topology.h"

namespace railgauge {
namespace {

// hwloc frees with free() what the object holds.
void SetSubtype(hwloc_topology_t topology, hwloc_obj_t object, const char* subtype) {
#if HWLOC_API_VERSION >= 0x00030000
  hwloc_obj_set_subtype(topology, object, subtype);
#else
  static_cast<void>(topology);
  std::free(object->subtype);
  object->subtype = subtype != nullptr ? ::strdup(subtype) : nullptr;
#endif
}

// Whether there were infos of such names.
bool DropInfos(hwloc_obj_t object, std::string_view prefix) {
  bool dropped = false;
#if HWLOC_API_VERSION >= 0x00030000
  for (unsigned i = 0; i < object->infos.count;) {
    const std::string name = object->infos.array[i].name;
    if (!name.starts_with(prefix)) {
      ++i;
      continue;
    }
    hwloc_modify_infos(&object->infos, HWLOC_MODIFY_INFOS_OP_REMOVE, name.c_str(), nullptr);
    dropped = true;
  }
#else
  unsigned kept = 0;
  for (unsigned i = 0; i < object->infos_count; ++i) {
    hwloc_info_s& info = object->infos[i];
    if (std::string_view(info.name).starts_with(prefix)) {
      std::free(info.name);
      std::free(info.value);
      dropped = true;
    } else {
      object->infos[kept++] = info;
    }
  }
  object->infos_count = kept;
#endif
  return dropped;
}

void DropNotes(hwloc_topology_t topology, std::string_view prefix) {
  for (const hwloc_obj_type_t type :
       {HWLOC_OBJ_MACHINE, HWLOC_OBJ_NUMANODE, HWLOC_OBJ_PCI_DEVICE}) {
    for (hwloc_obj_t object = nullptr;
         (object = hwloc_get_next_obj_by_type(topology, type, object)) != nullptr;) {
      if (DropInfos(object, prefix)) SetSubtype(topology, object, nullptr);
    }
  }
}

// Null when there is none.
hwloc_obj_t Find(hwloc_topology_t topology, const ObjectNotes& notes) {
  if (const auto* node = std::get_if<uint32_t>(&notes.object)) {
    return hwloc_get_numanode_obj_by_os_index(topology, *node);
  }
  if (const auto* address = std::get_if<PciAddress>(&notes.object)) {
    return hwloc_get_pcidev_by_busid(topology, address->domain, address->bus, address->device,
                                     address->function);
  }
  return hwloc_get_root_obj(topology);
}

void Annotate(hwloc_topology_t topology, std::string_view prefix,
              std::span<const ObjectNotes> notes) {
  DropNotes(topology, prefix);
  for (const ObjectNotes& note : notes) {
    const hwloc_obj_t object = Find(topology, note);
    if (object == nullptr) continue;
    if (!note.subtype.empty()) SetSubtype(topology, object, note.subtype.c_str());
    for (const auto& [name, value] : note.infos) {
      hwloc_obj_add_info(object, name.c_str(), value.c_str());
    }
  }
}

}  // namespace

Result<std::string> AnnotateTopologyXml(const std::string& path, std::string_view prefix,
                                        std::span<const ObjectNotes> notes) {
  const auto annotate = [&](hwloc_topology_t topology) { Annotate(topology, prefix, notes); };
  RAILGAUGE_ASSIGN_OR_RETURN(const Topology topology,
                             LoadXmlTopology(path, XmlDetail::kEverything, annotate));
  annotate(topology.get());
  return ExportXml(topology.get(), path);
}

}  // namespace railgauge
