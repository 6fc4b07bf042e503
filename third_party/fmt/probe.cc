// Links with fmt.cc where that holds all that these need.
#include <cstdio>
#include <fmt/format.h>
#include <string>
#include <vector>

int main() {
  const std::vector<std::string> words{"one", "two"};
  std::string text = fmt::format("{:>8.3f} {:x} {:%>5} {}", 1.5, 17u, true, fmt::join(words, ","));
  fmt::format_to(std::back_inserter(text), "{:Lg}{:L}", 2.5L, 12345);
  fmt::print(stdout, "{}\n", fmt::to_string(1e300) + text);
}
