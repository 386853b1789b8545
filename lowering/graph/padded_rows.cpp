#include "lowering/graph/padded_rows.h"

#include <memory>
#include <optional>

#include "lowering/graph/biases.h"
#include "lowering/graph/relayout.h"
#include "lowering/graph/rows.h"

namespace lowering {
namespace {

/// Bytes of a vector: products read and write rows in vectors where each row begins at a multiple of it.
constexpr int64_t vectorBytes = 16;
/// Bytes of a line of the cache: rows of many lines begin at one, so that kernels read whole ones.
constexpr int64_t lineBytes = 128;
/// Elements of the least matrix that is worth a gap.
constexpr int64_t leastElements = int64_t{1} << 18;
/// Multiplications and additions for each element from which a copy pays: on an H100 a product of 316 GFLOP takes 3.0 ms with
/// 50,257 columns and 0.46 with its rows in line, and a copy of these 206 M elements 0.5 ms; with 30,522 columns 0.81, 0.28 and
/// 0.3 ms.
constexpr double leastReuse = 1024;

/// Rows with the gaps that products want behind them; null where a matrix needs none.
MemoryLayoutPtr gapsFor(const ir::TensorType& type) {
  if (!ir::isHalf(type.dtype) || type.sizes.size() < 2 || type.numel() < leastElements) return nullptr;
  const int64_t size = ir::sizeOf(type.dtype), row = type.sizes.back(), bytes = row * size;
  if (bytes % vectorBytes == 0) return nullptr;
  const int64_t multiple = bytes >= 32 * lineBytes ? lineBytes : vectorBytes;
  return std::make_shared<Rows>(row, (bytes + multiple - 1) / multiple * multiple / size);
}

/// Products of at least so many operations whose rows get gaps, without the biases that are added to them: only generated kernels
/// see the rows without their gaps then. ATen would write the bias to all rows of such a matrix first: on an H100 0.27 ms of 0.7
/// for 4,096 rows of 30,522 halves.
ir::Graph withSumsApart(const ir::Graph& graph, const std::function<bool(const ir::Node&)>& isGenerated, double least) {
  const auto typeOf = [&](int value) -> const ir::TensorType& { return graph.values[static_cast<size_t>(value)].type; };
  const auto isWorthIt = [&](const Product& product) {
    const double operations = product.operations(graph);
    const ir::TensorType& type = typeOf(product.result);
    return operations >= least && operations >= leastReuse * static_cast<double>(type.numel()) && gapsFor(type) != nullptr;
  };
  return withBiasesApart(graph, isGenerated, [&](const ir::Node& node) -> std::optional<WithoutBias> {
    const std::optional<Product> product = productOf(node);
    const bool isSum = node.op == "aten.addmm.default" && product && product->alpha == 1 && product->beta == 1 &&
                       typeOf(product->bias).sizes.size() == 1 && isWorthIt(*product);
    if (!isSum) return std::nullopt;
    ir::Node call{
        "aten.mm.default", {{"self", ir::ValueRef{product->left}}, {"mat2", ir::ValueRef{product->right}}}, {}, {}, node.scope};
    return WithoutBias{std::move(call), product->bias, typeOf(product->bias).sizes};
  });
}

}  // namespace

ir::Graph withPaddedRows(const ir::Graph& captured, const std::function<bool(const ir::Node&)>& isGenerated, double least) {
  const ir::Graph graph = withSumsApart(captured, isGenerated, least);
  Relayout relayout(graph);
  const auto isProduct = [](const ir::Node& node) { return productOf(node).has_value(); };
  const auto takes = [&](const ir::Node& node) { return isProduct(node) || isGenerated(node); };
  for (const auto& [memory, values] : relayout.memories()) {
    const std::optional<int> base = relayout.baseOf(memory);
    const MemoryLayoutPtr gaps = base ? gapsFor(relayout.valueOf(*base).type) : nullptr;
    if (gaps == nullptr || !relayout.fits(memory, *gaps)) continue;
    double operations = 0;  // of the products that are worth it
    for (const int user : relayout.usersOf(memory)) {
      const std::optional<Product> product = productOf(relayout.nodeOf(user));
      const double some = product ? product->operations(graph) : 0;
      if (some >= least) operations += some;
    }
    const double reuse = operations / static_cast<double>(relayout.valueOf(*base).type.numel());
    if (reuse > 0 && relayout.isFree(memory, takes))
      relayout.change(memory, *gaps);
    else if (reuse >= leastReuse && relayout.isWrittenOnce(memory))
      relayout.copy(memory, gaps, isProduct);
  }
  return relayout.result();
}

}  // namespace lowering
