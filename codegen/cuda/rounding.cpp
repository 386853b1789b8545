#include "codegen/cuda/rounding.h"

#include <optional>
#include <vector>

#include "ir/walk.h"

namespace codegen {
namespace {

using ir::Expr;

/// Follows values back from what is stored to what they are made of, through the kernel's own arrays.
class Rounded {
 public:
  explicit Rounded(const ir::Kernel& kernel) : kernel_(kernel) {}

  std::set<const Expr*> operator()() {
    do {
      grows_ = false;
      add(kernel_.body);
    } while (grows_);
    const std::vector<const Expr*> stored = ir::postorder({stored_.begin(), stored_.end()});
    std::set<const Expr*> rounded(stored.begin(), stored.end());
    std::erase_if(rounded, [this](const Expr* node) { return exact_.contains(node); });
    return rounded;
  }

 private:
  void add(const ir::Block& block) {
    for (const ir::Statement& statement : block) std::visit([this](const auto& node) { add(node); }, statement.node);
  }
  void add(const ir::For& node) { add(node.body); }
  void add(const ir::If& node) {
    add(node.condition);
    add(node.then);
    add(node.otherwise);
  }
  void add(const ir::Lanes& node) {
    for (const Expr* bound : {node.active, node.first})
      if (bound != nullptr) add(bound);
    for (const ir::Store& store : node.stores) {
      add(store.offset);
      stored_.insert(store.value);
      if (isExact(store.param)) add(store.value);
    }
  }
  /// The arrays of a combination hold the same sums, or parts of them: all of them are exact, or none is.
  void add(const ir::Combine& node) {
    for (const ir::Combine::Item& item : node.items) {
      const std::vector<std::optional<int>> arrays{item.local, item.before, item.partials};
      bool isAny = false;
      for (const std::optional<int>& array : arrays) isAny = isAny || (array && arrays_.contains(*array));
      for (const std::optional<int>& array : arrays)
        if (isAny && array) addArray(*array);
    }
  }
  void add(const ir::Barrier& /*node*/) {}
  void add(const ir::CommitCopies& /*node*/) {}
  void add(const ir::AwaitCopies& node) {
    if (node.later != nullptr) add(node.later);
  }

  void add(const Expr* root) {
    std::vector<const Expr*> left{root};
    while (!left.empty()) {
      const Expr* node = left.back();
      left.pop_back();
      if (!exact_.insert(node).second) continue;
      if (node->op == ir::Op::Load) addArray(node->load().buffer);
      const bool rounds = node->op == ir::Op::Cast && ir::isLowPrecision(node->dtype);
      if (!rounds) left.insert(left.end(), node->src.begin(), node->src.end());
    }
  }
  void addArray(int buffer) {
    if (kernel_.local(buffer) != nullptr && arrays_.insert(buffer).second) grows_ = true;
  }
  /// Whether a buffer's elements are stored as they are: parameters, and arrays from which such elements are made.
  bool isExact(int buffer) const { return kernel_.local(buffer) == nullptr || arrays_.contains(buffer); }

  const ir::Kernel& kernel_;
  std::set<const Expr*> stored_;  ///< all values
  std::set<const Expr*> exact_;
  std::set<int> arrays_;
  bool grows_ = false;
};

}  // namespace

std::set<const ir::Expr*> roundedNodes(const ir::Kernel& kernel) { return Rounded(kernel)(); }

}  // namespace codegen
