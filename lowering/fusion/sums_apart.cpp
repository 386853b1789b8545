#include "lowering/fusion/sums_apart.h"

namespace lowering {
namespace {

// For each value: to copy what is touched takes less than to copy all. An element by itself is a piece of memory of 32 bytes.
constexpr int64_t elementsOfFewValues = 8;
constexpr int64_t elementsOfFewRows = 2;

}  // namespace

SummedApart summedApart(const Tensor& first) {
  const Scatter& scatter = *first.scatter;
  if (!scatter.op || !ir::isLowPrecision(first.dtype)) return SummedApart::None;
  const int64_t values = numelOf(scatter.sizes);
  const int64_t few = numelOf(first.sizes) / (scatter.isOfRows ? elementsOfFewRows : elementsOfFewValues);
  if (values > few) return SummedApart::All;
  const bool rounds = scatter.op != ir::Op::Max && scatter.op != ir::Op::Min;
  return rounds && values > 1 && !scatter.mayRoundEach ? SummedApart::Touched : SummedApart::None;
}

}  // namespace lowering
