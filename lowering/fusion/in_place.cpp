#include "lowering/fusion/in_place.h"

#include <algorithm>
#include <set>

#include "ir/error.h"
#include "ir/walk.h"

namespace lowering {
namespace {

using ir::Expr;

/// The axes of more than one value that a store happens for.
std::set<const Expr*> axesOf(const ir::Loops& loops, const ir::StoreTo& store) {
  std::set<const Expr*> axes;
  for (const Expr* axis : loops.axes) {
    const bool runs = axis->axis().extent > 1;
    if (runs && (ir::dependsOn(store.offset, axis) || ir::dependsOn(store.value, axis))) axes.insert(axis);
  }
  return axes;
}

bool accumulatesIn(const ir::Loops& loops, const ir::Buffer& buffer) {
  return std::any_of(loops.stores.begin(), loops.stores.end(), [&](const ir::StoreTo& store) {
    return store.accumulate && &loops.buffers[static_cast<std::size_t>(store.buffer)] == &buffer;
  });
}

}  // namespace

void checkInPlace(const ir::Loops& loops) {
  std::vector<std::vector<const Expr*>> loads;  // by store
  for (const ir::StoreTo& reader : loops.stores) loads.push_back(ir::loadsIn({reader.offset, reader.value}));
  for (const ir::StoreTo& written : loops.stores) {
    for (std::size_t i = 0; i < loops.stores.size(); ++i) {
      const ir::StoreTo& reader = loops.stores[i];
      for (const Expr* load : loads[i]) {
        if (load->load().buffer != written.buffer) continue;
        if (!written.accumulate && load->src[0] == written.offset && axesOf(loops, reader) == axesOf(loops, written)) continue;
        ir::fail(ir::ErrorKind::Unsupported, "{} reads {} at other elements than it writes", loops.name,
                 loops.buffers[written.buffer].name);
      }
    }
  }
}

void checkOrder(const std::vector<ir::Loops>& all, std::size_t firstIntermediate) {
  std::set<int> written;
  for (const ir::Loops& loops : all) {
    for (const ir::Buffer& buffer : loops.buffers) {
      if (!buffer.isRead || !written.contains(buffer.value) || buffer.value >= static_cast<int>(firstIntermediate)) continue;
      if (accumulatesIn(loops, buffer)) continue;
      ir::fail(ir::ErrorKind::Unsupported, "{} reads {} after it was written", loops.name, buffer.name);
    }
    for (const ir::Buffer& buffer : loops.buffers) {
      if (buffer.isWritten) written.insert(buffer.value);
    }
  }
}

}  // namespace lowering
