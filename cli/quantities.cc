#include "cli/quantities.h"

#include <algorithm>
#include <string_view>

#include "fmt/core.h"
#include "lib/base/quoted.h"

namespace railgauge {
namespace {

constexpr char kSizesAdvice[] = "Write it like --sizes=64KiB,1MiB";

Error SizesError(std::string_view item, std::string reason, std::string advice = kSizesAdvice) {
  return MakeError("read --sizes", Quoted(item), std::move(reason), std::move(advice));
}

// What failed is the flag, not the quantity in it.
template <typename T>
Result<T> InFlag(std::string_view flag, Result<T> parsed) {
  if (!parsed) parsed.error().operation = fmt::format("read {}", flag);
  return parsed;
}

}  // namespace

Result<std::vector<Bytes>> ParseSizes(const std::string& text) {
  std::vector<Bytes> sizes;
  std::string_view rest = text;
  while (true) {
    const size_t comma = rest.find(',');
    const std::string_view item = rest.substr(0, comma);
    if (item.empty()) return Fail(SizesError(text, "there is an empty size in it"));
    RAILGAUGE_ASSIGN_OR_RETURN(const Bytes size, InFlag("--sizes", ParseBytes(item)));
    if (size.count == 0) return Fail(SizesError(item, "a message has at least one byte"));
    if (std::find(sizes.begin(), sizes.end(), size) != sizes.end()) {
      return Fail(SizesError(item, "this size is there twice"));
    }
    sizes.push_back(size);
    if (comma == std::string_view::npos) return sizes;
    rest.remove_prefix(comma + 1);
  }
}

Result<Nanoseconds> ParseTimeBudget(const std::string& text) {
  constexpr char kFlag[] = "--time-budget";
  RAILGAUGE_ASSIGN_OR_RETURN(const Nanoseconds budget, InFlag(kFlag, ParseDuration(text)));
  if (budget > Nanoseconds{0}) return budget;
  return Fail(MakeError(fmt::format("read {}", kFlag), fmt::format("'{}'", text),
                        "in no time nothing can be measured", "Write it like --time-budget=45s"));
}

Status CheckSizesFit(const std::vector<Bytes>& sizes, const std::vector<MemoryPlace>& places,
                     const WorkingSet& working_set) {
  if (sizes.empty()) return {};
  // The other end of every transfer lies in host memory.
  Bytes limit = working_set.host;
  std::string where = "host memory";
  for (const MemoryPlace& place : places) {
    if (!place.is_gpu() || limit <= working_set.gpu) continue;
    limit = working_set.gpu;
    where = place.ToString();
  }
  const Bytes largest = *std::max_element(sizes.begin(), sizes.end());
  if (largest <= limit) return {};
  return Fail(SizesError(
      FormatBytes(largest),
      fmt::format("a run rotates over {} in {}, and a message must fit", FormatBytes(limit), where),
      fmt::format("Give at most {}", FormatBytes(limit))));
}

}  // namespace railgauge
