// PageNodes: on which NUMA nodes the pages of a range lie, as the kernel answers (move_pages(2)).
#ifndef RAILGAUGE_LIB_MEMORY_PAGE_NODES_H_
#define RAILGAUGE_LIB_MEMORY_PAGE_NODES_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>

namespace railgauge {

struct PageNodes {
  uint64_t asked = 0;                  // pages; all of the range, and no sample of it
  std::map<uint32_t, uint64_t> found;  // node -> pages
  std::map<int, uint64_t> unknown;     // errno of a page -> pages
  int refused = 0;                     // errno of the call: nothing is known from there on

  // "" when every page was seen to lie on `node`. Else where they lie, "wanted all 512 pages on
  // NUMA node 1, found 500 on it, 12 on node 0".
  std::string WhyNotAllOn(uint32_t node) const;
  uint64_t Elsewhere(uint32_t node) const;  // pages seen on another node
};

// Asks for the page at the start of every `page` bytes. `query` has the meaning of move_pages(2)
// with no nodes: fills in a node or a negative errno per page; 0 or an errno. The default asks the
// kernel.
using PageQuery = int (*)(std::span<void*> pages, std::span<int> nodes);
int AskKernelForPages(std::span<void*> pages, std::span<int> nodes);
PageNodes FindPageNodes(std::byte* data, size_t length, size_t page,
                        PageQuery query = &AskKernelForPages);

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_MEMORY_PAGE_NODES_H_
