#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "opbench/check/tolerances.h"
#include "opbench/results/accuracy.h"
#include "runtime/torch/tensor_list.h"

namespace opbench {

/// Whether a result may be trusted, and if not where it is wrong and by how much.
struct Verdict {
  bool ok = true;
  std::string message;
  std::optional<Accuracy> accuracy = {};  ///< nothing where no floating output was compared with values
  std::string doubt = {};                 ///< why eager's own result was not what it was compared with; empty where it was
};

/// An output, as messages name it.
struct NamedOutput {
  NamedOutput(int number) : NamedOutput(number, "output " + std::to_string(number)) {}  // NOLINT(google-explicit-constructor)
  NamedOutput(int number, std::string name) : number(number), name(std::move(name)) {}

  int number;
  std::string name;
};

/// Judges one output. Types are equal, strides included; of random results no more is asked here. Exact results are
/// eager's to the bit. Close ones have NaN and infinities where eager or the float64 reference has them; each element is within
/// its tolerance, or no further off than four times eager's worst; and their root mean square error is about eager's (Limit).
/// Where there is no reference every element is within its tolerance, and a result that is close only because all of it is tiny,
/// and points elsewhere, is wrong.
Verdict judge(const runtime::Comparison& comparison, Rule rule, const Limit& limit, const NamedOutput& output);

/// How far an element may be off, in absolute terms, as the sums are that it is made of.
double errorOfSums(const runtime::Comparison& comparison, const Limit& limit);

}  // namespace opbench
