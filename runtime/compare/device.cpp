#include <ATen/ops/maximum.h>
#include <ATen/ops/scalar_tensor.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/where.h>

#include <limits>

#include "runtime/compare/tally.h"

namespace runtime {
namespace {

constexpr int64_t deviceChunk = int64_t{1} << 23;

at::Tensor sameNumber(const at::Tensor& a, const at::Tensor& b) { return a.eq(b).logical_or_(a.isnan().logical_and_(b.isnan())); }

at::Tensor isOtherZero(const at::Tensor& found, const at::Tensor& eager) {
  return found.eq(0).logical_and_(eager.eq(0)).logical_and_(found.signbit().ne(eager.signbit()));
}

/// The reference as the dtype would hold it, infinite from the threshold on but for its edge; results at the edge as numbers.
void settle(at::Tensor& found, at::Tensor& eager, at::Tensor& reference, const Overflow& overflow) {
  if (overflow.edge == 0) return;
  const at::Tensor isAtEdge = reference.abs().sub_(overflow.threshold).abs_().le(overflow.edge);
  const auto settled = [&](const at::Tensor& result) {
    return at::where(isAtEdge.logical_and(result.isinf()), result.sign().mul_(overflow.threshold), result);
  };
  found = settled(found);
  eager = settled(eager);
  const at::Tensor overflows = reference.abs().ge(overflow.threshold).logical_and_(isAtEdge.logical_not());
  reference = at::where(overflows, reference.sign().mul_(std::numeric_limits<double>::infinity()), reference);
}

at::Tensor count(const at::Tensor& mask) { return mask.sum().to(at::kDouble); }
at::Tensor firstOf(const at::Tensor& mask) { return mask.to(at::kByte).argmax().to(at::kDouble); }

/// Whether elements of two tensors of integers differ, whatever a double could tell apart.
at::Tensor unequalBits(const at::Tensor& found, const at::Tensor& eager) {
  return found.view(at::kLong).ne(eager.view(at::kLong));
}

/// |error| / scale, which is 1 + |reference|: infinite where not both are finite, but 0 where they are the same all the same.
at::Tensor relativeError(const at::Tensor& error, const at::Tensor& scale, const at::Tensor& areFinite,
                         const at::Tensor& areSame) {
  return error.abs()
      .div_(scale)
      .masked_fill_(areFinite.logical_not(), std::numeric_limits<double>::infinity())
      .masked_fill_(areSame, 0);
}

/// The fields of a Tally in the order of tallyOf, as one tensor on the device.
at::Tensor tallyDeviceChunk(const Operands& operands, int64_t begin, int64_t length) {
  const auto part = [&](const at::Tensor& tensor) { return tensor.narrow(0, begin, length); };
  const at::ScalarType type = operands.found.scalar_type();
  at::Tensor f = part(operands.found).to(at::kDouble);
  at::Tensor e = part(operands.eager).to(at::kDouble);
  at::Tensor r = part(operands.reference).to(at::kDouble);
  const at::Tensor isReached = r.isfinite();
  settle(f, e, r, overflowOf(operands));
  const at::Tensor finiteF = f.isfinite();
  const at::Tensor finiteE = e.isfinite();
  const at::Tensor finiteR = r.isfinite();
  const at::Tensor sameFE = sameNumber(f, e);
  const at::Tensor sameFR = sameNumber(f, r);
  const at::Tensor isLost = isReached.logical_and(finiteE.logical_not()).logical_and_(e.ne(r));
  const at::Tensor isKept = isLost.logical_not();
  const at::Tensor bothF = finiteF.logical_and(finiteR).logical_and_(isKept);
  const at::Tensor bothE = finiteE.logical_and(finiteR);

  const auto misplacedAgainst = [&](const at::Tensor& same, const at::Tensor& finite) {
    return at::where(finiteF, finite.logical_not(), same.logical_not());
  };
  const at::Tensor misplaced =
      misplacedAgainst(sameFR, finiteR).logical_and_(misplacedAgainst(sameFE, finiteE)).logical_and_(isKept);
  const at::Tensor errorF = f.sub(r).masked_fill_(bothF.logical_not(), 0);
  const at::Tensor errorE = e.sub(r).masked_fill_(bothE.logical_not(), 0);
  const at::Tensor maskedF = f.masked_fill(bothF.logical_not(), 0);
  const at::Tensor maskedR = r.masked_fill(bothF.logical_not(), 0);
  const at::Tensor otherZero = isOtherZero(f, e);
  const at::Tensor scale = r.masked_fill(finiteR.logical_not(), 0).abs().add_(1);
  const at::Tensor relative =
      at::maximum(relativeError(errorF, scale, bothF, sameFR.logical_or(isLost)), otherZero.to(at::kDouble).mul_(ofOtherZero));
  const at::Tensor relativeE = relativeError(errorE, scale, bothE, sameNumber(e, r).logical_or_(isLost));
  const at::Tensor farOff =
      operands.leastError == 0 ? relative : relative.masked_fill(f.sub(r).abs_().le(operands.leastError), 0);
  const at::Tensor worst = farOff.argmax();
  const bool isWide = type == at::kLong || type == at::kUInt64;
  const at::Tensor unequal =
      isWide ? unequalBits(part(operands.found), part(operands.eager)) : sameFE.logical_not().logical_or_(otherZero);
  const auto at = [&](const at::Tensor& tensor) { return tensor.index_select(0, worst.reshape({1})).squeeze(0); };
  return at::stack({count(unequal),
                    count(relative.le(operands.tolerance).logical_not()),
                    count(misplaced),
                    errorF.square().sum(),
                    errorE.square().sum(),
                    scale.reciprocal().masked_fill_(bothF.logical_not(), 0).sum(),
                    errorF.div(scale).square().sum(),
                    errorE.div(scale).square().sum(),
                    count(bothF),
                    count(bothE),
                    maskedF.mul(maskedR).sum(),
                    maskedF.square().sum(),
                    maskedR.square().sum(),
                    worst.to(at::kDouble),
                    at(farOff),
                    at(f),
                    at(r),
                    relativeE.max(),
                    maxUlp(part(operands.found), r),
                    firstOf(unequal),
                    firstOf(misplaced),
                    count(isLost)});
}

Tally tallyOf(const double* fields, int64_t begin) {
  Tally tally;
  tally.unequal = static_cast<int64_t>(fields[0]);
  tally.notClose = static_cast<int64_t>(fields[1]);
  tally.misplaced = static_cast<int64_t>(fields[2]);
  tally.squaresFound = fields[3];
  tally.squaresEager = fields[4];
  tally.shares = fields[5];
  tally.relativeFound = fields[6];
  tally.relativeEager = fields[7];
  tally.countFound = static_cast<int64_t>(fields[8]);
  tally.countEager = static_cast<int64_t>(fields[9]);
  tally.dot = fields[10];
  tally.normFound = fields[11];
  tally.normReference = fields[12];
  tally.worstError = fields[14];
  if (tally.worstError > 0) tally.worst = begin + static_cast<int64_t>(fields[13]);
  tally.worstFound = fields[15];
  tally.worstExpected = fields[16];
  tally.worstErrorEager = fields[17];
  tally.maxUlp = fields[18];
  tally.lost = static_cast<int64_t>(fields[21]);
  if (tally.unequal > 0) tally.firstUnequal = begin + static_cast<int64_t>(fields[19]);
  if (tally.misplaced > 0) tally.firstMisplaced = begin + static_cast<int64_t>(fields[20]);
  return tally;
}

}  // namespace

Tally tallyOnDevice(const Operands& operands) {
  const int64_t numel = operands.found.numel();
  std::vector<at::Tensor> parts;
  for (int64_t begin = 0; begin < numel; begin += deviceChunk) {
    parts.push_back(tallyDeviceChunk(operands, begin, std::min(deviceChunk, numel - begin)));
  }
  Tally whole;
  if (parts.empty()) return whole;
  const at::Tensor fields = at::stack(parts).to(at::kCPU);
  for (int64_t i = 0; i < fields.size(0); ++i) mergeTally(tallyOf(fields[i].const_data_ptr<double>(), i * deviceChunk), whole);
  return whole;
}

}  // namespace runtime
