#include "bench/flags.h"

#include <algorithm>
#include <string_view>

namespace railgauge {
namespace {

Result<std::vector<Bytes>> ParseSizes(std::string_view list) {
  std::vector<Bytes> sizes;
  while (true) {
    const size_t comma = list.find(',');
    const std::string_view item = list.substr(0, comma);
    RAILGAUGE_ASSIGN_OR_RETURN(const Bytes size, ParseBytes(item));
    if (size.count == 0 || std::find(sizes.begin(), sizes.end(), size) != sizes.end()) {
      return Fail(MakeError("read --sizes", std::string(item), "it is zero or there twice",
                            "Write it like --sizes=64KiB,1MiB"));
    }
    sizes.push_back(size);
    if (comma == std::string_view::npos) return sizes;
    list.remove_prefix(comma + 1);
  }
}

}  // namespace

const char kBenchFlagsHelp[] =
    "railgauge flags:\n"
    "          [--emulate=SPEC]       run on an emulated machine: p5.48xlarge, p4d.24xlarge, "
    "FILE.yaml\n"
    "          [--nics=NIC,...]       PCI address or exact device name; default all\n"
    "          [--places=PLACE,...]   numa0, gpu3 (CUDA ordinal), gpu:0000:53:00.0; default all\n"
    "          [--sizes=SIZE,...]     message sizes; default 4KiB,64KiB,1MiB\n"
    "          [--csv_out=FILE]       one row per repetition, as samples.csv has them\n"
    "          [--peer=HOST[:PORT]]   measure with this host, where `railgauge serve` runs\n"
    "          [--token=FILE]         the token file that both hosts have\n"
    "Examples:\n"
    "          --emulate=p5.48xlarge --nics=rdmap79s0 --places=numa0,gpu0 --sizes=1MiB\n"
    "          --benchmark_filter=direction:to_memory --benchmark_repetitions=5 "
    "--csv_out=rows.csv\n"
    "Google Benchmark flags:\n";

Result<BenchFlags> ParseBenchFlags(const std::vector<std::string>& arguments) {
  BenchFlags flags;
  for (const std::string_view argument : arguments) {
    const auto value_of = [&](std::string_view name, std::string_view* value) {
      if (!argument.starts_with(name) || argument.substr(name.size(), 1) != "=") return false;
      *value = argument.substr(name.size() + 1);
      return true;
    };
    std::string_view value;
    if (value_of("--nics", &value)) {
      flags.nics = value;
    } else if (value_of("--places", &value)) {
      flags.places = value;
    } else if (value_of("--csv_out", &value)) {
      flags.csv_out = value;
    } else if (value_of("--peer", &value)) {
      flags.peer = value;
    } else if (value_of("--token", &value)) {
      flags.token = value;
    } else if (value_of("--sizes", &value)) {
      RAILGAUGE_ASSIGN_OR_RETURN(flags.sizes, ParseSizes(value));
    } else {
      return Fail(MakeError("read the command line", std::string(argument), "there is no such flag",
                            "--help lists them"));
    }
  }
  return flags;
}

}  // namespace railgauge
