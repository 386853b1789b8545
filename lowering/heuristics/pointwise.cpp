#include "lowering/heuristics/pointwise.h"

#include <algorithm>

#include "lowering/heuristics/limits.h"

namespace lowering {
namespace {

template <typename Property>
bool storesAre(const IterationDomain& domain, Property property) {
  return std::all_of(domain.stores().begin(), domain.stores().end(), property);
}

void chooseVectors(PointwiseSchedule& schedule, const IterationDomain& domain, const ir::Target& target) {
  const ElementRange elements = contiguousElements(domain);
  // Of one tensor two vectors where element sizes are mixed.
  const auto widest = static_cast<int>(
      std::max<int64_t>(1, std::min(target.vectorBytes / elements.smallest, 2 * target.vectorBytes / elements.largest)));
  const bool oneDim = domain.dims().size() == 1;
  for (schedule.lanes = widest; schedule.lanes > 1; schedule.lanes /= 2) {
    const bool rows = oneDim || domain.inner().extent % schedule.lanes == 0;
    const auto isVector = [&](const Access& store) {
      return domain.isInnerContiguous(store) && domain.isAligned(store, schedule.lanes, domain.innermost());
    };
    if (rows && storesAre(domain, isVector)) return;
    schedule.isFlat = !oneDim && storesAre(domain, [&](const Access& store) { return domain.isFlat(store, schedule.lanes); });
    if (schedule.isFlat) return;
  }
}

/// Bytes a thread reads and writes, uniform reads left out.
int64_t threadBytes(const IterationDomain& domain, int lanes) {
  int64_t bytes = 0;
  for (const Access& access : domain.stores()) bytes += access.elementBytes * lanes;
  for (const Access& access : domain.loads()) bytes += domain.isInnerUniform(access) ? 0 : access.elementBytes * lanes;
  return bytes;
}

/// Whether much is stored, and what is read is the same along rows: such a thread's time is the wait for that.
bool waitsForLittle(const IterationDomain& domain) {
  const auto isUniform = [&](const Access& load) { return domain.isInnerUniform(load); };
  int64_t bytes = 0;
  for (const Access& store : domain.stores()) bytes += domain.numel() * store.elementBytes;
  return !domain.loads().empty() && std::all_of(domain.loads().begin(), domain.loads().end(), isUniform) &&
         bytes >= limits::pointwise::largeStoreBytes;
}

}  // namespace

PointwiseSchedule choosePointwiseSchedule(const IterationDomain& domain, const ir::Target& target) {
  PointwiseSchedule schedule;
  chooseVectors(schedule, domain, target);
  const bool isLittle = threadBytes(domain, schedule.lanes) * limits::gpu::usualBlock < limits::pointwise::leastCtaBytes;
  schedule.block = isLittle ? limits::pointwise::wideBlock : limits::gpu::usualBlock;
  if (waitsForLittle(domain)) {
    schedule.steps = limits::pointwise::broadcastVectors;
    schedule.block = limits::gpu::usualBlock;
  }
  return schedule;
}

}  // namespace lowering
