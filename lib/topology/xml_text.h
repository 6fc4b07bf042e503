// The text of an hwloc XML file, made ready for hwloc's own parser.
//
// hwloc's built-in parser (all there is on Debian unless a plugin is installed) is a minimal one:
// it fails on any comment, and so on every file with a licence header; it wants line ends after the
// XML declaration; and it recurses as deep as the elements nest. What it says about a bad file is
// nothing. So the file is scanned first: what hwloc stumbles over is taken out, and what is no
// whole XML document is refused with the line and the reason.
#ifndef RAILGAUGE_LIB_TOPOLOGY_XML_TEXT_H_
#define RAILGAUGE_LIB_TOPOLOGY_XML_TEXT_H_

#include <string>
#include <string_view>

#include "lib/base/result.h"

namespace railgauge {

// The <topology> element of `text`, without comments and without what stands before and after it
// (byte order mark, XML declaration, DOCTYPE, comments). `path` is for messages.
//
// Errors: empty; not XML; cut off; elements that do not match or nest deeper than any machine; a
// root element other than <topology>. Attributes and their values are left to hwloc.
Result<std::string> CleanTopologyXml(std::string_view text, const std::string& path);

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_TOPOLOGY_XML_TEXT_H_
