#include "cli/progress.h"

#include <unistd.h>

#include <cstdio>

#include "fmt/core.h"
#include "lib/base/result.h"
#include "lib/base/units.h"

namespace railgauge {
namespace {

constexpr auto kQuietTime = std::chrono::milliseconds(500);
constexpr auto kRedrawInterval = std::chrono::milliseconds(200);

}  // namespace

Progress::Progress(std::string label)
    : label_(std::move(label)), terminal_(::isatty(STDERR_FILENO) == 1) {}

void Progress::Update(uint64_t done, uint64_t total, std::string_view what) {
  if (!terminal_) return;
  const auto now = Clock::now();
  if (now - started_ < kQuietTime || now - last_drawn_ < kRedrawInterval) return;
  last_drawn_ = now;
  drawn_ = true;
  const std::string left =
      done == 0 ? std::string()
                : fmt::format(", about {} left",
                              FormatDuration((now - started_) * static_cast<int64_t>(total - done) /
                                             static_cast<int64_t>(done)));
  // \r and "erase to the end of the line": the next draw replaces this one.
  fmt::print(stderr, "\r{} {}/{}{}  {:.40}\x1b[K", label_, done, total, left, Printable(what));
  std::fflush(stderr);
}

void Progress::Clear() {
  if (!drawn_) return;
  fmt::print(stderr, "\r\x1b[K");
  std::fflush(stderr);
  drawn_ = false;
}

}  // namespace railgauge
