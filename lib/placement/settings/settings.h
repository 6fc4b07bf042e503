// Settings: a decision as each framework, launcher and scheduler can be told of it.
//
// One renderer each and one row in a table, with where its variables are documented or read. What a
// framework cannot be told is said, never invented.
#ifndef RAILGAUGE_LIB_PLACEMENT_SETTINGS_SETTINGS_H_
#define RAILGAUGE_LIB_PLACEMENT_SETTINGS_SETTINGS_H_

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lib/placement/decision.h"
#include "lib/topology/machine.h"

namespace railgauge {

struct Settings {
  std::string text;                 // what the framework or a shell takes, with its line ends
  std::vector<std::string> limits;  // what it does not express, a sentence each
};

struct Framework {
  std::string_view name;    // of --settings
  std::string_view what;    // what the text is, and how it is given to the framework
  std::string_view source;  // where what it uses is documented or read
  Settings (*render)(const Machine& machine, const Decision& decision);
};

std::span<const Framework> Frameworks();

// Null for no such name.
const Framework* FindFramework(std::string_view name);

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_PLACEMENT_SETTINGS_SETTINGS_H_
