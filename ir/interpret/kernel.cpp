#include <algorithm>
#include <cmath>
#include <deque>
#include <map>
#include <span>
#include <utility>

#include "ir/error.h"
#include "ir/interpret/combine.h"
#include "ir/interpret/interpret.h"
#include "ir/interpret/machine.h"
#include "ir/text/text.h"

namespace ir {
namespace {

/// Carries the statements of a kernel out, in order: the threads of a loop one after another.
class KernelRunner {
 public:
  KernelRunner(const Kernel& kernel, Machine& machine, Clock& clock)
      : kernel_(kernel), machine_(machine), clock_(clock), combiner_(kernel, machine) {}

  void run() { run(kernel_.body); }

 private:
  void run(const Block& block) {
    for (const Statement& statement : block) std::visit([&](const auto& node) { run(node); }, statement.node);
  }

  void run(const For& loop) {
    Position& position = machine_.position;
    const Position outside = position;
    const Where around = std::exchange(where_, whereIn(loop.kind));
    int64_t& value = machine_.axes[loop.axis];
    for (value = 0; value < loop.axis->axis().extent; ++value) {
      if (loop.kind == LoopKind::Grid || loop.kind == LoopKind::Task) begin(value);
      if (loop.kind == LoopKind::Cluster) position.rank = static_cast<int>(value);
      if (loop.kind == LoopKind::Thread) position.thread = static_cast<int>(value);
      run(loop.body);
      if (loop.kind == LoopKind::Grid) end(&loop == std::get_if<For>(&kernel_.body.back().node));
    }
    position = outside;
    where_ = around;
    if (loop.kind == LoopKind::Grid || loop.kind == LoopKind::Task) forget();
    if (!kernel_.explicitBarriers) meetAfter(loop.kind);
  }

  /// Which loops are around a statement.
  enum class Where : uint8_t { Launch, Cluster, Cta, Thread };
  Where whereIn(LoopKind kind) const {
    switch (kind) {
      case LoopKind::Grid: return kernel_.launch.cluster == 1 ? Where::Cta : Where::Cluster;
      case LoopKind::Cluster: return Where::Cta;
      case LoopKind::Thread: return Where::Thread;
      case LoopKind::Task:
      case LoopKind::Serial:
      case LoopKind::Unrolled: return where_;
    }
    return where_;
  }

  /// Each iteration of the loops over clusters and tasks has local arrays of its own, and so has what follows them.
  void begin(int64_t iteration) {
    forget();
    machine_.position.iteration = iteration;
    combiner_.hasStarted = false;
  }
  void end(bool isLast) {
    if (!kernel_.launch.isPersistent && !isLast)
      for (const auto& [position, copies] : copies_)
        require(copies.begun.empty() && copies.groups.empty(), "the loop over blocks leaves copies that nobody awaits");
    if (!kernel_.launch.isPersistent) copies_.clear();
    if (!kernel_.explicitBarriers) clock_.meetInCluster();
  }
  void forget() {
    for (LocalArray& array : machine_.locals)
      if (array.local().space == Space::Private || array.local().space == Space::Shared)
        array.forget(kernel_.launch.isPersistent);
  }

  /// What implied barriers do after a loop.
  void meetAfter(LoopKind kind) {
    switch (kind) {
      case LoopKind::Grid:
      case LoopKind::Task: return clock_.meetInLaunch();
      case LoopKind::Cluster: return clock_.meetInCluster();
      case LoopKind::Thread: return clock_.meetInCta(machine_.position.rank);
      case LoopKind::Serial:
      case LoopKind::Unrolled: return;
    }
  }

  void run(const Barrier& barrier) {
    switch (barrier.scope) {
      case Barrier::Scope::Cta: return eachCta([&](int rank) { clock_.meetInCta(rank); });
      case Barrier::Scope::Cluster: return clock_.meetInCluster();
      case Barrier::Scope::Start: combiner_.hasStarted = true; return;
      case Barrier::Scope::Grid:
      case Barrier::Scope::LastCta: return clock_.meetInLaunch();
    }
  }
  /// The CTA at hand, or all of the cluster.
  template <typename Do>
  void eachCta(const Do& act) {
    if (where_ != Where::Cluster) return act(machine_.position.rank);
    for (int rank = 0; rank < kernel_.launch.cluster; ++rank) act(rank);
  }

  void run(const If& branch) { run(evaluated(branch.condition) != 0 ? branch.then : branch.otherwise); }

  void run(const Lanes& lanes) {
    const int64_t width = lanes.axis->axis().extent;
    const int64_t from = lanes.first == nullptr ? 0 : std::max<int64_t>(evaluated(lanes.first), 0);
    const int64_t to = lanes.active == nullptr ? width : std::min(evaluated(lanes.active), width);
    int64_t& lane = machine_.axes[lanes.axis];
    machine_.lane = &lane;
    Stores& stores = stores_.try_emplace(&lanes, lanes.stores, machine_).first->second;
    for (lane = from; lane < to; ++lane) stores.compute(machine_);
    lanes.isAsync ? stores.copy(machine_, copiesOf(machine_.position).begun) : stores.write(machine_);
    machine_.lane = nullptr;
  }

  void run(const Combine& combine) { combiner_.run(combine); }

  /// The asynchronous copies of a thread that it has not awaited.
  struct Copies {
    std::vector<Copy> begun;  ///< since the last group
    std::deque<std::vector<Copy>> groups;
  };
  Copies& copiesOf(const Position& position) { return copies_[{position.rank, position.thread}]; }

  void run(const CommitCopies&) {
    Copies& copies = copiesOf(machine_.position);
    copies.groups.push_back(std::exchange(copies.begun, {}));
  }

  void run(const AwaitCopies& await) {
    if (where_ == Where::Thread) return run(await, machine_.position);
    eachCta([&](int rank) {
      for (int thread = 0; thread < kernel_.launch.block; ++thread) run(await, {rank, thread, machine_.position.iteration});
    });
  }
  void run(const AwaitCopies& await, const Position& position) {
    Copies& copies = copiesOf(position);
    if (await.later == nullptr) copies.groups.push_back(std::exchange(copies.begun, {}));
    const int64_t later = await.later == nullptr ? 0 : std::min<int64_t>(evaluated(await.later), await.most);
    for (; static_cast<int64_t>(copies.groups.size()) > later; copies.groups.pop_front())
      for (const Copy& copy : copies.groups.front()) copy.to->endCopy(position, copy.offset, copy.value);
  }

  int64_t evaluated(const Expr* expr) {
    auto known = evaluations_.find(expr);
    if (known == evaluations_.end()) known = evaluations_.try_emplace(expr, std::vector{expr}, machine_).first;
    known->second.run(machine_);
    return known->second.integer(0);
  }

  const Kernel& kernel_;
  Machine& machine_;
  Clock& clock_;
  Combiner combiner_;
  Where where_ = Where::Launch;
  std::map<std::pair<int, int>, Copies> copies_;  ///< by rank and thread
  std::unordered_map<const Lanes*, Stores> stores_;
  std::unordered_map<const Expr*, Evaluation> evaluations_;
};

/// A launch with these parameters: the kernel's own, or of the tensor of its list that has `count` elements.
void launch(const Kernel& kernel, std::span<const Param> params, std::vector<Memory>& memory, bool roundEach, int64_t count) {
  std::vector<const Buffer*> buffers;
  for (const Param& param : params) buffers.push_back(&param.buffer);
  Machine machine(buffers, memory, roundEach);
  if (kernel.list) machine.axes[kernel.list->count] = count;
  Clock clock(kernel.launch.cluster);
  for (const Param& param : params) {
    const auto elements = static_cast<size_t>(param.readableElements(kernel.backend));
    machine.shared.emplace_back();
    if (param.buffer.isRead && param.buffer.isWritten) machine.shared.back().emplace(param.buffer, elements, clock);
  }
  for (const Local& local : kernel.locals) machine.locals.emplace_back(local, kernel.launch, clock);
  KernelRunner(kernel, machine, clock).run();
  for (const LocalArray& array : machine.locals)
    if (array.local().space == Space::Sums) array.requireZeros();
}

/// Gives every parameter the undefined elements that may be read, and takes them away again.
class Padding {
 public:
  Padding(const Kernel& kernel, std::vector<Memory>& memory) : memory_(memory) {
    for (size_t i = 0; i < memory.size(); ++i) {
      sizes_.push_back(std::visit([](const auto& data) { return data.size(); }, memory[i].data));
      const auto readable = static_cast<size_t>(kernel.params[i].readableElements(kernel.backend));
      resize(memory[i], std::max(sizes_[i], readable));
    }
  }
  ~Padding() {
    for (size_t i = 0; i < memory_.size(); ++i) resize(memory_[i], sizes_[i]);
  }
  Padding(const Padding&) = delete;
  Padding& operator=(const Padding&) = delete;

 private:
  static void resize(Memory& memory, size_t size) {
    if (auto* floats = std::get_if<std::vector<double>>(&memory.data)) floats->resize(size, NAN);
    if (auto* integers = std::get_if<std::vector<int64_t>>(&memory.data))
      integers->resize(size, wrap(memory.dtype, INT64_MIN + 1));
  }

  std::vector<Memory>& memory_;
  std::vector<size_t> sizes_;
};

}  // namespace

void interpret(const Kernel& kernel, std::vector<Memory>& memory, bool roundEach) {
  const size_t params = kernel.params.size(), all = kernel.list ? kernel.list->params.size() : params;
  require(memory.size() == all, "{} parameters are given storage for {}", all, memory.size());
  if (!kernel.list) {
    const Padding padding(kernel, memory);
    return launch(kernel, kernel.params, memory, roundEach, 0);
  }
  for (size_t tensor = 0; tensor < kernel.list->tensors(); ++tensor) {
    const auto first = memory.begin() + static_cast<std::ptrdiff_t>(tensor * params);
    std::vector<Memory> own(std::make_move_iterator(first), std::make_move_iterator(first + static_cast<std::ptrdiff_t>(params)));
    launch(kernel, std::span(kernel.list->params).subspan(tensor * params, params), own, roundEach,
           kernel.list->elements[tensor]);
    std::move(own.begin(), own.end(), first);
  }
}

}  // namespace ir
