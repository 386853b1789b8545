#include "ir/interpret/interpret.h"

#include <algorithm>

#include "ir/error.h"
#include "ir/interpret/machine.h"
#include "ir/walk.h"

namespace ir {
namespace {

/// Stores that happen once for each point of the same axes: the axes that they depend on, or all where they accumulate.
struct StoreGroup {
  std::vector<const Expr*> axes;
  std::vector<Store> stores;
};

std::vector<StoreGroup> groupsOf(const Loops& loops) {
  std::vector<StoreGroup> groups;
  for (const StoreTo& store : loops.stores) {
    const std::vector<const Expr*> used = freeAxes({store.offset, store.value});
    std::vector<const Expr*> axes;
    for (const Expr* axis : loops.axes)
      if (store.accumulate || std::find(used.begin(), used.end(), axis) != used.end()) axes.push_back(axis);
    auto group = std::find_if(groups.begin(), groups.end(), [&](const StoreGroup& one) { return one.axes == axes; });
    if (group == groups.end()) group = groups.insert(groups.end(), StoreGroup{axes, {}});
    group->stores.push_back({store.buffer, store.offset, store.value, false, store.accumulate});
  }
  return groups;
}

/// The points of the axes from the `depth`th on, the last one running fastest.
void runPoints(const std::vector<const Expr*>& axes, size_t depth, Machine& machine, Stores& stores) {
  if (depth == axes.size()) {
    stores.compute(machine);
    return stores.write(machine);
  }
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
  for (const Expr* axis : loops.axes) machine.axes[axis] = 0;
  for (const StoreGroup& group : groupsOf(loops)) {
    Stores stores(group.stores, machine);
    runPoints(group.axes, 0, machine, stores);
  }
}

}  // namespace ir
