#include "bench/flags.h"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

#include "cli/quantities.h"

namespace railgauge {

const char kBenchFlagsHelp[] =
    "railgauge flags:\n"
    "          [--emulate=SPEC]       run on an emulated machine: p5.48xlarge, p4d.24xlarge, "
    "FILE.yaml\n"
    "          [--nics=NIC,...]       PCI address or exact device name; default all\n"
    "          [--places=PLACE,...]   numa0, gpu3 (CUDA ordinal), gpu:0000:53:00.0; default all\n"
    "          [--sizes=SIZE,...]     message sizes; default 4KiB,64KiB,1MiB\n"
    "          [--csv_out=FILE]       one row per repetition, as in samples.csv; - is stdout,\n"
    "                                 and the display then goes to stderr\n"
    "          [--peer=HOST[:PORT]]   measure with this host, where `railgauge serve` runs\n"
    "          [--token=FILE]         the token file that both hosts have\n"
    "Examples:\n"
    "          --emulate=p5.48xlarge --nics=rdmap79s0 --places=numa0,gpu0 --sizes=1MiB\n"
    "          --benchmark_filter=direction:to_memory --benchmark_repetitions=5 "
    "--csv_out=rows.csv\n"
    "Google Benchmark flags:\n";

Result<BenchFlags> ParseBenchFlags(const std::vector<std::string>& arguments) {
  BenchFlags flags;
  std::string sizes;
  const std::pair<std::string_view, std::string*> known[] = {
      {"--nics", &flags.machine.nics}, {"--places", &flags.machine.places},
      {"--csv_out", &flags.csv_out},   {"--peer", &flags.peer.peer},
      {"--token", &flags.peer.token},  {"--sizes", &sizes}};
  for (size_t i = 0; i < arguments.size(); ++i) {
    const std::string& argument = arguments[i];
    const size_t equals = argument.find('=');
    const std::string name = argument.substr(0, equals);
    const auto* flag = std::find_if(std::begin(known), std::end(known),
                                    [&](const auto& entry) { return entry.first == name; });
    if (flag == std::end(known)) {
      return Fail(MakeError("read the command line", argument, "there is no such flag",
                            "--help lists them"));
    }
    const bool in_next = equals == std::string::npos;
    if (in_next && ++i == arguments.size()) {
      return Fail(MakeError("read the command line", argument, "it needs a value",
                            "Write it like " + name + "=VALUE"));
    }
    *flag->second = in_next ? arguments[i] : argument.substr(equals + 1);
    if (flag->second == &sizes) {
      RAILGAUGE_ASSIGN_OR_RETURN(flags.sizes, ParseSizes(sizes));
    }
  }
  return flags;
}

}  // namespace railgauge
