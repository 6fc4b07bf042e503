#include "cli/explain_hint.h"

#include <algorithm>

#include "fmt/core.h"
#include "lib/base/shell_word.h"
#include "lib/placement/partner_blame.h"
#include "lib/report/html/page.h"

namespace railgauge {
namespace {

// The first of the chosen NICs, or where a row has none of its own (IDLE), of those to use.
const NicKey* NicOf(const PlacementRow& row) {
  const std::vector<NicKey>& nics = row.chosen.empty() ? row.best : row.chosen;
  const auto named = std::find_if(nics.begin(), nics.end(), [&](const NicKey& nic) {
    return row.reason.find(nic.address.ToString()) != std::string::npos;
  });
  if (named != nics.end()) return &*named;
  return nics.empty() ? nullptr : &nics.front();
}

std::string Why(const std::string& directory, const std::string& what) {
  return fmt::format("why: railgauge explain {} {}\n", ShellWord(directory), what);
}

// Of a partner that a verdict blames, where it serves a consumer itself; else all that it is at.
std::string Blamed(const PciAddress& partner, std::span<const PlacementRow> placement) {
  for (const PlacementRow& row : placement) {
    for (const NicKey& nic : row.chosen) {
      if (nic.address == partner) return row.consumer.ToString() + " " + partner.ToString();
    }
  }
  return partner.ToString();
}

// A verdict to act on comes before one that could not be given.
int Rank(Verdict verdict) {
  switch (verdict) {
    case Verdict::kOk:
      return 2;
    case Verdict::kNoisy:
    case Verdict::kInvalid:
    case Verdict::kUndecided:
      return 1;
    default:
      return 0;
  }
}

}  // namespace

std::string ExplainHint(const std::string& directory, std::span<const PlacementRow> placement) {
  const auto worst = std::min_element(placement.begin(), placement.end(),
                                      [](const PlacementRow& a, const PlacementRow& b) {
                                        return Rank(a.verdict) < Rank(b.verdict);
                                      });
  if (worst == placement.end() || worst->verdict == Verdict::kOk) return "";
  if (const auto partner = PartnerBlamedIn(worst->reason)) {
    return Why(directory, Blamed(*partner, placement));
  }
  const NicKey* nic = NicOf(*worst);
  return Why(directory, worst->consumer.ToString() +
                            (nic == nullptr ? std::string() : " " + nic->address.ToString()));
}

std::string PageHint(const std::string& directory) {
  if (PageTemplate().empty()) return "";
  return fmt::format("page: railgauge report {}\n", ShellWord(directory));
}

}  // namespace railgauge
