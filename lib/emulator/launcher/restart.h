// RestartOnEmulatedMachine: gives every tool the flag --emulate=SPEC without any emulator in it.
//
// The tool starts the launcher with itself as the command, and so finds itself on the emulated
// machine as it would on a real one. Called first in main, before anything reads the machine.
#ifndef RAILGAUGE_LIB_EMULATOR_LAUNCHER_RESTART_H_
#define RAILGAUGE_LIB_EMULATOR_LAUNCHER_RESTART_H_

#include <string>
#include <vector>

namespace railgauge {

// Returns when no argument before "--" is --emulate=SPEC or --emulate SPEC. Otherwise executes this
// program anew, with the same arguments, on the machine that the last one names, and returns there.
// When that fails: one line on stderr, exit status 2.
//
// Takes these flags out of argc and argv, as the tool does not know them, and returns the command
// line as it was: what runs the same again.
std::vector<std::string> RestartOnEmulatedMachine(int* argc, char** argv);

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_EMULATOR_LAUNCHER_RESTART_H_
