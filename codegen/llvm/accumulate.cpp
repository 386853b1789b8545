#include "codegen/llvm/accumulate.h"

#include <llvm/IR/IRBuilder.h>

#include "codegen/llvm/combine.h"
#include "codegen/llvm/values/cast.h"

namespace codegen {
namespace {

/// Combines values with the elements of one buffer.
class Accumulator {
 public:
  Accumulator(const Scope& scope, const ir::Store& store)
      : scope_(scope),
        buffer_(store.param),
        op_(*store.accumulate),
        isAtomic_(store.isAtomic),
        dtype_(scope.kernel.buffer(store.param).type.dtype) {}

  void contiguous(Vec offset, Vec value, const LaneSet& lanes) const {
    const Vec old = opmath(scope_.memory.loadContiguous(buffer_, offset, lanes));
    scope_.memory.storeContiguous(buffer_, offset, held(combined(opmath(splat(value, lanes.count)), old)), lanes);
  }

  void shared(Vec offset, Vec value, const LaneSet& lanes) const {
    one(offset, combineLanes(scope_.math, op_, dtype_, opmath(activeOrIdentity(splat(value, lanes.count), lanes))));
  }

  /// One lane after another, for they may share elements; lanes that are not active repeat the offset of one that is.
  void perLane(Vec offsets, Vec value, const LaneSet& lanes) const {
    const Vec values = opmath(activeOrIdentity(splat(value, lanes.count), lanes));
    for (int i = 0; i < lanes.count; ++i) one(lane(offsets, i), lane(values, i));
  }

 private:
  void one(Vec offset, Vec value) const {
    if (isAtomic_)
      return scope_.memory.update(buffer_, offset, [&](Vec element) { return held(combined(value, opmath(element))); });
    const Vec old = opmath(scope_.memory.load(buffer_, offset));
    scope_.memory.store(buffer_, offset, held(combined(value, old)));
  }

  /// The value comes first: what asks whether the first operand is NaN is then outside the chain from one element to the next.
  Vec combined(Vec value, Vec old) const { return combine(scope_.math, op_, dtype_, value, old); }

  Vec activeOrIdentity(Vec value, const LaneSet& lanes) const {
    if (!lanes.isPartial()) return value;
    const Vec identity = constant(scope_.builder, scope_.kernel.pool->identity(op_, dtype_));
    return select(maskOf(scope_.builder, lanes), value, splat(identity, lanes.count));
  }

  Vec opmath(Vec x) const { return toOpmath(scope_.cpu, x, dtype_); }
  Vec held(Vec x) const { return fromOpmath(scope_.cpu, x, dtype_); }

  const Scope& scope_;
  int buffer_;
  ir::Op op_;
  bool isAtomic_;
  ir::DType dtype_;
};

}  // namespace

void accumulate(const Scope& scope, const ir::Store& store, Vec offset, Vec value, const LaneSet& lanes) {
  const Accumulator accumulator(scope, store);
  if (store.contiguous && lanes.count > 1) return accumulator.contiguous(offset, value, lanes);
  offset.isVector() ? accumulator.perLane(offset, value, lanes) : accumulator.shared(offset, value, lanes);
}

}  // namespace codegen
