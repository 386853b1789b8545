#include "runtime/compare/wrong_elements.h"

#include <ATen/ops/view_as_real.h>
#include <c10/core/InferenceMode.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <functional>
#include <numeric>
#include <optional>
#include <utility>

#include "runtime/torch/state.h"
#include "runtime/torch/types.h"

namespace runtime {
namespace {

constexpr int64_t mostCompared = int64_t{1} << 24;

/// The elements as doubles in row-major order on the host, two a complex number.
std::vector<double> valuesOf(const at::Tensor& tensor) {
  at::Tensor values = resolved(tensor).to(at::kCPU);
  if (values.is_complex()) values = at::view_as_real(values);
  values = values.to(at::kDouble).contiguous();
  const double* begin = values.data_ptr<double>();
  return {begin, begin + values.numel()};
}

bool isWrong(double found, double eager, double expected, double tolerance, bool isExact) {
  if (!isExact && std::isfinite(expected) && !std::isfinite(eager)) return false;  // lost
  if (std::isnan(found)) return !std::isnan(eager) && !std::isnan(expected);
  if (isExact) return found != eager;
  if (std::isinf(found)) return found != eager && found != expected;
  if (!std::isfinite(expected)) return !std::isfinite(eager);
  return !(std::abs(found - expected) <= tolerance * (1 + std::abs(expected)));
}

std::vector<int64_t> indexAt(int64_t place, const std::vector<int64_t>& sizes) {
  std::vector<int64_t> index(sizes.size());
  for (size_t d = sizes.size(); d-- > 0; place /= sizes[d]) index[d] = place % sizes[d];
  return index;
}

/// Coordinates of a dimension as a slice: `:`, `7`, `760:768`, `1::2`; nothing where they are none.
std::optional<std::string> sliceOf(const std::vector<int64_t>& coordinates, int64_t size) {
  const auto count = static_cast<int64_t>(coordinates.size());
  const int64_t first = coordinates.front(), last = coordinates.back();
  if (count == size) return ":";
  if (count == 1) return std::to_string(first);
  const int64_t step = coordinates[1] - first;
  for (size_t i = 1; i < coordinates.size(); ++i)
    if (coordinates[i] - coordinates[i - 1] != step) return std::nullopt;
  if (step == 1) return fmt::format("{}:{}", first, last + 1);
  return fmt::format("{}:{}:{}", first, last + 1, step);
}

/// The places as one slice a dimension; empty where they are not all that such slices hold.
std::string sliced(const std::vector<int64_t>& places, const std::vector<int64_t>& sizes) {
  std::vector<std::vector<bool>> isHit;
  for (const int64_t size : sizes) isHit.emplace_back(size);
  for (int64_t rest : places)  // millions of them where a whole output is wrong
    for (size_t d = sizes.size(); d-- > 0; rest /= sizes[d]) isHit[d][static_cast<size_t>(rest % sizes[d])] = true;
  std::vector<std::string> slices;
  size_t held = 1;
  for (size_t d = 0; d < sizes.size(); ++d) {
    std::vector<int64_t> coordinates;
    for (int64_t c = 0; c < sizes[d]; ++c)
      if (isHit[d][static_cast<size_t>(c)]) coordinates.push_back(c);
    held *= coordinates.size();
    const auto slice = sliceOf(coordinates, sizes[d]);
    if (!slice) return "";
    slices.push_back(*slice);
  }
  return held == places.size() ? fmt::format("[{}]", fmt::join(slices, ", ")) : "";
}

/// The errors of output i's elements whose squares are finite; none of outputs that are too large.
std::vector<double> errorsOf(const TensorList& found, const TensorList& float64, int i) {
  const c10::InferenceMode guard;
  const at::Tensor result = found.state().tensors[i];
  if (i >= float64.size() || float64.state().tensors[i].sizes() != result.sizes() || result.numel() > mostCompared) return {};
  const std::vector<double> values = valuesOf(result), expected = valuesOf(float64.state().tensors[i]);
  std::vector<double> errors;
  for (size_t k = 0; k < values.size(); ++k)
    if (const double error = values[k] - expected[k]; std::isfinite(error * error)) errors.push_back(error);
  return errors;
}

}  // namespace

std::string partOf(const std::vector<int64_t>& places, const std::vector<int64_t>& sizes) {
  const int64_t elements = std::accumulate(sizes.begin(), sizes.end(), int64_t{1}, std::multiplies<>());
  const auto count = static_cast<int64_t>(places.size());
  if (count == 0) return "";
  if (count == elements) return "all";
  if (std::string slices = sliced(places, sizes); !slices.empty()) return slices;
  if (places.back() - places.front() + 1 != count) return "";
  if (places.back() + 1 == elements) return fmt::format("the last {} in row-major order", count);
  if (places.front() == 0) return fmt::format("the first {} in row-major order", count);
  return fmt::format("{} to {} in row-major order", places.front(), places.back());
}

WrongElements wrongElements(const TensorList& found, const TensorList& eager, const TensorList& float64, int i, double tolerance,
                            bool isExact) {
  const c10::InferenceMode guard;
  WrongElements wrong;
  const at::Tensor result = found.state().tensors[i];
  wrong.of = result.numel();
  if (found.type(i) != eager.type(i) || wrong.of == 0 || wrong.of > mostCompared) return wrong;
  const bool hasReference =
      !isExact && i < float64.size() && float64.state().tensors[i].sizes() == result.sizes() && result.is_floating_point();
  const std::vector<double> values = valuesOf(result), ofEager = valuesOf(eager.state().tensors[i]);
  const std::vector<double> expected = hasReference ? valuesOf(float64.state().tensors[i]) : ofEager;
  const size_t parts = result.is_complex() ? 2 : 1;
  std::vector<int64_t> places;
  for (size_t k = 0; k < values.size(); ++k)
    if (isWrong(values[k], ofEager[k], expected[k], tolerance, isExact))
      if (const auto place = static_cast<int64_t>(k / parts); places.empty() || places.back() != place) places.push_back(place);
  wrong.count = static_cast<int64_t>(places.size());
  if (places.empty()) return wrong;
  const std::vector<int64_t> sizes = result.sizes().vec();
  wrong.first = indexAt(places.front(), sizes);
  wrong.last = indexAt(places.back(), sizes);
  wrong.part = partOf(places, sizes);
  return wrong;
}

double erringElements(const TensorList& found, const TensorList& float64, int i) {
  double squares = 0, fourths = 0;
  for (const double error : errorsOf(found, float64, i)) {
    squares += error * error;
    fourths += error * error * error * error;
  }
  return fourths > 0 ? squares * squares / fourths : 0;
}

double commonError(const TensorList& found, const TensorList& float64, int i) {
  const std::vector<double> errors = errorsOf(found, float64, i);
  double sum = 0, squares = 0;
  for (const double error : errors) {
    sum += error;
    squares += error * error;
  }
  return squares > 0 ? sum * sum / squares / static_cast<double>(errors.size()) : 0;
}

std::string toText(const WrongElements& wrong) {
  if (wrong.count == 0) return "";
  if (wrong.part == "all") return fmt::format("all {} elements are wrong", wrong.of);
  if (wrong.count == 1) return fmt::format("1 of {} elements is wrong", wrong.of);
  if (!wrong.part.empty()) return fmt::format("{} of {} elements are wrong: {}", wrong.count, wrong.of, wrong.part);
  return fmt::format("{} of {} elements are wrong, the first at [{}], the last at [{}]", wrong.count, wrong.of,
                     fmt::join(wrong.first, ", "), fmt::join(wrong.last, ", "));
}

}  // namespace runtime
