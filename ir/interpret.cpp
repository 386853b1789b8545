#include "ir/interpret.h"

#include <algorithm>
#include <array>
#include <unordered_map>

#include "ir/error.h"
#include "ir/text.h"
#include "ir/walk.h"

namespace ir {
namespace {

/// The storage that loops or a kernel work on, and the current value of each axis that is bound.
class Machine {
 public:
  Machine(const std::vector<const Buffer*>& buffers, std::vector<Memory>& memory, bool roundEach)
      : roundEach(roundEach), buffers_(buffers), memory_(memory) {
    require(buffers.size() == memory.size(), "{} buffers are given storage for {}", buffers.size(), memory.size());
    for (size_t i = 0; i < buffers.size(); ++i) check(*buffers[i], memory[i]);
  }

  Scalar read(int buffer, int64_t offset) const {
    return std::visit([&](const auto& data) -> Scalar { return data[inside(buffer, offset, data.size(), "read")]; },
                      memory_[buffer].data);
  }
  void write(int buffer, int64_t offset, const Scalar& value) {
    const DType dtype = memory_[buffer].dtype;
    const Scalar held = convert(dtype, dtype, value);  // unrounded arithmetic rounds here
    std::visit(
        [&](auto& data) {
          using Element = typename std::remove_cvref_t<decltype(data)>::value_type;
          data[inside(buffer, offset, data.size(), "write")] = std::get<Element>(held);
        },
        memory_[buffer].data);
  }

  const bool roundEach;
  std::unordered_map<const Expr*, int64_t> axes;
  const int64_t* lane = nullptr;  ///< of the Lanes at hand

 private:
  static void check(const Buffer& buffer, const Memory& memory) {
    const size_t elements = std::visit([](const auto& data) { return data.size(); }, memory.data);
    const bool isFloat = std::holds_alternative<std::vector<double>>(memory.data);
    require(memory.dtype == buffer.type.dtype && isFloat == isFloating(memory.dtype), "{} is {} and its storage {}", buffer.name,
            name(buffer.type.dtype), name(memory.dtype));
    require(static_cast<int64_t>(elements) >= buffer.type.storageElements(), "{} has {} elements and its storage {}", buffer.name,
            buffer.type.storageElements(), elements);
  }
  size_t inside(int buffer, int64_t offset, size_t elements, std::string_view access) const {
    require(offset >= 0 && static_cast<uint64_t>(offset) < elements, "{} of {}[{}], which has {} elements", access,
            buffers_[buffer]->name, offset, elements);
    return static_cast<size_t>(offset);
  }

  std::vector<const Buffer*> buffers_;
  std::vector<Memory>& memory_;
};

/// Expressions that are evaluated together, each node once.
class Evaluation {
 public:
  Evaluation(const std::vector<const Expr*>& roots, const Machine& machine) {
    std::unordered_map<const Expr*, int> slots;
    for (const Expr* node : postorder(roots)) {
      Step step{node, {}, nullptr};
      for (size_t i = 0; i < node->src.size(); ++i) step.src[i] = slots.at(node->src[i]);
      if (node->op == Op::Axis) step.axis = boundAxis(node, machine);
      slots[node] = static_cast<int>(steps_.size());
      steps_.push_back(step);
    }
    for (const Expr* root : roots) roots_.push_back(slots.at(root));
    values_.resize(steps_.size());
  }

  void run(const Machine& machine) {
    for (size_t i = 0; i < steps_.size(); ++i) values_[i] = value(steps_[i], machine);
  }
  const Scalar& root(size_t index) const { return values_[roots_[index]]; }
  int64_t integer(size_t index) const { return std::get<int64_t>(root(index)); }

 private:
  struct Step {
    const Expr* node;
    std::array<int, 3> src;
    const int64_t* axis;
  };

  static const int64_t* boundAxis(const Expr* axis, const Machine& machine) {
    const auto found = machine.axes.find(axis);
    require(found != machine.axes.end(), "axis {} is not bound", toText(axis));
    return &found->second;
  }

  Scalar value(const Step& step, const Machine& machine) const {
    const Expr* node = step.node;
    if (node->op == Op::Const) return isFloating(node->dtype) ? Scalar{std::get<double>(node->payload)} : Scalar{node->integer()};
    if (node->op == Op::Axis) return *step.axis;
    const Scalar& first = values_[step.src[0]];
    if (node->op == Op::Load) return machine.read(node->load().buffer, laneOffset(node, std::get<int64_t>(first), machine));
    if (node->op == Op::Cast) return convert(node->dtype, node->src[0]->dtype, first);
    if (node->op == Op::Where) return values_[step.src[std::get<int64_t>(first) != 0 ? 1 : 2]];
    if (!isFloating(node->src[0]->dtype)) return evaluate(node->op, node->src[0]->dtype, operands<int64_t>(step));
    if (isPredicate(node->op)) return static_cast<int64_t>(test(node->op, operands<double>(step)));
    const double exact = evaluate(node->op, operands<double>(step));
    return machine.roundEach ? round(node->dtype, exact) : exact;
  }

  /// A contiguous load reads its lane's element.
  static int64_t laneOffset(const Expr* load, int64_t offset, const Machine& machine) {
    if (load->load().mode == LoadMode::PerLane) return offset;
    require(machine.lane != nullptr, "a contiguous load outside lanes: {}", toText(load));
    return offset + *machine.lane;
  }

  template <typename T>
  std::array<T, 3> operands(const Step& step) const {
    std::array<T, 3> values{};
    for (size_t i = 0; i < step.node->src.size(); ++i) values[i] = std::get<T>(values_[step.src[i]]);
    return values;
  }

  std::vector<Step> steps_;
  std::vector<int> roots_;
  std::vector<Scalar> values_;
};

/// Stores that happen at one point: all values are computed before the first is written.
class Stores {
 public:
  Stores(const std::vector<Store>& stores, const Machine& machine) : stores_(stores), evaluation_(rootsOf(stores), machine) {}

  void run(Machine& machine) {
    evaluation_.run(machine);
    for (size_t i = 0; i < stores_.size(); ++i) {
      const int64_t lane = stores_[i].contiguous ? *machine.lane : 0;
      machine.write(stores_[i].param, evaluation_.integer(2 * i) + lane, evaluation_.root(2 * i + 1));
    }
  }

 private:
  static std::vector<const Expr*> rootsOf(const std::vector<Store>& stores) {
    std::vector<const Expr*> roots;
    for (const Store& store : stores) roots.insert(roots.end(), {store.offset, store.value});
    return roots;
  }

  std::vector<Store> stores_;
  Evaluation evaluation_;
};

/// Carries the statements of a kernel out, in order.
class KernelRunner {
 public:
  explicit KernelRunner(Machine& machine) : machine_(machine) {}

  void run(const Block& block) {
    for (const Statement& statement : block) std::visit([&](const auto& node) { run(node); }, statement.node);
  }

 private:
  void run(const For& loop) {
    int64_t& value = machine_.axes[loop.axis];
    for (value = 0; value < loop.axis->axis().extent; ++value) run(loop.body);
  }
  void run(const If& branch) { run(evaluated(branch.condition) != 0 ? branch.then : branch.otherwise); }
  void run(const Combine&) {}
  void run(const Lanes& lanes) {
    int64_t& lane = machine_.axes[lanes.axis];
    const int64_t active = lanes.active == nullptr ? lanes.axis->axis().extent : evaluated(lanes.active);
    machine_.lane = &lane;
    Stores& stores = stores_.try_emplace(&lanes, lanes.stores, machine_).first->second;
    for (lane = 0; lane < std::min(active, lanes.axis->axis().extent); ++lane) stores.run(machine_);
    machine_.lane = nullptr;
  }

  int64_t evaluated(const Expr* expr) {
    Evaluation& evaluation = evaluations_.try_emplace(expr, std::vector{expr}, machine_).first->second;
    evaluation.run(machine_);
    return evaluation.integer(0);
  }

  Machine& machine_;
  std::unordered_map<const Lanes*, Stores> stores_;
  std::unordered_map<const Expr*, Evaluation> evaluations_;
};

/// The points of the axes from the `depth`th on, the last one running fastest.
void runPoints(const std::vector<const Expr*>& axes, size_t depth, Machine& machine, Stores& stores) {
  if (depth == axes.size()) return stores.run(machine);
  int64_t& value = machine.axes[axes[depth]];
  for (value = 0; value < axes[depth]->axis().extent; ++value) runPoints(axes, depth + 1, machine, stores);
}

}  // namespace

Memory Memory::zeros(DType dtype, int64_t elements) {
  if (isComplex(dtype)) fail(ErrorKind::Unsupported, "the interpreter holds no {} values", torchName(dtype));
  const auto count = static_cast<size_t>(elements);
  if (isFloating(dtype)) return {dtype, std::vector<double>(count)};
  return {dtype, std::vector<int64_t>(count)};
}

void interpret(const Loops& loops, std::vector<Memory>& memory, bool roundEach) {
  std::vector<const Buffer*> buffers;
  for (const Buffer& buffer : loops.buffers) buffers.push_back(&buffer);
  Machine machine(buffers, memory, roundEach);
  std::vector<Store> points;
  for (const StoreTo& store : loops.stores) points.push_back({store.buffer, store.offset, store.value, false});
  for (const Expr* axis : loops.axes) machine.axes[axis] = 0;
  Stores stores(points, machine);
  runPoints(loops.axes, 0, machine, stores);
}

void interpret(const Kernel& kernel, std::vector<Memory>& memory, bool roundEach) {
  std::vector<const Buffer*> buffers;
  for (const Param& param : kernel.params) buffers.push_back(&param.buffer);
  Machine machine(buffers, memory, roundEach);
  KernelRunner(machine).run(kernel.body);
}

}  // namespace ir
