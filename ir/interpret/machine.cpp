#include "ir/interpret/machine.h"

#include <utility>

#include "ir/error.h"
#include "ir/text/text.h"
#include "ir/walk.h"

namespace ir {
namespace {

void check(const Buffer& buffer, const Memory& memory) {
  const size_t elements = std::visit([](const auto& data) { return data.size(); }, memory.data);
  const bool isFloat = std::holds_alternative<std::vector<double>>(memory.data);
  require(memory.dtype == buffer.type.dtype && isFloat == isFloating(memory.dtype), "{} is {} and its storage {}", buffer.name,
          name(buffer.type.dtype), name(memory.dtype));
  require(static_cast<int64_t>(elements) >= buffer.type.storageElements(), "{} has {} elements and its storage {}", buffer.name,
          buffer.type.storageElements(), elements);
}

Scalar valueOf(const Expr* constant) {
  return isFloating(constant->dtype) ? Scalar{std::get<double>(constant->payload)} : Scalar{constant->integer()};
}

/// A contiguous load reads its lane's element.
int64_t laneOffset(const Expr* load, int64_t offset, const Machine& machine) {
  if (load->load().mode == LoadMode::PerLane) return offset;
  if (machine.lane == nullptr) fail(ErrorKind::Internal, "a contiguous load outside lanes: {}", toText(load));
  return offset + *machine.lane;
}

}  // namespace

/// A Reduce or Scan and its values at the points of its free axes, each found when it is first asked for, a scan's for all
/// values of its axis at once: before anything is stored there.
class Sweep {
 public:
  Sweep(const Expr* sweep, Machine& machine)
      : sweep_(sweep),
        identity_(valueOf(ExprPool().identity(sweep->reduction(), sweep->dtype))),
        body_({sweep->src[0]}, bind(sweep, machine)) {
    size_t points = 1;
    for (const Expr* axis : freeAxes({sweep})) {
      free_.push_back({axis->axis().extent, machine.bound(axis)});
      points *= static_cast<size_t>(axis->axis().extent);
    }
    known_.resize(points);
  }

  const Scalar& value(Machine& machine) {
    std::optional<Scalar>& known = known_[point()];
    if (!known) sweep_->op == Op::Scan ? scan(machine) : reduce(machine);
    return *known;
  }

 private:
  /// Own axes have a value while the body is prepared.
  static const Machine& bind(const Expr* sweep, Machine& machine) {
    for (size_t i = 1; i < sweep->src.size(); ++i) machine.axes.try_emplace(sweep->src[i], 0);
    return machine;
  }

  size_t point() const {
    size_t point = 0;
    for (const auto& [extent, value] : free_) point = point * static_cast<size_t>(extent) + static_cast<size_t>(*value);
    return point;
  }

  void reduce(Machine& machine) {
    Scalar result = identity_;
    combinePoints(1, result, machine);
    known_[point()] = rounded(result, machine);
  }

  void scan(Machine& machine) {
    Scalar result = identity_;
    int64_t& value = machine.axes.at(sweep_->src[1]);
    const int64_t outside = value;
    for (value = 0; value < sweep_->src[1]->axis().extent; ++value) {
      combinePoint(result, machine);
      known_[point()] = rounded(result, machine);
    }
    value = outside;
  }

  Scalar rounded(const Scalar& result, const Machine& machine) const {
    const bool isRounded = isFloating(sweep_->dtype) && machine.roundEach;
    return isRounded ? Scalar{round(sweep_->dtype, std::get<double>(result))} : result;
  }

  void combinePoint(Scalar& result, Machine& machine) {
    body_.run(machine);
    result = combine(sweep_->reduction(), sweep_->dtype, result, body_.root(0));
  }

  /// The points of the own axes from the `depth`th operand on, the last one running fastest.
  void combinePoints(size_t depth, Scalar& result, Machine& machine) {
    if (depth == sweep_->src.size()) return combinePoint(result, machine);
    int64_t& value = machine.axes.at(sweep_->src[depth]);
    const int64_t outside = value;
    for (value = 0; value < sweep_->src[depth]->axis().extent; ++value) combinePoints(depth + 1, result, machine);
    value = outside;
  }

  const Expr* sweep_;
  Scalar identity_;
  Evaluation body_;
  std::vector<std::pair<int64_t, const int64_t*>> free_;  ///< extents and where the values are
  std::vector<std::optional<Scalar>> known_;
};

Machine::Machine(const std::vector<const Buffer*>& buffers, std::vector<Memory>& memory, bool roundEach)
    : roundEach(roundEach), buffers_(buffers), memory_(memory) {
  require(buffers.size() == memory.size(), "{} buffers are given storage for {}", buffers.size(), memory.size());
  for (size_t i = 0; i < buffers.size(); ++i) check(*buffers[i], memory[i]);
}

Machine::~Machine() = default;

LocalArray* Machine::local(int buffer) {
  const auto number = static_cast<size_t>(buffer);
  return number < buffers_.size() ? nullptr : &locals.at(number - buffers_.size());
}

Uses* Machine::uses(int buffer) {
  const auto number = static_cast<size_t>(buffer);
  return number < shared.size() && shared[number] ? &*shared[number] : nullptr;
}

Scalar Machine::read(int buffer, int64_t offset) {
  if (LocalArray* array = local(buffer)) return array->read(position, offset);
  const auto element = [&](const auto& data) -> Scalar {
    const size_t index = elementOf(*buffers_[buffer], offset, data.size(), "read");
    if (Uses* known = uses(buffer)) known->read(position, offset, index);
    return data[index];
  };
  return std::visit(element, memory_[buffer].data);
}

/// An element of a parameter becomes what `use` makes of it and of its place.
template <typename Use>
void Machine::change(int buffer, int64_t offset, std::string_view access, const Use& use) {
  const DType dtype = memory_[buffer].dtype;
  std::visit(
      [&](auto& data) {
        using Element = typename std::remove_cvref_t<decltype(data)>::value_type;
        const size_t index = elementOf(*buffers_[buffer], offset, data.size(), access);
        data[index] =
            std::get<Element>(convert(dtype, dtype, use(index, Scalar{data[index]})));  // unrounded arithmetic rounds here
      },
      memory_[buffer].data);
}

void Machine::write(int buffer, int64_t offset, const Scalar& value) {
  if (LocalArray* array = local(buffer)) return array->write(position, offset, value);
  change(buffer, offset, "write", [&](size_t index, const Scalar&) {
    if (Uses* known = uses(buffer)) known->write(position, offset, index);
    return value;
  });
}

void Machine::combine(int buffer, int64_t offset, Op op, const Scalar& value) {
  if (LocalArray* array = local(buffer)) return array->combine(position, offset, op, value);
  change(buffer, offset, "addition", [&](size_t index, const Scalar& before) {
    if (Uses* known = uses(buffer)) known->add(position, offset, index);
    return ir::combine(op, memory_[buffer].dtype, before, value);
  });
}

const Scalar& Machine::swept(const Expr* expr) {
  std::unique_ptr<Sweep>& sweep = sweeps_[expr];
  if (sweep == nullptr) sweep = std::make_unique<Sweep>(expr, *this);
  return sweep->value(*this);
}

const int64_t* Machine::bound(const Expr* axis) const {
  const auto found = axes.find(axis);
  if (found == axes.end()) fail(ErrorKind::Internal, "axis {} is not bound", toText(axis));
  return &found->second;
}

Evaluation::Evaluation(const std::vector<const Expr*>& roots, const Machine& machine) {
  std::unordered_map<const Expr*, int> slots;
  for (const Expr* node : postorder(roots, false)) {
    Step step{node, {}, nullptr, once};
    if (!node->isCombining())
      for (size_t i = 0; i < node->src.size(); ++i) {
        step.src[i] = slots.at(node->src[i]);
        step.dependsOn |= steps_[static_cast<size_t>(step.src[i])].dependsOn;
      }
    // Memory may have changed, and each read of it counts.
    if (node->op == Op::Load || node->isCombining()) step.dependsOn |= always;
    if (node->op == Op::Axis) {
      step.axis = machine.bound(node);
      step.dependsOn |= uint64_t{1} << axes_.size() % axisBits;
      axes_.push_back({step.axis, *step.axis});
    }
    slots[node] = static_cast<int>(steps_.size());
    steps_.push_back(step);
  }
  for (const Expr* root : roots) roots_.push_back(slots.at(root));
  values_.resize(steps_.size());
}

void Evaluation::run(Machine& machine) {
  uint64_t changed = std::exchange(changed_, always);
  for (size_t i = 0; i < axes_.size(); ++i)
    if (const int64_t now = *axes_[i].value; std::exchange(axes_[i].before, now) != now) changed |= uint64_t{1} << i % axisBits;
  for (size_t i = 0; i < steps_.size(); ++i)
    if ((steps_[i].dependsOn & changed) != 0) values_[i] = value(steps_[i], machine);
}

Scalar Evaluation::value(const Step& step, Machine& machine) const {
  const Expr* node = step.node;
  if (node->op == Op::Const) return valueOf(node);
  if (node->op == Op::Axis) return *step.axis;
  if (node->isCombining()) return machine.swept(node);
  const Scalar& first = values_[step.src[0]];
  if (node->isMasked() && std::get<int64_t>(values_[step.src[1]]) == 0) return values_[step.src[2]];
  if (node->op == Op::Load) return machine.read(node->load().buffer, laneOffset(node, std::get<int64_t>(first), machine));
  if (node->op == Op::Cast) return convert(node->dtype, node->src[0]->dtype, first);
  if (node->op == Op::Where) return values_[step.src[std::get<int64_t>(first) != 0 ? 1 : 2]];
  if (!isFloating(node->src[0]->dtype)) return evaluate(node->op, node->src[0]->dtype, operands<int64_t>(step));
  if (isPredicate(node->op)) return static_cast<int64_t>(test(node->op, operands<double>(step)));
  const double exact = evaluate(node->op, operands<double>(step));
  return machine.roundEach ? round(node->dtype, exact) : exact;
}

template <typename T>
std::array<T, 3> Evaluation::operands(const Step& step) const {
  std::array<T, 3> values{};
  for (size_t i = 0; i < step.node->src.size(); ++i) values[i] = std::get<T>(values_[step.src[i]]);
  return values;
}

Stores::Stores(const std::vector<Store>& stores, const Machine& machine)
    : stores_(stores), evaluation_(rootsOf(stores), machine) {}

void Stores::compute(Machine& machine) {
  evaluation_.run(machine);
  for (size_t i = 0; i < stores_.size(); ++i) {
    const int64_t lane = stores_[i].contiguous ? *machine.lane : 0;
    pending_.push_back({i, evaluation_.integer(2 * i) + lane, evaluation_.root(2 * i + 1)});
  }
}

void Stores::write(Machine& machine) {
  for (const Pending& one : pending_) {
    const Store& store = stores_[one.store];
    if (store.isAtomic) {
      machine.combine(store.param, one.offset, *store.accumulate, one.value);
      continue;
    }
    const Scalar value = !store.accumulate
                             ? one.value
                             : combine(*store.accumulate, store.value->dtype, machine.read(store.param, one.offset), one.value);
    machine.write(store.param, one.offset, value);
  }
  pending_.clear();
}

void Stores::copy(Machine& machine, std::vector<Copy>& begun) {
  for (const Pending& one : pending_) {
    LocalArray* to = machine.local(stores_[one.store].param);
    require(to != nullptr && to->local().space == Space::Shared, "an asynchronous copy to no shared array");
    to->beginCopy(machine.position, one.offset);
    begun.push_back({to, one.offset, one.value});
  }
  pending_.clear();
}

}  // namespace ir
