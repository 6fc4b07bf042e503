#include "bench/flags.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <string_view>

#include "cli/quantities.h"
#include "fmt/core.h"
#include "lib/base/nearest.h"
#include "lib/base/quoted.h"

namespace railgauge {
namespace {

// Far above what any device has; it says itself what it cannot do.
constexpr uint32_t kLargestDepth = 65536;
constexpr uint32_t kMostQueuePairs = 64;

Result<uint32_t> ParseCount(std::string_view flag, std::string_view text, uint32_t largest) {
  uint32_t count = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, count);
  if (error == std::errc() && rest == end && count >= 1 && count <= largest) return count;
  return Fail(MakeError(fmt::format("read {}", flag), Quoted(text),
                        fmt::format("it is no number from 1 to {}", largest)));
}

using Value = const std::string&;

Status SetSizes(Value value, BenchFlags& flags) {
  RAILGAUGE_ASSIGN_OR_RETURN(flags.sizes, ParseSizes(value));
  return {};
}

Status SetDepths(Value value, BenchFlags& flags) {
  flags.depths.clear();
  for (std::string_view rest = value;;) {
    const size_t comma = rest.find(',');
    RAILGAUGE_ASSIGN_OR_RETURN(const uint32_t depth,
                               ParseCount("--depths", rest.substr(0, comma), kLargestDepth));
    if (std::find(flags.depths.begin(), flags.depths.end(), depth) != flags.depths.end()) {
      return Fail(MakeError("read --depths", Quoted(value), fmt::format("{} is there twice", depth),
                            "Name each depth once"));
    }
    flags.depths.push_back(depth);
    if (comma == std::string_view::npos) return {};
    rest.remove_prefix(comma + 1);
  }
}

Status SetQueuePairs(Value value, BenchFlags& flags) {
  RAILGAUGE_ASSIGN_OR_RETURN(flags.queue_pairs,
                             ParseCount("--queue-pairs", value, kMostQueuePairs));
  return {};
}

Status SetWorkingSet(Value value, BenchFlags& flags) {
  RAILGAUGE_ASSIGN_OR_RETURN(const std::vector<Bytes> sizes, ParseSizes(value));
  if (sizes.size() != 1) {
    return Fail(MakeError("read --working-set", Quoted(value), "it is not one size"));
  }
  flags.working_set = sizes[0];
  return {};
}

struct Flag {
  std::string_view name;
  bool BenchFlagSet::*only_with;  // null: every binary has it
  Status (*set)(Value value, BenchFlags& flags);
  bool takes_value;
  std::string_view help;
};

#define RAILGAUGE_TEXT(member)                   \
  [](Value value, BenchFlags& flags) -> Status { \
    flags.member = value;                        \
    return {};                                   \
  }

constexpr Flag kFlags[] = {
    {"--nics", nullptr, RAILGAUGE_TEXT(machine.nics), true,
     "[--nics=NIC,...]       PCI address or exact device name; default all\n"},
    {"--places", nullptr, RAILGAUGE_TEXT(machine.places), true,
     "[--places=PLACE,...]   numa0, gpu3 (CUDA ordinal), gpu:0000:53:00.0; default all\n"},
    {"--sizes", &BenchFlagSet::sizes, SetSizes, true,
     "[--sizes=SIZE,...]     of a message or region; default 4KiB,64KiB,1MiB\n"},
    {"--depths", &BenchFlagSet::transfers, SetDepths, true,
     "[--depths=N,...]       work requests in flight, all queue pairs together; default: enough\n"
     "                                 for each size to keep the line busy\n"},
    {"--queue-pairs", &BenchFlagSet::transfers, SetQueuePairs, true,
     "[--queue-pairs=N]      that the requests are spread over; default 4\n"},
    {"--working-set", &BenchFlagSet::transfers, SetWorkingSet, true,
     "[--working-set=SIZE]   memory that messages rotate over, on both sides where this host "
     "posts;\n"
     "                                 default: more than the last-level cache\n"},
    {"--latency", &BenchFlagSet::transfers,
     [](Value, BenchFlags& flags) -> Status {
       flags.latency = true;
       return {};
     },
     false,
     "[--latency]            time single messages (a depth of 1), as percentiles: READs, or half "
     "of\n"
     "                                 the round trip of a WRITE with immediate and its answer\n"},
    {"--csv_out", nullptr, RAILGAUGE_TEXT(csv_out), true,
     "[--csv_out=FILE]       one row per repetition, whole as soon as it is there; - is stdout,\n"
     "                                 and the display then goes to stderr\n"},
    {"--peer", &BenchFlagSet::transfers, RAILGAUGE_TEXT(peer.peer), true,
     "[--peer=HOST[:PORT]]   measure with this host, where `railgauge serve` runs\n"},
    {"--token", &BenchFlagSet::transfers, RAILGAUGE_TEXT(peer.token), true,
     "[--token=FILE]         the token file that both hosts have\n"},
    {"--allow-busy", &BenchFlagSet::transfers,
     [](Value, BenchFlags& flags) -> Status {
       flags.allow_busy = true;
       return {};
     },
     false, "[--allow-busy]         measure also with NICs that others use already\n"},
};

#undef RAILGAUGE_TEXT

bool Has(const BenchFlagSet& set, const Flag& flag) {
  return flag.only_with == nullptr || set.*flag.only_with;
}

const Flag* Find(std::string_view name, const BenchFlagSet& set) {
  const auto* flag = std::find_if(std::begin(kFlags), std::end(kFlags), [&](const Flag& known) {
    return known.name == name && Has(set, known);
  });
  return flag == std::end(kFlags) ? nullptr : flag;
}

Error NoSuchFlag(const std::string& what, const std::string& name, const BenchFlagSet& set) {
  std::vector<std::string> names;
  for (const Flag& flag : kFlags) {
    if (Has(set, flag)) names.emplace_back(flag.name);
  }
  const auto nearest = Nearest(name, names);
  return MakeError(what, Quoted(name), "there is no such flag",
                   nearest ? "Write '" + *nearest + "'" : "--help lists them");
}

}  // namespace

Result<BenchFlags> ParseBenchFlags(const std::vector<std::string>& arguments,
                                   const BenchFlagSet& set) {
  constexpr char kWhat[] = "read the command line";
  BenchFlags flags;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const std::string& argument = arguments[i];
    const size_t equals = argument.find('=');
    const std::string name = argument.substr(0, equals);
    const bool has_value = equals != std::string::npos;
    const Flag* const flag = Find(name, set);
    if (flag == nullptr) {
      return Fail(NoSuchFlag(kWhat, name, set));
    }
    if (!flag->takes_value && has_value) {
      return Fail(MakeError(kWhat, Quoted(argument), "it takes no value", "Write it like " + name));
    }
    if (flag->takes_value && !has_value && ++i == arguments.size()) {
      return Fail(
          MakeError(kWhat, argument, "it needs a value", "Write it like " + name + "=VALUE"));
    }
    std::string value;
    if (flag->takes_value) value = has_value ? argument.substr(equals + 1) : arguments[i];
    if (flag->takes_value && (value.empty() || (!has_value && value.starts_with("--")))) {
      return Fail(MakeError(kWhat, name,
                            value.empty() ? "it has an empty value"
                                          : "it has no value: " + Quoted(value) + " is a flag",
                            "Write it like " + name + "=VALUE, or leave it out"));
    }
    RAILGAUGE_RETURN_IF_ERROR(flag->set(value, flags));
  }
  return flags;
}

std::string BenchFlagsHelp(const BenchFlagSet& set) {
  std::string help =
      "railgauge flags:\n"
      "          [--emulate=SPEC]       run on an emulated machine: p5.48xlarge[/16] or FILE.yaml, "
      "and\n                                 behind it ,FAULT…\n";
  for (const Flag& flag : kFlags) {
    if (Has(set, flag)) help += fmt::format("          {}", flag.help);
  }
  return help;
}

}  // namespace railgauge
