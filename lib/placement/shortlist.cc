#include "lib/placement/shortlist.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "lib/placement/certainty.h"
#include "lib/placement/comparison.h"
#include "lib/placement/evidence.h"
#include "lib/placement/idle.h"

namespace railgauge {
namespace {

CellPair PairOf(const MeasuredCell& cell, const MeasuredCell& other, bool may_be_suspect,
                const JudgeGates& gates) {
  const double ratio = *other.median > 0 ? *cell.median / *other.median : 1;
  return {cell.cell, other.cell, ratio, may_be_suspect && ratio < 1 - gates.differs};
}

// The chosen NICs of one consumer against their rivals in one dimension.
void AddRivals(const Evidence& evidence, const Assignment& assignment, const Dimension& dimension,
               std::vector<CellPair>& pairs) {
  std::vector<CellPair> found;
  for (const NicKey& nic : assignment.nics) {
    const MeasuredCell* cell = evidence.table().Find(nic.address, assignment.consumer, dimension);
    if (cell == nullptr || !cell->measured()) continue;
    const std::vector<Rival> rivals = evidence.RivalsOf(assignment, nic.address, dimension);
    if (rivals.empty()) continue;
    const bool may_be_free = rivals[0].free || rivals[0].reserve != Reserve::kNone;
    found.push_back(PairOf(*cell, *rivals[0].cell, may_be_free, evidence.gates()));
  }
  std::stable_sort(found.begin(), found.end(), [](const CellPair& a, const CellPair& b) {
    return std::tuple(!a.suspect, a.ratio) < std::tuple(!b.suspect, b.ratio);
  });
  for (size_t i = 0; i < found.size() && i < evidence.gates().max_suspects; ++i) {
    if (i == 0 || found[i].suspect) pairs.push_back(found[i]);
  }
}

// The chosen NICs of one consumer that are outliers of their class in one dimension.
void AddOutliers(const Evidence& evidence, const Assignment& assignment, const Dimension& dimension,
                 std::vector<CellPair>& pairs) {
  for (const NicKey& nic : assignment.nics) {
    const MeasuredCell* cell = evidence.table().Find(nic.address, assignment.consumer, dimension);
    if (cell == nullptr) continue;
    const auto standing = evidence.classes().Of(*cell);
    const MeasuredCell* peer = evidence.classes().PeerOf(*cell);
    if (standing && standing->suspect && peer != nullptr) {
      pairs.push_back(PairOf(*cell, *peer, true, evidence.gates()));
      pairs.back().margin = evidence.gates().differs;
    }
  }
}

// The first of the idle NICs that look as good as the consumer's own, against the slowest of those:
// that nobody uses it is a verdict, too, and needs proof.
void AddIdle(const Evidence& evidence, const Assignment& assignment, std::vector<CellPair>& pairs) {
  const std::vector<NicKey> idle = IdleNicsFor(evidence, assignment);
  if (idle.empty()) return;
  for (const Dimension& dimension : evidence.JudgedDimensions(assignment)) {
    const MeasuredCell* cell = SlowestChosen(evidence, assignment, dimension);
    const MeasuredCell* other =
        evidence.table().Find(idle[0].address, assignment.consumer, dimension);
    CellPair pair = PairOf(*cell, *other, true, evidence.gates());
    pair.suspect = true;
    pairs.push_back(std::move(pair));
  }
}

// Of a chosen NIC that looks bad against a rival which may be free or not: the cells with too few
// windows on which that hangs.
std::vector<const MeasuredCell*> CellsInReserve(const Evidence& evidence,
                                                const Assignment& assignment, const NicKey& nic,
                                                const Dimension& dimension) {
  const CellTable& table = evidence.table();
  const MeasuredCell* cell = table.Find(nic.address, assignment.consumer, dimension);
  std::vector<const MeasuredCell*> cells;
  const auto add = [&](const PciAddress& of, const MemoryPlace& place, const Dimension& in) {
    const MeasuredCell* found = table.Find(of, place, in);
    if (found != nullptr && found->measured() && evidence.Believed(*found).few_windows) {
      cells.push_back(found);
    }
  };
  if (cell == nullptr || !cell->measured()) return cells;
  for (const Rival& rival : evidence.RivalsOf(assignment, nic.address, dimension)) {
    if (*cell->median >= (1 - evidence.gates().bad_placement) * *rival.cell->median) continue;
    if (rival.reserve == Reserve::kNone) break;  // free without doubt, or not free
    const PciAddress& address = rival.cell->cell.nic.address;
    for (const Dimension& other : evidence.JudgedDimensions(assignment)) {
      add(nic.address, assignment.consumer, other);
      add(address, assignment.consumer, other);
    }
    for (const MemoryPlace& user : evidence.Users(address)) {
      add(address, user, dimension);
      add(nic.address, user, dimension);
    }
    break;  // the best of them; what it turns out to be is known before the others are needed
  }
  return cells;
}

// A pair may be there for several reasons: it is one, and a suspect if it is by any.
void MergeEqual(std::vector<CellPair>& pairs) {
  const auto order = [](const CellPair& pair) {
    return std::tuple(pair.cell, pair.other, !pair.suspect);
  };
  std::sort(pairs.begin(), pairs.end(),
            [&](const CellPair& a, const CellPair& b) { return order(a) < order(b); });
  const auto same = [](const CellPair& a, const CellPair& b) {
    return a.cell == b.cell && a.other == b.other;
  };
  pairs.erase(std::unique(pairs.begin(), pairs.end(), same), pairs.end());
}

}  // namespace

std::vector<CellPair> Shortlist(const Machine& machine, std::span<const CensusRow> census,
                                std::span<const Sample> samples, const Decision& decision,
                                const JudgeGates& gates) {
  const Evidence evidence(machine, census, samples, decision, gates);
  std::vector<CellPair> pairs;
  for (const Assignment& assignment : decision.assignments) {
    for (const Dimension& dimension : kDimensions) {
      AddRivals(evidence, assignment, dimension, pairs);
      AddOutliers(evidence, assignment, dimension, pairs);
    }
    AddIdle(evidence, assignment, pairs);
  }
  MergeEqual(pairs);
  std::stable_sort(pairs.begin(), pairs.end(), [](const CellPair& a, const CellPair& b) {
    return std::tuple(!a.suspect, a.ratio, a.cell, a.other) <
           std::tuple(!b.suspect, b.ratio, b.cell, b.other);
  });
  return pairs;
}

std::vector<Cell> WorthMoreWindows(const Machine& machine, std::span<const CensusRow> census,
                                   std::span<const Sample> samples, const Decision& decision,
                                   const JudgeGates& gates) {
  const Evidence evidence(machine, census, samples, decision, gates);
  std::vector<std::pair<double, Cell>> suspects;
  for (const MeasuredCell& cell : evidence.table().cells()) {
    const auto standing = evidence.classes().Of(cell);
    if (standing && standing->suspect) suspects.emplace_back(standing->z, cell.cell);
  }
  std::sort(suspects.begin(), suspects.end());
  std::vector<Cell> cells;
  const auto add = [&](const Cell& cell) {
    if (std::find(cells.begin(), cells.end(), cell) == cells.end()) cells.push_back(cell);
  };
  const std::vector<const MeasuredCell*> doubtful = DoubtfulChosenCells(evidence);
  for (const MeasuredCell* cell : doubtful) {
    if (DoubtOf(evidence, *cell) == Doubt::kDisturbed) add(cell->cell);
  }
  for (const auto& [z, cell] : suspects) add(cell);
  for (const Assignment& assignment : decision.assignments) {
    for (const NicKey& nic : assignment.nics) {
      for (const Dimension& dimension : kDimensions) {
        for (const auto* cell : CellsInReserve(evidence, assignment, nic, dimension)) {
          add(cell->cell);
        }
      }
    }
  }
  for (const MeasuredCell* cell : doubtful) add(cell->cell);
  return cells;
}

std::vector<Cell> StillDisturbed(const Machine& machine, std::span<const CensusRow> census,
                                 std::span<const Sample> samples, const Decision& decision,
                                 const JudgeGates& gates) {
  const Evidence evidence(machine, census, samples, decision, gates);
  std::vector<Cell> cells;
  for (const MeasuredCell* cell : DoubtfulChosenCells(evidence)) {
    if (DoubtOf(evidence, *cell) == Doubt::kDisturbed) cells.push_back(cell->cell);
  }
  return cells;
}

std::vector<CellPair> StillInDoubt(const Machine& machine, std::span<const CensusRow> census,
                                   std::span<const Sample> samples, const Decision& decision,
                                   std::span<const CellPair> pairs, const JudgeGates& gates) {
  const Evidence evidence(machine, census, samples, decision, gates);
  const auto find = [&](const Cell& cell) {
    return evidence.table().Find(cell.nic.address, cell.place, {cell.operation, cell.direction});
  };
  std::vector<CellPair> doubtful;
  for (const CellPair& pair : pairs) {
    const MeasuredCell* cell = find(pair.cell);
    const MeasuredCell* other = find(pair.other);
    if (cell == nullptr || other == nullptr || !cell->measured() || !other->measured()) continue;
    const Comparison comparison = evidence.Compare(*cell, *other, pair.margin);
    const bool among_many = comparison.outcome == Outcome::kUnproven && comparison.interval;
    if (comparison.outcome == Outcome::kNoisy || among_many) doubtful.push_back(pair);
  }
  return doubtful;
}

}  // namespace railgauge
