#include "lowering/analysis/mixed_order.h"

#include <algorithm>
#include <functional>

#include "ir/walk.h"

namespace lowering {
namespace {

using ir::Expr;

/// Loops whose buffers are those of `all`, found by the values that they stand for.
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

std::vector<Access> accessesOf(const MatrixNest& matrix) {
  std::vector<Access> all = matrix.domain.loads();
  all.insert(all.end(), matrix.domain.stores().begin(), matrix.domain.stores().end());
  return all;
}

/// As many columns as fill a vector of the narrowest elements, if all that runs along them is aligned so.
int chooseLanes(const std::vector<const MatrixNest*>& nests, const ir::Target& target) {
  int64_t narrowest = target.vectorBytes, widest = 1;
  std::vector<std::pair<const MatrixNest*, Access>> contiguous;
  for (const MatrixNest* matrix : nests) {
    for (const Access& access : accessesOf(*matrix)) {
      if (!access.form || access.isMasked()) return 0;
      const MatrixInput at = matrix->input(access);
      if (at.columnStride > 1 || at.columnStride < 0) return 0;
      if (at.columnStride == 0) continue;
      contiguous.emplace_back(matrix, access);
      if (at.rowStride == 0) continue;
      narrowest = std::min(narrowest, access.elementBytes);
      widest = std::max(widest, access.elementBytes);
    }
  }
  if (widest > 2 * narrowest) return 0;
  const auto lanes = static_cast<int>(target.vectorBytes / narrowest);
  const bool areAligned = std::all_of(contiguous.begin(), contiguous.end(), [&](const auto& one) {
    return one.first->domain.isAligned(one.second, lanes, 1 - one.first->rowDim);
  });
  return areAligned && nests.front()->columns() % lanes == 0 ? lanes : 0;
}

/// A nest over a matrix, along its rows or its columns.
std::optional<MatrixNest> matrixNest(const ReductionNest& nest, const IterationDomain& domain) {
  if (nest.scans || domain.dims().size() != 2 || domain.elementDims() != 1) return std::nullopt;
  const bool alongRows = domain.runsAlongElements();
  if (!alongRows && nest.traversals() > 1) return std::nullopt;
  return MatrixNest{nest, domain, alongRows ? std::size_t{0} : std::size_t{1}};
}

std::optional<MatrixNest> matrixNest(const ir::Loops& loops) {
  const std::optional<ReductionNest> nest = reductionNestOf(loops);
  return nest ? matrixNest(*nest, IterationDomain(loops, *nest)) : std::nullopt;
}

}  // namespace

MatrixInput MatrixNest::input(const Access& access) const {
  const ir::DType dtype = access.node == nullptr ? ir::DType::F32 : access.node->dtype;
  return {access.buffer, dtype, access.form->constant, domain.stride(access, rowDim), domain.stride(access, 1 - rowDim)};
}

int64_t MixedOrderReduction::sumBytes() const {
  int64_t bytes = 0;
  if (alongColumns)
    for (const Reduction& sum : alongColumns->nest.reductions) bytes += ir::sizeOf(sum.body->dtype);
  return bytes;
}

std::vector<MatrixInput> MixedOrderReduction::inputs() const {
  std::vector<MatrixInput> found;
  for (const auto* matrix : {&alongRows, &alongColumns}) {
    if (!*matrix) continue;
    for (const Access& access : (*matrix)->domain.loads()) {
      const MatrixInput input = (*matrix)->input(access);
      if (std::find(found.begin(), found.end(), input) == found.end()) found.push_back(input);
    }
  }
  return found;
}

std::optional<MixedOrderReduction> mixedOrderReductionOf(const ir::Loops& loops, const ReductionNest& nest,
                                                         const IterationDomain& domain, const ir::Target& target) {
  const std::optional<MatrixNest> matrix = matrixNest(nest, domain);
  if (!matrix) return std::nullopt;
  const int lanes = chooseLanes({&*matrix}, target);
  if (lanes == 0) return std::nullopt;
  MixedOrderReduction found{loops, {}, {}, lanes};
  found.loops.axes.clear();
  (matrix->rowDim == 0 ? found.alongRows : found.alongColumns) = matrix;
  return found;
}

std::optional<MixedOrderReduction> mixedOrderReductionOf(const std::pair<ir::Loops, ir::Loops>& both, const ir::Target& target) {
  const auto& [first, second] = both;
  if (first.pool != second.pool) return std::nullopt;
  const std::vector<ir::Buffer> buffers = unite(first, second);
  MixedOrderReduction found{{first.name, first.pool, buffers, {}, {}}, {}, {}, 1};
  for (const ir::Loops* loops : {&first, &second}) {
    const ir::Loops moved = renumber(*loops, buffers);
    const std::optional<MatrixNest> matrix = matrixNest(moved);
    if (!matrix) return std::nullopt;
    std::optional<MatrixNest>& place = matrix->rowDim == 0 ? found.alongRows : found.alongColumns;
    if (place) return std::nullopt;
    place = matrix;
    found.loops.stores.insert(found.loops.stores.end(), moved.stores.begin(), moved.stores.end());
  }
  const MatrixNest &rows = *found.alongRows, &columns = *found.alongColumns;
  // The columns' elements take a traversal of their own, which rows would have to wait for.
  if (!columns.nest.elementStores.empty()) return std::nullopt;
  if (rows.rows() != columns.rows() || rows.columns() != columns.columns()) return std::nullopt;
  found.lanes = chooseLanes({&rows, &columns}, target);
  return found.lanes == 0 ? std::nullopt : std::optional(found);
}

bool canAdd(const MixedOrderReduction& matrix) {
  if (!matrix.alongColumns) return false;
  const std::vector<Reduction>& sums = matrix.alongColumns->nest.reductions;
  return std::all_of(sums.begin(), sums.end(),
                     [](const Reduction& sum) { return sum.op == ir::Op::Add && sum.body->dtype == ir::DType::F32; });
}

}  // namespace lowering
