// The exit statuses of every railgauge command and benchmark binary, as the README documents them.
#ifndef RAILGAUGE_CLI_EXIT_STATUS_H_
#define RAILGAUGE_CLI_EXIT_STATUS_H_

namespace railgauge {

enum ExitStatus : int {
  kExitOk = 0,         // something was judged (or shown, for a command that judges nothing)
  kExitBad = 1,        // a SLOW, WRONG, OVERSUBSCRIBED or IDLE verdict
  kExitError = 2,      // usage or set-up error
  kExitUndecided = 3,  // neither: NOISY, INVALID or UNDECIDED, or nothing could be judged
};

}  // namespace railgauge

#endif  // RAILGAUGE_CLI_EXIT_STATUS_H_
