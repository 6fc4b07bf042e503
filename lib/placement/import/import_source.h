// What importers of placement decisions share: the text they read, errors that name file and line,
// and the collecting of pairs.
//
// A decision is imported from what a framework wrote for other purposes. It says which NIC serves
// which GPU many times over (once per channel, say), so a pair that comes again is no error here,
// unlike in a decision file that a person wrote.
#ifndef RAILGAUGE_LIB_PLACEMENT_IMPORT_IMPORT_SOURCE_H_
#define RAILGAUGE_LIB_PLACEMENT_IMPORT_IMPORT_SOURCE_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "lib/base/pci_address.h"
#include "lib/base/result.h"
#include "lib/placement/decision.h"
#include "lib/topology/machine.h"

namespace railgauge {

struct ImportSource {
  std::string_view content;
  std::string file_name;  // for messages, and the decision's source
  const Machine& machine;
  // GPUs in CUDA's order: what a CUDA ordinal in the file means.
  const std::vector<PciAddress>& cuda_order;
};

// An Error about line `line` of the file. Without advice: to give the file as it was written.
Error ImportError(const ImportSource& source, size_t line, std::string reason,
                  std::string advice = "");
// `error`, which says nothing of the file, as one about that line.
Error AtLine(const ImportSource& source, size_t line, const Error& error);

// The line of the first `text` in the file; 1 when it is not there. For formats whose parser keeps
// no lines (JSON).
size_t LineOf(const ImportSource& source, std::string_view text);

struct TextLine {
  size_t number = 0;  // from 1
  std::string_view text;
};
// The file's lines, without line ends.
std::vector<TextLine> LinesOf(std::string_view content);

// Adds a pair, once.
void AddPair(const MemoryPlace& consumer, const NicKey& nic, Decision& decision);
void AddPairs(const MemoryPlace& consumer, const std::vector<NicKey>& nics, Decision& decision);

// The NIC of that name or address, the GPU at that address; an error at that line.
Result<NicKey> NicAt(const ImportSource& source, size_t line, std::string_view text);
Result<MemoryPlace> GpuAt(const ImportSource& source, size_t line, std::string_view address);
// The GPU that is number `index` in the order of PCI addresses, as drivers and schedulers number.
Result<MemoryPlace> GpuOfIndex(const ImportSource& source, size_t line, size_t index);

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_PLACEMENT_IMPORT_IMPORT_SOURCE_H_
