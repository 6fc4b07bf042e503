// The HTML page of a run or of a fleet: one file that holds its data and everything that draws it.
//
// The page itself (page/, TypeScript and CSS, bundled at build time) is a template with one hole
// for the data. Nothing here knows HTML: the data is JSON in a script element that is not executed,
// and the page makes text nodes of it.
#ifndef RAILGAUGE_LIB_REPORT_HTML_PAGE_H_
#define RAILGAUGE_LIB_REPORT_HTML_PAGE_H_

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/base/result.h"
#include "lib/record/records.h"
#include "lib/report/html/page_table.h"

namespace railgauge {

// What became of a file of the run directory.
struct PageFile {
  std::string name;
  std::optional<size_t> rows;  // empty: not read
  std::string problem;         // why it was not read, or what is wrong with it
  bool missing = false;        // it is not there
};

struct PageData {
  std::string generator;  // "railgauge 0.1.0"
  RunIdentity run;
  std::string run_json;  // the content of run.json; empty where there is none
  std::vector<PageFile> files;
  std::vector<PageTable> tables;
  // The decision whose verdicts were made for the page; empty where those of the run's files are
  // shown.
  std::string judged;
  // The command that makes the page with verdicts; empty where it has them, or none are to be had.
  std::string how_to_judge;
};

// Whether `content` is a run.json that the page can draw the machine of; an Error says what it
// lacks.
Status CheckRunJson(const std::string& content, const std::string& file_name);

// As JSON without a '<', so that no text in it can end the element that it stands in. A run_json
// that CheckRunJson refuses is null.
std::string ToJson(const PageData& data);

// `json` without a '<', which it has in strings alone.
std::string WithoutMarkup(std::string_view json);

// The page with `json` in its hole.
std::string FillPage(std::string_view page_template, std::string_view json);

// The template that is built into this binary; empty in a build with --define=report_page=none.
std::string_view PageTemplate();

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_REPORT_HTML_PAGE_H_
