// An instance type as the tools see it: the tree that is written for its scenario, and what hwloc
// and lib/topology make of that tree.
#ifndef RAILGAUGE_LIB_SCENARIO_SEEN_MACHINE_TESTUTIL_H_
#define RAILGAUGE_LIB_SCENARIO_SEEN_MACHINE_TESTUTIL_H_

#include <filesystem>
#include <string>

#include "lib/scenario/emulated_machine.h"
#include "lib/topology/machine.h"

namespace railgauge {

// An empty folder that vanishes in the end; on the tmpfs where there is one, since on a disk the
// thousands of small files take seconds.
class TreeFolder {
 public:
  TreeFolder();
  ~TreeFolder();
  TreeFolder(const TreeFolder&) = delete;
  TreeFolder& operator=(const TreeFolder&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

struct SeenMachine {
  TreeFolder folder;
  EmulatedMachine emulated;
  Machine seen;
};

// The machine of `spec` in "scenarios"; a failure is one of the running test. One tree serves all
// tests of the process, which therefore must not change it.
const SeenMachine& SeeMachine(const std::string& spec);

// `text` as a part of a test's name.
std::string TestNameOf(const std::string& text);

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_SCENARIO_SEEN_MACHINE_TESTUTIL_H_
