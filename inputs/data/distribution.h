#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace inputs {

/// What the elements of arguments are drawn from that may be anything; indices, probabilities, variances and divisors keep to
/// their domain (inputs/operators).
enum class Distribution {
  Normal,    ///< floats normal(0, 1), integers from -8 to 8, bools half true
  Uniform,   ///< floats between -1 and 1
  SmallInt,  ///< floats that are whole numbers from -8 to 8, which sums and products hold exactly
  Zeros,     ///< floats, integers and bools that are all zero
  Positive,  ///< floats |normal(0, 1)| + 1/16, integers from 1 to 8, bools true
  Levels,    ///< floats normal around a level that is drawn from normal(0, 4) every 4096 elements: means differ; others as Normal
  Far,     ///< floats up to four quarters around 250 (of f64 1000), on which exponentials overflow, squares cancel, and many are
           ///< equal; one in four i64 exceeds 32 bits; others as Normal
  Spread,  ///< floats of both signs with magnitudes from 2^-8 to 2^8, evenly by their logarithm; one in four integers is anything
           ///< that its dtype holds, the largest and the smallest included; others as Normal
  Specials,  ///< rows that hold one thing each (rows.h): an infinity, a NaN, zeros, equal elements; where there are no rows,
             ///< normal, but in the first of every four blocks of 4096 one in eight is NaN, infinite, zero of either sign,
             ///< subnormal, the smallest normal number of its dtype or a large one
};

/// The data of a call.
struct Data {
  Distribution distribution = Distribution::Normal;
  double scale = 1;                   ///< of floats
  int64_t turn = 0;                   ///< of Specials: which thing the first row holds
  bool isTame = false;                ///< of Specials: no element is NaN, infinite or large
  std::vector<int64_t> rowDims = {};  ///< of Specials: dimensions of a row, where more than the call at hand combines them

  bool operator==(const Data&) const = default;
};

/// `normal`, `small-int`; on the command line and in reports.
std::string_view name(Distribution distribution);
std::optional<Distribution> distributionFromName(std::string_view text);
std::vector<std::string> distributionNames();
/// `normal`, `normal x 16`.
std::string toText(const Data& data);
/// What toText() wrote; nothing for another text.
std::optional<Data> dataFromText(std::string_view text);

}  // namespace inputs
