#include "lib/placement/import/import_source.h"

#include <algorithm>
#include <utility>

#include "fmt/core.h"
#include "lib/topology/names.h"

namespace railgauge {

Error ImportError(const ImportSource& source, size_t line, std::string reason, std::string advice) {
  if (advice.empty()) advice = "Give the file as it was written";
  return MakeError("read", fmt::format("{}:{}", source.file_name, line), std::move(reason),
                   std::move(advice));
}

Error AtLine(const ImportSource& source, size_t line, const Error& error) {
  std::string reason = error.operation;
  if (!error.object.empty()) reason += " " + error.object;
  return ImportError(source, line, reason + ": " + error.reason, error.advice);
}

size_t LineOf(const ImportSource& source, std::string_view text) {
  const size_t at = source.content.find(text);
  if (at == std::string_view::npos) return 1;
  return 1 +
         static_cast<size_t>(std::count(source.content.begin(),
                                        source.content.begin() + static_cast<ptrdiff_t>(at), '\n'));
}

std::vector<TextLine> LinesOf(std::string_view content) {
  std::vector<TextLine> lines;
  while (!content.empty()) {
    const size_t end = content.find('\n');
    std::string_view text = content.substr(0, end);
    if (text.ends_with('\r')) text.remove_suffix(1);
    lines.push_back({lines.size() + 1, text});
    if (end == std::string_view::npos) break;
    content.remove_prefix(end + 1);
  }
  return lines;
}

void AddPair(const MemoryPlace& consumer, const NicKey& nic, Decision& decision) {
  std::vector<Assignment>& all = decision.assignments;
  auto assignment = std::find_if(all.begin(), all.end(),
                                 [&](const Assignment& a) { return a.consumer == consumer; });
  if (assignment == all.end()) assignment = all.insert(all.end(), Assignment{consumer, {}});
  std::vector<NicKey>& nics = assignment->nics;
  if (std::find(nics.begin(), nics.end(), nic) == nics.end()) nics.push_back(nic);
}

void AddPairs(const MemoryPlace& consumer, const std::vector<NicKey>& nics, Decision& decision) {
  for (const NicKey& nic : nics) AddPair(consumer, nic, decision);
}

Result<NicKey> NicAt(const ImportSource& source, size_t line, std::string_view text) {
  auto nic = ResolveNic(source.machine, text);
  if (!nic) return Fail(AtLine(source, line, nic.error()));
  return nic;
}

Result<MemoryPlace> GpuAt(const ImportSource& source, size_t line, std::string_view address) {
  auto place = ResolvePlace(source.machine, "gpu:" + std::string(address), source.cuda_order);
  if (!place) return Fail(AtLine(source, line, place.error()));
  return place;
}

Result<MemoryPlace> GpuOfIndex(const ImportSource& source, size_t line, size_t index) {
  const std::vector<Gpu>& gpus = source.machine.gpus;
  if (index < gpus.size()) return MemoryPlace::Gpu(gpus[index].position.address);
  return Fail(ImportError(
      source, line, fmt::format("it names GPU {}, and this machine shows {}", index, gpus.size()),
      "Judge it on the machine that it was written on"));
}

}  // namespace railgauge
