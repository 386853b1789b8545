#include "lowering/heuristics/cpu/traffic.h"

#include <algorithm>
#include <bit>

#include "ir/index/ceil_div.h"
#include "lowering/heuristics/limits.h"

namespace lowering {

using ir::Expr;

namespace {

/// Traffic of one element, weighted by how long its arithmetic takes.
int64_t elementCost(const ir::Loops& loops, const IterationDomain& domain) {
  int64_t cost = 0;
  for (const Access& access : domain.stores()) cost += access.elementBytes;
  for (const Access& access : domain.loads()) cost += access.elementBytes;
  for (const Expr* node : ir::postorder(ir::storedValues(loops.stores))) {
    if (ir::isFunction(node->op)) cost += limits::cpu::functionBytes;
  }
  return cost;
}

}  // namespace

int cpuLanes(const ir::Loops& loops, const IterationDomain& domain, std::size_t dim, int64_t most, const ir::Target& target) {
  int64_t widest = 1;
  for (const std::vector<Access>* accesses : {&domain.loads(), &domain.stores()})
    for (const Access& access : *accesses)
      if (!domain.isUniform(access, dim))
        widest = std::max(widest, ir::sizeOf(ir::opmath(loops.buffers[static_cast<std::size_t>(access.buffer)].type.dtype)));
  for (const ir::StoreTo& store : loops.stores)
    for (const Expr* node : ir::postorder({store.value}))
      if (node->op == ir::Op::Reduce) widest = std::max(widest, ir::sizeOf(node->dtype));
  const int64_t lanes = std::min<int64_t>(target.vectorBytes, 2 * target.vectorBytes / widest);
  return static_cast<int>(std::min<int64_t>(lanes, static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(most)))));
}

int64_t cpuGrain(const ir::Loops& loops, const IterationDomain& domain, int64_t elements) {
  return std::max<int64_t>(1, limits::cpu::taskBytes / std::max<int64_t>(1, elements * elementCost(loops, domain)));
}

int64_t cpuPieces(const ir::Loops& loops, const IterationDomain& domain) {
  return ceilDiv(domain.numel() * elementCost(loops, domain), limits::cpu::taskBytes);
}

bool exceedsCaches(const ir::Loops& loops, const ir::Target& target) {
  int64_t bytes = 0;
  for (const ir::Buffer& buffer : loops.buffers) {
    if (buffer.isWritten && buffer.isRead && buffer.type.bytesTouched() > target.cacheBytes) return false;
    bytes += buffer.type.bytesTouched();
  }
  const int64_t ofL2 = limits::cpu::streamedCaches.of(target.cacheBytes) * target.processors;
  return bytes > (target.streamedBytes > 0 ? target.streamedBytes : ofL2);
}

}  // namespace lowering
