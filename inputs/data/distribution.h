#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace inputs {

/// What the elements of arguments are drawn from that may be anything; those that must be valid indices, probabilities, variances
/// or divisors keep to their domain (value_range.h).
enum class Distribution {
  Normal,    ///< floats normal(0, 1), integers from -8 to 8, bools half true
  Uniform,   ///< floats between -1 and 1
  SmallInt,  ///< floats that are whole numbers from -8 to 8, which sums and products hold exactly
  Zeros,     ///< floats, integers and bools that are all zero
  Positive,  ///< floats |normal(0, 1)| + 1/16, integers from 1 to 8, bools true
  Levels,    ///< floats normal around a level that is drawn from normal(0, 4) every 4096 elements: means differ; others as Normal
  Far,  ///< floats up to four quarters around 250 (of f64 1000), on which exponentials overflow, squares cancel, and many are
        ///< equal; one in four i64 exceeds 32 bits; others as Normal
  Specials,  ///< normal, but in the first of every four blocks of 4096 one in eight is NaN, infinite, zero of either sign,
             ///< subnormal, the smallest normal number of its dtype or a large one
};

/// The data of a call.
struct Data {
  Distribution distribution = Distribution::Normal;
  double scale = 1;  ///< of floats
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
