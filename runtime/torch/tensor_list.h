#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "ir/tensor_type.h"

namespace runtime {

/// Tensors on a device, held without showing torch (state.h shows them to the files that include it).
class TensorList {
 public:
  struct State;

  TensorList() = default;
  explicit TensorList(std::shared_ptr<State> state) : state_(std::move(state)) {}

  int size() const;
  ir::TensorType type(int i) const;
  const State& state() const { return *state_; }
  State& state() { return *state_; }
  explicit operator bool() const { return state_ != nullptr; }

 private:
  std::shared_ptr<State> state_;
};

/// Where outputs were written outside their memory, `output 0 was written outside its memory: byte 12 after its end`; nothing
/// where none was. Told by the guards around what generated kernels write, which are whole again afterwards.
std::string writtenOutside(const TensorList& outputs);

/// Copies in memory of their own, strides kept.
TensorList clone(const TensorList& tensors);
/// The tensors but for the ones of these numbers.
TensorList without(const TensorList& tensors, const std::set<int>& numbers);
/// The tensors; a tensor whose strides differ from its counterpart's in `like`, of the same sizes, is copied into these.
TensorList laidOutLike(const TensorList& tensors, const TensorList& like);
/// Whether the elements are the same bits, of all tensors or of one; false where types differ.
bool bitwiseEqual(const TensorList& a, const TensorList& b);
bool bitwiseEqual(const TensorList& a, const TensorList& b, int i);

/// A number with all its digits, and NaN without a sign.
std::string numberText(double value);

/// An element that is not what it should be, as texts that tell both apart.
struct WrongElement {
  std::vector<int64_t> index;
  std::string found, expected;
};

/// How one output compares with eager's and with the float64 reference; computed on the device.
struct Comparison {
  ir::TensorType expected;  ///< eager's
  ir::TensorType found;
  bool sameType = false;  ///< dtype, sizes and strides; the rest is only meaningful if so
  int64_t numel = 0;
  int64_t unequal = 0;  ///< elements that differ from eager's (two NaN are equal, zeros of different signs are not)
  std::optional<WrongElement> firstUnequal;
  bool allClose = false;     ///< |found - reference| <= tolerance * (1 + |reference|) everywhere, NaN and infinity in place
  double rmseFound = 0;      ///< root mean square of found - reference, over elements finite in the reference
  double rmseEager = 0;      ///< the same for eager
  double relativeFound = 0;  ///< root mean square of (found - reference) / (1 + |reference|), which huge elements do not dominate
  double relativeEager = 0;  ///< the same for eager
  bool eagerOverflows = false;  ///< whether values on eager's way overflow at some elements, which are not compared (Tally::lost)
  int64_t misplaced = 0;  ///< elements that are NaN or infinite where neither the reference nor eager is, or not where both are
  std::optional<WrongElement> firstMisplaced;
  /// Index of the element furthest from the reference, relative to 1 + |reference|; nothing where none is off.
  std::optional<std::vector<int64_t>> worst;
  double worstFound = 0, worstExpected = 0;
  double worstError = 0;       ///< its |found - reference| / (1 + |reference|)
  double worstErrorEager = 0;  ///< the largest such error of eager's
  double rmsReference = 0;     ///< root mean square of the reference
  double usualScale = 1;       ///< harmonic mean of 1 + |reference|: few huge elements leave it as it is
  double maxUlp = 0;           ///< most values of the dtype between found and the rounded reference; floating dtypes
  bool hasReference = false;   ///< whether a float64 reference exists; without one eager stands for it
  double cosine = 1;
};

/// Compares output i of `found` with eager's and with the float64 outputs (empty where ATen has no float64 form). The worst
/// element is one that is off by more than `leastError`, in absolute terms.
Comparison compare(const TensorList& found, const TensorList& eager, const TensorList& float64, int i, double tolerance,
                   double leastError = 0);

/// Results of eager and of eager in float64, each empty where there are none.
struct EagerRuns {
  TensorList eager;
  TensorList float64;
};

}  // namespace runtime
