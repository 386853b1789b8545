#include "lowering/graph/joined_products.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "ir/index/ceil_div.h"
#include "ir/verify/verify.h"
#include "lowering/graph/product.h"
#include "lowering/graph/relayout.h"
#include "lowering/graph/rewritten.h"
#include "lowering/graph/rows.h"

namespace lowering {
namespace {

/// Rows and columns of a result that a multiprocessor computes, about; and the results of so many such tiles that leave some
/// multiprocessors of an H100 without work.
constexpr int64_t tile = 128, mostTiles = 128;
/// Rows of a product whose weights are read so often that it does not matter that they are copied before.
constexpr int64_t leastRows = 64;
/// Elements of weights from outside the graph, whose copy takes less time than a joined product saves: 1 of 3 us.
constexpr int64_t mostCopied = int64_t{1} << 20;
/// Columns that begin at the address of a vector.
constexpr int64_t vectorElements = 8;

/// A product that may be joined with others.
struct Part {
  int node = 0;
  Product product;
  int weight = 0;       ///< whose transposed is the right operand
  int64_t columns = 0;  ///< of the result
  int memory = 0;       ///< that is all of the result
};
using Parts = std::vector<Part>;

class ProductJoiner {
 public:
  ProductJoiner(const ir::Graph& graph, const std::function<bool(const ir::Node&)>& isGenerated)
      : graph_(graph), isGenerated_(isGenerated), relayout_(graph), rewritten_(graph) {}

  ir::Graph run() {
    find();
    if (joins_.empty()) return graph_;
    std::set<int> late;  // views of results that come behind the joined product
    for (const auto& [last, parts] : joins_)
      for (const int view : viewsBefore(last, parts)) late.insert(view);
    for (int i = 0; i < static_cast<int>(graph_.nodes.size()); ++i) {
      if (isJoined_.contains(i) || late.contains(i)) {
        if (const auto join = joins_.find(i); join != joins_.end()) add(join->first, join->second);
        continue;
      }
      addAsItIs(i);
    }
    ir::Graph graph = rewritten_.result();
    ir::verify(graph);
    return graph;
  }

 private:
  const ir::GraphValue& valueOf(int value) const { return relayout_.valueOf(value); }
  const ir::TensorType& typeOf(int value) const { return valueOf(value).type; }
  const DataFlow& flow() const { return relayout_.flow(); }

  /// Joins each product with the ones before it that have its left operand, as long as nobody has read their results.
  void find() {
    std::vector<Parts> open;
    for (int i = 0; i < static_cast<int>(graph_.nodes.size()); ++i) {
      std::optional<Part> part = partOf(i);
      if (!part) continue;
      const auto same =
          std::find_if(open.begin(), open.end(), [&](const Parts& parts) { return isSameOperand(parts.front(), *part); });
      if (same == open.end())
        open.push_back({*part});
      else if (std::none_of(same->begin(), same->end(), [&](const Part& one) { return isReadBefore(one, i); }))
        same->push_back(*part);
      else
        close(std::exchange(*same, {*part}));
    }
    for (Parts& parts : open) close(std::move(parts));
  }

  void close(Parts parts) {
    if (parts.size() < 2) return;
    for (const Part& part : parts) isJoined_.insert(part.node);
    const int last = parts.back().node;
    joins_.emplace(last, std::move(parts));
  }

  std::optional<Part> partOf(int number) const {
    const ir::Node& node = graph_.nodes[static_cast<size_t>(number)];
    if (node.op != "aten.mm.default" && node.op != "aten.addmm.default") return std::nullopt;
    const std::optional<Product> product = productOf(node);
    if (!product || product->alpha != 1 || product->beta != 1) return std::nullopt;
    const ir::TensorType &result = typeOf(product->result), &right = typeOf(product->right);
    const int64_t rows = result.sizes[0], columns = result.sizes[1];
    const bool isSmall = rows >= leastRows && ceilDiv(rows, tile) * ceilDiv(columns, tile) < mostTiles;
    const std::optional<int> weight = transposedOf(product->right, number);
    if (!ir::isHalf(result.dtype) || !isSmall || !weight || columns % vectorElements != 0) return std::nullopt;
    if (product->bias >= 0 && (typeOf(product->bias).sizes.size() != 1 || !typeOf(product->bias).isContiguous()))
      return std::nullopt;
    const bool isCopied = flow().outlives(flow().memoryOf(product->right));
    if (isCopied && right.numel() > mostCopied) return std::nullopt;
    for (const int value : {product->left, product->right, product->bias})
      if (value >= 0 && !relayout_.isWrittenOnce(flow().memoryOf(value))) return std::nullopt;
    const int memory = flow().memoryOf(product->result);
    if (relayout_.baseOf(memory) != product->result || !relayout_.fits(memory, Rows(columns, columns))) return std::nullopt;
    if (!relayout_.isFree(memory, [&](const ir::Node& user) { return takesColumns(user); })) return std::nullopt;
    return Part{number, *product, *weight, columns, memory};
  }

  /// The contiguous matrix that a value shows transposed, where it is there before a call.
  std::optional<int> transposedOf(int value, int call) const {
    const ir::GraphValue& one = valueOf(value);
    const auto type = ir::TensorType::contiguous(one.type.dtype, {one.type.sizes[1], one.type.sizes[0]});
    for (const int other : relayout_.memories().at(flow().memoryOf(value)))
      if (valueOf(other).type == type && valueOf(other).offset == one.offset && flow().makerOf(other) < call &&
          one.type.strides == std::vector<int64_t>{1, type.strides[0]})
        return other;
    return std::nullopt;
  }

  bool takesColumns(const ir::Node& node) const { return isGenerated_(node) || isContraction(node); }

  bool isSameOperand(const Part& a, const Part& b) const {
    const ir::GraphValue &left = valueOf(a.product.left), &other = valueOf(b.product.left);
    const auto phase = [&](const Part& part) { return graph_.nodes[static_cast<size_t>(part.node)].scope.phase; };
    return flow().memoryOf(a.product.left) == flow().memoryOf(b.product.left) && left.offset == other.offset &&
           left.type == other.type && (a.product.bias < 0) == (b.product.bias < 0) && phase(a) == phase(b);
  }

  /// Whether a call reads a product's result before another call.
  bool isReadBefore(const Part& part, int number) const {
    const std::vector<int>& users = flow().usersOf(part.memory);
    return std::any_of(users.begin(), users.end(), [&](int user) { return user != part.node && user < number; });
  }

  /// The views of results between the first product and the last one.
  std::vector<int> viewsBefore(int last, const Parts& parts) const {
    std::vector<int> views;
    for (int i = parts.front().node; i < last; ++i)
      for (const int value : graph_.nodes[static_cast<size_t>(i)].outputs)
        if (flow()[i].isView && isOf(parts, flow().memoryOf(value))) views.push_back(i);
    return views;
  }
  static bool isOf(const Parts& parts, int memory) {
    return std::any_of(parts.begin(), parts.end(), [&](const Part& part) { return part.memory == memory; });
  }

  void addAsItIs(int number) {
    rewritten_.add(graph_.nodes[static_cast<size_t>(number)]);
    rewritten_.endCall(number);
  }

  /// Adds the joined product in place of the last of its parts, and behind it the views of their results.
  void add(int last, const Parts& parts) {
    const ir::Scope scope = graph_.nodes[static_cast<size_t>(last)].scope;
    const int result = addProduct(last, parts);
    for (const Part& part : parts) rewritten_.endCall(part.node);
    int64_t before = 0;
    const int64_t all = rewritten_.valueOf(result).type.sizes[1];
    for (const Part& part : parts) {
      const Rows columns(part.columns, all);
      for (const int value : relayout_.memories().at(part.memory))
        rewritten_.place(value, result, *columns.place(valueOf(value)), before);
      rewritten_.add({"aten.slice.Tensor",
                      {{"self", ir::ValueRef{result}},
                       {"dim", int64_t{1}},
                       {"start", before},
                       {"end", before + part.columns},
                       {"step", int64_t{1}}},
                      {part.product.result},
                      {},
                      scope});
      before += part.columns;
    }
    for (const int view : viewsBefore(last, parts)) addAsItIs(view);
  }

  int addProduct(int last, const Parts& parts) {
    ir::Node call = graph_.nodes[static_cast<size_t>(last)];
    const Product& product = parts.back().product;
    const std::string& name = valueOf(product.result).name;
    std::vector<int> weights, biases;
    int64_t columns = 0;
    for (const Part& part : parts) {
      weights.push_back(part.weight);
      biases.push_back(part.product.bias);
      columns += part.columns;
    }
    const ir::TensorType &left = typeOf(product.left), &result = typeOf(product.result);
    const int right = transposed(joined(weights, name + "_weights", {columns, left.sizes[1]}, call.scope), call.scope);
    for (ir::NamedArgument& argument : call.args) {
      auto* value = std::get_if<ir::ValueRef>(&argument.value.data);
      if (value == nullptr) continue;
      if (value->index == product.right)
        value->index = right;
      else if (value->index == product.bias)
        value->index = joined(biases, name + "_biases", {columns}, call.scope);
    }
    const int made = rewritten_.newValue(name + "_joined", ir::TensorType::contiguous(result.dtype, {result.sizes[0], columns}));
    call.outputs = {made};
    rewritten_.add(std::move(call));
    return made;
  }

  int transposed(int value, const ir::Scope& scope) {
    const auto [known, isNew] = transposed_.try_emplace(value);
    if (!isNew) return known->second;
    const ir::GraphValue& one = rewritten_.valueOf(value);
    ir::TensorType type = one.type;
    std::swap(type.sizes[0], type.sizes[1]);
    std::swap(type.strides[0], type.strides[1]);
    known->second = rewritten_.partOf(value, one.name + "_t", std::move(type), 0);
    rewritten_.add({"aten.t.default", {{"self", ir::ValueRef{value}}}, {known->second}, {}, scope});
    return known->second;
  }

  /// The tensors one after another, made once for all products that have them.
  int joined(const std::vector<int>& values, std::string name, std::vector<int64_t> sizes, const ir::Scope& scope) {
    const auto [known, isNew] = concatenated_.try_emplace(values);
    if (!isNew) return known->second;
    const ir::DType dtype = typeOf(values.front()).dtype;
    known->second = rewritten_.newValue(std::move(name), ir::TensorType::contiguous(dtype, std::move(sizes)));
    ir::List tensors;
    for (const int value : values) tensors.items.push_back(ir::Argument{ir::ValueRef{value}});
    rewritten_.add({"aten.cat.default", {{"tensors", std::move(tensors)}, {"dim", int64_t{0}}}, {known->second}, {}, scope});
    return known->second;
  }

  const ir::Graph& graph_;
  const std::function<bool(const ir::Node&)>& isGenerated_;
  const Relayout relayout_;
  Rewritten rewritten_;
  std::map<int, Parts> joins_;                    ///< by the last of the products
  std::set<int> isJoined_;                        ///< nodes
  std::map<std::vector<int>, int> concatenated_;  ///< by what they are made of
  std::map<int, int> transposed_;
};

}  // namespace

ir::Graph withJoinedProducts(const ir::Graph& graph, const std::function<bool(const ir::Node&)>& isGenerated) {
  return ProductJoiner(graph, isGenerated).run();
}

}  // namespace lowering
