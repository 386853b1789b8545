#include <ATen/ops/as_strided.h>
#include <c10/core/InferenceMode.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <ranges>

#include "ir/error.h"
#include "runtime/compare/order.h"
#include "runtime/compare/tally.h"
#include "runtime/torch/state.h"
#include "runtime/torch/types.h"

namespace runtime {
namespace {

/// Complex numbers as pairs of reals and Bools as the bytes they are; other tensors as they are.
at::Tensor asReal(const at::Tensor& found) {
  const at::Tensor tensor = resolved(found);
  if (tensor.scalar_type() == at::kBool) return tensor.view(at::kByte);
  if (!tensor.is_complex()) return tensor;
  std::vector<int64_t> sizes = tensor.sizes().vec();
  std::vector<int64_t> strides = tensor.strides().vec();
  for (int64_t& stride : strides) stride *= 2;
  sizes.push_back(2);
  strides.push_back(1);
  const at::Tensor flat = flatStorage(tensor).view(at::toRealValueType(tensor.scalar_type()));
  return flat.as_strided(sizes, strides, flat.storage_offset());
}

/// Where element `position` of the flattened tensors stands.
std::vector<int64_t> indexOf(int64_t position, at::IntArrayRef sizes, const std::vector<int64_t>& order) {
  std::vector<int64_t> index(sizes.size());
  for (const int64_t d : std::ranges::reverse_view(order)) {
    index[d] = position % sizes[d];
    position /= sizes[d];
  }
  return index;
}

/// An element of one dimension with all its digits: 64 bits are more than a double tells apart.
std::string textOf(const at::Tensor& values, int64_t position) {
  const at::Tensor element = values[position];
  switch (element.scalar_type()) {
    case at::kLong: return fmt::format("{}", element.item<int64_t>());
    case at::kUInt64: return fmt::format("{}", static_cast<uint64_t>(element.view(at::kLong).item<int64_t>()));
    default: return numberText(element.item<double>());
  }
}

double root(double sum, int64_t count) { return count == 0 ? 0 : std::sqrt(sum / static_cast<double>(count)); }

void fill(Comparison& comparison, const Tally& tally) {
  comparison.unequal = tally.unequal;
  comparison.misplaced = tally.misplaced;
  comparison.allClose = tally.notClose == 0;
  comparison.rmseFound = root(tally.squaresFound, tally.countFound);
  comparison.rmseEager = root(tally.squaresEager, tally.countEager);
  if (tally.shares > 0) comparison.usualScale = static_cast<double>(tally.countFound) / tally.shares;
  comparison.relativeFound = root(tally.relativeFound, tally.countFound);
  comparison.relativeEager = root(tally.relativeEager, tally.countEager);
  comparison.eagerOverflows = tally.lost > 0;
  comparison.worstFound = tally.worstFound;
  comparison.worstExpected = tally.worstExpected;
  comparison.worstError = tally.worstError;
  comparison.worstErrorEager = tally.worstErrorEager;
  comparison.rmsReference = root(tally.normReference, tally.countFound);
  comparison.maxUlp = tally.maxUlp;
  const double norms = std::sqrt(tally.normFound) * std::sqrt(tally.normReference);
  comparison.cosine = norms > 0 ? tally.dot / norms : (tally.normFound == tally.normReference ? 1 : 0);
}

}  // namespace

std::string numberText(double value) { return std::isnan(value) ? "nan" : fmt::format("{}", value); }

Comparison compare(const TensorList& found, const TensorList& eager, const TensorList& float64, int i, double tolerance,
                   double leastError) {
  const c10::InferenceMode guard;
  Comparison comparison;
  comparison.expected = eager.type(i);
  comparison.found = found.type(i);
  comparison.sameType = comparison.expected == comparison.found;
  comparison.numel = comparison.expected.numel();
  if (!comparison.sameType) return comparison;
  const at::Tensor result = asReal(found.state().tensors[i]);
  // ATen leaves the state of its generator on the host, but on the device in a CUDA graph.
  const at::Tensor expected = asReal(eager.state().tensors[i]).to(result.device());
  comparison.hasReference =
      i < float64.size() && result.is_floating_point() && asReal(float64.state().tensors[i]).sizes() == result.sizes();
  const at::Tensor reference = comparison.hasReference ? asReal(float64.state().tensors[i]).to(result.device()) : expected;

  const std::vector<int64_t> order = memoryOrder(result);
  const auto flatten = [&](const at::Tensor& tensor) { return tensor.permute(order).reshape({-1}); };
  const Compared operands{flatten(result), flatten(expected), flatten(reference), tolerance, leastError};
  const Tally tally = result.is_cpu() ? tallyOnHost(operands) : tallyOnDevice(operands);
  fill(comparison, tally);
  const auto indexAt = [&](int64_t position) { return indexOf(position, result.sizes(), order); };
  if (tally.worst >= 0) comparison.worst = indexAt(tally.worst);
  const auto element = [&](int64_t position, const at::Tensor& other) -> std::optional<WrongElement> {
    if (position < 0) return std::nullopt;
    return WrongElement{indexAt(position), textOf(operands.found, position), textOf(other, position)};
  };
  comparison.firstUnequal = element(tally.firstUnequal, operands.eager);
  comparison.firstMisplaced = element(tally.firstMisplaced, operands.reference);
  return comparison;
}

}  // namespace runtime
