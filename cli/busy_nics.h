// --allow-busy: what a command that measures does about NICs that somebody else uses already.
#ifndef RAILGAUGE_CLI_BUSY_NICS_H_
#define RAILGAUGE_CLI_BUSY_NICS_H_

#include "cli/session.h"
#include "lib/base/result.h"

namespace railgauge {

// Looks at the NICs that a run of `session` uses: the selected ones and, in loopback, their
// partners. Busy ones are an Error that names them all, before anything is measured; or, with
// `allow_busy`, a note each. Costs some 30 ms.
Status CheckNotBusy(bool loopback, bool allow_busy, Session& session);

}  // namespace railgauge

#endif  // RAILGAUGE_CLI_BUSY_NICS_H_
