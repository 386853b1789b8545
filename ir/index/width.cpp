#include "ir/index/width.h"

#include <algorithm>

namespace ir {
namespace {

bool divides(Op op) { return op == Op::Div || op == Op::FloorDiv || op == Op::Mod || op == Op::Rem; }

/// Whether a division of these nodes is one of indices on CPUs: all are sums and products of values that are not negative.
bool areIndices(const std::vector<const Expr*>& nodes) {
  return std::all_of(nodes.begin(), nodes.end(), [](const Expr* node) {
    const bool isCount = node->op == Op::Axis || (node->op == Op::Const && node->dtype == DType::I64 && node->integer() >= 0);
    return isCount || node->op == Op::Add || node->op == Op::Mul || divides(node->op);
  });
}

bool isLoad(const Expr* node) { return node->op == Op::Load; }

bool compares64(const Expr* node) { return isPredicate(node->op) && node->src[0]->dtype == DType::I64; }

/// The I64 loads that arithmetic leads from to a root: not through its conditions, nor through other dtypes.
std::vector<const Expr*> loadedFor(const Expr* root) {
  std::vector<const Expr*> loads, stack{root};
  std::unordered_set<const Expr*> seen{root};
  while (!stack.empty()) {
    const Expr* node = stack.back();
    stack.pop_back();
    if (node->dtype != DType::I64) continue;
    if (isLoad(node)) loads.push_back(node);
    for (const Expr* operand : node->src)
      if (!isLoad(node) && seen.insert(operand).second) stack.push_back(operand);
  }
  return loads;
}

/// What the statements of a kernel are made of: the offsets that they store to, and all other expressions.
struct Roots {
  std::vector<const Expr*> offsets, others;

  explicit Roots(const Block& block) { add(block); }

 private:
  void add(const Block& block) {
    for (const Statement& one : block) std::visit([this](const auto& node) { statement(node); }, one.node);
  }
  void statement(const For& loop) { add(loop.body); }
  void statement(const If& branch) {
    others.push_back(branch.condition);
    add(branch.then);
    add(branch.otherwise);
  }
  void statement(const Lanes& lanes) {
    for (const Expr* one : {lanes.first, lanes.active})
      if (one != nullptr) others.push_back(one);
    for (const Store& store : lanes.stores) {
      offsets.push_back(store.offset);
      others.push_back(store.value);
    }
  }
  void statement(const AwaitCopies& await) {
    if (await.later != nullptr) others.push_back(await.later);
  }
  void statement(const Combine&) {}
  void statement(const Barrier&) {}
  void statement(const CommitCopies&) {}
};

/// Walks the statements, as far as the first wide index.
class WidthFinder {
 public:
  explicit WidthFinder(const Kernel& kernel) : kernel_(kernel), loaded_(kernel) {}

  void block(const Block& block, Bounds& bounds) {
    for (const Statement& one : block) std::visit([&](const auto& node) { statement(node, bounds); }, one.node);
  }

  std::optional<WideIndex> found;

 private:
  void statement(const For& loop, Bounds& bounds) {
    hold(loop.axis, {0, loop.axis->axis().extent});
    block(loop.body, bounds);
  }
  void statement(const If& branch, Bounds& bounds) {
    index(branch.condition, bounds);
    for (const bool holds : {true, false}) {
      Bounds inside = bounds.where(branch.condition, holds);
      block(holds ? branch.then : branch.otherwise, inside);
    }
  }
  void statement(const Lanes& lanes, Bounds& bounds) {
    lanes_ = lanes.axis->axis().extent;
    if (lanes.first != nullptr) index(lanes.first, bounds);
    if (lanes.active != nullptr) index(lanes.active, bounds);
    for (const Store& store : lanes.stores) {
      offset(store.offset, store.param, store.contiguous, bounds);
      value(store.value, bounds);
    }
  }
  void statement(const AwaitCopies& await, Bounds& bounds) {
    if (await.later != nullptr) index(await.later, bounds);
  }
  void statement(const Combine&, Bounds&) {}
  void statement(const Barrier&, Bounds&) {}
  void statement(const CommitCopies&, Bounds&) {}

  void hold(const Expr* index, const Range& range) {
    if (!found && !range.fits32()) found = {index, range};
  }

  /// The element of the last lane is an index too. An index that is loaded is one of the buffer's.
  void offset(const Expr* root, int buffer, bool isContiguous, Bounds& bounds) {
    for (const Expr* load : loadedFor(root)) {
      hold(root, {0, kernel_.buffer(buffer).type.storageElements()});
      bounds.assume(load, {INT32_MIN, INT32_MAX});
    }
    index(root, bounds, true);
    Range range = bounds.of(root);
    if (isContiguous && range.fits32()) range.most += lanes_ - 1;
    hold(root, range);
  }

  /// Integers and conditions below a root that is printed as an index; what is computed in other dtypes are values.
  void index(const Expr* root, Bounds& bounds, bool mayLoad = false) {
    std::vector<const Expr*> stack{root};
    std::unordered_set<const Expr*> seen{root};
    while (!stack.empty()) {
      const Expr* node = stack.back();
      stack.pop_back();
      if (node->dtype == DType::I64) hold(node, isLoad(node) && !mayLoad ? Range{} : bounds.of(node));
      const bool isIndex = node->dtype == DType::I64 || (node->dtype == DType::Bool && !comparesValues(node));
      if (!isIndex || node->op == Op::Load || node->op == Op::Cast) {
        value(node, bounds);
        continue;
      }
      for (const Expr* operand : node->src)
        if (seen.insert(operand).second) stack.push_back(operand);
    }
  }

  bool comparesValues(const Expr* node) const { return compares64(node) && !loaded_.areCompared(node); }

  /// A value has all of its bits, but for the offsets it is loaded from, and for divisions on CPUs.
  void value(const Expr* root, Bounds& bounds) {
    for (const Expr* node : postorder({root})) {
      if (isLoad(node)) offset(node->src[0], node->load().buffer, node->load().mode == LoadMode::Contiguous, bounds);
      if (node->op == Op::Philox && kernel_.backend == Backend::Cuda) index(node->src[2], bounds);
      const bool isDivision = node->dtype == DType::I64 && divides(node->op);
      if (kernel_.backend != Backend::Cpu || !isDivision || !areIndices(postorder({node}))) continue;
      for (const Expr* operand : node->src) hold(operand, bounds.of(operand));
    }
  }

  const Kernel& kernel_;
  const LoadedIndices loaded_;
  int64_t lanes_ = 1;
};

}  // namespace

LoadedIndices::LoadedIndices(const Kernel& kernel) {
  Roots roots(kernel.body);
  roots.others.insert(roots.others.end(), roots.offsets.begin(), roots.offsets.end());
  for (const Expr* load : ir::loadsIn(roots.others)) roots.offsets.push_back(load->src[0]);
  for (const Expr* offset : roots.offsets) {
    const std::vector<const Expr*> loads = loadedFor(offset);
    loads_.insert(loads.begin(), loads.end());
  }
}

bool LoadedIndices::areCompared(const Expr* comparison) const {
  return std::ranges::all_of(comparison->src, [this](const Expr* operand) {
    return std::ranges::all_of(loadedFor(operand), [this](const Expr* load) { return loads_.contains(load); });
  });
}

std::optional<WideIndex> findWideIndex(const Kernel& kernel) {
  WidthFinder finder(kernel);
  Bounds bounds;
  finder.block(kernel.body, bounds);
  return finder.found;
}

}  // namespace ir
