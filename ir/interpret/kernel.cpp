#include <algorithm>
#include <cmath>

#include "ir/error.h"
#include "ir/interpret/interpret.h"
#include "ir/interpret/machine.h"
#include "ir/text/text.h"

namespace ir {
namespace {

/// Carries the statements of a kernel out, in order: the threads of a loop one after another.
class KernelRunner {
 public:
  KernelRunner(const Kernel& kernel, Machine& machine) : kernel_(kernel), machine_(machine) {}

  void run(const Block& block) {
    for (const Statement& statement : block) std::visit([&](const auto& node) { run(node); }, statement.node);
  }

 private:
  /// Each iteration of the loops over clusters and tasks has local arrays of its own, and so has what follows them.
  void run(const For& loop) {
    Position& position = machine_.position;
    const Position outside = position;
    const bool isOutermost = loop.kind == LoopKind::Grid || loop.kind == LoopKind::Task;
    if (loop.kind == LoopKind::Thread) position.phase = ++phases_;
    if (isOutermost) position.loop = ++phases_;
    int64_t& value = machine_.axes[loop.axis];
    for (value = 0; value < loop.axis->axis().extent; ++value) {
      if (isOutermost) forget(), position.iteration = value;
      if (loop.kind == LoopKind::Cluster) position.rank = static_cast<int>(value);
      if (loop.kind == LoopKind::Thread) position.thread = static_cast<int>(value);
      run(loop.body);
    }
    if (isOutermost) forget();
    position = outside;
  }

  void forget() {
    for (LocalArray& array : machine_.locals)
      if (array.local().space == Space::Private || array.local().space == Space::Shared) array.forget();
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
    stores.write(machine_);
    machine_.lane = nullptr;
  }

  /// Of a combination over one CTA, that is the one at hand.
  void run(const Combine& combine) {
    const int firstRank = combine.ctas == 1 ? machine_.position.rank : 0;
    const int span = combine.threads * combine.stride;
    for (int thread = 0; thread < kernel_.launch.block; ++thread) {
      if (thread / combine.stride % combine.threads != 0) continue;  // not the first of a group
      std::vector<Position> group;
      for (int rank = firstRank; rank < firstRank + combine.ctas; ++rank)
        for (int member = thread; member < thread + span; member += combine.stride) group.push_back({rank, member});
      for (const Combine::Item& item : combine.items) run(item, group);
    }
  }

  /// What no thread of the group wrote, or only some did, is undefined in all of them.
  void run(const Combine::Item& item, const std::vector<Position>& group) {
    LocalArray* array = machine_.local(item.local);
    require(array != nullptr, "a combination of parameter {}", item.local);
    LocalArray* before = item.before ? machine_.local(*item.before) : nullptr;
    const DType dtype = array->local().buffer.type.dtype;
    const auto combined = [&](const std::optional<Scalar>& a, const std::optional<Scalar>& b) {
      return a && b ? std::optional(convert(dtype, dtype, ir::combine(item.op, dtype, *a, *b))) : std::nullopt;
    };
    for (int64_t element = 0; element < array->elements(); ++element) {
      std::optional<Scalar> result = array->get(group.front(), element);
      for (size_t i = 1; i < group.size(); ++i) {
        if (before != nullptr) before->set(group[i], element, combined(before->get(group[i], element), result));
        result = combined(result, array->get(group[i], element));
      }
      for (const Position& position : group) array->set(position, element, result);
    }
  }

  int64_t evaluated(const Expr* expr) {
    Evaluation& evaluation = evaluations_.try_emplace(expr, std::vector{expr}, machine_).first->second;
    evaluation.run(machine_);
    return evaluation.integer(0);
  }

  const Kernel& kernel_;
  Machine& machine_;
  int64_t phases_ = 1;
  std::unordered_map<const Lanes*, Stores> stores_;
  std::unordered_map<const Expr*, Evaluation> evaluations_;
};

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
  require(memory.size() == kernel.params.size(), "{} parameters are given storage for {}", kernel.params.size(), memory.size());
  const Padding padding(kernel, memory);
  std::vector<const Buffer*> buffers;
  for (const Param& param : kernel.params) buffers.push_back(&param.buffer);
  Machine machine(buffers, memory, roundEach);
  for (const Local& local : kernel.locals) machine.locals.emplace_back(local, kernel.launch);
  KernelRunner(kernel, machine).run(kernel.body);
  for (const LocalArray& array : machine.locals)
    if (array.local().space == Space::Sums) array.requireZeros();
}

}  // namespace ir
