#include "lib/placement/world_testutil.h"

#include <sstream>
#include <utility>

#include "lib/base/result.h"
#include "lib/topology/machine_testutil.h"
#include "lib/topology/relation.h"

namespace railgauge {

World::World(Machine the_machine) : machine(std::move(the_machine)), speed(NearIsFast) {
  for (const Nic& nic : machine.nics) {
    for (const MemoryPlace& place : machine.Places()) {
      const RelationResult relation = RelationOf(machine, nic, place);
      CensusRow row;
      row.nic = nic.key();
      row.place = place;
      row.way = place.is_gpu() ? RegistrationWay::kDmabuf : RegistrationWay::kHost;
      row.status = CensusStatus::kOk;
      row.ids.rdma_read = row.ids.rdma_recv = static_cast<uint16_t>(relation.relation);
      row.relation = relation.relation;
      row.pci_path = relation.pci_path;
      census.push_back(std::move(row));
    }
  }
}

double World::NearIsFast(const Cell& cell, Relation relation) {
  const Relation near = cell.place.is_gpu() ? Relation::kSameHostBridge : Relation::kSameNumaNode;
  return relation <= near ? 12.5e9 : 6.25e9;
}

Sample& World::Add(const Cell& cell, uint32_t round, double throughput) {
  Sample sample;
  sample.cell = cell;
  sample.way = cell.place.is_gpu() ? RegistrationWay::kDmabuf : RegistrationWay::kHost;
  sample.round = round;
  sample.start_offset = clock_ += std::chrono::milliseconds(30);
  sample.throughput = BytesPerSecond{throughput};
  sample.status = SampleStatus::kOk;
  samples.push_back(std::move(sample));
  return samples.back();
}

void World::MeasureOnce(const Cell& cell, uint32_t round) {
  Relation relation = Relation::kUnknown;
  InterconnectIds ids;
  for (const CensusRow& row : census) {
    if (row.nic != cell.nic || row.place != cell.place) continue;
    relation = row.relation;
    ids = row.ids;
  }
  const double value = speed(cell, relation);
  if (value < 0) {
    Sample& sample = Add(cell, round, 0);
    sample.throughput.reset();
    sample.status = SampleStatus::kSkipped;
    sample.reason = "the device cannot do it";
    sample.skip_cause = SkipCause::kNotPossible;
    return;
  }
  Sample& sample = Add(cell, round, value * std::normal_distribution(1.0, noise)(generator_));
  if (partner) sample.partner = nic(partner(machine, cell).ToString());
  if (const auto field = AttributingField(cell.operation, cell.direction)) {
    sample.interconnect_id = ids.Get(*field);
  }
}

void World::Screen() {
  for (const Operation operation : {Operation::kRead, Operation::kWrite}) {
    for (const Direction direction : {Direction::kToMemory, Direction::kFromMemory}) {
      for (const MemoryPlace& place : machine.Places()) {
        for (const Nic& nic : machine.nics) {
          MeasureOnce({nic.key(), place, operation, direction, Bytes{1 << 20}, 16, "alone"}, 0);
        }
      }
    }
  }
}

void World::Measure(std::span<const CellPair> pairs, uint32_t rounds, uint32_t first) {
  for (uint32_t round = first; round < first + rounds; ++round) {
    for (const CellPair& pair : pairs) {
      MeasureOnce(round % 2 == 0 ? pair.cell : pair.other, round);
      MeasureOnce(round % 2 == 0 ? pair.other : pair.cell, round);
    }
  }
}

void World::Check(const Decision& decision) {
  Screen();
  for (const Cell& cell : WorthMoreWindows(machine, census, samples, decision)) {
    for (int i = 0; i < 2; ++i) MeasureOnce(cell, 0);
  }
  std::vector<CellPair> pairs = Shortlist(machine, census, samples, decision);
  Measure(pairs, 9);
  pairs = StillInDoubt(machine, census, samples, decision, pairs);
  Measure(pairs, 6, 10);
}

NicKey World::nic(std::string_view address) const {
  const Nic* found = machine.FindNic(Pci(address));
  RAILGAUGE_CHECK(found != nullptr);
  return found->key();
}

Cell World::CellOf(std::string_view nic_address, std::string_view place, Operation operation,
                   Direction direction) const {
  const auto parsed = MemoryPlace::Parse(place);
  RAILGAUGE_CHECK(parsed.has_value());
  return {nic(nic_address), *parsed, operation, direction, Bytes{1 << 20}, 16, "alone"};
}

Decision MakeDecision(const Machine& machine, const std::vector<std::string>& lines) {
  Decision decision{"test", {}};
  for (const std::string& line : lines) {
    std::istringstream words(line);
    std::string word;
    words >> word;
    const auto consumer = MemoryPlace::Parse(word);
    RAILGAUGE_CHECK(consumer.has_value());
    Assignment assignment{*consumer, {}};
    while (words >> word) {
      const Nic* nic = machine.FindNic(Pci(word));
      RAILGAUGE_CHECK(nic != nullptr);
      assignment.nics.push_back(nic->key());
    }
    decision.assignments.push_back(std::move(assignment));
  }
  return decision;
}

}  // namespace railgauge
