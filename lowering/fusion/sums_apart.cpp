#include "lowering/fusion/sums_apart.h"

namespace lowering {
namespace {

constexpr int64_t elementsOfFewValues = 8;  ///< for each value: to copy what is touched takes less than to copy all

}  // namespace

SummedApart summedApart(const Tensor& first) {
  const Scatter& scatter = *first.scatter;
  if (!scatter.op || !ir::isLowPrecision(first.dtype)) return SummedApart::None;
  const int64_t values = numelOf(scatter.sizes);
  if (values > numelOf(first.sizes) / elementsOfFewValues) return SummedApart::All;
  const bool rounds = scatter.op != ir::Op::Max && scatter.op != ir::Op::Min;
  return rounds && values > 1 && !scatter.mayRoundEach ? SummedApart::Touched : SummedApart::None;
}

}  // namespace lowering
