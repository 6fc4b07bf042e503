// Interconnect ids: the rules of `interconnect_ids:` become ids per (NIC, place, registration way).
//
// A rule selects pairs (selector.h) and, by `way`, registration ways; each of its keys recv,
// rdma_read, rdma_recv is `none` (the validity bit is not set), a number up to 255, or
// `N + nic_index` (the NIC's place in enumeration order added, so that equal numbers on two devices
// mean different things, as on hardware). Later rules override earlier ones, field by field; what
// no rule names is `none`.
#ifndef RAILGAUGE_LIB_SCENARIO_IDS_H_
#define RAILGAUGE_LIB_SCENARIO_IDS_H_

#include "lib/scenario/emulated_machine.h"
#include "lib/scenario/location.h"
#include "lib/scenario/yaml_reader.h"

namespace railgauge {

// Fills host_and_dmabuf_ids and peer_memory_ids of `machine`.
void ReadInterconnectIds(const YamlNode& rules, const PciLocations& locations,
                         EmulatedMachine* machine, YamlErrors* errors);

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_SCENARIO_IDS_H_
