// The kinds of finding: what each is called, how much it matters, and what it means. One table, so
// that files, messages and documentation agree.
//
// A finding tells of the machine or of the records; a placement is told of by verdicts. What is
// normal on a machine without a fault is no finding, however odd it looks: nobody has published
// what ids or paths of real machines look like.
#ifndef RAILGAUGE_LIB_PLACEMENT_FINDING_KINDS_H_
#define RAILGAUGE_LIB_PLACEMENT_FINDING_KINDS_H_

#include <string>
#include <string_view>
#include <vector>

#include "lib/record/records.h"

namespace railgauge {

struct FindingKind {
  std::string_view name;  // as in findings.csv
  Severity severity = Severity::kNote;
  std::string_view meaning;  // one sentence
};

inline constexpr FindingKind kFindingKinds[] = {
    // Interconnect ids that contradict their format or each other.
    {"id_above_format", Severity::kError,
     "An interconnect id is above 255, and the device's answer has 8 bits for it."},
    {"census_contradicts_itself", Severity::kError,
     "The census has one NIC, place and registration way several times, with different answers."},
    {"id_changed", Severity::kWarning,
     "The memory measured with has another interconnect id than the census says of that place."},
    // Interconnect ids of a NIC against those of its siblings: NICs of one model that have the same
    // relations to the same kinds of place.
    {"ids_joined_unlike_siblings", Severity::kWarning,
     "A NIC names one interconnect for places that its siblings tell apart."},
    {"ids_split_unlike_siblings", Severity::kWarning,
     "A NIC names several interconnects for places for which its siblings name one."},
    {"ids_told_unlike_siblings", Severity::kNote,
     "A NIC names ids where its siblings name none, or the other way about."},
    {"nic_cannot_tell", Severity::kNote,
     "A NIC cannot tell its interconnect ids where other NICs of the machine can."},
    {"siblings_disagree", Severity::kNote,
     "The ids of siblings tell different places apart, and no pattern is that of most."},
    // Interconnect ids against topology, registration ways and each other.
    {"relation_with_two_ids", Severity::kNote,
     "GPUs of one relation to a NIC have different ids, and the topology shows no reason."},
    {"ways_disagree", Severity::kNote,
     "Two registration ways agree on the id at some GPUs (or NICs), and not at others alike."},
    {"fields_disagree", Severity::kNote,
     "Two id fields of a NIC divide the places so that neither division is part of the other."},
    // Interconnect ids against measured throughput.
    {"id_with_two_speeds", Severity::kWarning,
     "A place is slower than others that have the same id and relation."},
    {"ids_with_one_speed", Severity::kNote,
     "A NIC has one speed at places of two ids where its siblings have two."},
    // What has no one speed.
    {"unsteady", Severity::kWarning,
     "Half of the windows of a NIC at a place are a tenth or more away from their median."},
    // The machine against its instance type, and its NICs against each other.
    {"nic_count", Severity::kWarning,
     "The machine has fewer EFA NICs than its instance type, or a switch fewer than the others."},
    {"gpu_count", Severity::kWarning, "PCI shows fewer GPUs than the instance type has."},
    {"port_rate", Severity::kWarning,
     "A port reports a rate below its line rate, or below that of most siblings."},
    {"no_topology", Severity::kWarning,
     "PCI is hidden, or shows one flat bus where the machine has more: what is near is unknown."},
    {"numa_unknown", Severity::kWarning, "The kernel does not say the NUMA node of a NIC or GPU."},
    {"narrow_link", Severity::kWarning,
     "The PCI link of a NIC shows less than its siblings' or than its line rate."},
    {"rdma_missing", Severity::kWarning,
     "A NIC does not offer RDMA READ or WRITE, which its instance type has."},
    {"registration_fails", Severity::kWarning,
     "A NIC refuses to register memory in a way that driver and GPU offer."},
    // The way between a NIC and a GPU below one switch.
    {"acs_redirect", Severity::kWarning,
     "Bridges send what goes between NICs and GPUs below a switch up to the root port."},
    {"acs_unreadable", Severity::kNote, "Whether bridges redirect cannot be read by this user."},
    {"peer_path_slow", Severity::kWarning,
     "NICs are slow with GPUs below the same switch, and ACS redirect is not seen to be on."},
    // Measured speeds that single out no NIC.
    {"class_below_ceiling", Severity::kWarning,
     "All NICs are far below their line rate with the nearest memory."},
    {"two_speeds", Severity::kWarning,
     "Windows of one cell have two modes; the sentence has both."},
    {"class_of_two_speeds", Severity::kWarning,
     "Cells that should be equally fast have two modes; the sentence has both."},
    {"wide_spread", Severity::kWarning,
     "Windows of a cell spread far more than those of others like it."},
    {"cpu_bound", Severity::kNote,
     "The measuring thread, not the path, was the limit in most windows of a cell."},
    {"no_counters", Severity::kNote, "No counters of the devices prove most windows of a cell."},
};

// The kind of that name; one that the table lacks does not compile.
consteval const FindingKind& KindNamed(std::string_view name) {
  for (const FindingKind& kind : kFindingKinds) {
    if (kind.name == name) return kind;
  }
  throw "no such kind of finding";
}

// A finding of the kind, with nothing said yet.
inline Finding MakeFinding(const FindingKind& kind) {
  Finding finding;
  finding.kind = kind.name;
  finding.severity = kind.severity;
  return finding;
}

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_PLACEMENT_FINDING_KINDS_H_
