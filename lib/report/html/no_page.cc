// In place of the page, in a build with --define=report_page=none.
#include "lib/report/html/page.h"

namespace railgauge {

std::string_view PageTemplate() { return ""; }

}  // namespace railgauge
