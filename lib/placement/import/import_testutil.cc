#include "lib/placement/import/import_testutil.h"

#include <algorithm>

#include "fmt/core.h"
#include "gtest/gtest.h"

namespace railgauge {
namespace {

std::string Short(const PciAddress& address) {
  if (address.device == 0) return fmt::format("{:02x}", address.bus);
  return fmt::format("{:02x}.{:02x}", address.bus, address.device);
}

}  // namespace

std::string Lines(const Result<Decision>& decision) {
  if (!decision) return "error: " + decision.error().ToString();
  std::string lines;
  for (const Assignment& assignment : decision->assignments) {
    const MemoryPlace& place = assignment.consumer;
    lines +=
        (lines.empty() ? "" : "; ") + (place.is_host() ? place.ToString() : Short(place.gpu)) + ":";
    for (const NicKey& nic : assignment.nics) lines += " " + Short(nic.address);
  }
  return lines;
}

std::string ImportLines(Importer importer, std::string_view content, const Machine& machine,
                        const std::vector<PciAddress>& cuda_order) {
  return Lines(importer({content, "f", machine, cuda_order}));
}

void ForDamaged(const std::string& content, const std::function<void(const std::string&)>& check) {
  const size_t step = std::max<size_t>(1, content.size() / 200);
  for (size_t size = 0; size < content.size(); size += step) check(content.substr(0, size));
  for (size_t at = 0; at < content.size(); at += step) {
    for (const char byte : {'\0', '<', '"', '9', ' ', '\n', '\xff'}) {
      std::string changed = content;
      changed[at] = byte;
      check(changed);
    }
  }
}

void ExpectNoHarm(Importer importer, const std::string& content, const Machine& machine) {
  ForDamaged(content, [&](const std::string& damaged) {
    const std::string lines = ImportLines(importer, damaged, machine);
    EXPECT_EQ(lines.find('\n'), std::string::npos) << lines;
    if (lines.starts_with("error: ")) {
      EXPECT_TRUE(lines.starts_with("error: read f:")) << lines;
    } else {
      EXPECT_NE(lines, "") << damaged;
    }
  });
}

}  // namespace railgauge
