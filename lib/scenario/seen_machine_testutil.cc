#include "lib/scenario/seen_machine_testutil.h"

#include <unistd.h>

#include <cctype>
#include <cstdlib>
#include <map>
#include <memory>

#include "gtest/gtest.h"
#include "lib/base/result.h"
#include "lib/scenario/load.h"
#include "lib/scenario/tree.h"
#include "lib/topology/load.h"

namespace railgauge {

TreeFolder::TreeFolder() {
  const bool memory = ::access("/dev/shm", W_OK) == 0;
  std::string name = (memory ? "/dev/shm" : testing::TempDir()) + "/railgauge_tree_XXXXXX";
  RAILGAUGE_CHECK(::mkdtemp(name.data()) != nullptr);
  path_ = name;
}

TreeFolder::~TreeFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

const SeenMachine& SeeMachine(const std::string& spec) {
  static std::map<std::string, std::unique_ptr<SeenMachine>> machines;
  std::unique_ptr<SeenMachine>& entry = machines[spec];
  if (entry != nullptr) return *entry;
  entry = std::make_unique<SeenMachine>();
  auto emulated = LoadSpec(spec, "scenarios");
  EXPECT_TRUE(emulated) << emulated.error().ToString();
  if (!emulated) return *entry;
  entry->emulated = *std::move(emulated);
  const Status written = WriteTree(entry->emulated, entry->folder.path().string());
  EXPECT_TRUE(written) << written.error().ToString();
  ::setenv("HWLOC_FSROOT", entry->folder.path().c_str(), 1);
  auto seen = LoadLiveMachine();
  ::unsetenv("HWLOC_FSROOT");
  EXPECT_TRUE(seen) << seen.error().ToString();
  if (seen) entry->seen = *std::move(seen);
  return *entry;
}

std::string TestNameOf(const std::string& text) {
  std::string name = text;
  for (char& c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  }
  return name;
}

}  // namespace railgauge
