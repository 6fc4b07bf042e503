#include "lib/memory/page_nodes.h"

#include <fmt/core.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "lib/base/result.h"

namespace railgauge {

uint64_t PageNodes::Elsewhere(uint32_t node) const {
  uint64_t pages = 0;
  for (const auto& [at, count] : found) pages += at == node ? 0 : count;
  return pages;
}

std::string PageNodes::WhyNotAllOn(uint32_t node) const {
  const auto on = found.find(node);
  const uint64_t there = on == found.end() ? 0 : on->second;
  if (there == asked && refused == 0) return "";
  std::string text =
      fmt::format("wanted all {} pages on NUMA node {}, found {} on it", asked, node, there);
  for (const auto& [at, count] : found) {
    if (at != node) text += fmt::format(", {} on node {}", count, at);
  }
  for (const auto& [error, count] : unknown) {
    text += fmt::format(", {} unknown ({})", count, ErrnoName(error));
  }
  if (refused != 0) text += fmt::format("; the kernel would not tell ({})", ErrnoName(refused));
  return text;
}

int AskKernelForPages(std::span<void*> pages, std::span<int> nodes) {
  // By syscall(2): libnuma would be one more library for one call.
  const long rc = syscall(SYS_move_pages, 0, pages.size(), pages.data(), nullptr, nodes.data(), 0);
  return rc < 0 ? errno : 0;
}

PageNodes FindPageNodes(std::byte* data, size_t length, size_t page, PageQuery query) {
  PageNodes result;
  std::array<void*, 512> pages;
  std::array<int, 512> nodes;
  result.asked = (length + page - 1) / page;
  for (uint64_t begin = 0; begin < result.asked; begin += pages.size()) {
    const size_t count = std::min<uint64_t>(pages.size(), result.asked - begin);
    for (size_t i = 0; i < count; ++i) pages[i] = data + (begin + i) * page;
    result.refused = query({pages.data(), count}, {nodes.data(), count});
    if (result.refused != 0) return result;
    for (size_t i = 0; i < count; ++i) {
      if (nodes[i] >= 0) {
        ++result.found[static_cast<uint32_t>(nodes[i])];
      } else {
        ++result.unknown[-nodes[i]];
      }
    }
  }
  return result;
}

}  // namespace railgauge
