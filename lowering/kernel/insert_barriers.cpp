#include "lowering/kernel/insert_barriers.h"

#include <algorithm>
#include <map>
#include <utility>
#include <variant>
#include <vector>

#include "ir/error.h"
#include "ir/index/ceil_div.h"
#include "lowering/kernel/accesses.h"
#include "lowering/kernel/copy_groups.h"
#include "lowering/kernel/statements.h"

namespace lowering {
namespace {

using ir::Barrier;
using ir::Combine;
using ir::LoopKind;

/// Whether a block has a combination of several CTAs.
bool spansCtas(const ir::Block& block) {
  return std::any_of(block.begin(), block.end(), [](const ir::Statement& statement) {
    if (const auto* combine = std::get_if<Combine>(&statement.node)) return combine->ctas > 1;
    if (const auto* loop = std::get_if<ir::For>(&statement.node)) return spansCtas(loop->body);
    const auto* branch = std::get_if<ir::If>(&statement.node);
    return branch != nullptr && (spansCtas(branch->then) || spansCtas(branch->otherwise));
  });
}

void eraseCommits(ir::Block& block) {
  std::erase_if(block, [](const ir::Statement& statement) { return std::holds_alternative<ir::CommitCopies>(statement.node); });
  for (ir::Statement& statement : block) {
    if (auto* loop = std::get_if<ir::For>(&statement.node)) eraseCommits(loop->body);
    if (auto* branch = std::get_if<ir::If>(&statement.node)) {
      eraseCommits(branch->then);
      eraseCommits(branch->otherwise);
    }
  }
}

/// The kinds of a block's statements, in order, and the scopes of its barriers: two blocks that are made of the same statements
/// have the same form where threads wait at the same places.
void addForm(const ir::Block& block, std::vector<int>& form) {
  constexpr int end = -1, firstScope = std::variant_size_v<decltype(ir::Statement::node)>;
  for (const ir::Statement& statement : block) {
    form.push_back(static_cast<int>(statement.node.index()));
    if (const auto* barrier = std::get_if<Barrier>(&statement.node))
      form.push_back(firstScope + static_cast<int>(barrier->scope));
    if (const auto* loop = std::get_if<ir::For>(&statement.node)) addForm(loop->body, form);
    if (const auto* branch = std::get_if<ir::If>(&statement.node)) {
      addForm(branch->then, form);
      addForm(branch->otherwise, form);
    }
  }
  form.push_back(end);
}
std::vector<int> formOf(const ir::Block& block) {
  std::vector<int> form;
  addForm(block, form);
  return form;
}

/// Goes through the statements of a kernel in order, and knows what has been done since a barrier.
class BarrierInserter {
 public:
  explicit BarrierInserter(ir::Kernel& kernel) : kernel_(kernel), done_{Unordered(kernel), Unordered(kernel)}, groups_(kernel) {}

  ir::Block body(const ir::Block& statements);

 private:
  /// What threads have done since they last waited for the others of their CTA, or of their cluster.
  struct Done {
    Unordered inCta, inCluster;
    bool operator==(const Done&) const = default;
    void add(const Done& other) {
      inCta.add(other.inCta);
      inCluster.add(other.inCluster);
    }
  };

  ir::Block block(const ir::Block& statements);
  void add(const ir::For& loop, ir::Block& to);
  void add(const ir::If& branch, ir::Block& to);
  void add(const ir::Lanes& lanes, ir::Block& to);
  void add(const Combine& combine, ir::Block& to);
  [[noreturn]] void add(const Barrier&, ir::Block&) { refuseWaits(); }
  [[noreturn]] void add(const ir::CommitCopies&, ir::Block&) { refuseWaits(); }
  [[noreturn]] void add(const ir::AwaitCopies&, ir::Block&) { refuseWaits(); }
  [[noreturn]] void refuseWaits() const {
    ir::fail(ir::ErrorKind::Internal, "a barrier in {}, whose barriers are implied", kernel_.name);
  }

  ir::Block grid(const ir::For& loop);
  ir::Block ofThreads(const ir::For& loop, Accesses& accesses);
  ir::Block repeated(const ir::For& loop);
  ir::Block branchOf(const ir::Block& statements, const ir::Expr* condition);
  ir::Block serialOfThread(const ir::For& loop);
  void exchange(Combine combine, const std::vector<int>& partials, ir::Block& to);
  const std::vector<int>& partialsOf(const Combine& combine);
  int addPartials(const Combine& combine, const Combine::Item& item, ir::Space space);

  void awaitPeers(const ir::Block& before, ir::Block& to);
  void waitBefore(const Accesses& next, Barrier::Scope scope, ir::Block& to);
  void awaitCopies(ir::Block& to);
  void pass(Barrier::Scope scope, ir::Block& to);

  ir::Kernel& kernel_;
  Done done_;
  std::set<int> copied_;  ///< Accesses::copies of the loop over threads at hand
  CopyGroups groups_;     ///< its copies
  bool isInThreads_ = false;
  bool hasAwaitedPeers_ = false;
  std::map<const Combine*, std::vector<int>> partials_;
};

ir::Block BarrierInserter::body(const ir::Block& statements) {
  ir::Block made;
  for (auto statement = statements.begin(); statement != statements.end(); ++statement) {
    std::visit([&](const auto& node) { add(node, made); }, statement->node);
    const auto next = statement + 1;
    if (!ir::isGridLoop(*statement) || next == statements.end()) continue;
    if (done_.inCta.isCopying()) awaitCopies(std::get<ir::For>(made.back().node).body);
    pass(ir::isGridLoop(*next) ? Barrier::Scope::Grid : Barrier::Scope::LastCta, made);
  }
  return made;
}

ir::Block BarrierInserter::block(const ir::Block& statements) {
  ir::Block made;
  for (const ir::Statement& statement : statements) {
    if (groups_.isNeeded(statement)) made.push_back({groups_.await()});
    std::visit([&](const auto& node) { add(node, made); }, statement.node);
  }
  return made;
}

void BarrierInserter::add(const ir::For& loop, ir::Block& to) {
  const auto append = [&](ir::Block made) { to.push_back({ir::For{loop.axis, loop.kind, std::move(made)}}); };
  switch (loop.kind) {
    case LoopKind::Grid: return append(grid(loop));
    case LoopKind::Cluster: {
      const Accesses accesses = accessesOf(kernel_, loop.body).betweenCtas(kernel_);
      waitBefore(accesses, Barrier::Scope::Cluster, to);
      append(block(loop.body));
      return done_.inCluster.add(accesses);
    }
    case LoopKind::Thread: {
      Accesses accesses = accessesOf(kernel_, loop);
      waitBefore(accesses, Barrier::Scope::Cta, to);
      append(ofThreads(loop, accesses));
      return done_.inCta.add(accesses);
    }
    case LoopKind::Serial:
    case LoopKind::Unrolled: awaitPeers(loop.body, to); return append(isInThreads_ ? serialOfThread(loop) : repeated(loop));
    case LoopKind::Task: ir::require(false, "the kernel {} has a task loop on CUDA", kernel_.name);
  }
}

/// The CTAs of persistent clusters go on with the next one, which has memory of its own but for the CTAs' shared memory. They
/// wait for each other in the end where an iteration that follows another one would wait elsewhere than the first one does.
ir::Block BarrierInserter::grid(const ir::For& loop) {
  ir::Block made = block(loop.body);
  if (!kernel_.launch.isPersistent) return made;
  done_.inCluster.clear();
  const Done before = done_;
  const ir::Block next = block(loop.body);
  done_ = before;
  if (formOf(next) != formOf(made)) pass(Barrier::Scope::Cta, made);
  return made;
}

/// The body of a loop over threads. `accesses` keeps the copies that the threads have not awaited in the end.
ir::Block BarrierInserter::ofThreads(const ir::For& loop, Accesses& accesses) {
  isInThreads_ = true;
  copied_ = accesses.copies;
  ir::Block made = block(loop.body);
  if (!groups_.isGrouped()) eraseCommits(made);
  if (groups_.areAwaited()) accesses.copies.clear();
  groups_ = CopyGroups(kernel_);
  isInThreads_ = false;
  return made;
}

/// An iteration follows what came before the loop, or the one before it.
ir::Block BarrierInserter::repeated(const ir::For& loop) {
  Done before = done_;
  for (;;) {
    ir::Block made = block(loop.body);
    Done either = before;
    either.add(done_);
    if (either == before) return made;
    before = done_ = either;
  }
}

ir::Block BarrierInserter::serialOfThread(const ir::For& loop) {
  if (loop.kind == LoopKind::Unrolled) return block(loop.body);
  groups_.enter(loop.axis);
  ir::Block made = block(loop.body);
  if (groups_.endsHere()) made.push_back({ir::CommitCopies{}});
  groups_.leave();
  return made;
}

void BarrierInserter::add(const ir::If& branch, ir::Block& to) {
  awaitPeers(branch.then, to);
  awaitPeers(branch.otherwise, to);
  const Done before = done_;
  ir::Block then = branchOf(branch.then, branch.condition);
  const Done after = std::exchange(done_, before);
  ir::Block otherwise = branchOf(branch.otherwise, nullptr);
  done_.add(after);
  to.push_back({ir::If{branch.condition, std::move(then), std::move(otherwise)}});
}

/// A block under a condition, or under the opposite of one.
ir::Block BarrierInserter::branchOf(const ir::Block& statements, const ir::Expr* condition) {
  if (!isInThreads_) return block(statements);
  groups_.enterBranch(condition);
  ir::Block made = block(statements);
  groups_.leaveBranch();
  return made;
}

void BarrierInserter::add(const ir::Lanes& lanes, ir::Block& to) {
  ir::Lanes made = lanes;
  made.isAsync = ir::copiedBytes(kernel_, lanes) > 0 && copied_.contains(lanes.stores.front().param);
  if (made.isAsync) groups_.add(made.stores.front().param);
  to.push_back({std::move(made)});
}

/// A CTA of a persistent cluster combines its own first, and then with the others'.
void BarrierInserter::add(const Combine& combine, ir::Block& to) {
  if (!ir::exchanges(combine)) return to.push_back({combine});
  const std::vector<int>& partials = partialsOf(combine);
  if (!kernel_.launch.isPersistent || combine.ctas == 1) return exchange(combine, partials, to);
  const auto middle = partials.begin() + static_cast<std::ptrdiff_t>(combine.items.size());
  Combine ofCta = combine;
  ofCta.ctas = 1;
  ir::Block inCluster;
  exchange(std::move(ofCta), {partials.begin(), middle}, inCluster);
  to.push_back({ir::For{kernel_.pool->axis(kernel_.launch.cluster), LoopKind::Cluster, std::move(inCluster)}});
  exchange(combine, {middle, partials.end()}, to);
}

/// All items at once: partial results are given, and taken after one barrier.
void BarrierInserter::exchange(Combine combine, const std::vector<int>& partials, ir::Block& to) {
  const Barrier::Scope scope = combine.ctas > 1 ? Barrier::Scope::Cluster : Barrier::Scope::Cta;
  awaitPeers({{combine}}, to);
  Accesses given, taken;
  for (const int array : partials) given.writes[array] = taken.reads[array] = Owners();
  waitBefore(given, scope, to);
  for (std::size_t i = 0; i < partials.size(); ++i) combine.items[i].partials = partials[i];
  combine.part = Combine::Part::Give;
  to.push_back({combine});
  pass(scope, to);
  combine.part = Combine::Part::Take;
  to.push_back({std::move(combine)});
  done_.inCta.add(taken);
  done_.inCluster.add(taken);
}

/// The arrays of an exchange, one an item; in a persistent cluster then one an item for its CTAs.
const std::vector<int>& BarrierInserter::partialsOf(const Combine& combine) {
  std::vector<int>& arrays = partials_[&combine];
  if (!arrays.empty()) return arrays;
  const bool isPersistent = kernel_.launch.isPersistent && combine.ctas > 1;
  Combine ofCta = combine;
  if (isPersistent) ofCta.ctas = 1;
  for (const Combine::Item& item : combine.items) arrays.push_back(addPartials(ofCta, item, ir::Space::Shared));
  if (isPersistent)
    for (const Combine::Item& item : combine.items) arrays.push_back(addPartials(combine, item, ir::Space::Global));
  return arrays;
}

int BarrierInserter::addPartials(const Combine& combine, const Combine::Item& item, ir::Space space) {
  const ir::Buffer& array = kernel_.buffer(item.local);
  const bool isShared = space == ir::Space::Shared;
  const std::string stem = array.name + (isShared ? "_partials" : "_cluster_partials");
  const int64_t elements = ir::partialsOf(kernel_.launch, combine).elements(array) * (isShared ? 1 : kernel_.launch.grid);
  kernel_.locals.push_back(
      {{freeName(kernel_, stem), ir::TensorType::contiguous(array.type.dtype, {elements}), -1, true, true}, space});
  return static_cast<int>(kernel_.params.size() + kernel_.locals.size()) - 1;
}

/// Before the first combination of several CTAs, outside of a branch or loop around it.
void BarrierInserter::awaitPeers(const ir::Block& before, ir::Block& to) {
  if (!spansCtas(before) || kernel_.launch.isPersistent || std::exchange(hasAwaitedPeers_, true)) return;
  to.push_back({Barrier{Barrier::Scope::Start}});
}

void BarrierInserter::waitBefore(const Accesses& next, Barrier::Scope scope, ir::Block& to) {
  const Unordered& done = scope == Barrier::Scope::Cta ? done_.inCta : done_.inCluster;
  if (done.conflictsWith(next)) return pass(scope, to);
  if (done_.inCta.isCopyingFor(next)) awaitCopies(to);
}

void BarrierInserter::awaitCopies(ir::Block& to) {
  to.push_back({ir::AwaitCopies{}});
  done_.inCta.endCopies();
}

void BarrierInserter::pass(Barrier::Scope scope, ir::Block& to) {
  if (done_.inCta.isCopying()) awaitCopies(to);
  to.push_back({Barrier{scope}});
  done_.inCta.clear();
  if (scope != Barrier::Scope::Cta) done_.inCluster.clear();
}

int64_t aligned(int64_t bytes) { return ceilDiv(bytes, ir::cudaAlignment) * ir::cudaAlignment; }

/// The bytes of a block's exchanges of partial results.
int64_t exchangedBytes(const ir::Kernel& kernel, const ir::Block& block) {
  int64_t bytes = 0;
  for (const ir::Statement& statement : block) {
    if (const auto* loop = std::get_if<ir::For>(&statement.node)) bytes += exchangedBytes(kernel, loop->body);
    if (const auto* branch = std::get_if<ir::If>(&statement.node))
      bytes += exchangedBytes(kernel, branch->then) + exchangedBytes(kernel, branch->otherwise);
    const auto* combine = std::get_if<Combine>(&statement.node);
    if (combine == nullptr || !ir::exchanges(*combine)) continue;
    const ir::Partials partials = ir::partialsOf(kernel.launch, *combine);
    for (const Combine::Item& item : combine->items) {
      const ir::Buffer& array = kernel.buffer(item.local);
      bytes += aligned(partials.elements(array) * ir::sizeOf(array.type.dtype));
    }
  }
  return bytes;
}

}  // namespace

int64_t sharedBytes(const ir::Kernel& kernel) {
  int64_t bytes = exchangedBytes(kernel, kernel.body);
  for (const ir::Local& local : kernel.locals) {
    if (local.space != ir::Space::Shared) continue;
    const ir::TensorType& type = local.buffer.type;
    bytes += aligned(type.storageElements() * ir::sizeOf(type.dtype));
  }
  return bytes;
}

ir::Kernel insertBarriers(const ir::Kernel& kernel) {
  ir::require(kernel.backend == ir::Backend::Cuda && !kernel.explicitBarriers, "barriers for {}, which needs none", kernel.name);
  ir::Kernel made = kernel;
  made.explicitBarriers = true;
  made.body = BarrierInserter(made).body(kernel.body);
  return made;
}

}  // namespace lowering
