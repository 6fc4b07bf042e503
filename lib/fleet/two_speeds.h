// TwoSpeeds: where the machines of a type have two speeds in a NIC slot and the faster is of no
// majority. Pure.
//
// A median names what is usual only while most machines are well. One slow node spoils two runs, so
// one of four or two of eight spoil half of them: the median then lies between the two speeds, the
// spread about it is as wide as the fault, and nothing stands out. A gap between the machines tells
// of two speeds whichever has more of them; what a NIC can do is the faster of the two.
#ifndef RAILGAUGE_LIB_FLEET_TWO_SPEEDS_H_
#define RAILGAUGE_LIB_FLEET_TWO_SPEEDS_H_

#include <optional>
#include <span>
#include <vector>

namespace railgauge {

// `of_slots` are the deviations of each slot over the runs of a type. Of each slot the least of the
// faster speed, where those below it are at least as many, by a gap that is wider than `differs`
// and stands out of the noise, which all slots together tell; else empty. A faster speed of fewer
// than one in eight runs is an odd run, and no speed.
std::vector<std::optional<double>> FasterSpeeds(std::span<const std::vector<double>> of_slots,
                                                double differs);

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_FLEET_TWO_SPEEDS_H_
