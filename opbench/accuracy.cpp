#include "opbench/accuracy.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

namespace opbench {
namespace {

using runtime::Comparison;

// clang-format off
/// Operators that only move, select, convert or set values, whatever their overload; in-place forms included.
constexpr std::string_view copies[] = {
    "_reshape_alias", "_to_copy", "_unsafe_view", "alias", "as_strided", "cat", "clone", "constant_pad_nd", "contiguous", "copy",
    "detach", "diagonal", "embedding", "expand", "fill", "flip", "full", "full_like", "gather", "im2col", "index", "index_select",
    "lift_fresh_copy", "masked_fill", "masked_select", "narrow", "new_full", "new_ones", "new_zeros", "ones", "ones_like", "permute",
    "pixel_shuffle", "pixel_unshuffle", "reflection_pad1d", "reflection_pad2d", "repeat", "replication_pad2d", "roll", "select",
    "select_backward", "slice", "slice_backward", "split", "split_with_sizes", "squeeze", "stack", "t", "transpose", "tril", "triu",
    "unbind", "unfold", "unsqueeze", "view", "where", "zero", "zeros", "zeros_like"};

/// Operators whose results differ from one call to the next.
constexpr std::string_view unrepeatable[] = {
    "bernoulli", "dropout", "empty", "empty_like", "empty_strided", "exponential", "multinomial", "native_dropout", "new_empty",
    "new_empty_strided", "normal", "rand", "rand_like", "randint", "randn", "randn_like", "random", "randperm", "rrelu_with_noise",
    "uniform"};
// clang-format on

/// `index_select` of `aten.index_select.default`, `copy` of `aten.copy_.default`.
std::string_view packetOf(std::string_view op) {
  if (op.starts_with("aten.")) op.remove_prefix(5);
  op = op.substr(0, op.find('.'));
  if (op.size() > 1 && op.ends_with('_')) op.remove_suffix(1);
  return op;
}

bool contains(const auto& names, std::string_view name) {
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

std::string place(const Comparison& c) {
  return c.worst.empty() ? "the only element" : fmt::format("[{}]", fmt::join(c.worst, ", "));
}

/// `output 1 is wrong at [3, 17]: found 1.25, expected 1.5`.
std::string where(const Comparison& c, int output) {
  return fmt::format("output {} is wrong at {}: found {}, expected {}", output, place(c), c.worstFound, c.worstExpected);
}

Verdict wrong(std::string message) { return {false, std::move(message)}; }

Verdict judgeType(const Comparison& c, int output) {
  if (c.sameType) return {};
  return wrong(fmt::format("output {} is {} where eager's is {}", output, toText(c.found), toText(c.expected)));
}

Verdict judgeExact(const Comparison& c, int output) {
  if (c.unequal == 0) return {};
  return wrong(fmt::format("{}; {} of {} elements differ, which must be equal", where(c, output), c.unequal, c.numel));
}

/// How many times eager's error a result's may be.
double errorFactor(const Comparison& c) {
  constexpr int64_t small = 1000;
  return ir::isLowPrecision(c.expected.dtype) || c.numel < small ? 3 : 2;
}

bool isNearReference(const Comparison& c, double extra) { return c.rmseFound <= errorFactor(c) * c.rmseEager + extra; }

/// Whether values within the absolute tolerance are the right ones all the same: zeros for gradients of 1e-6 are not.
bool hasDirection(const Comparison& c) {
  constexpr double aligned = 0.99;
  return c.unequal == 0 || !std::isfinite(c.cosine) || c.cosine >= aligned || isNearReference(c, 0);
}

Verdict judgeClose(const Comparison& c, int output) {
  const double limit = tolerance(c.expected.dtype, c.hasReference);
  if (c.misplaced > 0)
    return wrong(
        fmt::format("{}; {} of {} elements are NaN or infinite on one side only", where(c, output), c.misplaced, c.numel));
  if (c.allClose) {
    if (hasDirection(c)) return {};
    return wrong(
        fmt::format("{}; close only in absolute terms: the cosine to the reference is {:.4f}", where(c, output), c.cosine));
  }
  if (c.hasReference && isNearReference(c, limit / 10)) return {};
  return wrong(fmt::format("{}; root mean square error {:.3g}, eager's {:.3g}, tolerance {:g}", where(c, output), c.rmseFound,
                           c.rmseEager, limit));
}

}  // namespace

Rule ruleFor(const std::string& op) {
  const std::string_view packet = packetOf(op);
  if (contains(unrepeatable, packet)) return Rule::TypeOnly;
  return contains(copies, packet) ? Rule::Exact : Rule::Close;
}

double tolerance(ir::DType dtype, bool hasReference) {
  const auto ofDtype = [dtype] {
    switch (dtype) {
      case ir::DType::F8E4M3: return 0.07;  // half a unit in the last place is 1/16
      case ir::DType::F8E5M2: return 0.13;  // and 1/8
      case ir::DType::BF16: return 1e-2;
      case ir::DType::F16:
      case ir::DType::C32: return 1e-3;
      case ir::DType::F32:
      case ir::DType::C64: return 1e-4;
      case ir::DType::F64:
      case ir::DType::C128: return 1e-7;
      case ir::DType::Bool:
      case ir::DType::U8:
      case ir::DType::I8:
      case ir::DType::U16:
      case ir::DType::I16:
      case ir::DType::U32:
      case ir::DType::I32:
      case ir::DType::U64:
      case ir::DType::I64: return 0.0;
    }
    return 0.0;
  };
  return hasReference ? ofDtype() : 2 * ofDtype();
}

Verdict judge(const Comparison& comparison, Rule rule, int output) {
  if (Verdict verdict = judgeType(comparison, output); !verdict.ok) return verdict;
  const ir::DType dtype = comparison.expected.dtype;
  const bool isReal = ir::isFloating(dtype) || ir::isComplex(dtype);
  switch (rule) {
    case Rule::TypeOnly: return {};
    case Rule::Exact: return judgeExact(comparison, output);
    case Rule::Close: return isReal ? judgeClose(comparison, output) : judgeExact(comparison, output);
  }
  return {};
}

}  // namespace opbench
