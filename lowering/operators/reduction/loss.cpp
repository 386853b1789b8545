#include "lowering/operators/reduction/loss.h"

namespace lowering {

Tensors reducedLoss(Context& c, const Tensor& losses) {
  const Dims all = everyDim(losses);
  switch (reductionOf(c)) {
    case Over::None: return asOutputs(c, {losses});
    case Over::Mean: return asOutputs(c, {squeeze(c, mean(c, losses, all), all)});
    case Over::Sum: return asOutputs(c, {squeeze(c, sum(c, losses, all), all)});
  }
  return {};
}

double shareOfLoss(const Context& c, int64_t losses) {
  return reductionOf(c) == Over::Mean ? 1.0 / static_cast<double>(losses) : 1.0;
}

}  // namespace lowering
