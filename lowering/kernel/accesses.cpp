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
  /// `thread` is the axis of the loop over threads around all of it, where there is one.
  Collector(const ir::Kernel& kernel, const ir::Expr* thread) : kernel_(kernel), thread_(thread) {}

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
    read({branch.condition}, 1);
    conditions_.push_back(branch.condition);
    block(branch.then);
    conditions_.pop_back();
    block(branch.otherwise);
  }
  void add(const ir::Lanes& lanes) {
    std::vector<const ir::Expr*> roots;
    for (const ir::Expr* bound : {lanes.active, lanes.first})
      if (bound != nullptr) roots.push_back(bound);
    for (const ir::Store& store : lanes.stores) {
      roots.insert(roots.end(), {store.offset, store.value});
      if (isIn(ir::Space::Private, kernel_, store.param)) continue;
      touch(found.writes, store.param, store.offset, store.contiguous ? lanes.axis->axis().extent : 1);
      if (ir::copiedBytes(kernel_, lanes) > 0) {
        found.copies.insert(store.param);
        copies_.emplace(store.param, store.offset);
      }
      if (store.accumulate) touch(found.reads, store.param, store.offset, store.contiguous ? lanes.axis->axis().extent : 1);
    }
    read(roots, lanes.axis->axis().extent);
  }
  void add(const ir::AwaitCopies& await) {
    if (await.later != nullptr) read({await.later}, 1);
  }
  void add(const ir::Combine&) {}  // combines registers, and waits for its exchange itself
  void add(const ir::Barrier&) {}
  void add(const ir::CommitCopies&) {}

  void read(const std::vector<const ir::Expr*>& roots, int64_t lanes) {
    for (const ir::Expr* node : ir::postorder(roots)) {
      if (node->op != ir::Op::Load || isIn(ir::Space::Private, kernel_, node->load().buffer)) continue;
      touch(found.reads, node->load().buffer, node->src[0], node->load().mode == ir::LoadMode::Contiguous ? lanes : 1);
      loads_.insert(node);
    }
  }

  void touch(std::map<int, Owners>& accesses, int buffer, const ir::Expr* offset, int64_t lanes) {
    const bool isKnown = thread_ != nullptr && isIn(ir::Space::Shared, kernel_, buffer);
    const int64_t elements = kernel_.buffer(buffer).type.storageElements();
    const Owners owners = isKnown ? Owners::of(offset, lanes, conditions_, thread_, elements) : Owners();
    if (const auto [known, isNew] = accesses.try_emplace(buffer, owners); !isNew) known->second.add(owners);
  }

  const ir::Kernel& kernel_;
  const ir::Expr* thread_;
  std::vector<const ir::Expr*> conditions_;     ///< that hold
  std::multimap<int, const ir::Expr*> copies_;  ///< by buffer, where to
  std::set<const ir::Expr*> loads_;
};

}  // namespace

void Accesses::add(const Accesses& more) {
  const auto merge = [](std::map<int, Owners>& to, const std::map<int, Owners>& from) {
    for (const auto& [buffer, owners] : from)
      if (const auto [known, isNew] = to.try_emplace(buffer, owners); !isNew) known->second.add(owners);
  };
  merge(reads, more.reads);
  merge(writes, more.writes);
  copies.insert(more.copies.begin(), more.copies.end());
}

Accesses Accesses::betweenCtas(const ir::Kernel& kernel) const {
  Accesses kept = *this;
  for (std::map<int, Owners>* buffers : {&kept.reads, &kept.writes})
    std::erase_if(*buffers, [&](const auto& one) { return isIn(ir::Space::Shared, kernel, one.first); });
  return kept;
}

Accesses accessesOf(const ir::Kernel& kernel, const ir::Block& block) {
  Collector collector(kernel, nullptr);
  collector.block(block);
  return std::move(collector.found);
}

Accesses accessesOf(const ir::Kernel& kernel, const ir::For& threads) {
  Collector collector(kernel, threads.axis);
  collector.block(threads.body);
  for (int buffer : collector.readByOthers()) collector.found.copies.erase(buffer);
  return std::move(collector.found);
}

bool Unordered::conflictsWith(const Accesses& next) const {
  const auto meet = [](const std::map<int, Owners>& done, const auto& one) {
    const auto found = done.find(one.first);
    return found != done.end() && found->second.meet(one.second);
  };
  const auto wasWritten = [&](const auto& one) { return meet(done_.writes, one); };
  const auto overwrites = [&](const auto& one) {
    return meet(done_.reads, one) || (isLocal(*kernel_, one.first) && wasWritten(one));
  };
  return std::any_of(next.reads.begin(), next.reads.end(), wasWritten) ||
         std::any_of(next.writes.begin(), next.writes.end(), overwrites);
}

bool Unordered::isCopyingFor(const Accesses& next) const {
  const auto touches = [&](int buffer) { return next.reads.contains(buffer) || next.writes.contains(buffer); };
  return std::any_of(done_.copies.begin(), done_.copies.end(), touches);
}

}  // namespace lowering
