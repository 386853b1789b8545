#include "inputs/operators/facts.h"

namespace inputs {
namespace {

/// A conversion to integers is undefined for NaN and for numbers that the integers cannot hold.
Domain converted(std::optional<ir::DType> to) {
  return {to && ir::isIntegral(*to) && *to != ir::DType::Bool ? ValueRange(Tame{}) : Plain{}};
}

constexpr std::string_view moving =
    "_reshape_alias _unsafe_view alias as_strided cat clone contiguous detach diagonal expand flip im2col lift_fresh_copy "
    "masked_fill narrow permute pixel_shuffle pixel_unshuffle reflection_pad1d reflection_pad2d repeat replication_pad2d roll "
    "select select_backward slice slice_backward split split_with_sizes squeeze stack t transpose unbind unfold unsqueeze view "
    "where";

}  // namespace

Family movementFacts() {
  static const OperatorFacts rows[] = {
      {"_to_copy", {{0, [](const Call& call) { return converted(call.dtype("dtype")); }}}, Judgement::ofMoves()},
      {"copy", {{1, [](const Call& call) { return converted(call.tensor(0).dtype); }}}, Judgement::ofMoves()},
      {.operators = moving, .judged = Judgement::ofMoves()},
      {.operators = "constant_pad_nd", .judged = Judgement::ofMoves(), .reads = {{"self", Reads::NoMoreThanOutputs}}},
      {.operators = "tril triu", .judged = Judgement::ofMoves(), .reads = {{"self", Reads::Half}}},
      {.operators = "reflection_pad1d_backward reflection_pad2d_backward", .reads = {{"self", Reads::Nothing}}},
      {.operators = "fill full full_like new_full new_ones new_zeros ones ones_like zero zeros zeros_like",
       .judged = Judgement::ofConstants()},
      {.operators = "copy_ fill_ full_like new_full new_ones new_zeros ones_like zero_ zeros_like",
       .reads = {{"self", Reads::Nothing}}},
      // Leave memory as it is.
      {.operators = "empty empty_like empty_strided new_empty new_empty_strided", .judged = {{Rule::TypeOnly}}},
  };
  return rows;
}

}  // namespace inputs
