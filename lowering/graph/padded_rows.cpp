#include "lowering/graph/padded_rows.h"

#include <algorithm>
#include <array>
#include <memory>
#include <optional>

#include "lowering/graph/relayout.h"

namespace lowering {
namespace {

/// Bytes to a multiple of which rows have to begin for a product to read and write them in whole vectors.
constexpr int64_t vectorBytes = 16;
/// Bytes of a line of the cache: rows of many lines begin at one, so that kernels read whole ones.
constexpr int64_t lineBytes = 128;
/// Elements of the least matrix that is worth a gap.
constexpr int64_t leastElements = int64_t{1} << 18;
/// Multiplications and additions for each element from which a copy pays: on an H100 a product of 316 GFLOP takes 3.0 ms with
/// 50,257 columns and 0.46 with its rows in line, and a copy of these 206 M elements 0.5 ms; with 30,522 columns 0.81, 0.28 and
/// 0.3 ms.
constexpr int64_t leastReuse = 1024;

/// Rows of `old` elements that become rows of `now`.
class Rows : public Layout {
 public:
  Rows(int64_t old, int64_t now) : old_(old), now_(now) {}

  /// Nothing where a step leaves a row in its middle.
  std::optional<ir::GraphValue> place(const ir::GraphValue& value) const override {
    ir::GraphValue placed = value;
    ir::TensorType& type = placed.type;
    int64_t last = value.offset % old_;
    for (size_t dim = 0; dim < type.sizes.size(); ++dim) {
      if (type.sizes[dim] > 1) last += (type.sizes[dim] - 1) * (type.strides[dim] % old_);
      type.strides[dim] = moved(type.strides[dim]);
    }
    if (last >= old_) return std::nullopt;
    placed.offset = moved(value.offset);
    return placed;
  }

 private:
  int64_t moved(int64_t place) const { return place / old_ * now_ + place % old_; }

  int64_t old_;
  int64_t now_;
};

/// Rows with the gaps that products want behind them; null where a matrix needs none.
LayoutPtr gapsFor(const ir::TensorType& type) {
  const bool isHalf = type.dtype == ir::DType::F16 || type.dtype == ir::DType::BF16;
  if (!isHalf || type.sizes.size() < 2 || elementsOf(type) < leastElements) return nullptr;
  const int64_t size = ir::sizeOf(type.dtype), row = type.sizes.back(), bytes = row * size;
  if (bytes % vectorBytes == 0) return nullptr;
  const int64_t multiple = bytes >= 32 * lineBytes ? lineBytes : vectorBytes;
  return std::make_shared<Rows>(row, (bytes + multiple - 1) / multiple * multiple / size);
}

/// Multiplications and additions of a product.
int64_t operationsOf(const ir::Graph& graph, const ir::Node& product) {
  const char* name = product.find("batch1") != nullptr ? "batch1" : product.find("mat1") != nullptr ? "mat1" : "self";
  const ir::Argument* left = product.find(name);
  const auto* matrix = left == nullptr ? nullptr : left->as<ir::ValueRef>();
  if (matrix == nullptr) return 0;
  const auto typeOf = [&](int value) -> const ir::TensorType& { return graph.values[static_cast<size_t>(value)].type; };
  return 2 * elementsOf(typeOf(product.outputs.front())) * typeOf(matrix->index).sizes.back();
}

}  // namespace

bool isProduct(const ir::Node& node) {
  constexpr std::array products{"aten.mm.default", "aten.addmm.default", "aten.bmm.default", "aten.baddbmm.default"};
  return std::find(products.begin(), products.end(), node.op) != products.end();
}

ir::Graph withPaddedRows(const ir::Graph& graph, const std::function<bool(const ir::Node&)>& isGenerated, double least) {
  Relayout relayout(graph);
  const auto takes = [&](const ir::Node& node) { return isProduct(node) || isGenerated(node); };
  for (const auto& [memory, values] : relayout.memories()) {
    const std::optional<int> base = relayout.baseOf(memory);
    const LayoutPtr gaps = base ? gapsFor(relayout.valueOf(*base).type) : nullptr;
    if (gaps == nullptr || !relayout.fits(memory, *gaps)) continue;
    int64_t operations = 0;
    for (const int user : relayout.usersOf(memory)) {
      const int64_t some = isProduct(relayout.nodeOf(user)) ? operationsOf(graph, relayout.nodeOf(user)) : 0;
      if (static_cast<double>(some) >= least) operations += some;
    }
    const int64_t reuse = operations / elementsOf(relayout.valueOf(*base).type);
    if (reuse > 0 && relayout.isFree(memory, takes))
      relayout.change(memory, *gaps);
    else if (reuse >= leastReuse && relayout.isWrittenOnce(memory))
      relayout.copy(memory, gaps, isProduct);
  }
  return relayout.result();
}

}  // namespace lowering
