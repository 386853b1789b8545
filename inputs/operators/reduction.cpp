#include "inputs/operators/facts.h"

namespace inputs {
namespace {

Domain alongDimOfInput(const Call& call) { return below(call.sizeAlong(1, 3), call.tensor(2)); }

}  // namespace

Family reductionFacts() {
  static const OperatorFacts rows[] = {
      // The mean of infinite elements is infinite or NaN, as eager's vectors, threads and devices share them out.
      {"var std var_mean std_mean", {{0, Finite{}}}},
      {.operators = "sum mean prod max min any all norm var std median nanmedian", .combined = Combined::AllWithoutDim},
      {.operators = "argmax argmin argsort.stable", .judged = {{.indices = {{0, IndexKind::First}}}}},
      {.operators = "max.dim min.dim sort.stable", .judged = {{.indices = {{1, IndexKind::First}}}}},
      {.operators = "median.dim nanmedian.dim mode kthvalue cummax cummin", .judged = {{.indices = {{1, IndexKind::Dim}}}}},
      {.operators = "argsort", .judged = {{.indices = {{0, IndexKind::Distinct}}}}},
      {.operators = "sort", .judged = {{.indices = {{1, IndexKind::Distinct}}}}},
      {.operators = "topk", .judged = {{.indices = {{1, IndexKind::Distinct}}, .mayReorder = true}}},
      {.operators = "cumsum cumprod logcumsumexp", .judged = {{.isCumulative = true}}},
      {"cummaxmin_backward", {{2, alongDimOfInput}}},
  };
  return rows;
}

}  // namespace inputs
