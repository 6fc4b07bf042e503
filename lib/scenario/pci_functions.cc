#include "lib/scenario/pci_functions.h"

#include <array>
#include <charconv>
#include <optional>
#include <set>
#include <utility>

#include "fmt/core.h"

namespace railgauge {
namespace {

using Kind = EmulatedPciDevice::Kind;

std::optional<Kind> ParseKind(std::string_view text) {
  if (text == "bridge") return Kind::kBridge;
  if (text == "nic") return Kind::kNic;
  if (text == "gpu") return Kind::kGpu;
  if (text == "accelerator") return Kind::kAccelerator;
  if (text == "rdma") return Kind::kRdma;
  if (text == "other") return Kind::kOther;
  return std::nullopt;
}

// "1d0f:efa1": vendor and device.
std::pair<uint16_t, uint16_t> ReadPciId(const YamlMap& map, std::string_view key,
                                        YamlErrors* errors) {
  const YamlNode& node = map.Required(key);
  YamlNode half = node;
  const bool two_halves = node.scalar.size() == 9 && node.scalar[4] == ':';
  if (!two_halves) {
    errors->AddWrong(node, key, "vendor and device in hexadecimal, like \"1d0f:efa1\"");
    return {};
  }
  half.scalar = node.scalar.substr(0, 4);
  const uint32_t vendor = ReadHex(half, key, 4, errors);
  half.scalar = node.scalar.substr(5);
  return {static_cast<uint16_t>(vendor), static_cast<uint16_t>(ReadHex(half, key, 4, errors))};
}

EmulatedPciDevice ReadDevice(const YamlMap& map, Kind kind, YamlErrors* errors) {
  EmulatedPciDevice device;
  device.kind = kind;
  std::tie(device.vendor_id, device.device_id) = ReadPciId(map, "id", errors);
  std::tie(device.subsystem_vendor_id, device.subsystem_device_id) =
      ReadPciId(map, "subsystem", errors);
  device.class_code = map.Hex("class", 6);
  device.revision = static_cast<uint8_t>(map.Hex("revision", 2));
  ReadLink(map.Required("link"), &device, errors);
  const bool bridge_class = device.class_code >> 8 == 0x0604;
  if (errors->ok() && bridge_class != (kind == Kind::kBridge)) {
    errors->AddWrong(map.Required("class"), "class", "0604xx for a bridge and for nothing else");
  }
  // The tools know an EFA device by its id alone, whatever kind this file makes of it.
  const bool efa_id =
      device.vendor_id == 0x1d0f && device.device_id >= 0xefa0 && device.device_id <= 0xefa4;
  if (errors->ok() && efa_id != (kind == Kind::kNic)) {
    errors->AddWrong(map.Required("id"), "id",
                     "1d0f:efa0 to 1d0f:efa4 for a nic and for nothing else");
  }
  return device;
}

void ReadCapabilities(const YamlMap& map, EmulatedNicModel* model, YamlErrors* errors) {
  model->rdma_read = model->rdma_write = model->rnr_retry = model->cq_with_sgid = false;
  model->unsolicited_write_recv = model->can_query_mr = false;
  const std::array<std::pair<std::string_view, bool*>, 6> known = {
      {{"rdma_read", &model->rdma_read},
       {"rdma_write", &model->rdma_write},
       {"rnr_retry", &model->rnr_retry},
       {"cq_with_sgid", &model->cq_with_sgid},
       {"unsolicited_write_recv", &model->unsolicited_write_recv},
       {"query_mr", &model->can_query_mr}}};
  for (const YamlNode& item : map.List("capabilities")) {
    bool* flag = nullptr;
    for (const auto& [name, target] : known) {
      if (item.scalar == name) flag = target;
    }
    if (flag == nullptr) {
      errors->AddWrong(item, "a capability",
                       "rdma_read, rdma_write, rnr_retry, cq_with_sgid, unsolicited_write_recv or "
                       "query_mr");
      return;
    }
    *flag = true;
  }
}

void ReadLimits(const YamlNode& node, EmulatedNicModel* model, YamlErrors* errors) {
  const YamlMap map(
      node, "limits",
      {"max_qp", "max_cq", "max_cqe", "max_mr", "max_mr_pages", "max_pd", "max_ah", "max_sq_wr",
       "max_rq_wr", "max_sq_sge", "max_rq_sge", "inline_buf_size", "max_rdma_size", "mtu",
       "max_llq_size", "max_tx_batch", "min_sq_wr", "sub_cqs_per_cq"},
      errors);
  constexpr uint32_t k16 = UINT16_MAX, k31 = INT32_MAX;
  model->max_qp = map.Uint("max_qp", 1, k16);
  model->max_cq = map.Uint("max_cq", 1, k16);
  model->max_cqe = map.Uint("max_cqe", 1, k31);
  model->max_mr = map.Uint("max_mr", 1, (1u << 24) - 1);  // an lkey has 24 bits
  model->max_mr_pages = map.Uint("max_mr_pages", 1, k31);
  model->max_pd = map.Uint("max_pd", 1, k16);
  model->max_ah = map.Uint("max_ah", 1, k16);
  model->max_sq_wr = map.Uint("max_sq_wr", 1, 1u << 15);
  model->max_rq_wr = map.Uint("max_rq_wr", 1, 1u << 15);
  model->max_sq_sge = map.Uint("max_sq_sge", 1, 2);  // a send descriptor has room for two
  model->max_rq_sge = map.Uint("max_rq_sge", 1, 16);
  model->inline_buf_size = map.Uint("inline_buf_size", 0, 32);
  model->max_rdma_size = map.Uint("max_rdma_size", 0, k31);
  model->mtu = map.Uint("mtu", 256, k16);
  model->max_llq_size = map.Uint("max_llq_size", 4096, k31);
  model->max_tx_batch = map.Uint("max_tx_batch", 0, k16);
  model->min_sq_wr = map.Uint("min_sq_wr", 0, k16);
  model->sub_cqs_per_cq = map.Uint("sub_cqs_per_cq", 1, 2);
}

EmulatedNic ReadNic(const YamlMap& map, YamlErrors* errors) {
  EmulatedNic nic;
  nic.name = map.Text("name");
  nic.line_rate = map.Rate("line_rate");
  nic.model.firmware = map.Text("firmware");
  // What tells a reader of any report that no hardware was measured.
  constexpr std::string_view kMark = "emulated-";
  if (errors->ok() && (!nic.model.firmware.starts_with(kMark) || nic.model.firmware.size() > 31)) {
    errors->AddWrong(map.Required("firmware"), "firmware",
                     "at most 31 characters that begin with 'emulated-'");
  }
  nic.model.reported_gb_per_second = map.Rate("reported_rate").value * 8 / 1e9;
  ReadCapabilities(map, &nic.model, errors);
  ReadLimits(map.Required("limits"), &nic.model, errors);
  return nic;
}

void ReadGpu(const YamlMap& map, EmulatedGpu* gpu, YamlErrors* errors) {
  gpu->name = map.Text("name");
  gpu->memory = map.Size("memory");
  gpu->dmabuf = map.Bool("dmabuf");
  if (errors->ok() && gpu->memory.count == 0) {
    errors->AddWrong(map.Required("memory"), "memory", "a size above zero");
  }
}

// What follows is in the catalogue under the name that `what` quotes.
PciFunctionType ReadFunctionOfKind(Kind kind, const YamlNode& node, const std::string& what,
                                   YamlErrors* errors) {
  PciFunctionType type;
  switch (kind) {
    case Kind::kBridge: {
      const YamlMap map(node, what, {"kind", "id", "subsystem", "class", "revision", "link"},
                        errors);
      type.device = ReadDevice(map, kind, errors);
      break;
    }
    case Kind::kNic: {
      const YamlMap map(node, what,
                        {"kind", "id", "subsystem", "class", "revision", "link", "name", "firmware",
                         "line_rate", "reported_rate", "capabilities", "limits"},
                        errors);
      type.device = ReadDevice(map, kind, errors);
      type.nic = ReadNic(map, errors);
      break;
    }
    case Kind::kGpu: {
      const YamlMap map(
          node, what,
          {"kind", "id", "subsystem", "class", "revision", "link", "name", "memory", "dmabuf"},
          errors);
      type.device = ReadDevice(map, kind, errors);
      ReadGpu(map, &type.gpu, errors);
      break;
    }
    case Kind::kAccelerator: {
      const YamlMap map(node, what,
                        {"kind", "id", "subsystem", "class", "revision", "link", "driver"}, errors);
      type.device = ReadDevice(map, kind, errors);
      type.device.driver = map.Text("driver");
      break;
    }
    case Kind::kRdma: {
      const YamlMap map(node, what,
                        {"kind", "id", "subsystem", "class", "revision", "link", "driver", "name"},
                        errors);
      type.device = ReadDevice(map, kind, errors);
      type.device.driver = map.Text("driver");
      type.name_pattern = map.Text("name");
      break;
    }
    case Kind::kOther: {
      const YamlMap map(node, what,
                        {"kind", "id", "subsystem", "class", "revision", "link", "interface"},
                        errors);
      type.device = ReadDevice(map, kind, errors);
      if (const YamlNode* interface = map.Optional("interface")) {
        type.name_pattern = ReadText(*interface, "interface", errors);
      }
      break;
    }
  }
  return type;
}

PciFunctionType ReadFunction(const YamlMember& member, YamlErrors* errors) {
  constexpr char kKinds[] = "bridge, nic, gpu, accelerator, rdma or other";
  const std::string what = fmt::format("function '{}'", Printable(member.key));
  const YamlNode* kind_node = member.value.Find("kind");
  const auto kind = kind_node != nullptr ? ParseKind(kind_node->scalar) : std::nullopt;
  if (kind) return ReadFunctionOfKind(*kind, member.value, what, errors);
  if (kind_node != nullptr) {
    errors->AddWrong(*kind_node, "kind", kKinds);
  } else {
    errors->Add(member.line, what + " has no 'kind'", fmt::format("Add {}", kKinds));
  }
  return {};
}

}  // namespace

void ReadLink(const YamlNode& node, EmulatedPciDevice* device, YamlErrors* errors) {
  const std::string text = ReadText(node, "link", errors);
  device->link_gt_per_second = 0;
  device->link_width = 0;
  if (!errors->ok() || text == "unknown") return;
  for (const double speed : kPciLinkSpeeds) {
    for (const uint32_t width : kPciLinkWidths) {
      if (text != fmt::format("{:g}GT/s x{}", speed, width)) continue;
      device->link_gt_per_second = speed;
      device->link_width = width;
      return;
    }
  }
  errors->AddWrong(node, "link", "a PCIe speed and width, like 16GT/s x8, or unknown");
}

std::map<std::string, PciFunctionType> ReadPciFunctions(const YamlNode& node, YamlErrors* errors) {
  std::map<std::string, PciFunctionType> functions;
  if (node.kind != YamlNode::Kind::kMap) {
    errors->AddWrong(node, "functions", "a map of PCI functions by name");
  }
  for (const YamlMember& member : node.members) {
    functions.emplace(member.key, ReadFunction(member, errors));
  }
  return functions;
}

std::string ExpandName(const std::string& pattern, const PciAddress& address, int line,
                       YamlErrors* errors) {
  const std::array<std::pair<std::string_view, uint32_t>, 4> numbers = {
      {{"{domain}", address.domain},
       {"{bus}", address.bus},
       {"{device}", address.device},
       {"{function}", address.function}}};
  std::string name = pattern;
  for (const auto& [placeholder, number] : numbers) {
    for (size_t at = name.find(placeholder); at != std::string::npos; at = name.find(placeholder)) {
      name.replace(at, placeholder.size(), std::to_string(number));
    }
  }
  constexpr std::string_view kAllowed =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
  // 15 is what a network interface can have; ibverbs would take 63.
  constexpr size_t kLongest = 15;
  if (name.empty() || name.size() > kLongest ||
      name.find_first_not_of(kAllowed) != std::string::npos) {
    errors->Add(line, fmt::format("'{}' is no device name", Printable(name)),
                "Use at most 15 letters, digits, '_' and '-', and the placeholders {domain}, "
                "{bus}, {device}, {function}");
  }
  return name;
}

}  // namespace railgauge
