#include "lib/fleet/fleet_page.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "fmt/core.h"
#include "lib/fleet/group_figures.h"
#include "lib/report/csv_reader.h"
#include "lib/report/html/page.h"
#include "lib/report/html/page_table.h"
#include "lib/stats/median.h"
#include "nlohmann/json.hpp"

namespace railgauge {
namespace {

using Json = nlohmann::ordered_json;

// Bytes of a row of fleet.csv beside its sentences, as the page has it.
constexpr size_t kRowBytes = 120;
constexpr size_t kBinsBytes = 400'000;
constexpr size_t kValuesBytes = 1'200'000;
constexpr size_t kNodesNamed = 8;  // of those that a fact holds for
constexpr size_t kValuesOfFact = 12;

int Rank(FleetVerdict verdict) {
  switch (verdict) {
    case FleetVerdict::kSlow:
      return 0;
    case FleetVerdict::kMissing:
      return 1;
    case FleetVerdict::kSuspect:
      return 2;
    case FleetVerdict::kUnmeasured:
      return 3;
    case FleetVerdict::kOk:
      break;
  }
  return 4;
}

std::string Number(double value) { return fmt::format("{:.6g}", value); }

// Of what there is no more, nothing is taken.
class Budget {
 public:
  explicit Budget(size_t bytes) : left_(bytes) {}
  bool Take(size_t bytes) {
    if (bytes > left_) return false;
    left_ -= bytes;
    return true;
  }

 private:
  size_t left_;
};

class FleetPage {
 public:
  FleetPage(const FleetPageInput& input, const FleetPageLimits& limits)
      : input_(input), limits_(limits), plan_(input.plan), table_(input.table) {
    RAILGAUGE_CHECK(input.outcomes.size() == input.analysis.suspicions.size());
    RAILGAUGE_CHECK(input.evidence.size() == input.analysis.suspicions.size());
    ChooseRows();
    ChooseRuns();
    ChooseGroups();
  }

  std::string ToText() const {
    Json head = Head();
    head["nodes"] = Nodes();
    head["runs"] = Runs();
    head["noise"] = Noise();
    head["suspicions"] = Suspicions();
    head["unmeasured"] = Unmeasured();
    head["facts"] = Facts();
    head["notes"] = Notes();
    std::string json = head.dump(-1, ' ', false, Json::error_handler_t::replace);
    json.pop_back();  // '}'
    json += ",\"rows\":" + ToJson(RowTable()) + ",\"groups\":" + ToJson(GroupTable()) + "}";
    return WithoutMarkup(json);
  }

 private:
  const std::string& Name(size_t node) const { return plan_.nodes[node].name; }

  // The worst rows first, as many as there is room for.
  void ChooseRows() {
    std::vector<const FleetRow*> rows;
    size_t values = 0;
    for (const FleetRun& run : table_.runs()) values += run.values.size();
    complete_ = values <= limits_.values && input_.verdicts.rows.size() <= limits_.rows;
    for (const FleetRow& row : input_.verdicts.rows) {
      if (complete_ || row.verdict != FleetVerdict::kOk) rows.push_back(&row);
    }
    std::stable_sort(rows.begin(), rows.end(), [](const FleetRow* a, const FleetRow* b) {
      return Rank(a->verdict) < Rank(b->verdict);
    });
    Budget budget(limits_.row_bytes);
    for (const FleetRow* row : rows) {
      const size_t bytes = kRowBytes + row->reason.size() + row->groups.size() +
                           row->nic_name.size() + Name(row->node).size();
      if (kept_.rows.size() >= limits_.rows || !budget.Take(bytes)) break;
      kept_.rows.push_back(*row);
    }
    if (complete_ && kept_.rows.size() < rows.size()) {
      complete_ = false;
      std::erase_if(kept_.rows,
                    [](const FleetRow& row) { return row.verdict == FleetVerdict::kOk; });
    }
  }

  // All, or those of the nodes that are flagged.
  void ChooseRuns() {
    std::map<size_t, std::vector<size_t>> of_node;
    for (size_t run = 0; run < table_.runs().size(); ++run) {
      const PlannedPair& pair = table_.runs()[run].pair;
      of_node[pair.initiator].push_back(run);
      of_node[pair.target].push_back(run);
    }
    std::set<size_t> chosen;
    Budget budget(limits_.values);
    for (const FleetRow& row : kept_.rows) {
      for (const size_t run : of_node[row.node]) {
        if (chosen.count(run) != 0) continue;
        if (complete_ || budget.Take(table_.runs()[run].values.size())) chosen.insert(run);
      }
    }
    runs_.assign(chosen.begin(), chosen.end());
  }

  // All, or those of the slots that are flagged before the others.
  void ChooseGroups() {
    std::set<PciAddress> flagged;
    for (const FleetRow& row : kept_.rows) {
      if (row.slot && row.verdict != FleetVerdict::kOk) flagged.insert(*row.slot);
    }
    for (uint32_t i = 0; i < table_.groups().size(); ++i) groups_.push_back(i);
    if (groups_.size() > limits_.groups) {
      std::stable_sort(groups_.begin(), groups_.end(), [&](uint32_t a, uint32_t b) {
        return flagged.count(table_.groups()[a].slot) > flagged.count(table_.groups()[b].slot);
      });
      groups_.resize(limits_.groups);
    }
    for (uint32_t i = 0; i < groups_.size(); ++i) place_of_group_[groups_[i]] = i;
  }

  Json Head() const {
    Json counts = Json::object();
    for (const auto& [verdict, count] : input_.verdicts.counts) {
      counts[std::string(ToString(verdict))] = count;
    }
    std::string platform;
    for (const FleetRun& run : table_.runs()) {
      if (!run.run.platform.empty()) platform = run.run.platform;
    }
    const FleetGates& gates = input_.gates;
    return {{"kind", "fleet"},
            {"generator", input_.generator},
            {"name", input_.name},
            {"platform", platform},
            {"machines", plan_.nodes.size()},
            {"run_count", table_.runs().size()},
            {"row_count", input_.verdicts.rows.size()},
            {"group_count", table_.groups().size()},
            {"windows", input_.windows},
            {"complete", complete_},
            {"counts", counts},
            {"check_flags", plan_.check_flags},
            {"rounds", plan_.rounds.size()},
            {"confirm_rounds", kConfirmRounds},
            {"gates",
             {{"differs", gates.differs},
              {"spread_floor", gates.spread_floor},
              {"false_discovery", gates.false_discovery},
              {"min_members", gates.min_members},
              {"shared_blame", gates.shared_blame},
              {"machine_share", gates.machine_share}}}};
  }

  // Of the chosen runs' initiators: what identifies them.
  Json Nodes() const {
    Json nodes = Json::array();
    std::set<size_t> told;
    for (const size_t run : runs_) {
      const FleetRun& one = table_.runs()[run];
      if (!told.insert(one.pair.initiator).second) continue;
      nodes.push_back(
          {Name(one.pair.initiator), one.run.instance_type, one.run.host, one.run.instance_id});
    }
    return nodes;
  }

  Json Runs() const {
    Json runs = Json::array();
    for (const size_t run : runs_) {
      const FleetRun& one = table_.runs()[run];
      runs.push_back({Name(one.pair.initiator), Name(one.pair.target), one.run.instance_type,
                      input_.with_page.count(one.pair) != 0, one.run.run_id});
    }
    return runs;
  }

  // How the slots of a type spread among themselves: what a robust z is counted in.
  Json Noise() const {
    std::map<std::string, std::vector<double>> of_type;
    for (const SlotStanding& standing : input_.analysis.standings) {
      of_type[table_.runs()[standing.run].run.instance_type].push_back(standing.deviation);
    }
    Json noise = Json::array();
    for (auto& [type, deviations] : of_type) {
      const double mad = MedianAbsoluteDeviation(deviations).value_or(0);
      noise.push_back({type, deviations.size(), MedianInPlace(deviations), mad});
    }
    return noise;
  }

  // What was not cleared comes first, and is kept.
  Json Suspicions() const {
    std::vector<size_t> order;
    for (size_t i = 0; i < input_.outcomes.size(); ++i) order.push_back(i);
    const auto rank = [&](size_t i) {
      const Confirmed confirmed = input_.outcomes[i].confirmed;
      return confirmed == Confirmed::kSlow ? 0 : confirmed == Confirmed::kOpen ? 1 : 2;
    };
    std::stable_sort(order.begin(), order.end(),
                     [&](size_t a, size_t b) { return rank(a) < rank(b); });
    order.resize(std::min(order.size(), limits_.suspicions));
    Json suspicions = Json::array();
    for (const size_t i : order) suspicions.push_back(SuspicionJson(i));
    return suspicions;
  }

  Json PairJson(const PlannedPair& pair) const { return {Name(pair.initiator), Name(pair.target)}; }

  Json SuspicionJson(size_t i) const {
    const Suspicion& suspicion = input_.analysis.suspicions[i];
    const ConfirmationOutcome& outcome = input_.outcomes[i];
    const FleetEvidence& evidence = input_.evidence[i];
    Json slots = Json::array(), groups = Json::array(), rounds = Json::array();
    for (const uint32_t slot : suspicion.slots) slots.push_back(table_.slots()[slot].ToString());
    for (const uint32_t group : suspicion.groups) {
      const auto place = place_of_group_.find(group);
      if (place != place_of_group_.end()) groups.push_back(place->second);
    }
    for (const PairedRound& round : evidence.rounds) {
      rounds.push_back(std::round(round.numerator / round.denominator * 1e4) / 1e4);
    }
    Json json = {{"kind", ToString(suspicion.kind)},
                 {"name", NameOf(suspicion, plan_, table_)},
                 {"node", Name(suspicion.node)},
                 {"peer", suspicion.peer ? Json(Name(*suspicion.peer)) : Json(nullptr)},
                 {"slots", slots},
                 {"groups", groups},
                 {"deviation", suspicion.deviation},
                 {"z", suspicion.z},
                 {"adjusted_p", suspicion.adjusted_p},
                 {"as_target", suspicion.as_target},
                 {"could_be_peer", suspicion.could_be_peer},
                 {"confirmed", outcome.confirmed == Confirmed::kSlow  ? "slow"
                               : outcome.confirmed == Confirmed::kNot ? "not"
                                                                      : "open"},
                 {"rounds", rounds}};
    if (outcome.ratio) {
      json["ratio"] = outcome.ratio->ratio;
      if (const auto& interval = outcome.ratio->interval) {
        json["interval"] = {interval->interval.low, interval->interval.high, interval->confidence};
      }
    }
    if (const auto& confirmation = evidence.confirmation) {
      json["suspect"] = PairJson(confirmation->suspect);
      json["reference"] = PairJson(confirmation->reference);
    }
    return json;
  }

  // Planned pairs without a run, and why.
  Json Unmeasured() const {
    std::set<PlannedPair> there;
    for (const FleetRun& run : table_.runs()) there.insert(run.pair);
    Budget budget(limits_.text_bytes);
    Json pairs = Json::array();
    size_t left_out = 0;
    for (const auto& round : plan_.rounds) {
      for (const PlannedPair& pair : round) {
        if (there.count(pair) != 0) continue;
        const auto why = input_.why_unmeasured.find(pair);
        const std::string reason = why == input_.why_unmeasured.end() ? "" : why->second;
        if (budget.Take(kRowBytes + reason.size())) {
          pairs.push_back({Name(pair.initiator), Name(pair.target), reason});
        } else {
          ++left_out;
        }
      }
    }
    return {{"pairs", pairs}, {"left_out", left_out}};
  }

  Json Facts() const {
    Json facts = Json::array();
    for (const auto& [name, values] : input_.facts.nodes) {
      std::vector<const std::pair<const std::string, std::vector<size_t>>*> order;
      for (const auto& value : values) order.push_back(&value);
      std::stable_sort(order.begin(), order.end(), [](const auto* a, const auto* b) {
        return a->second.size() > b->second.size();
      });
      Json list = Json::array();
      for (size_t i = 0; i < std::min(order.size(), kValuesOfFact); ++i) {
        const std::vector<size_t>& nodes = order[i]->second;
        Json names = Json::array();
        for (size_t j = 0; j < std::min(nodes.size(), kNodesNamed); ++j) {
          names.push_back(Name(nodes[j]));
        }
        list.push_back({order[i]->first.substr(0, kRowBytes), nodes.size(), names});
      }
      facts.push_back({{"name", name}, {"values", list}, {"distinct", values.size()}});
    }
    return {{"read", input_.facts.runs},
            {"first_start", input_.facts.first_start},
            {"last_end", input_.facts.last_end},
            {"list", facts}};
  }

  Json Notes() const {
    Budget budget(limits_.text_bytes);
    Json notes = Json::array();
    for (const std::string& note : input_.notes) {
      if (budget.Take(note.size() + 3)) notes.push_back(note);
    }
    if (notes.size() < input_.notes.size()) {
      notes.push_back(fmt::format("and {} more, which railgauge fleet report prints",
                                  input_.notes.size() - notes.size()));
    }
    return notes;
  }

  // The columns of fleet.csv, so that what is appended there is on the page.
  PageTable RowTable() const {
    PageTable table;
    table.name = "fleet";
    table.rows = kept_.rows.size();
    const auto records = ParseCsv(FleetCsv(plan_, kept_), "fleet.csv");
    RAILGAUGE_CHECK(records && records->size() == table.rows + 1);
    const std::vector<std::string>& header = records->front().fields;
    for (size_t column = 0; column < header.size(); ++column) {
      if (header[column] == "schema_version") continue;
      PageTable::Column& made = table.columns.emplace_back();
      made.name = header[column];
      for (size_t row = 1; row < records->size(); ++row) {
        made.fields.push_back((*records)[row].fields[column]);
      }
    }
    return table;
  }

  PageTable GroupTable() const {
    // A bin takes some eight bytes.
    const size_t bins =
        std::clamp<size_t>(kBinsBytes / 8 / std::max<size_t>(table_.groups().size(), 1), 4, 80);
    const std::vector<GroupFigures> figures = FiguresOf(table_, bins);
    const std::vector<std::string> values = Values(figures);
    PageTable table;
    table.name = "groups";
    table.rows = groups_.size();
    for (const char* name :
         {"instance_type", "nic_pci_address", "nic_name", "operation", "direction", "place",
          "size_bytes", "machines", "throughput_median_bytes_per_second", "spread_fraction",
          "lowest_fraction", "highest_fraction", "bins", "values"}) {
      table.columns.push_back({name, {}});
    }
    for (size_t i = 0; i < groups_.size(); ++i) {
      const FleetGroup& group = table_.groups()[groups_[i]];
      const GroupFigures& one = figures[groups_[i]];
      const auto share = [&](double value) {
        return one.median > 0 ? Number(value / one.median) : std::string();
      };
      const std::string fields[] = {group.instance_type,
                                    group.slot.ToString(),
                                    table_.NameOf(table_.SlotOf(groups_[i])),
                                    std::string(ToString(group.operation)),
                                    std::string(ToString(group.direction)),
                                    PlaceClass(group),
                                    std::to_string(group.size.count),
                                    std::to_string(one.members),
                                    Number(one.median),
                                    share(one.mad),
                                    share(one.lowest),
                                    share(one.highest),
                                    one.bins,
                                    values[i]};
      for (size_t column = 0; column < table.columns.size(); ++column) {
        table.columns[column].fields.push_back(fields[column]);
      }
    }
    return table;
  }

  // Of each chosen group: "1000,998,,": thousandths of its median in the chosen runs of its
  // instance type, in order; nothing where a run has none.
  std::vector<std::string> Values(const std::vector<GroupFigures>& figures) const {
    std::vector<std::string> values(groups_.size());
    std::vector<size_t> commas(groups_.size());
    std::map<std::string, size_t> runs_of_type;
    for (const size_t run : runs_) {
      const FleetRun& one = table_.runs()[run];
      const size_t before = runs_of_type[one.run.instance_type]++;
      for (const FleetRun::Value& value : one.values) {
        const auto place = place_of_group_.find(value.group);
        const double median = figures[value.group].median;
        if (place == place_of_group_.end() || !(median > 0)) continue;
        std::string& text = values[place->second];
        text.append(before - commas[place->second], ',');
        commas[place->second] = before;
        text += fmt::format("{:.0f}", 1000 * static_cast<double>(value.throughput) / median);
      }
    }
    Budget budget(kValuesBytes);
    for (std::string& text : values) {
      if (!budget.Take(text.size() + 2)) text.clear();
    }
    return values;
  }

  const FleetPageInput& input_;
  const FleetPageLimits& limits_;
  const FleetPlan& plan_;
  const FleetTable& table_;
  bool complete_ = false;
  FleetVerdicts kept_;
  std::vector<size_t> runs_;                     // into FleetTable::runs
  std::vector<uint32_t> groups_;                 // into FleetTable::groups
  std::map<uint32_t, uint32_t> place_of_group_;  // into groups_
};

}  // namespace

std::string FleetPageJson(const FleetPageInput& input, const FleetPageLimits& limits) {
  return FleetPage(input, limits).ToText();
}

}  // namespace railgauge
