#include "lib/report/schema.h"

#include "lib/report/field_column.h"

namespace railgauge {
namespace {

using internal::Of;

constexpr Column<RunIdentity> kRunColumns[] = {
    Of<RunIdentity>("run_id", RAILGAUGE_FIELD(run_id)),
    Of<RunIdentity>("host", RAILGAUGE_FIELD(host)),
    Of<RunIdentity>("instance_id", RAILGAUGE_FIELD(instance_id)),
    Of<RunIdentity>("instance_type", RAILGAUGE_FIELD(instance_type)),
    Of<RunIdentity>("platform", RAILGAUGE_FIELD(platform)),
};

constexpr Column<CensusRow> kCensusColumns[] = {
    Of<CensusRow>("nic_pci_address", RAILGAUGE_FIELD(nic.address)),
    Of<CensusRow>("nic_name", RAILGAUGE_FIELD(nic.name)),
    Of<CensusRow>("place", RAILGAUGE_FIELD(place)),
    Of<CensusRow>("way", RAILGAUGE_FIELD(way)),
    Of<CensusRow>("status", RAILGAUGE_FIELD(status)),
    Of<CensusRow>("recv_ic_id", RAILGAUGE_FIELD(ids.recv)),
    Of<CensusRow>("rdma_read_ic_id", RAILGAUGE_FIELD(ids.rdma_read)),
    Of<CensusRow>("rdma_recv_ic_id", RAILGAUGE_FIELD(ids.rdma_recv)),
    Of<CensusRow>("relation", RAILGAUGE_FIELD(relation)),
    Of<CensusRow>("pci_path", RAILGAUGE_FIELD(pci_path)),
    Of<CensusRow>("access_flags", RAILGAUGE_FIELD(access_flags)),
    Of<CensusRow>("reason", RAILGAUGE_FIELD(reason)),
};

// A sample that was never taken has no partner; its partner's place is then unknown, not numa0.
std::string PrintPartnerPlace(const Sample& sample) {
  return sample.partner.address == PciAddress{} ? "" : PrintField(sample.partner_place);
}
bool ParsePartnerPlace(std::string_view field, Sample& sample) {
  if (field.empty()) return sample.partner.address == PciAddress{};
  return ParseField(field, sample.partner_place);
}

constexpr Column<Sample> kSampleColumns[] = {
    Of<Sample>("nic_pci_address", RAILGAUGE_FIELD(cell.nic.address)),
    Of<Sample>("nic_name", RAILGAUGE_FIELD(cell.nic.name)),
    Of<Sample>("place", RAILGAUGE_FIELD(cell.place)),
    Of<Sample>("operation", RAILGAUGE_FIELD(cell.operation)),
    Of<Sample>("direction", RAILGAUGE_FIELD(cell.direction)),
    Of<Sample>("size_bytes", RAILGAUGE_FIELD(cell.size)),
    Of<Sample>("depth", RAILGAUGE_FIELD(cell.depth)),
    Of<Sample>("load", RAILGAUGE_FIELD(cell.load)),
    Of<Sample>("way", RAILGAUGE_FIELD(way)),
    Of<Sample>("partner_pci_address", RAILGAUGE_FIELD(partner.address)),
    Of<Sample>("partner_name", RAILGAUGE_FIELD(partner.name)),
    {"partner_place", PrintPartnerPlace, ParsePartnerPlace},
    Of<Sample>("peer", RAILGAUGE_FIELD(peer)),
    Of<Sample>("interconnect_id", RAILGAUGE_FIELD(interconnect_id)),
    Of<Sample>("round", RAILGAUGE_FIELD(round)),
    Of<Sample>("start_offset_ns", RAILGAUGE_FIELD(start_offset)),
    Of<Sample>("duration_ns", RAILGAUGE_FIELD(duration)),
    Of<Sample>("completions", RAILGAUGE_FIELD(completions)),
    Of<Sample>("payload_bytes", RAILGAUGE_FIELD(payload_bytes)),
    Of<Sample>("throughput_bytes_per_second", RAILGAUGE_FIELD(throughput)),
    Of<Sample>("messages_per_second", RAILGAUGE_FIELD(messages_per_second)),
    Of<Sample>("post_fraction", RAILGAUGE_FIELD(post_fraction)),
    Of<Sample>("posted_bytes", RAILGAUGE_FIELD(posted_bytes)),
    Of<Sample>("counter_bytes", RAILGAUGE_FIELD(counter_bytes)),
    Of<Sample>("status", RAILGAUGE_FIELD(status)),
    Of<Sample>("reason", RAILGAUGE_FIELD(reason)),
    Of<Sample>("interval_ns", RAILGAUGE_FIELD(interval)),
    Of<Sample>("interval_count", RAILGAUGE_FIELD(interval_count)),
    Of<Sample>("interval_min_bytes_per_second", RAILGAUGE_FIELD(interval_min)),
    Of<Sample>("interval_median_bytes_per_second", RAILGAUGE_FIELD(interval_median)),
    Of<Sample>("interval_mad_bytes_per_second", RAILGAUGE_FIELD(interval_mad)),
    Of<Sample>("interval_modes", RAILGAUGE_FIELD(interval_modes)),
    Of<Sample>("poll_fraction", RAILGAUGE_FIELD(poll_fraction)),
    Of<Sample>("idle_fraction", RAILGAUGE_FIELD(idle_fraction)),
    Of<Sample>("cpu_bound", RAILGAUGE_FIELD(cpu_bound)),
    Of<Sample>("line_rate_bytes_per_second", RAILGAUGE_FIELD(line_rate)),
    Of<Sample>("retransmitted_bytes", RAILGAUGE_FIELD(retransmitted_bytes)),
    Of<Sample>("latency_min_ns", RAILGAUGE_FIELD(latency_min)),
    Of<Sample>("latency_p50_ns", RAILGAUGE_FIELD(latency_p50)),
    Of<Sample>("latency_p90_ns", RAILGAUGE_FIELD(latency_p90)),
    Of<Sample>("latency_p99_ns", RAILGAUGE_FIELD(latency_p99)),
    Of<Sample>("latency_p99_9_ns", RAILGAUGE_FIELD(latency_p99_9)),
    Of<Sample>("latency_max_ns", RAILGAUGE_FIELD(latency_max)),
    Of<Sample>("disturbed", RAILGAUGE_FIELD(disturbed)),
    Of<Sample>("skip_cause", RAILGAUGE_FIELD(skip_cause)),
};

constexpr Column<InterconnectRow> kInterconnectColumns[] = {
    Of<InterconnectRow>("nic_pci_address", RAILGAUGE_FIELD(nic.address)),
    Of<InterconnectRow>("nic_name", RAILGAUGE_FIELD(nic.name)),
    Of<InterconnectRow>("field", RAILGAUGE_FIELD(field)),
    Of<InterconnectRow>("interconnect_id", RAILGAUGE_FIELD(id)),
    Of<InterconnectRow>("places", RAILGAUGE_FIELD(places)),
    Of<InterconnectRow>("throughput_median_bytes_per_second", RAILGAUGE_FIELD(throughput_median)),
    Of<InterconnectRow>("throughput_min_bytes_per_second", RAILGAUGE_FIELD(throughput_min)),
    Of<InterconnectRow>("throughput_max_bytes_per_second", RAILGAUGE_FIELD(throughput_max)),
    Of<InterconnectRow>("sample_count", RAILGAUGE_FIELD(sample_count)),
    Of<InterconnectRow>("findings", RAILGAUGE_FIELD(findings)),
};

constexpr Column<SummaryRow> kSummaryColumns[] = {
    Of<SummaryRow>("nic_pci_address", RAILGAUGE_FIELD(cell.nic.address)),
    Of<SummaryRow>("nic_name", RAILGAUGE_FIELD(cell.nic.name)),
    Of<SummaryRow>("place", RAILGAUGE_FIELD(cell.place)),
    Of<SummaryRow>("operation", RAILGAUGE_FIELD(cell.operation)),
    Of<SummaryRow>("direction", RAILGAUGE_FIELD(cell.direction)),
    Of<SummaryRow>("size_bytes", RAILGAUGE_FIELD(cell.size)),
    Of<SummaryRow>("depth", RAILGAUGE_FIELD(cell.depth)),
    Of<SummaryRow>("load", RAILGAUGE_FIELD(cell.load)),
    Of<SummaryRow>("way", RAILGAUGE_FIELD(way)),
    Of<SummaryRow>("relation", RAILGAUGE_FIELD(relation)),
    Of<SummaryRow>("interconnect_id", RAILGAUGE_FIELD(interconnect_id)),
    Of<SummaryRow>("sample_count", RAILGAUGE_FIELD(sample_count)),
    Of<SummaryRow>("throughput_median_bytes_per_second", RAILGAUGE_FIELD(throughput_median)),
    Of<SummaryRow>("throughput_mad_bytes_per_second", RAILGAUGE_FIELD(throughput_mad)),
    Of<SummaryRow>("throughput_low_bytes_per_second", RAILGAUGE_FIELD(throughput_low)),
    Of<SummaryRow>("throughput_high_bytes_per_second", RAILGAUGE_FIELD(throughput_high)),
    Of<SummaryRow>("ceiling_fraction", RAILGAUGE_FIELD(ceiling_fraction)),
    Of<SummaryRow>("verdict", RAILGAUGE_FIELD(verdict)),
    Of<SummaryRow>("reason", RAILGAUGE_FIELD(reason)),
    Of<SummaryRow>("interval_confidence_fraction", RAILGAUGE_FIELD(interval_confidence)),
    Of<SummaryRow>("class_z", RAILGAUGE_FIELD(class_z)),
    Of<SummaryRow>("class_adjusted_p_value", RAILGAUGE_FIELD(class_adjusted_p_value)),
    Of<SummaryRow>("rounds_adjusted_p_value", RAILGAUGE_FIELD(rounds_adjusted_p_value)),
    Of<SummaryRow>("findings", RAILGAUGE_FIELD(findings)),
    Of<SummaryRow>("slow_speed_bytes_per_second", RAILGAUGE_FIELD(slow_speed)),
    Of<SummaryRow>("fast_speed_bytes_per_second", RAILGAUGE_FIELD(fast_speed)),
    Of<SummaryRow>("slow_speed_fraction", RAILGAUGE_FIELD(slow_fraction)),
    Of<SummaryRow>("ceiling_resource", RAILGAUGE_FIELD(ceiling_resource)),
    Of<SummaryRow>("ceiling_bytes_per_second", RAILGAUGE_FIELD(ceiling)),
    Of<SummaryRow>("ceiling_provenance", RAILGAUGE_FIELD(ceiling_provenance)),
};

constexpr Column<PlacementRow> kPlacementColumns[] = {
    Of<PlacementRow>("consumer", RAILGAUGE_FIELD(consumer)),
    {"chosen_nic_pci_addresses", [](const PlacementRow& row) { return PrintAddresses(row.chosen); },
     [](std::string_view field, PlacementRow& row) { return ParseAddresses(field, row.chosen); }},
    {"chosen_nic_names", [](const PlacementRow& row) { return PrintNames(row.chosen); },
     [](std::string_view field, PlacementRow& row) { return ParseNames(field, row.chosen); }},
    {"best_nic_pci_addresses", [](const PlacementRow& row) { return PrintAddresses(row.best); },
     [](std::string_view field, PlacementRow& row) { return ParseAddresses(field, row.best); }},
    {"best_nic_names", [](const PlacementRow& row) { return PrintNames(row.best); },
     [](std::string_view field, PlacementRow& row) { return ParseNames(field, row.best); }},
    Of<PlacementRow>("regret_fraction", RAILGAUGE_FIELD(regret)),
    Of<PlacementRow>("regret_low_fraction", RAILGAUGE_FIELD(regret_low)),
    Of<PlacementRow>("regret_high_fraction", RAILGAUGE_FIELD(regret_high)),
    Of<PlacementRow>("verdict", RAILGAUGE_FIELD(verdict)),
    Of<PlacementRow>("reason", RAILGAUGE_FIELD(reason)),
    Of<PlacementRow>("regret_confidence_fraction", RAILGAUGE_FIELD(regret_confidence)),
    Of<PlacementRow>("regret_rounds", RAILGAUGE_FIELD(regret_rounds)),
    Of<PlacementRow>("regret_adjusted_p_value", RAILGAUGE_FIELD(regret_adjusted_p_value)),
};

constexpr Column<AssignmentRow> kAssignmentColumns[] = {
    Of<AssignmentRow>("decision", RAILGAUGE_FIELD(decision)),
    Of<AssignmentRow>("verdict", RAILGAUGE_FIELD(verdict)),
    Of<AssignmentRow>("consumer_count", RAILGAUGE_FIELD(consumer_count)),
    Of<AssignmentRow>("ok_count", RAILGAUGE_FIELD(ok_count)),
    Of<AssignmentRow>("worst_consumer", RAILGAUGE_FIELD(worst_consumer)),
    Of<AssignmentRow>("regret_max_fraction", RAILGAUGE_FIELD(regret_max)),
    Of<AssignmentRow>("regret_mean_fraction", RAILGAUGE_FIELD(regret_mean)),
    Of<AssignmentRow>("reason", RAILGAUGE_FIELD(reason)),
};

// A finding without a NIC has both fields empty; a name alone is a NIC whose address nobody knows.
std::string PrintFindingNic(const Finding& finding) {
  return finding.nic ? PrintField(finding.nic->address) : std::string();
}
bool ParseFindingNic(std::string_view field, Finding& finding) {
  finding.nic.reset();
  return field.empty() || ParseField(field, finding.nic.emplace().address);
}
std::string PrintFindingNicName(const Finding& finding) {
  return finding.nic ? finding.nic->name : std::string();
}
bool ParseFindingNicName(std::string_view field, Finding& finding) {
  if (!finding.nic && field.empty()) return true;
  if (!finding.nic) finding.nic.emplace();
  finding.nic->name = field;
  return true;
}

constexpr Column<Finding> kFindingColumns[] = {
    Of<Finding>("kind", RAILGAUGE_FIELD(kind)),
    Of<Finding>("severity", RAILGAUGE_FIELD(severity)),
    {"nic_pci_address", PrintFindingNic, ParseFindingNic},
    {"nic_name", PrintFindingNicName, ParseFindingNicName},
    Of<Finding>("places", RAILGAUGE_FIELD(places)),
    Of<Finding>("field", RAILGAUGE_FIELD(field)),
    Of<Finding>("sentence", RAILGAUGE_FIELD(sentence)),
    Of<Finding>("evidence", RAILGAUGE_FIELD(evidence)),
};

constexpr Column<GroupRow> kGroupColumns[] = {
    Of<GroupRow>("load", RAILGAUGE_FIELD(load)),
    {"nic_pci_addresses", [](const GroupRow& row) { return PrintAddresses(row.nics); },
     [](std::string_view field, GroupRow& row) { return ParseAddresses(field, row.nics); }},
    {"nic_names", [](const GroupRow& row) { return PrintNames(row.nics); },
     [](std::string_view field, GroupRow& row) { return ParseNames(field, row.nics); }},
    Of<GroupRow>("places", RAILGAUGE_FIELD(places)),
    Of<GroupRow>("operation", RAILGAUGE_FIELD(operation)),
    Of<GroupRow>("direction", RAILGAUGE_FIELD(direction)),
    Of<GroupRow>("size_bytes", RAILGAUGE_FIELD(size)),
    Of<GroupRow>("nic_count", RAILGAUGE_FIELD(nic_count)),
    Of<GroupRow>("rounds", RAILGAUGE_FIELD(rounds)),
    Of<GroupRow>("throughput_sum_bytes_per_second", RAILGAUGE_FIELD(throughput_sum)),
    Of<GroupRow>("alone_throughput_sum_bytes_per_second", RAILGAUGE_FIELD(alone_throughput_sum)),
    Of<GroupRow>("slowest_nic_pci_address", RAILGAUGE_FIELD(slowest_nic.address)),
    Of<GroupRow>("slowest_nic_name", RAILGAUGE_FIELD(slowest_nic.name)),
    Of<GroupRow>("slowest_throughput_bytes_per_second", RAILGAUGE_FIELD(slowest_throughput)),
    Of<GroupRow>("sharing_factor", RAILGAUGE_FIELD(sharing_factor)),
    Of<GroupRow>("sharing_factor_low", RAILGAUGE_FIELD(sharing_factor_low)),
    Of<GroupRow>("sharing_factor_high", RAILGAUGE_FIELD(sharing_factor_high)),
    Of<GroupRow>("interval_confidence_fraction", RAILGAUGE_FIELD(interval_confidence)),
    Of<GroupRow>("sharing_adjusted_p_value", RAILGAUGE_FIELD(adjusted_p_value)),
    Of<GroupRow>("sharing", RAILGAUGE_FIELD(sharing)),
    Of<GroupRow>("resource", RAILGAUGE_FIELD(resource)),
    Of<GroupRow>("reason", RAILGAUGE_FIELD(reason)),
};

}  // namespace

template <>
std::span<const Column<RunIdentity>> ColumnsOf<RunIdentity>() {
  return kRunColumns;
}
template <>
std::span<const Column<CensusRow>> ColumnsOf<CensusRow>() {
  return kCensusColumns;
}
template <>
std::span<const Column<Sample>> ColumnsOf<Sample>() {
  return kSampleColumns;
}
template <>
std::span<const Column<InterconnectRow>> ColumnsOf<InterconnectRow>() {
  return kInterconnectColumns;
}
template <>
std::span<const Column<SummaryRow>> ColumnsOf<SummaryRow>() {
  return kSummaryColumns;
}
template <>
std::span<const Column<PlacementRow>> ColumnsOf<PlacementRow>() {
  return kPlacementColumns;
}
template <>
std::span<const Column<AssignmentRow>> ColumnsOf<AssignmentRow>() {
  return kAssignmentColumns;
}
template <>
std::span<const Column<Finding>> ColumnsOf<Finding>() {
  return kFindingColumns;
}
template <>
std::span<const Column<GroupRow>> ColumnsOf<GroupRow>() {
  return kGroupColumns;
}

template <>
std::string_view FileNameOf<CensusRow>() {
  return "census.csv";
}
template <>
std::string_view FileNameOf<Sample>() {
  return "samples.csv";
}
template <>
std::string_view FileNameOf<InterconnectRow>() {
  return "interconnects.csv";
}
template <>
std::string_view FileNameOf<SummaryRow>() {
  return "summary.csv";
}
template <>
std::string_view FileNameOf<PlacementRow>() {
  return "placement.csv";
}
template <>
std::string_view FileNameOf<AssignmentRow>() {
  return "assignment.csv";
}
template <>
std::string_view FileNameOf<Finding>() {
  return "findings.csv";
}
template <>
std::string_view FileNameOf<GroupRow>() {
  return "groups.csv";
}

}  // namespace railgauge
