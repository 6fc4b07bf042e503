#include "lib/placement/import/ucx_devices.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "fmt/core.h"
#include "lib/base/quoted.h"
#include "lib/placement/policies/consumers.h"

namespace railgauge {
namespace {

// The value of `name=…` in a line, without quotes; empty optional where it is not set.
std::optional<std::string_view> ValueOf(std::string_view line, std::string_view name) {
  for (size_t at = line.find(name); at != std::string_view::npos; at = line.find(name, at + 1)) {
    const bool begins = at == 0 || line[at - 1] == ' ' || line[at - 1] == '\t';
    std::string_view rest = line.substr(at + name.size());
    if (!begins || !rest.starts_with('=')) continue;
    rest.remove_prefix(1);
    if (rest.starts_with('"') || rest.starts_with('\'')) {
      const char quote = rest.front();
      rest.remove_prefix(1);
      return rest.substr(0, rest.find(quote));
    }
    return rest.substr(0, rest.find_first_of(" \t;"));
  }
  return std::nullopt;
}

std::vector<std::string_view> SplitList(std::string_view list) {
  std::vector<std::string_view> items;
  while (!list.empty()) {
    const size_t comma = list.find(',');
    items.push_back(list.substr(0, comma));
    list.remove_prefix(comma == std::string_view::npos ? list.size() : comma + 1);
  }
  return items;
}

struct Block {
  TextLine devices;  // its text is the value of UCX_NET_DEVICES
  TextLine gpus;     // and that of CUDA_VISIBLE_DEVICES; number 0: not set
};

std::vector<Block> BlocksOf(std::string_view content) {
  std::vector<Block> blocks;
  bool fresh = true;  // the next variable begins a block
  const auto block = [&]() -> Block& {
    if (fresh) blocks.emplace_back();
    fresh = false;
    return blocks.back();
  };
  for (const TextLine& line : LinesOf(content)) {
    if (line.text.find_first_not_of(" \t") == std::string_view::npos) fresh = true;
    if (line.text.starts_with('#')) continue;
    const auto devices = ValueOf(line.text, "UCX_NET_DEVICES");
    const auto gpus = ValueOf(line.text, "CUDA_VISIBLE_DEVICES");
    // Set again: another process.
    if (devices && !fresh && blocks.back().devices.number != 0) fresh = true;
    if (devices) block().devices = {line.number, *devices};
    if (gpus) block().gpus = {line.number, *gpus};
  }
  std::erase_if(blocks, [](const Block& b) { return b.devices.number == 0; });
  return blocks;
}

Result<std::vector<MemoryPlace>> ConsumersOf(const ImportSource& source, const Block& block) {
  if (block.gpus.number == 0) return railgauge::ConsumersOf(source.machine);
  std::vector<MemoryPlace> consumers;
  for (const std::string_view item : SplitList(block.gpus.text)) {
    size_t index = 0;
    const auto [end, error] = std::from_chars(item.data(), item.data() + item.size(), index);
    if (error != std::errc() || end != item.data() + item.size()) {
      return Fail(ImportError(source, block.gpus.number,
                              Quoted(item) + " in CUDA_VISIBLE_DEVICES is no number",
                              "Name GPUs by number, in the order of their PCI addresses"));
    }
    RAILGAUGE_ASSIGN_OR_RETURN(const MemoryPlace gpu, GpuOfIndex(source, block.gpus.number, index));
    if (std::find(consumers.begin(), consumers.end(), gpu) != consumers.end()) {
      return Fail(ImportError(source, block.gpus.number,
                              fmt::format("CUDA_VISIBLE_DEVICES names GPU {} twice", index),
                              "Name every GPU once"));
    }
    consumers.push_back(gpu);
  }
  return consumers;
}

Result<std::vector<NicKey>> NicsOf(const ImportSource& source, const TextLine& devices) {
  std::vector<NicKey> nics;
  const auto add = [&](const NicKey& nic) -> Status {
    if (std::find(nics.begin(), nics.end(), nic) == nics.end()) {
      nics.push_back(nic);
      return {};
    }
    return Fail(ImportError(source, devices.number,
                            "UCX_NET_DEVICES names " + nic.address.ToString() + " twice",
                            "Name every NIC once"));
  };
  for (std::string_view item : SplitList(devices.text)) {
    if (item == "all") {
      for (const Nic& nic : source.machine.nics) RAILGAUGE_RETURN_IF_ERROR(add(nic.key()));
      continue;
    }
    // The port; a name has no colon, an address has and takes no port.
    if (item.ends_with(":1") && item.find(':') == item.size() - 2) item.remove_suffix(2);
    RAILGAUGE_ASSIGN_OR_RETURN(const NicKey nic, NicAt(source, devices.number, item));
    RAILGAUGE_RETURN_IF_ERROR(add(nic));
  }
  return nics;
}

}  // namespace

Result<Decision> ImportUcxDevices(const ImportSource& source) {
  Decision decision{source.file_name, {}};
  for (const Block& block : BlocksOf(source.content)) {
    RAILGAUGE_ASSIGN_OR_RETURN(const auto nics, NicsOf(source, block.devices));
    RAILGAUGE_ASSIGN_OR_RETURN(const auto consumers, ConsumersOf(source, block));
    for (const MemoryPlace& consumer : consumers) AddPairs(consumer, nics, decision);
  }
  if (decision.assignments.empty() || decision.assignments.front().nics.empty()) {
    return Fail(ImportError(source, 1, "it sets UCX_NET_DEVICES to no device",
                            "Write lines like CUDA_VISIBLE_DEVICES=0 UCX_NET_DEVICES=rdmap79s0:1"));
  }
  return decision;
}

}  // namespace railgauge
