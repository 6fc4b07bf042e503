// Progress: one line on stderr that says how far a long step is. Only on a terminal, only once it
// has taken a while, and gone when the step ends, so that output and logs stay clean.
#ifndef RAILGAUGE_CLI_PROGRESS_H_
#define RAILGAUGE_CLI_PROGRESS_H_

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace railgauge {

class Progress {
 public:
  // `label` is what is being done: "measuring".
  explicit Progress(std::string label);
  ~Progress() { Clear(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // `done` of `total` steps; `what` is the one under way. Draws at most five times a second.
  void Update(uint64_t done, uint64_t total, std::string_view what);
  void Clear();

 private:
  using Clock = std::chrono::steady_clock;
  std::string label_;
  bool terminal_;
  bool drawn_ = false;
  Clock::time_point started_ = Clock::now();
  Clock::time_point last_drawn_ = Clock::now();
};

}  // namespace railgauge

#endif  // RAILGAUGE_CLI_PROGRESS_H_
