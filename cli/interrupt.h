// SIGINT, SIGTERM and SIGHUP as a question to ask between steps, so that an interrupted run ends
// cleanly with what is there. A second signal ends the process as usual.
//
// A pipe that nobody reads any more counts as SIGHUP does: where a terminal tells by that signal
// that a connection is gone, `ssh host command` has none, and what it started would go on unseen.
#ifndef RAILGAUGE_CLI_INTERRUPT_H_
#define RAILGAUGE_CLI_INTERRUPT_H_

#include <chrono>

namespace railgauge {

// Installs the handlers. Call once, from main.
void CatchInterrupts();

// As if a signal came after `time`; the process that has not ended 15 s later is ended at once.
void InterruptAfter(std::chrono::seconds time);

// Whether a signal came since, or whoever read standard output has gone.
bool Interrupted();

}  // namespace railgauge

#endif  // RAILGAUGE_CLI_INTERRUPT_H_
