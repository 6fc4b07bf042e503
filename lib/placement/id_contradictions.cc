#include "lib/placement/id_contradictions.h"

#include <string>

#include "fmt/core.h"
#include "lib/placement/finding_kinds.h"
#include "lib/placement/sentences.h"

namespace railgauge {
namespace {

// Of 8 bits on the admin wire (efa_admin_reg_mr_resp).
constexpr uint16_t kHighestId = 255;

void AddPlace(const MemoryPlace& place, Finding& finding) {
  if (finding.places.empty() || finding.places.back() != place) finding.places.push_back(place);
}

void AddEvidence(const std::string& text, Finding& finding) {
  finding.evidence += (finding.evidence.empty() ? "" : "; ") + text;
}

std::string WhereOf(const IdSlot& slot) {
  return fmt::format("{} by {}", slot.place.ToString(), ToString(slot.way));
}

// Every answer of the slot, also of one whose rows contradict each other.
std::vector<InterconnectIds> AnswersOf(const IdSlot& slot) {
  if (!slot.contradicting.empty()) return slot.contradicting;
  return {slot.ids};
}

Finding AboveFormat(const NicIds& nic) {
  Finding finding = MakeFinding(KindNamed("id_above_format"));
  finding.nic = nic.nic;
  for (const IdSlot& slot : nic.slots) {
    for (const InterconnectIds& ids : AnswersOf(slot)) {
      for (const IcField field : kIcFields) {
        const std::optional<uint16_t>& id = ids.Get(field);
        if (!id || *id <= kHighestId) continue;
        AddPlace(slot.place, finding);
        AddEvidence(fmt::format("{}: {} {}", WhereOf(slot), ToString(field), *id), finding);
      }
    }
  }
  finding.sentence = fmt::format(
      "{} names an interconnect id above {}, which the device's answer has no room for: driver and "
      "rdma-core disagree about the answer. Trust no id of it, and report both versions.",
      NameOf(nic.nic), kHighestId);
  return finding;
}

Finding Contradicting(const NicIds& nic) {
  Finding finding = MakeFinding(KindNamed("census_contradicts_itself"));
  finding.nic = nic.nic;
  for (const IdSlot& slot : nic.slots) {
    if (slot.contradicting.empty()) continue;
    AddPlace(slot.place, finding);
    std::string answers;
    for (const InterconnectIds& ids : slot.contradicting) {
      answers += (answers.empty() ? "" : " / ") + ToText(ids);
    }
    AddEvidence(fmt::format("{}: {}", WhereOf(slot), answers), finding);
  }
  finding.sentence = fmt::format(
      "The census has several answers of {} for {} by the same way: its rows are of several runs, "
      "or the ids changed in between. Take a new census.",
      NameOf(nic.nic), ListOf(finding.places));
  return finding;
}

}  // namespace

std::vector<Finding> FindIdContradictions(std::span<const NicIds> table) {
  std::vector<Finding> findings;
  for (const NicIds& nic : table) {
    for (Finding finding : {AboveFormat(nic), Contradicting(nic)}) {
      if (!finding.places.empty()) findings.push_back(std::move(finding));
    }
  }
  return findings;
}

}  // namespace railgauge
