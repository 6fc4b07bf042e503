// Notes on the objects of an hwloc XML file, as hwloc itself keeps them: info attributes, which
// lstopo shows with -v, and the subtype, which lstopo draws.
#ifndef RAILGAUGE_LIB_TOPOLOGY_ANNOTATE_H_
#define RAILGAUGE_LIB_TOPOLOGY_ANNOTATE_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "lib/base/pci_address.h"
#include "lib/base/result.h"

namespace railgauge {

// What lstopo 2.9 shows of a subtype: the rest is cut off.
inline constexpr size_t kSubtypeShown = 31;

struct ObjectNotes {
  // The whole machine, a NUMA node by its OS index, or a PCI function.
  std::variant<std::monostate, uint32_t, PciAddress> object;
  std::string subtype;                                     // empty: as it is
  std::vector<std::pair<std::string, std::string>> infos;  // name and value, in order
};

// The XML of `path` (as LoadMachineFromXml takes it) with the notes, and all else as it was. Every
// info name begins with `prefix`; infos with such names that the file has already, and the subtypes
// of their objects, are taken away first. Notes on an object that the file lacks are left out, and
// so are characters that are not printable ASCII.
Result<std::string> AnnotateTopologyXml(const std::string& path, std::string_view prefix,
                                        std::span<const ObjectNotes> notes);

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_TOPOLOGY_ANNOTATE_H_
