#include "lib/report/group_table.h"

#include <sstream>
#include <vector>

#include "gtest/gtest.h"

namespace railgauge {
namespace {

GroupRow Row(const std::string& load, uint64_t nics, Sharing sharing, double factor) {
  GroupRow row;
  row.load = load;
  for (uint64_t i = 0; i < nics; ++i) row.nics.push_back({{0, 0x4f, 0, 0}, "rdmap79s0"});
  row.nic_count = nics;
  row.alone_throughput_sum = BytesPerSecond{12.5e9 * static_cast<double>(nics)};
  row.throughput_sum = BytesPerSecond{12.5e9 * static_cast<double>(nics) * factor};
  row.slowest_throughput = BytesPerSecond{12.5e9 * factor};
  row.sharing_factor = factor;
  row.sharing_factor_low = factor - 0.01;
  row.sharing_factor_high = factor + 0.01;
  row.sharing = sharing;
  return row;
}

TEST(GroupTableTest, GroupsAndWhatIsToBeSaidOfThem) {
  std::vector<GroupRow> rows = {Row("switch:0000:44:00.0", 4, Sharing::kSlowed, 0.315),
                                Row("all", 32, Sharing::kIndependent, 1),
                                Row("bidirectional", 1, Sharing::kIndependent, 1),
                                Row("numa0", 16, Sharing::kUndecided, 0.5)};
  rows[0].reason =
      "Together they move 68 % less than alone: most likely they share the uplink of "
      "switch 0000:44:00.0; nothing else that the topology shows is common to them.";
  rows[1].reason = "Together they move what they move alone.";
  rows[3].reason = "No.";
  rows[3].throughput_sum.reset();
  rows[3].sharing_factor_low.reset();
  EXPECT_EQ(
      FormatGroups("READ to_memory", rows),
      "READ to_memory, in GB/s\n"
      "group                      NICs    alone together  slowest  together / alone\n"
      "switch:0000:44:00.0           4    50.00    15.75     3.94  0.315 [0.305, 0.325]   slowed\n"
      "all                          32   400.00   400.00    12.50  1.000 [0.990, 1.010]   "
      "independent\n"
      "bidirectional rdmap79s0       1    12.50    12.50    12.50  1.000 [0.990, 1.010]   "
      "independent\n"
      "numa0                        16   200.00        -     6.25  0.500                  "
      "undecided\n"
      "  switch:0000:44:00.0: Together they move 68 % less than alone: most likely they share the "
      "uplink of\n"
      "    switch 0000:44:00.0; nothing else that the topology shows is common to them.\n"
      "  numa0: No.\n");
}

TEST(GroupTableTest, LinesFit) {
  std::vector<GroupRow> rows;
  for (int i = 0; i < 32; ++i) {
    rows.push_back(Row("bidirectional", 1, Sharing::kNoisy, 0.5));
    rows.back().reason = "The rounds spread too much to tell.";
  }
  std::istringstream lines(FormatGroups("t", rows));
  size_t noisy = 0;
  for (std::string line; std::getline(lines, line);) {
    EXPECT_LE(line.size(), 100u) << line;
    noisy += line.find("spread too much") != std::string::npos ? 1 : 0;
  }
  EXPECT_EQ(noisy, 1u);
}

}  // namespace
}  // namespace railgauge
