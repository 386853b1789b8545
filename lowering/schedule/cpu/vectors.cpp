#include "lowering/schedule/cpu/vectors.h"

#include <algorithm>

#include "lowering/heuristics/limits.h"
#include "lowering/schedule/nest_kernel.h"

namespace lowering {
namespace {

using ir::LoopKind;

/// Whether all stores run along the inner dim and are, at every place, equally far from a multiple of so many elements.
bool areAlike(const IterationDomain& domain, ElementStores stores, int64_t elements) {
  const auto isLikeFirst = [&](const Access& store) {
    if (!domain.isInnerContiguous(store) || store.elementBytes != stores.front().elementBytes) return false;
    if ((store.form->constant - stores.front().form->constant) % elements != 0) return false;
    for (std::size_t d = 0; d < domain.innermost(); ++d)
      if ((domain.stride(store, d) - domain.stride(stores.front(), d)) % elements != 0) return false;
    return true;
  };
  return std::all_of(stores.begin(), stores.end(), isLikeFirst);
}

/// Elements to which stores of vectors of `lanes` are to be aligned: a register's, of the smallest of them.
int64_t alignmentOf(ElementStores stores, int lanes, const ir::Target& target) {
  int64_t elements = 1;
  for (const Access& store : stores)
    elements = std::max(elements, std::min<int64_t>(lanes, target.vectorBytes / store.elementBytes));
  return elements;
}

/// Whether stores are as much aligned wherever a position along `dim` is a multiple of `elements`.
bool areAligned(const IterationDomain& domain, ElementStores stores, int64_t elements, std::size_t dim) {
  return std::all_of(stores.begin(), stores.end(), [&](const Access& store) {
    return domain.isContiguous(store, dim) && domain.isAligned(store, static_cast<int>(elements), dim);
  });
}

/// Whether a masked vector at the start of `count` elements aligns the others, and is worth it.
bool canHaveHead(const IterationDomain& domain, ElementStores stores, int64_t count, int64_t elements, const ir::Target& target) {
  return target.vectorBytes >= limits::cpu::maskedVectorBytes && count >= limits::cpu::alignedRegisters * elements &&
         areAlike(domain, stores, elements);
}

}  // namespace

ir::Block CpuVectors::one(ir::Lanes lanes, const ir::Expr* active) const {
  lanes.active = active;
  ir::Block block;
  block.push_back({std::move(lanes)});
  return repeat ? loop(LoopKind::Serial, *repeat, std::move(block)) : block;
}

ir::Block CpuVectors::whole(Value start, int64_t vectors, const Use& use) const {
  const auto at = [&](Value number) { return start + number * lanes; };
  const auto axis = [&](int64_t extent) { return extent == 1 ? start.like(0) : Value{start.pool(), start.pool().axis(extent)}; };
  ir::Block block;
  const int64_t rounds = vectors / unroll;
  if (rounds > 0) {
    const Value round = axis(rounds), step = axis(unroll);
    ir::Block body = one(use(at(round * unroll + step), step), nullptr);
    append(block, loop(LoopKind::Serial, round, loop(LoopKind::Unrolled, step, std::move(body))));
  }
  for (int64_t rest = rounds * unroll; rest < vectors; ++rest)
    append(block, one(use(at(start.like(rest)), start.like(0)), nullptr));
  return block;
}

ir::Block CpuVectors::along(Value start, int64_t count, const std::optional<Head>& head, const Use& use) const {
  const Value zero = start.like(0);
  const int64_t vectors = (head ? count - head->most : count) / lanes;
  const Value first = head ? start + head->elements : start, rest = first + vectors * lanes;
  ir::Block block;
  if (head) append(block, one(use(start, zero), head->elements.expr()));
  append(block, whole(first, vectors, use));
  const int64_t left = count - vectors * lanes;  // of which the head may have been some
  for (int64_t done = 0; done < left; done += lanes) {
    const Value active = (head ? zero + left - head->elements : zero + left) - done;
    append(block, one(use(rest + done, zero), active.expr()));
  }
  return block;
}

bool areAligned(const IterationDomain& domain, ElementStores stores, std::size_t dim, int lanes, const ir::Target& target) {
  return areAligned(domain, stores, alignmentOf(stores, lanes, target), dim);
}

bool canAlign(const IterationDomain& domain, ElementStores stores, int64_t count, int lanes, const ir::Target& target) {
  return areAligned(domain, stores, domain.innermost(), lanes, target) ||
         canHaveHead(domain, stores, count, alignmentOf(stores, lanes, target), target);
}

std::optional<Head> headOf(ir::ExprPool& pool, const IterationDomain& domain, ElementStores stores, const Position& position,
                           int64_t count, int lanes, const ir::Target& target) {
  const int64_t elements = alignmentOf(stores, lanes, target);
  if (stores.empty() || areAligned(domain, stores, elements, domain.innermost())) return std::nullopt;
  if (!canHaveHead(domain, stores, count, elements, target)) return std::nullopt;
  const int64_t most = elements - 1;
  const Value offset{pool, domain.offset(stores.front(), position)};
  return Head{most - mod(offset + most, most + 1), elements - 1};
}

bool exceedsCaches(const ir::Loops& loops, const ir::Target& target) {
  int64_t bytes = 0;
  for (const ir::Buffer& buffer : loops.buffers) {
    if (buffer.isWritten && buffer.isRead && buffer.type.bytesTouched() > target.cacheBytes) return false;
    bytes += buffer.type.bytesTouched();
  }
  return bytes > target.cacheBytes * target.processors;
}

}  // namespace lowering
