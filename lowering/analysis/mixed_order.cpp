#include "lowering/analysis/mixed_order.h"

#include <algorithm>
#include <functional>

#include "ir/walk.h"
#include "lowering/analysis/lane_mask.h"

namespace lowering {
namespace {

using ir::Expr;

/// Loops with the buffers of `all`, found by the values that they stand for.
ir::Loops renumber(const ir::Loops& loops, const std::vector<ir::Buffer>& all) {
  std::vector<int> numbers;
  for (const ir::Buffer& buffer : loops.buffers) {
    const auto same = [&](const ir::Buffer& other) { return other.value == buffer.value && other.name == buffer.name; };
    numbers.push_back(static_cast<int>(std::find_if(all.begin(), all.end(), same) - all.begin()));
  }
  const std::function<const Expr*(const Expr*)> moved = [&](const Expr* node) -> const Expr* {
    if (node->op != ir::Op::Load) return nullptr;
    const int buffer = numbers[static_cast<std::size_t>(node->load().buffer)];
    return ir::movedLoad(*loops.pool, node, buffer,
                         [&](const Expr* operand) { return ir::rewrite(*loops.pool, operand, moved); });
  };
  ir::Loops result{loops.name, loops.pool, all, loops.axes, {}};
  for (const ir::StoreTo& store : loops.stores) {
    result.stores.push_back({numbers[static_cast<std::size_t>(store.buffer)], ir::rewrite(*loops.pool, store.offset, moved),
                             ir::rewrite(*loops.pool, store.value, moved)});
  }
  return result;
}

/// The buffers of both loops, each once.
std::vector<ir::Buffer> unite(const ir::Loops& first, const ir::Loops& second) {
  std::vector<ir::Buffer> buffers = first.buffers;
  for (const ir::Buffer& buffer : second.buffers) {
    const auto isSame = [&](const ir::Buffer& other) { return other.value == buffer.value && other.name == buffer.name; };
    if (std::none_of(buffers.begin(), buffers.end(), isSame)) buffers.push_back(buffer);
  }
  return buffers;
}

/// Whether each vector of so many columns of a load is read as a whole or not at all.
bool isMaskedByVectors(ir::ExprPool& pool, const IterationDomain& domain, const Access& load, int lanes) {
  const Dim& columns = domain.dims()[domain.innermost()];
  return columns.axes.size() == 1 && isMaskedAlike(pool, load.node->src[1], load.node->src[2], columns.axes[0], lanes);
}

/// As many columns as fill a vector of the narrowest elements, if all that runs along them is aligned so.
int chooseLanes(ir::ExprPool& pool, const IterationDomain& domain, const ir::Target& target) {
  const std::size_t along = domain.innermost();
  std::vector<Access> all = domain.loads(), contiguous;
  all.insert(all.end(), domain.stores().begin(), domain.stores().end());
  int64_t narrowest = target.vectorBytes, widest = 1;
  for (const Access& access : all) {
    if (!access.form) return 0;
    const int64_t stride = domain.stride(access, along);
    if (stride > 1 || stride < 0) return 0;
    if (stride == 0 && domain.varies(access, domain.elementDims(), along + 1)) return 0;
    if (stride == 0) continue;
    contiguous.push_back(access);
    if (!domain.moves(access, 0, domain.elementDims())) continue;
    narrowest = std::min(narrowest, access.elementBytes);
    widest = std::max(widest, access.elementBytes);
  }
  if (widest > 2 * narrowest) return 0;
  const auto lanes = static_cast<int>(target.vectorBytes / narrowest);
  const auto fits = [&](const Access& access) {
    const bool isWhole = !domain.isMaskedAlong(access, along, along + 1) || isMaskedByVectors(pool, domain, access, lanes);
    return isWhole && domain.isAligned(access, lanes, along);
  };
  const bool areWhole = std::all_of(contiguous.begin(), contiguous.end(), fits);
  return areWhole && domain.dims()[along].extent % lanes == 0 ? lanes : 0;
}

/// One traversal of a matrix for two reductions: `rows`, along its rows, and `columns`, along its columns. `columns` has been
/// renamed to the axes of `rows`. None where the elements along a row are no vectors.
std::optional<MixedOrderReduction> matrixOf(ir::Loops loops, const ReductionNest& rows, const ReductionNest& columns,
                                            const ir::Target& target) {
  ReductionNest both = rows;
  both.reductions.insert(both.reductions.end(), columns.reductions.begin(), columns.reductions.end());
  for (const std::vector<ir::StoreTo>* stores : {&columns.elementStores, &columns.rowStores})
    both.elementStores.insert(both.elementStores.end(), stores->begin(), stores->end());
  IterationDomain domain(loops, both);
  const int lanes = domain.runsAlongElements() ? chooseLanes(*loops.pool, domain, target) : 0;
  if (lanes == 0) return std::nullopt;
  loops.axes.clear();
  return MixedOrderReduction{std::move(loops), rows, columns, std::move(domain), lanes};
}

/// A nest with other axes.
ReductionNest renamed(ir::ExprPool& pool, ReductionNest nest, const Renaming& names) {
  const auto move = [&](const Expr* expr) {
    return ir::rewrite(pool, expr, [&](const Expr* node) -> const Expr* {
      const auto name = names.find(node);
      return name == names.end() ? nullptr : name->second;
    });
  };
  for (std::vector<const Expr*>* axes : {&nest.kept, &nest.reduced})
    for (const Expr*& axis : *axes) axis = names.at(axis);
  for (Reduction& reduction : nest.reductions) reduction.body = move(reduction.body);
  for (std::vector<ir::StoreTo>* stores : {&nest.rowStores, &nest.elementStores})
    for (ir::StoreTo& store : *stores) store = {store.buffer, move(store.offset), move(store.value), store.accumulate};
  return nest;
}

std::vector<const Expr*> valuesOf(const ReductionNest& nest) {
  std::vector<const Expr*> values;
  for (const Reduction& reduction : nest.reductions) values.push_back(reduction.body);
  for (const std::vector<ir::StoreTo>* stores : {&nest.rowStores, &nest.elementStores})
    for (const ir::StoreTo& store : *stores) values.push_back(store.value);
  return values;
}

/// By axis of columns the axis of rows, as a load of both that moves along all of them says.
std::optional<Renaming> axesOf(const ReductionNest& columns, const ReductionNest& rows) {
  const auto areAll = [](const Renaming& names, const std::vector<const Expr*>& from, const std::vector<const Expr*>& to) {
    return from.size() == to.size() && std::all_of(from.begin(), from.end(), [&](const Expr* axis) {
             const auto name = names.find(axis);
             return name != names.end() && std::find(to.begin(), to.end(), name->second) != to.end();
           });
  };
  for (const Expr* own : ir::loadsIn(valuesOf(columns))) {
    for (const Expr* other : ir::loadsIn(valuesOf(rows))) {
      if (own->load().buffer != other->load().buffer) continue;
      const std::optional<ir::Affine> from = ir::affine(own->src[0]), to = ir::affine(other->src[0]);
      const std::optional<Renaming> names = from && to ? renaming(*from, *to) : std::nullopt;
      if (names && areAll(*names, columns.kept, rows.reduced) && areAll(*names, columns.reduced, rows.kept)) return names;
    }
  }
  return std::nullopt;
}

}  // namespace

bool isSame(const Access& a, const Access& b) {
  if (a.buffer != b.buffer || a.form->constant != b.form->constant || a.form->coefficients != b.form->coefficients) return false;
  return std::equal(a.node->src.begin() + 1, a.node->src.end(), b.node->src.begin() + 1, b.node->src.end());
}

int64_t MixedOrderReduction::sumBytes() const {
  int64_t bytes = 0;
  for (const Reduction& sum : alongColumns.reductions) bytes += ir::sizeOf(sum.body->dtype);
  return bytes;
}

MatrixInput MixedOrderReduction::input(const Access& access) const {
  const std::size_t end = domain.elementDims();
  return {&access, domain.varies(access, 0, end), domain.stride(access, domain.innermost()) == 1, false};
}

std::vector<MatrixInput> MixedOrderReduction::inputs() const {
  std::vector<const Expr*> values = valuesOf(alongRows);
  for (const Reduction& reduction : alongColumns.reductions) values.push_back(reduction.body);
  const std::vector<const Expr*> early = ir::loadsIn(values);
  std::vector<MatrixInput> found;
  for (const Access& access : domain.loads()) {
    const auto isKnown = [&](const MatrixInput& input) { return isSame(*input.access, access); };
    auto known = std::find_if(found.begin(), found.end(), isKnown);
    if (known == found.end()) known = found.insert(found.end(), input(access));
    known->isEarly |= std::find(early.begin(), early.end(), access.node) != early.end();
  }
  return found;
}

std::optional<MixedOrderReduction> mixedOrderReductionOf(const ir::Loops& loops, const ReductionNest& nest,
                                                         const IterationDomain& domain, const ir::Target& target) {
  if (nest.scans) return std::nullopt;
  if (domain.runsAlongElements()) return matrixOf(loops, nest, {}, target);
  if (nest.traversals() > 1) return std::nullopt;
  ReductionNest rows, columns = nest;
  rows.kept = nest.reduced;
  rows.reduced = nest.kept;
  columns.elementStores.clear();
  for (const ir::StoreTo& store : nest.elementStores)
    (nest.traversalOf(store.value) == 0 ? rows : columns).elementStores.push_back(store);
  return matrixOf(loops, rows, columns, target);
}

std::optional<MixedOrderReduction> mixedOrderReductionOf(const std::pair<ir::Loops, ir::Loops>& both, const ir::Target& target) {
  const auto& [first, second] = both;
  if (first.pool != second.pool) return std::nullopt;
  const std::vector<ir::Buffer> buffers = unite(first, second);
  ir::Loops loops{first.name, first.pool, buffers, {}, {}};
  std::optional<ReductionNest> rows, columns;
  for (const ir::Loops* one : {&first, &second}) {
    const ir::Loops moved = renumber(*one, buffers);
    const std::optional<ReductionNest> nest = reductionNestOf(moved);
    if (!nest || nest->scans) return std::nullopt;
    std::optional<ReductionNest>& place = IterationDomain(moved, *nest).runsAlongElements() ? rows : columns;
    if (place) return std::nullopt;
    place = nest;
    loops.stores.insert(loops.stores.end(), moved.stores.begin(), moved.stores.end());
  }
  // The columns' elements take a traversal of their own, which rows would have to wait for.
  if (columns->traversals() > 1 || !columns->elementStores.empty()) return std::nullopt;
  const std::optional<Renaming> names = axesOf(*columns, *rows);
  if (!names) return std::nullopt;
  return matrixOf(std::move(loops), *rows, renamed(*first.pool, *columns, *names), target);
}

bool canAdd(const MixedOrderReduction& matrix) {
  const std::vector<Reduction>& sums = matrix.alongColumns.reductions;
  return !sums.empty() && std::all_of(sums.begin(), sums.end(), [](const Reduction& sum) {
    return sum.op == ir::Op::Add && sum.body->dtype == ir::DType::F32;
  });
}

}  // namespace lowering
