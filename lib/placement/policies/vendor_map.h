// Policy `vendor-map`: which NIC serves which accelerator by the vendor's own table, for Trainium,
// whose PCI tree does not show it.
//
// Sources: the map from Neuron device number to NIC, aws-neuron/connected-device-maps-over-efa-for-
// neuron (lookup/neuron/*.json); PCI addresses of the device numbers, `neuron-ls` listings of
// trn1.32xlarge and trn2.48xlarge in AWS' Neuron documentation. That trn1n numbers its devices as
// trn1 does is assumed.
#ifndef RAILGAUGE_LIB_PLACEMENT_POLICIES_VENDOR_MAP_H_
#define RAILGAUGE_LIB_PLACEMENT_POLICIES_VENDOR_MAP_H_

#include "lib/base/result.h"
#include "lib/placement/decision.h"
#include "lib/topology/machine.h"

namespace railgauge {

// Errors: no table for this instance type; an accelerator or NIC of the table that is missing is
// left out, and an Error when all are.
Result<Decision> DecideByVendorMap(const Machine& machine);

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_PLACEMENT_POLICIES_VENDOR_MAP_H_
