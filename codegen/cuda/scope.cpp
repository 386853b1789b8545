#include "codegen/cuda/scope.h"

#include <algorithm>
#include <map>
#include <ranges>

#include <fmt/format.h>

namespace codegen {
namespace {

using ir::Expr;
using ir::Op;

/// Operations that are written in place before a line gets a name instead.
constexpr int longestInPlace = 10;

bool isLeaf(const Expr* node) { return node->op == Op::Const || node->op == Op::Axis; }

}  // namespace

int accessBytes(const ir::Kernel& kernel, int buffer, int64_t lanes) {
  const bool isLocal = kernel.local(buffer) != nullptr;
  const int alignment = isLocal ? ir::cudaAlignment : kernel.params[static_cast<size_t>(buffer)].alignment;
  const int64_t bytes = lanes * ir::sizeOf(kernel.buffer(buffer).type.dtype);
  return static_cast<int>(std::min({int64_t{ir::cudaAlignment}, int64_t{alignment}, bytes & -bytes}));
}

bool CudaScope::isInPlace(const Expr* load) const {
  return isPrivate(*kernel_, load->load().buffer) && !copied_.contains(load->load().buffer);
}

/// The keys below some roots that are not bound yet, operands first, and how often each is used.
struct CudaScope::Walk {
  std::vector<Key> order;
  std::map<Key, int> uses;

  Walk(const CudaExpressions& expressions, const std::vector<Key>& roots) {
    std::vector<std::pair<Key, bool>> stack;
    for (const Key& root : roots) stack.push_back({root, false});
    std::reverse(stack.begin(), stack.end());
    while (!stack.empty()) {
      const auto [key, isDone] = stack.back();
      stack.pop_back();
      if (isDone) {
        order.push_back(key);
        continue;
      }
      if (expressions.isBound(key) || ++uses[key] > 1) continue;
      stack.push_back({key, true});
      const std::vector<Key> below = expressions.operandsOf(key);
      for (const auto& x : std::views::reverse(below)) stack.push_back({x, false});
    }
  }
};

void CudaScope::line(std::string_view text) {
  const bool isDirective = text.starts_with('#');
  if (!isDirective) text_.append(static_cast<size_t>(2 * depth_), ' ');
  text_ += text;
  text_ += '\n';
}

CudaScope CudaScope::enter() const {
  CudaScope inner = *this;
  inner.text_.clear();
  ++inner.depth_;
  return inner;
}

void CudaScope::absorb(const CudaScope& statement) {
  text_ = statement.text_;
  names_ = statement.names_;
}

std::string CudaScope::unique(const std::string& stem) {
  if (names_.insert(stem).second) return stem;
  for (int i = 1;; ++i)
    if (const std::string name = stem + std::to_string(i); names_.insert(name).second) return name;
}

std::string CudaScope::numbered(const std::string& stem) {
  for (int i = 0;; ++i)
    if (const std::string name = stem + std::to_string(i); names_.insert(name).second) return name;
}

void CudaScope::declare(const std::vector<Key>& roots, LaneForm form, const Expr* lane) {
  const Walk walk(expressions_, roots);
  std::map<Key, int> inPlace;  // operations that a key's text would hold
  for (const Key& key : walk.order) {
    if (isLeaf(key.node) || expressions_.isBound(key)) continue;
    if (key.node->op == Op::Load) {
      declareLoad(key.node, form, lane);
      continue;
    }
    int size = 1;
    for (const Key& operand : expressions_.operandsOf(key))
      if (!expressions_.isBound(operand)) size += inPlace[operand];
    if (walk.uses.at(key) > 1 || size > longestInPlace) {
      declareLocal(key);
    } else {
      inPlace[key] = size;
    }
  }
}

void CudaScope::hoist(const std::vector<Key>& keys) {
  declare(keys, LaneForm::Scalar, nullptr);
  for (const Key& key : keys)
    if (!expressions_.isBound(key)) declareLocal(key);
}

void CudaScope::declareLocal(const Key& key) {
  const bool isIndex = key.as == As::Index && key.node->dtype == ir::DType::I64;
  const std::string name = numbered(isIndex ? "o" : "t");
  line(fmt::format("const {} {} = {};", isIndex ? expressions_.indexType() : cudaType(key.node->dtype), name,
                   expressions_.print(key.node, key.as).text));
  expressions_.bind(key, {name});
}

void CudaScope::declareLoad(const Expr* load, LaneForm form, const Expr* lane) {
  const ir::LoadInfo& info = load->load();
  const Key key = expressions_.keyOf(load, As::Value);
  const bool isContiguous = info.mode == ir::LoadMode::Contiguous && form != LaneForm::Scalar;
  const auto element = [&] { return expressions_.loaded(load, isContiguous ? lane : nullptr); };
  if (isInPlace(load)) return expressions_.bind(key, element());
  const std::string name = unique(expressions_.buffer(info.buffer) + "_in");
  if (!isContiguous || form == LaneForm::Guarded) {
    line(fmt::format("const {} {} = {};", cudaType(load->dtype), name, element().text));
    return expressions_.bind(key, {name});
  }
  declareVector(name, load, lane->axis().extent);
  expressions_.bind(key, {fmt::format("{}[{}]", name, expressions_.index(lane))});
}

/// A vector that is read, all of it or under a mask that is the same for all lanes.
void CudaScope::declareVector(const std::string& name, const Expr* load, int64_t lanes) {
  const int buffer = load->load().buffer;
  const std::string read =
      fmt::format("load<{}, {}>({})", lanes, accessBytes(*kernel_, buffer, lanes), expressions_.address(buffer, load->src[0]));
  if (!load->isMasked()) return line(fmt::format("const auto {} = {};", name, read));
  CudaScope inner = enter();
  const std::string lane = inner.unique("lane");
  line(fmt::format("Vec<{}, {}> {};", cudaType(load->dtype), lanes, name));
  line("#pragma unroll");
  line(fmt::format("for (i32 {0} = 0; {0} < {1}; ++{0}) {2}[{0}] = {3};", lane, lanes, name, expressions_.value(load->src[2])));
  line(fmt::format("if ({}) {} = {};", expressions_.value(load->src[1]), name, read));
}

}  // namespace codegen
