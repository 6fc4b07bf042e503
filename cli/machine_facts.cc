#include "cli/machine_facts.h"

#include <sys/utsname.h>

#include "lib/base/file.h"
#include "nlohmann/json.hpp"

namespace railgauge {
namespace {

std::string AttributeOrEmpty(const std::string& path) {
  return ReadAttribute(path).value_or(std::string());
}

// cloud-init keeps the metadata service's answers for the life of the instance.
void ReadCloudInit(MachineFacts& facts) {
  const auto text = ReadFile("/run/cloud-init/instance-data.json", size_t{4} << 20);
  if (!text) return;
  const auto json = nlohmann::json::parse(*text, nullptr, /*allow_exceptions=*/false);
  const auto string_at = [&](const char* pointer) {
    const nlohmann::json::json_pointer where(pointer);
    const bool there = !json.is_discarded() && json.contains(where) && json[where].is_string();
    return there ? json[where].get<std::string>() : std::string();
  };
  facts.availability_zone = string_at("/v1/availability_zone");
  facts.image_id = string_at("/ds/meta_data/ami-id");
  if (facts.instance_id.empty()) facts.instance_id = string_at("/v1/instance_id");
}

}  // namespace

MachineFacts ReadMachineFacts() {
  MachineFacts facts;
  utsname names{};
  if (::uname(&names) == 0) {
    facts.hostname = names.nodename;
    facts.kernel = names.release;
  }
  const std::string tag = AttributeOrEmpty("/sys/devices/virtual/dmi/id/board_asset_tag");
  if (tag.starts_with("i-")) facts.instance_id = tag;
  facts.efa_driver_version = AttributeOrEmpty("/sys/module/efa/version");
  ReadCloudInit(facts);
  return facts;
}

std::string ReadP2pProvider(const std::string& device_name) {
  return AttributeOrEmpty("/sys/class/infiniband/" + device_name + "/device/p2p");
}

}  // namespace railgauge
