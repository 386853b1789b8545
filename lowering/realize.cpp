#include "lowering/realize.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>

#include "ir/error.h"
#include "ir/walk.h"

namespace lowering {
namespace {

using ir::DType;
using ir::Expr;

/// A value that loops store: its index, made of their axes, and its element there.
struct Member {
  int value = -1;
  Index index;
  const Expr* result = nullptr;
};

/// Values that are stored by one loop nest over the sizes of its first member.
struct Bundle {
  ir::Shape sizes;
  Index index;  ///< of an element of these sizes, made of the axes
  std::vector<const Expr*> axes;
  std::vector<Member> members;
};

std::set<const Expr*> reductionsIn(const std::vector<const Expr*>& roots) {
  std::set<const Expr*> found;
  for (const Expr* node : ir::postorder(roots)) {
    if (node->op == ir::Op::Reduce) found.insert(node);
  }
  return found;
}

/// The indices that a smaller tensor can have in a bundle: each dimension runs along an axis of its own with the same extent, or
/// is 0 where it has one element.
class Placement {
 public:
  Placement(ir::ExprPool& pool, const Bundle& bundle, const ir::Shape& sizes) : pool_(pool), bundle_(bundle), sizes_(sizes) {}

  /// Whether `accept` takes one of them; those that keep dimensions in their positions are offered first.
  bool any(const std::function<bool(const Index&)>& accept) {
    const std::size_t d = index_.size();
    if (d == sizes_.size()) return accept(index_);
    if (sizes_[d] == 1) return with(pool_.integer(DType::I64, 0), accept);
    std::vector<const Expr*> candidates = bundle_.axes;
    if (d < candidates.size())
      std::rotate(candidates.begin(), candidates.begin() + static_cast<std::ptrdiff_t>(d), candidates.end());
    return std::any_of(candidates.begin(), candidates.end(), [&](const Expr* axis) {
      const bool isFree = std::none_of(index_.begin(), index_.end(), [&](const Value& i) { return i.expr() == axis; });
      return axis->axis().extent == sizes_[d] && isFree && with(axis, accept);
    });
  }

 private:
  bool with(const Expr* place, const std::function<bool(const Index&)>& accept) {
    index_.emplace_back(pool_, place);
    const bool taken = any(accept);
    index_.pop_back();
    return taken;
  }

  ir::ExprPool& pool_;
  const Bundle& bundle_;
  const ir::Shape& sizes_;
  Index index_;
};

/// Makes a smaller tensor a member of a bundle that has all its reductions (at least one: mere copies are loops of their own).
bool join(ir::ExprPool& pool, Bundle& bundle, int value, const Tensor& tensor) {
  std::vector<const Expr*> results;
  for (const Member& member : bundle.members) results.push_back(member.result);
  const std::set<const Expr*> held = reductionsIn(results);
  if (held.empty()) return false;
  return Placement(pool, bundle, tensor.sizes).any([&](const Index& index) {
    const Expr* result = tensor.at(index).expr();
    const std::set<const Expr*> needed = reductionsIn({result});
    if (needed.empty() || !std::includes(held.begin(), held.end(), needed.begin(), needed.end())) return false;
    bundle.members.push_back({value, index, result});
    return true;
  });
}

/// The extent of the blocks of this axis that reductions depend on (blockOf), or its whole extent.
int64_t blockExtent(const Expr* axis, const Expr* result) {
  for (const Expr* node : ir::postorder({result})) {
    const bool divides = node->op == ir::Op::FloorDiv && node->src[0] == axis && node->src[1]->isConst();
    if (divides && axis->axis().extent % node->src[1]->integer() == 0) return node->src[1]->integer();
  }
  return axis->axis().extent;
}

/// A bundle of axes of these extents, some of which are split into blocks.
Bundle makeBundle(ir::ExprPool& pool, const ir::Shape& sizes, const ir::Shape& blocks) {
  Bundle bundle{sizes, {}, {}, {}};
  const auto axis = [&](int64_t extent) {
    bundle.axes.push_back(pool.axis(extent));
    return Value{pool, extent > 1 ? bundle.axes.back() : pool.integer(DType::I64, 0)};
  };
  for (std::size_t d = 0; d < sizes.size(); ++d) {
    if (blocks[d] == sizes[d]) {
      bundle.index.push_back(axis(sizes[d]));
    } else {
      const Value block = axis(sizes[d] / blocks[d]) * static_cast<double>(blocks[d]);
      bundle.index.push_back(block + axis(blocks[d]));
    }
  }
  return bundle;
}

Bundle makeBundle(ir::ExprPool& pool, int value, const Tensor& tensor) {
  Bundle whole = makeBundle(pool, tensor.sizes, tensor.sizes);
  const Expr* result = tensor.at(whole.index).expr();
  ir::Shape blocks;
  for (const Expr* axis : whole.axes) blocks.push_back(blockExtent(axis, result));
  if (!reductionsIn({result}).empty() && blocks != tensor.sizes) {
    whole = makeBundle(pool, tensor.sizes, blocks);
    result = tensor.at(whole.index).expr();
  }
  whole.members.push_back({value, whole.index, result});
  return whole;
}

std::vector<Bundle> bundles(ir::ExprPool& pool, const Lowered& lowered) {
  const auto numel = [&](int value) {
    int64_t count = 1;
    for (int64_t extent : lowered.values[value].sizes) count *= extent;
    return count;
  };
  std::vector<int> values = lowered.stored;
  std::erase_if(values, [&](int value) { return numel(value) == 0; });  // nothing to compute
  std::stable_sort(values.begin(), values.end(), [&](int a, int b) { return numel(a) > numel(b); });
  std::vector<Bundle> all;
  for (int value : values) {
    const Tensor& tensor = lowered.values[value];
    const auto same = std::find_if(all.begin(), all.end(), [&](const Bundle& bundle) { return bundle.sizes == tensor.sizes; });
    if (same != all.end()) {
      same->members.push_back({value, same->index, tensor.at(same->index).expr()});
    } else if (std::none_of(all.begin(), all.end(), [&](Bundle& bundle) { return join(pool, bundle, value, tensor); })) {
      all.push_back(makeBundle(pool, value, tensor));
    }
  }
  return all;
}

/// Numbers the buffers of loops by first use, inputs before outputs, and notes which are read and written.
class BufferTable {
 public:
  BufferTable(const ir::Graph& graph, ir::Loops& loops) : graph_(graph), loops_(loops) {}

  int of(int value) {
    const auto [found, isNew] = index_.emplace(value, static_cast<int>(loops_.buffers.size()));
    if (isNew) loops_.buffers.push_back({graph_.values[value].name, asReal(graph_.values[value].type), value, false, false});
    return found->second;
  }

 private:
  const ir::Graph& graph_;
  ir::Loops& loops_;
  std::map<int, int> index_;
};

std::vector<const Expr*> loadsIn(const std::vector<const Expr*>& roots) {
  std::vector<const Expr*> loads;
  for (const Expr* node : ir::postorder(roots)) {
    if (node->op == ir::Op::Load) loads.push_back(node);
  }
  return loads;
}

/// The axes of more than one value that a store happens for.
std::set<const Expr*> axesOf(const ir::Loops& loops, const ir::StoreTo& store) {
  std::set<const Expr*> axes;
  for (const Expr* axis : loops.axes) {
    const bool runs = axis->axis().extent > 1;
    if (runs && (ir::dependsOn(store.offset, axis) || ir::dependsOn(store.value, axis))) axes.insert(axis);
  }
  return axes;
}

/// Elements of a buffer that is written in place may be read only where and when they are written.
void checkInPlace(const ir::Loops& loops) {
  for (const ir::StoreTo& written : loops.stores) {
    for (const ir::StoreTo& reader : loops.stores) {
      for (const Expr* load : loadsIn({reader.value})) {
        if (load->load().buffer != written.buffer) continue;
        if (load->src[0] == written.offset && axesOf(loops, reader) == axesOf(loops, written)) continue;
        ir::fail(ir::ErrorKind::Unsupported, "{} reads {} at other elements than it writes", loops.name,
                 loops.buffers[written.buffer].name);
      }
    }
  }
}

/// Loops run one after another: what earlier ones have written in place, later ones may not read.
void checkOrder(const std::vector<ir::Loops>& all) {
  std::set<int> written;
  for (const ir::Loops& loops : all) {
    for (const ir::Buffer& buffer : loops.buffers) {
      if (!buffer.isRead || !written.contains(buffer.value)) continue;
      ir::fail(ir::ErrorKind::Unsupported, "{} reads {} after it was written", loops.name, buffer.name);
    }
    for (const ir::Buffer& buffer : loops.buffers) {
      if (buffer.isWritten) written.insert(buffer.value);
    }
  }
}

ir::Loops loopsOf(const ir::Graph& graph, const std::string& name, const ir::ExprPoolPtr& pool, const Bundle& bundle) {
  ir::Loops loops{name, pool, {}, bundle.axes, {}};
  BufferTable buffers(graph, loops);
  std::vector<const Expr*> results;
  for (const Member& member : bundle.members) results.push_back(member.result);
  const std::vector<const Expr*> loads = loadsIn(results);
  for (int input : graph.inputs) {
    const bool isRead = std::any_of(loads.begin(), loads.end(), [&](const Expr* load) { return load->load().buffer == input; });
    if (isRead) loops.buffers[buffers.of(input)].isRead = true;
  }
  const std::function<const Expr*(const Expr*)> renumber = [&](const Expr* node) -> const Expr* {
    if (node->op != ir::Op::Load) return nullptr;
    return pool->load(buffers.of(node->load().buffer), node->dtype, ir::rewrite(*pool, node->src[0], renumber));
  };
  for (const Member& member : bundle.members) {
    const int buffer = buffers.of(member.value);
    loops.buffers[buffer].isWritten = true;
    const Expr* offset = offsetOf(*pool, loops.buffers[buffer].type, member.index).expr();
    loops.stores.push_back({buffer, offset, ir::rewrite(*pool, member.result, renumber)});
  }
  checkInPlace(loops);
  return loops;
}

}  // namespace

ir::TensorType asReal(const ir::TensorType& type) {
  if (!ir::isComplex(type.dtype)) return type;
  ir::TensorType real = type;
  real.dtype = type.dtype == DType::C32 ? DType::F16 : type.dtype == DType::C64 ? DType::F32 : DType::F64;
  for (int64_t& stride : real.strides) stride *= 2;
  real.sizes.push_back(2);
  real.strides.push_back(1);
  return real;
}

Value offsetOf(ir::ExprPool& pool, const ir::TensorType& type, const Index& index) {
  Value offset{pool, pool.integer(DType::I64, 0)};
  for (std::size_t d = 0; d < index.size(); ++d)
    offset = offset + index[d] * Value{pool, pool.integer(DType::I64, type.strides[d])};
  return offset;
}

std::vector<ir::Loops> realize(const ir::Graph& graph, const std::string& name, const ir::ExprPoolPtr& pool,
                               const Lowered& lowered) {
  std::vector<ir::Loops> all;
  for (const Bundle& bundle : bundles(*pool, lowered)) {
    const std::string suffix = all.empty() ? "" : fmt::format("_{}", all.size() + 1);
    all.push_back(loopsOf(graph, name + suffix, pool, bundle));
  }
  checkOrder(all);
  return all;
}

}  // namespace lowering
