#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace opbench {

/// How far results are from what they should be: of the output that is furthest off.
struct Accuracy {
  int output = 0;
  double maxUlp = 0;           ///< values of the dtype between an element and the rounded reference
  double rmse = 0;             ///< root mean square error
  double eagerRmse = 0;        ///< the same of eager's results
  double cosine = 1;           ///< between the results and the reference
  std::vector<int64_t> worst;  ///< index of the element with the largest error relative to 1 + |expected|
  double worstFound = 0, worstExpected = 0;
  double worstError = 0, worstErrorEager = 0;  ///< that error, and the largest of eager's elements
};

/// The difference between two runs of a contender on the same operands, and on random numbers from the same beginning.
enum class Determinism {
  Bitwise,          ///< not at all
  WithinTolerance,  ///< both are right
  Neither,          ///< one is not
};
/// `bitwise`, `within-tolerance`, `neither`.
std::string_view name(Determinism determinism);
std::optional<Determinism> determinismFromName(std::string_view text);

}  // namespace opbench
