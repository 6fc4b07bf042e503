// Offers of the nearest spellings, for a name that is not known.
#ifndef RAILGAUGE_LIB_TOPOLOGY_SPELLING_H_
#define RAILGAUGE_LIB_TOPOLOGY_SPELLING_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace railgauge {

// The candidates nearest to `text`, at most three, in their order: those that it is a prefix of;
// else those at the smallest distance, if that is at most a third of the text's length (and 2 for
// short ones). Empty when nothing is near.
std::vector<std::string> NearestSpellings(std::string_view text,
                                          const std::vector<std::string>& candidates);

// "a", "a and b", "a, b and c".
std::string JoinWithAnd(const std::vector<std::string>& items);

// "a, b, c, … (29 more)": the first `limit` of them.
std::string JoinSome(const std::vector<std::string>& items, size_t limit);

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_TOPOLOGY_SPELLING_H_
