#include "lib/scenario/check/compare.h"

#include <algorithm>
#include <set>
#include <string_view>

#include "fmt/core.h"
#include "fmt/format.h"

namespace railgauge {
namespace {

bool IsNic(const NicKey& nic, std::string_view text) {
  return nic.name == text || nic.address.ToString() == text;
}

// Both name the same NICs, in any order.
bool SameNics(const std::vector<NicKey>& nics, const std::vector<std::string>& expected) {
  return nics.size() == expected.size() &&
         std::all_of(nics.begin(), nics.end(), [&](const NicKey& nic) {
           return std::any_of(expected.begin(), expected.end(),
                              [&](const std::string& text) { return IsNic(nic, text); });
         });
}

std::string NamesOf(const std::vector<NicKey>& nics) {
  std::string names;
  for (const NicKey& nic : nics) {
    names += fmt::format("{}{}", names.empty() ? "" : ", ",
                         nic.name.empty() ? nic.address.ToString() : nic.name);
  }
  return names.empty() ? "none" : names;
}

std::string TextOf(const std::vector<MemoryPlace>& places) {
  std::string text;
  for (const MemoryPlace& place : places) text += (text.empty() ? "" : ", ") + place.ToString();
  return text;
}

std::string TextOf(const PlacementRow& row) {
  return fmt::format("{} {}, best {}: {}", row.consumer.ToString(), ToString(row.verdict),
                     NamesOf(row.best), row.reason);
}

std::string TextOf(const Finding& finding) {
  return fmt::format("{} of {} at [{}]{}: {} ({})", finding.kind,
                     finding.nic ? NamesOf({*finding.nic}) : "the machine", TextOf(finding.places),
                     finding.field ? fmt::format(" {}", ToString(*finding.field)) : "",
                     finding.sentence, finding.evidence);
}

class Comparer {
 public:
  Comparer(const Check& check, const CheckOutcome& outcome, const std::string& file)
      : check_(check), outcome_(outcome), file_(file) {}

  std::vector<std::string> Compare() {
    CompareVerdicts();
    CompareGroups();
    CompareFindings();
    CompareCensus();
    if (outcome_.exit_status != check_.exit_status) {
      Say(0, fmt::format("the exit status is {} and not {}", outcome_.exit_status,
                         check_.exit_status));
    }
    return std::move(differences_);
  }

 private:
  void Say(int line, const std::string& what) {
    differences_.push_back(line > 0 ? fmt::format("{}:{}: {}", file_, line, what)
                                    : fmt::format("{}: {}", file_, what));
  }

  void CompareVerdicts();
  void CompareGroups();
  void CompareFindings();
  void CompareCensus();

  const Check& check_;
  const CheckOutcome& outcome_;
  const std::string& file_;
  std::vector<std::string> differences_;
};

void Comparer::CompareVerdicts() {
  std::vector<const PlacementRow*> left;
  for (const PlacementRow& row : outcome_.placement) left.push_back(&row);
  const bool load = check_.run.command == CheckRun::Command::kLoad;
  if (left.empty() && !load) Say(0, "there is no verdict at all");
  for (const ExpectedVerdict& expected : check_.verdicts) {
    const auto row = std::find_if(left.begin(), left.end(), [&](const PlacementRow* candidate) {
      return candidate->consumer == expected.consumer && candidate->verdict == expected.verdict;
    });
    if (row == left.end()) {
      Say(expected.line, fmt::format("there is no {} of {}", ToString(expected.verdict),
                                     expected.consumer.ToString()));
      continue;
    }
    if (!SameNics((*row)->best, expected.best)) {
      Say(expected.line, fmt::format("the best NICs are {}", NamesOf((*row)->best)));
    }
    if ((*row)->reason.find(expected.reason) == std::string::npos) {
      Say(expected.line, fmt::format("the reason is: {}", (*row)->reason));
    }
    left.erase(row);
  }
  for (const PlacementRow* row : left) {
    const bool named = std::any_of(
        check_.verdicts.begin(), check_.verdicts.end(),
        [&](const ExpectedVerdict& expected) { return expected.consumer == row->consumer; });
    if (named || row->verdict != check_.others || !row->best.empty()) {
      Say(0, "not expected: " + TextOf(*row));
    }
  }
}

void Comparer::CompareGroups() {
  std::set<std::string> found;
  for (const GroupRow& row : outcome_.groups) {
    const auto expected =
        std::find_if(check_.groups.begin(), check_.groups.end(),
                     [&](const ExpectedGroup& group) { return group.load == row.load; });
    const std::string text =
        fmt::format("{} {} {}: {} by '{}' ({})", row.load, ToString(row.operation),
                    row.direction ? ToString(*row.direction) : "both ways", ToString(row.sharing),
                    row.resource, row.reason);
    if (expected == check_.groups.end()) {
      Say(0, "not expected: " + text);
      continue;
    }
    found.insert(row.load);
    if (row.sharing != expected->sharing || row.resource != expected->resource) {
      Say(expected->line, text);
    }
  }
  for (const ExpectedGroup& expected : check_.groups) {
    if (!found.contains(expected.load)) {
      Say(expected.line, fmt::format("there is no group {}", expected.load));
    }
  }
}

void Comparer::CompareFindings() {
  std::vector<const Finding*> left;
  for (const Finding& finding : outcome_.findings) left.push_back(&finding);
  const auto take = [&](const ExpectedFinding& expected, const std::string& nic) {
    const auto found = std::find_if(left.begin(), left.end(), [&](const Finding* finding) {
      if (finding->kind != expected.kind || finding->nic.has_value() == nic.empty()) return false;
      if (finding->nic && !IsNic(*finding->nic, nic)) return false;
      if (!expected.places.empty() &&
          !std::is_permutation(finding->places.begin(), finding->places.end(),
                               expected.places.begin(), expected.places.end())) {
        return false;
      }
      const std::string text = finding->sentence + " " + finding->evidence;
      return (!expected.field || finding->field == expected.field) &&
             text.find(expected.text) != std::string::npos;
    });
    if (found == left.end()) {
      Say(expected.line,
          fmt::format("there is no finding {}{}", expected.kind, nic.empty() ? "" : " of " + nic));
      return;
    }
    left.erase(found);
  };
  for (const ExpectedFinding& expected : check_.findings) {
    if (expected.nics.empty()) take(expected, "");
    for (const std::string& nic : expected.nics) take(expected, nic);
  }
  for (const Finding* finding : left) Say(0, "not expected: " + TextOf(*finding));
}

void Comparer::CompareCensus() {
  const ExpectedCensus& expected = check_.census;
  std::set<PciAddress> nics;
  std::set<Relation> relations;
  for (const CensusRow& row : outcome_.census) {
    nics.insert(row.nic.address);
    relations.insert(row.relation);
    const auto status = expected.status.find(row.way);
    if (status != expected.status.end() && row.status != status->second) {
      Say(expected.line, fmt::format("{} at {} by {} is {}: {}", row.nic.name, row.place.ToString(),
                                     ToString(row.way), ToString(row.status), row.reason));
    }
  }
  if (expected.nics && nics.size() != *expected.nics) {
    Say(expected.line, fmt::format("the census has {} NICs", nics.size()));
  }
  const std::set<Relation> wanted(expected.relations.begin(), expected.relations.end());
  if (!wanted.empty() && relations != wanted) {
    std::string names;
    for (const Relation relation : relations) names += fmt::format(" {}", ToString(relation));
    Say(expected.line, "the census has the relations" + names);
  }
}

}  // namespace

std::vector<std::string> Differences(const Check& check, const CheckOutcome& outcome,
                                     const std::string& file) {
  return Comparer(check, outcome, file).Compare();
}

}  // namespace railgauge
