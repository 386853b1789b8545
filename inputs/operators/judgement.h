#pragma once

#include <algorithm>
#include <map>
#include <set>

namespace inputs {

/// How results are judged.
enum class Rule {
  Close,     ///< within the tolerance of the dtype, or as near to the float64 reference as eager is
  Exact,     ///< bit for bit eager's value: operators that only move or convert values
  TypeOnly,  ///< dtype, sizes and strides: results are left unwritten, or random in ways that are not known
  Random,    ///< what a distribution says (opbench/check/randomness.h), and what follows from the numbers that were drawn
  Network,   ///< the root mean square error is about eager's, or a tenth of the tolerance: many roundings, in another order
};

/// The dimension that an index output's elements are indices in; always one of the call's first tensor.
enum class IndexKind {
  Dim,       ///< along the argument `dim`, or in the flattened tensor where there is none
  Distinct,  ///< the same, no index twice (sorting)
  Plane,     ///< in the last two dimensions, flattened (pooling)
  First,     ///< as Distinct, and which of equal values comes first is defined (argmax), unless the call is not to be `stable`
};

/// What results of an operator are right. dtypes that are not floating are Exact under any rule but TypeOnly.
struct Judgement {
  Rule rule = Rule::Close;
  std::map<int, IndexKind> indices = {};  ///< by output: the dimension that its elements are indices in
  bool mayReorder = false;                ///< without `sorted`, all outputs may come in another order along `dim`
  bool isCumulative = false;              ///< elements are combined from the elements before them along a dimension
  bool mayCopy = false;                   ///< an argument may be the right result
  bool mayBeConstant = false;             ///< one value for all elements may be
  std::set<int> copies = {};              ///< outputs of which an argument may be the right result, whatever the others are
  std::set<int> workspaces = {};          ///< tensors of the schema's results whose bytes nobody defines and nobody reads

  /// Whether the operator may put equal elements in any order.
  bool sortsInAnyOrder() const {
    return std::any_of(indices.begin(), indices.end(), [](const auto& index) { return index.second == IndexKind::Distinct; });
  }

  /// The judgement of operators that move, select or convert values.
  static Judgement ofMoves() { return {.rule = Rule::Exact, .mayCopy = true}; }
  /// The judgement of operators that set values.
  static Judgement ofConstants() { return {.rule = Rule::Exact, .mayCopy = true, .mayBeConstant = true}; }
};

}  // namespace inputs
