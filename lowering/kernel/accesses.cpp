#include "lowering/kernel/accesses.h"

#include <algorithm>
#include <map>

#include "ir/walk.h"

namespace lowering {
namespace {

bool isLocal(const ir::Kernel& kernel, int buffer) { return buffer >= static_cast<int>(kernel.params.size()); }

bool isIn(ir::Space space, const ir::Kernel& kernel, int buffer) {
  return isLocal(kernel, buffer) && kernel.local(buffer)->space == space;
}

/// Adds up what statements access.
class Collector {
 public:
  explicit Collector(const ir::Kernel& kernel) : kernel_(kernel) {}

  void block(const ir::Block& block) {
    for (const ir::Statement& statement : block) std::visit([&](const auto& node) { add(node); }, statement.node);
  }
  Accesses found;

  /// Copied buffers that are read elsewhere than where the same thread copies to.
  std::set<int> readByOthers() const {
    std::set<int> buffers;
    for (const ir::Expr* load : loads_) {
      const auto [from, to] = copies_.equal_range(load->load().buffer);
      const bool isOwn = std::any_of(from, to, [&](const auto& copy) { return copy.second == load->src[0]; });
      if (from != to && !isOwn) buffers.insert(load->load().buffer);
    }
    return buffers;
  }

 private:
  void add(const ir::For& loop) { block(loop.body); }
  void add(const ir::If& branch) {
    read({branch.condition});
    block(branch.then);
    block(branch.otherwise);
  }
  void add(const ir::Lanes& lanes) {
    std::vector<const ir::Expr*> roots;
    for (const ir::Expr* bound : {lanes.active, lanes.first})
      if (bound != nullptr) roots.push_back(bound);
    for (const ir::Store& store : lanes.stores) {
      roots.insert(roots.end(), {store.offset, store.value});
      if (isIn(ir::Space::Private, kernel_, store.param)) continue;
      found.writes.insert(store.param);
      if (ir::copiedBytes(kernel_, lanes) > 0) {
        found.copies.insert(store.param);
        copies_.emplace(store.param, store.offset);
      }
      if (store.accumulate) found.reads.insert(store.param);
    }
    read(roots);
  }
  template <typename Statement>  // registers alone, or nothing
  void add(const Statement&) {}

  void read(const std::vector<const ir::Expr*>& roots) {
    for (const ir::Expr* node : ir::postorder(roots))
      if (node->op == ir::Op::Load && !isIn(ir::Space::Private, kernel_, node->load().buffer)) {
        found.reads.insert(node->load().buffer);
        loads_.insert(node);
      }
  }

  const ir::Kernel& kernel_;
  std::multimap<int, const ir::Expr*> copies_;  ///< by buffer, where to
  std::set<const ir::Expr*> loads_;
};

}  // namespace

void Accesses::add(const Accesses& more) {
  reads.insert(more.reads.begin(), more.reads.end());
  writes.insert(more.writes.begin(), more.writes.end());
  copies.insert(more.copies.begin(), more.copies.end());
}

Accesses Accesses::betweenCtas(const ir::Kernel& kernel) const {
  Accesses kept = *this;
  for (std::set<int>* buffers : {&kept.reads, &kept.writes})
    std::erase_if(*buffers, [&](int buffer) { return isIn(ir::Space::Shared, kernel, buffer); });
  return kept;
}

Accesses accessesOf(const ir::Kernel& kernel, const ir::Block& block) {
  Collector collector(kernel);
  collector.block(block);
  for (int buffer : collector.readByOthers()) collector.found.copies.erase(buffer);
  return collector.found;
}

bool Unordered::conflictsWith(const Accesses& next) const {
  const auto wasWritten = [&](int buffer) { return done_.writes.contains(buffer); };
  const auto overwrites = [&](int buffer) {
    return done_.reads.contains(buffer) || (isLocal(*kernel_, buffer) && wasWritten(buffer));
  };
  return std::any_of(next.reads.begin(), next.reads.end(), wasWritten) ||
         std::any_of(next.writes.begin(), next.writes.end(), overwrites);
}

}  // namespace lowering
