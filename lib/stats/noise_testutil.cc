#include "lib/stats/noise_testutil.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace railgauge {

std::string_view ToString(NoiseShape shape) {
  switch (shape) {
    case NoiseShape::kNormal:
      return "normal";
    case NoiseShape::kLognormal:
      return "lognormal loss";
    case NoiseShape::kStudent:
      return "Student, 3 d.o.f.";
    case NoiseShape::kSpoiled:
      return "1 % spoiled by 30 %";
    case NoiseShape::kDrift:
      return "drift by a third";
  }
  return "";
}

double NoisyWindows::Uniform() { return (static_cast<double>(generator_() >> 11) + 0.5) * 0x1p-53; }

double NoisyWindows::Normal() {  // Box and Muller's transformation
  const double radius = std::sqrt(-2 * std::log(Uniform()));
  return radius * std::cos(2 * std::numbers::pi * Uniform());
}

double NoisyWindows::Window() {
  double noise = Normal();
  if (shape_ == NoiseShape::kLognormal) {
    noise = (1 - std::exp(noise)) / 2.1612;  // the deviation of exp(normal)
  } else if (shape_ == NoiseShape::kStudent) {
    double squares = 0;
    for (int i = 0; i < 3; ++i) squares += std::pow(Normal(), 2);
    noise /= std::sqrt(squares);  // the deviation of Student's t with 3 is the root of 3
  }
  double value = 1 + deviation_ * noise;
  if (shape_ == NoiseShape::kSpoiled && Uniform() < 0.01) value *= 0.7;
  return std::max(value, 0.01);
}

std::vector<PairedRound> NoisyWindows::Rounds(size_t count, double ratio) {
  constexpr double kSlowdownPerWindow = 1.0 / 3 / 30;
  std::vector<PairedRound> rounds(count);
  double speed = 1;
  const double slowdown = shape_ == NoiseShape::kDrift ? kSlowdownPerWindow : 0;
  for (PairedRound& round : rounds) {
    const bool numerator_first = Uniform() < 0.5;
    for (const bool numerator : {numerator_first, !numerator_first}) {
      (numerator ? round.numerator : round.denominator) =
          speed * Window() * (numerator ? ratio : 1);
      speed -= slowdown;
    }
  }
  return rounds;
}

}  // namespace railgauge
