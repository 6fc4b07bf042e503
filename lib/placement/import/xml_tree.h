// A small XML document as a tree of elements that know their lines: what NCCL's files need.
//
// Parsed by Expat. Text between elements is dropped. A document type is refused, so that no entity
// can grow or read files; depth and number of elements are bounded.
#ifndef RAILGAUGE_LIB_PLACEMENT_IMPORT_XML_TREE_H_
#define RAILGAUGE_LIB_PLACEMENT_IMPORT_XML_TREE_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lib/base/result.h"
#include "lib/placement/import/import_source.h"

namespace railgauge {

struct XmlElement {
  std::string name;
  size_t line = 0;
  std::vector<std::pair<std::string, std::string>> attributes;
  std::vector<XmlElement> children;

  // Null when there is none of that name.
  const std::string* Find(std::string_view attribute) const;
};

// The root element. An error names the line where the XML is at fault.
Result<XmlElement> ParseXml(const ImportSource& source);

// The attribute as an integer, decimal, or hexadecimal behind 0x. An error when there is none of
// that name, or no number in it.
Result<int64_t> IntegerOf(const ImportSource& source, const XmlElement& element,
                          std::string_view attribute);

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_PLACEMENT_IMPORT_XML_TREE_H_
