// Makes the table of instance types at build time: write_instance_types OUTPUT.cc SCENARIO.yaml…
#include <cstdio>
#include <string>
#include <vector>

#include "lib/base/file.h"
#include "lib/scenario/instance_facts.h"

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fputs("usage: write_instance_types OUTPUT.cc SCENARIO.yaml...\n", stderr);
    return 2;
  }
  std::vector<railgauge::InstanceType> types;
  for (int i = 2; i < argc; ++i) {
    auto type = railgauge::ReadInstanceFactsOf(argv[i]);
    if (!type) {
      std::fprintf(stderr, "%s\n", type.error().ToString().c_str());
      return 1;
    }
    types.push_back(*std::move(type));
  }
  const auto written = railgauge::WriteFileAtomically(argv[1], railgauge::InstanceTypeTable(types));
  if (!written) std::fprintf(stderr, "%s\n", written.error().ToString().c_str());
  return written ? 0 : 1;
}
