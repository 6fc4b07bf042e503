// main() of tests on an emulated machine: on the machine that --emulate names.
#include <gtest/gtest.h>

#include "lib/emulator/launcher/restart.h"

int main(int argc, char** argv) {
  railgauge::RestartOnEmulatedMachine(&argc, argv);
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
