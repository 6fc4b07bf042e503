#include "lib/placement/explanation.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <tuple>
#include <utility>

#include "lib/base/result.h"
#include "lib/placement/all_findings.h"
#include "lib/placement/decision.h"
#include "lib/placement/summary.h"
#include "lib/stats/median.h"

namespace railgauge {
namespace {

constexpr IcField kFields[] = {IcField::kRecv, IcField::kRdmaRead, IcField::kRdmaRecv};

bool Has(const std::vector<NicKey>& nics, const PciAddress& nic) {
  return std::any_of(nics.begin(), nics.end(),
                     [&](const NicKey& key) { return key.address == nic; });
}

bool Uses(const PlacementRow& row, const PciAddress& nic) {
  return Has(row.chosen, nic) || Has(row.best, nic);
}

std::vector<CensusRow> WaysOf(const RunRecords& records, const PciAddress& nic,
                              const MemoryPlace& place) {
  std::vector<CensusRow> ways;
  for (const CensusRow& row : records.census) {
    if (row.nic.address == nic && row.place == place) ways.push_back(row);
  }
  return ways;
}

std::vector<SharedId> SharedIdsOf(const RunRecords& records, const PciAddress& nic,
                                  const MemoryPlace& place) {
  std::vector<SharedId> shared;
  for (const IcField field : kFields) {
    std::set<uint16_t> ids;
    for (const CensusRow& row : WaysOf(records, nic, place)) {
      if (row.ids.Get(field)) ids.insert(*row.ids.Get(field));
    }
    for (const uint16_t id : ids) {
      std::set<MemoryPlace> others;
      for (const CensusRow& row : records.census) {
        if (row.nic.address != nic || row.place == place) continue;
        if (row.ids.Get(field) == id) others.insert(row.place);
      }
      shared.push_back({field, id, {others.begin(), others.end()}});
    }
  }
  return shared;
}

std::vector<GroupRow> GroupsOf(const RunRecords& records, const PciAddress& nic) {
  std::vector<GroupRow> groups;
  std::copy_if(records.groups.begin(), records.groups.end(), std::back_inserter(groups),
               [&](const GroupRow& row) { return Has(row.nics, nic); });
  return groups;
}

// Found again by what was recorded: a run of an older version has no findings.csv.
std::vector<Finding> FindingsOf(const RunRecords& records, const Evidence& evidence) {
  return AllFindings(evidence, records.census, records.samples);
}

bool Names(const Finding& finding, const MemoryPlace& place) {
  return std::find(finding.places.begin(), finding.places.end(), place) != finding.places.end();
}

// One of the whole NIC is about each of its places; one of a place alone, about each NIC there.
bool IsAbout(const Finding& finding, const PciAddress& nic, const MemoryPlace& place) {
  if (finding.nic) {
    return finding.nic->address == nic && (finding.places.empty() || Names(finding, place));
  }
  return Names(finding, place);
}

void AddLost(const Sample& sample, std::vector<LostWindows>& lost) {
  const auto same = std::find_if(lost.begin(), lost.end(), [&](const LostWindows& other) {
    return other.status == sample.status && other.skip_cause == sample.skip_cause;
  });
  if (same == lost.end()) {
    lost.push_back({sample.status, sample.skip_cause, sample.reason, 1});
  } else {
    ++same->count;
  }
}

void AddPartner(const Sample& sample, std::vector<Sample>& partners) {
  const auto far_end = [](const Sample& one) {
    return std::tie(one.partner, one.partner_place, one.peer);
  };
  // A window that was not tried may not know its partner.
  if (sample.partner == NicKey()) return;
  if (std::none_of(partners.begin(), partners.end(),
                   [&](const Sample& other) { return far_end(other) == far_end(sample); })) {
    partners.push_back(sample);
  }
}

// What the table's cell does not keep of its samples.
void AddSamples(std::span<const Sample> samples, ExplainedCell& cell) {
  for (const Sample& sample : samples) {
    if (sample.cell != cell.summary.cell || sample.way != cell.summary.way) continue;
    AddPartner(sample, cell.partners);
    if (sample.line_rate) cell.line_rate = std::max(cell.line_rate, sample.line_rate);
    if (!IsMeasured(sample.status)) AddLost(sample, cell.lost);
  }
}

// How far apart in time the windows of the rounds are that both cells have: the median of each
// round's nearest two. Empty where they share none.
std::optional<double> DistanceInRounds(const MeasuredCell& cell, const MeasuredCell& other) {
  std::vector<double> distances;
  for (const Window& window : cell.windows) {
    std::optional<Nanoseconds> nearest;
    for (const Window& its : other.windows) {
      if (window.round == 0 || its.round != window.round) continue;
      const Nanoseconds distance = std::chrono::abs(window.start - its.start);
      if (!nearest || distance < *nearest) nearest = distance;
    }
    if (nearest) distances.push_back(static_cast<double>(nearest->count()));
  }
  return Median(distances);
}

// The samples do not say which two cells of a round were a pair; those of a pair come one after
// the other, at one place or, against a peer of the class, at another.
std::vector<InTurn> InTurnWith(const Evidence& evidence, const MeasuredCell& cell) {
  constexpr size_t kMost = 3;
  std::vector<std::tuple<double, const MeasuredCell*>> others;
  for (const MeasuredCell& other : evidence.table().cells()) {
    const bool alike = other.cell.operation == cell.cell.operation &&
                       other.cell.direction == cell.cell.direction &&
                       other.cell.size == cell.cell.size && other.cell.load == cell.cell.load;
    if (&other == &cell || !alike) continue;
    if (const auto distance = DistanceInRounds(cell, other)) others.emplace_back(*distance, &other);
  }
  std::sort(others.begin(), others.end(), [](const auto& a, const auto& b) {
    return std::tie(std::get<0>(a), std::get<1>(a)->cell) <
           std::tie(std::get<0>(b), std::get<1>(b)->cell);
  });
  if (others.size() > kMost) others.resize(kMost);
  std::vector<InTurn> in_turn;
  for (const auto& [distance, other] : others) {
    in_turn.push_back(
        {other->cell, Compare(cell, *other, evidence.gates().bad_placement, evidence.gates())});
  }
  return in_turn;
}

// `row` is the summary of `cell`.
ExplainedCell Explain(const Evidence& evidence, std::span<const Sample> samples,
                      const MeasuredCell& cell, const SummaryRow& row) {
  ExplainedCell explained;
  explained.summary = row;
  explained.disturbed = cell.disturbed;
  for (const Window& window : cell.windows) {
    const BytesPerSecond value{window.value};
    if (!explained.least || value < *explained.least) explained.least = value;
    if (!explained.most || value > *explained.most) explained.most = value;
  }
  AddSamples(samples, explained);
  const Dimension dimension{cell.cell.operation, cell.cell.direction};
  explained.judged =
      evidence.table().Find(cell.cell.nic.address, cell.cell.place, dimension) == &cell;
  if (explained.judged) explained.standing = evidence.classes().Of(cell);
  if (cell.measured()) explained.in_turn = InTurnWith(evidence, cell);
  return explained;
}

void AddCrossed(const Machine& machine, const Sample& sample, std::vector<PairResource>& all) {
  for (const CrossedResource& crossed : CrossedResourcesOf(machine, sample)) {
    const Resource& resource = crossed.crossing.resource;
    auto same = std::find_if(all.begin(), all.end(), [&](const PairResource& other) {
      return other.resource.kind == resource.kind && other.resource.name == resource.name;
    });
    if (same == all.end()) same = all.insert(all.end(), PairResource{resource, false, {}});
    same->certain = same->certain || crossed.crossing.certain;
    for (const Ceiling& ceiling : crossed.ceilings) {
      auto limit = std::find_if(same->limits.begin(), same->limits.end(), [&](const auto& other) {
        return std::tie(other.ceiling.resource, other.ceiling.capacity, other.ceiling.basis) ==
               std::tie(ceiling.resource, ceiling.capacity, ceiling.basis);
      });
      if (limit == same->limits.end()) {
        limit = same->limits.insert(limit, PairResource::Limit{ceiling, {}});
      }
      std::vector<Operation>& operations = limit->operations;
      const Operation operation = sample.cell.operation;
      if (std::find(operations.begin(), operations.end(), operation) == operations.end()) {
        operations.push_back(operation);
      }
    }
  }
}

std::vector<PairResource> CrossedBy(const Machine& machine, const PairExplanation& pair) {
  std::vector<PairResource> all;
  for (const ExplainedCell& cell : pair.cells) {
    for (const Sample& sample : cell.partners) AddCrossed(machine, sample, all);
  }
  if (all.empty()) {
    for (const Dimension& dimension : kDimensions) {
      Sample sample;
      sample.cell.nic = pair.nic.key();
      sample.cell.place = pair.place;
      sample.cell.operation = dimension.operation;
      sample.cell.direction = dimension.direction;
      AddCrossed(machine, sample, all);
    }
  }
  std::stable_sort(all.begin(), all.end(), [](const PairResource& a, const PairResource& b) {
    return a.resource.kind < b.resource.kind;
  });
  return all;
}

// Every judged cell's summary.
class JudgedRows {
 public:
  explicit JudgedRows(const RunRecords& records)
      : decision_(DecisionOf(records.placement)),
        evidence_(records.machine, records.census, records.samples, decision_, {}),
        rows_(Summarize(evidence_)) {}

  const Evidence& evidence() const { return evidence_; }
  std::optional<SummaryRow> Of(const PciAddress& nic, const MemoryPlace& place,
                               const Dimension& dimension) const {
    const MeasuredCell* cell = evidence_.table().Find(nic, place, dimension);
    if (cell == nullptr) return std::nullopt;
    return rows_[static_cast<size_t>(cell - evidence_.table().cells().data())];
  }

 private:
  const Decision decision_;
  const Evidence evidence_;
  const std::vector<SummaryRow> rows_;
};

PairLine LineOf(const RunRecords& records, const JudgedRows& judged, const Nic& nic,
                const MemoryPlace& place) {
  PairLine line;
  line.nic = nic.key();
  line.place = place;
  line.relation = RelationOf(records.machine, nic, place).relation;
  line.ways = WaysOf(records, nic.position.address, place);
  for (const Dimension& dimension : kDimensions) {
    line.dimensions.push_back(judged.Of(nic.position.address, place, dimension));
  }
  for (const PlacementRow& row : records.placement) {
    line.chosen |= row.consumer == place && Has(row.chosen, nic.position.address);
  }
  return line;
}

}  // namespace

std::vector<MemoryPlace> KnownPlaces(const RunRecords& records) {
  std::vector<MemoryPlace> places = records.machine.Places();
  const auto add = [&](const MemoryPlace& place) {
    if (std::find(places.begin(), places.end(), place) == places.end()) places.push_back(place);
  };
  for (const MemoryPlace& place : records.machine.UnsupportedPlaces()) add(place);
  for (const CensusRow& row : records.census) add(row.place);
  return places;
}

Decision DecisionOf(std::span<const PlacementRow> placement) {
  Decision decision;
  for (const PlacementRow& row : placement) {
    // Rows of IDLE have no NICs of their own.
    if (!row.chosen.empty()) decision.assignments.push_back({row.consumer, row.chosen});
  }
  return decision;
}

PairExplanation ExplainPair(const RunRecords& records, const Nic& nic, const MemoryPlace& place) {
  const PciAddress& address = nic.position.address;
  PairExplanation explanation;
  explanation.nic = nic;
  explanation.place = place;
  explanation.relation = RelationOf(records.machine, nic, place);
  explanation.ways = WaysOf(records, address, place);
  explanation.shared_ids = SharedIdsOf(records, address, place);
  const Decision decision = DecisionOf(records.placement);
  const Evidence evidence(records.machine, records.census, records.samples, decision, {});
  const std::vector<SummaryRow> rows = Summarize(evidence);
  for (size_t i = 0; i < rows.size(); ++i) {
    const Cell& cell = rows[i].cell;
    if (cell.nic.address != address || cell.place != place || cell.load != "alone") continue;
    explanation.cells.push_back(
        Explain(evidence, records.samples, evidence.table().cells()[i], rows[i]));
  }
  explanation.crossed = CrossedBy(records.machine, explanation);
  for (const PlacementRow& row : records.placement) {
    if (row.consumer == place) {
      explanation.verdicts.push_back(row);
    } else if (Uses(row, address)) {
      explanation.other_uses.push_back(row);
    }
  }
  for (const Finding& finding : FindingsOf(records, evidence)) {
    if (IsAbout(finding, address, place)) explanation.findings.push_back(finding);
  }
  explanation.groups = GroupsOf(records, address);
  return explanation;
}

Overview ExplainNic(const RunRecords& records, const NicKey& nic) {
  const Nic* known = records.machine.FindNic(nic.address);
  RAILGAUGE_CHECK(known != nullptr);
  const JudgedRows judged(records);
  Overview overview;
  for (const MemoryPlace& place : KnownPlaces(records)) {
    overview.lines.push_back(LineOf(records, judged, *known, place));
  }
  for (const PlacementRow& row : records.placement) {
    if (Uses(row, nic.address)) overview.verdicts.push_back(row);
  }
  for (const Finding& finding : FindingsOf(records, judged.evidence())) {
    if (finding.nic && finding.nic->address == nic.address) overview.findings.push_back(finding);
  }
  overview.groups = GroupsOf(records, nic.address);
  return overview;
}

Overview ExplainPlace(const RunRecords& records, const MemoryPlace& place) {
  const JudgedRows judged(records);
  Overview overview;
  for (const Nic& nic : records.machine.nics) {
    overview.lines.push_back(LineOf(records, judged, nic, place));
  }
  for (const PlacementRow& row : records.placement) {
    if (row.consumer == place) overview.verdicts.push_back(row);
  }
  for (const Finding& finding : FindingsOf(records, judged.evidence())) {
    if (Names(finding, place)) overview.findings.push_back(finding);
  }
  for (const GroupRow& row : records.groups) {
    if (std::find(row.places.begin(), row.places.end(), place) != row.places.end()) {
      overview.groups.push_back(row);
    }
  }
  return overview;
}

}  // namespace railgauge
