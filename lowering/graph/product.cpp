#include "lowering/graph/product.h"

#include <algorithm>
#include <iterator>
#include <string_view>

namespace lowering {
namespace {

/// An operator, and the names of its operands.
struct Operator {
  std::string_view name;
  const char* left;
  const char* right;
  bool hasBias;
};

constexpr Operator operators[] = {{"aten.mm.default", "self", "mat2", false},
                                  {"aten.addmm.default", "mat1", "mat2", true},
                                  {"aten.bmm.default", "self", "mat2", false},
                                  {"aten.baddbmm.default", "batch1", "batch2", true}};

double numberOf(const ir::Node& node, const char* name) {
  if (const auto* whole = node.find<int64_t>(name)) return static_cast<double>(*whole);
  const auto* number = node.find<double>(name);
  return number == nullptr ? 1 : *number;
}

}  // namespace

double Product::operations(const ir::Graph& graph) const {
  const auto typeOf = [&](int value) -> const ir::TensorType& { return graph.values[static_cast<size_t>(value)].type; };
  return 2.0 * static_cast<double>(typeOf(result).numel()) * static_cast<double>(typeOf(left).sizes.back());
}

std::optional<Product> productOf(const ir::Node& node) {
  const auto* found =
      std::find_if(std::begin(operators), std::end(operators), [&](const Operator& each) { return each.name == node.op; });
  if (found == std::end(operators)) return std::nullopt;
  const auto *left = node.find<ir::ValueRef>(found->left), *right = node.find<ir::ValueRef>(found->right);
  if (left == nullptr || right == nullptr) return std::nullopt;
  Product product{node.outputs.front(), left->index, right->index};
  if (!found->hasBias) return product;
  const auto* bias = node.find<ir::ValueRef>("self");
  if (bias == nullptr) return std::nullopt;
  product.bias = bias->index;
  product.alpha = numberOf(node, "alpha");
  product.beta = numberOf(node, "beta");
  return product;
}

bool isContraction(const ir::Node& node) { return productOf(node) || node.op.starts_with("aten._scaled_dot_product"); }

}  // namespace lowering
