#include "lowering/fusion/realize.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <set>

#include "ir/error.h"
#include "ir/index/simplify.h"
#include "ir/walk.h"
#include "lowering/fusion/in_place.h"
#include "lowering/fusion/sums_apart.h"

namespace lowering {
namespace {

using ir::DType;
using ir::Expr;

/// A value that loops store: its index, made of their axes, and its element there, or what that is combined with.
struct Member {
  int value = -1;
  Index index;
  const Expr* result = nullptr;
  std::optional<ir::Op> accumulate = {};
};

/// Values that are stored by one loop nest over the sizes of its first member.
struct Bundle {
  ir::Shape sizes;
  Index index;  ///< of an element of these sizes, made of the axes
  std::vector<const Expr*> axes;
  std::vector<Member> members;
};

bool isEmpty(const ir::Shape& sizes) { return numelOf(sizes) == 0; }

std::vector<const Expr*> resultsOf(const Bundle& bundle) {
  std::vector<const Expr*> results;
  for (const Member& member : bundle.members) results.push_back(member.result);
  return results;
}

bool readsAny(const std::vector<const Expr*>& results, const Intermediates& intermediates) {
  const std::vector<const Expr*> loads = ir::loadsIn(results);
  return std::any_of(loads.begin(), loads.end(), [&](const Expr* load) { return intermediates.contains(load->load().buffer); });
}

std::set<const Expr*> reductionsIn(const std::vector<const Expr*>& roots) {
  std::set<const Expr*> found;
  for (const Expr* node : ir::postorder(roots)) {
    if (node->op == ir::Op::Reduce) found.insert(node);
  }
  return found;
}

/// The indices that a smaller tensor can have in a bundle: each dimension runs along an axis of its own with the same extent, or
/// is 0 where it has one element.
class MemberIndices {
 public:
  MemberIndices(ir::ExprPool& pool, const Bundle& bundle, const ir::Shape& sizes) : pool_(pool), bundle_(bundle), sizes_(sizes) {}

  /// Whether `accept` takes one of them; indices that keep dimensions in their positions are offered first.
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

/// The values to be stored: the graph's results, and the intermediates.
class Results {
 public:
  Results(const Lowered& lowered, Intermediates& intermediates) : lowered_(lowered), intermediates_(intermediates) {}

  /// The values with any elements, the largest first.
  std::vector<int> values() const {
    std::vector<int> values = lowered_.stored;
    for (std::size_t i = 0; i < intermediates_.values().size(); ++i)
      values.push_back(static_cast<int>(intermediates_.first() + i));
    std::erase_if(values, [&](int value) { return numel(value) == 0 || isThere(value); });  // nothing to compute
    std::stable_sort(values.begin(), values.end(), [&](int a, int b) { return numel(a) > numel(b); });
    return values;
  }
  const ir::Shape& sizes(int value) const {
    return intermediates_.contains(value) ? intermediates_.sizes(value) : lowered_.values[static_cast<std::size_t>(value)].sizes;
  }
  const Expr* at(int value, const Index& index) const {
    if (intermediates_.contains(value)) return intermediates_.at(value, index);
    const Scattered* scattered = scatteredTo(value);
    const Tensor& tensor = scattered != nullptr ? scattered->first : lowered_.values[static_cast<std::size_t>(value)];
    return intermediates_.read(tensor.at(index).expr(), sizes(value));
  }

 private:
  const Scattered* scatteredTo(int value) const {
    const auto isSame = [&](const Scattered& one) { return one.value == value; };
    const auto found = std::find_if(lowered_.scattered.begin(), lowered_.scattered.end(), isSame);
    return found == lowered_.scattered.end() ? nullptr : &*found;
  }
  /// Whether memory holds what is scattered to, or an intermediate does.
  bool isThere(int value) const {
    const Scattered* scattered = scatteredTo(value);
    return scattered != nullptr && (scattered->isThere || summedApart(scattered->first) == SummedApart::All);
  }
  int64_t numel(int value) const { return numelOf(sizes(value)); }

  const Lowered& lowered_;
  Intermediates& intermediates_;
};

/// Makes a smaller tensor a member of a bundle that has all its reductions (at least one: mere copies are loops of their own).
bool join(ir::ExprPool& pool, Bundle& bundle, int value, const Results& all) {
  const std::set<const Expr*> held = reductionsIn(resultsOf(bundle));
  if (held.empty()) return false;
  return MemberIndices(pool, bundle, all.sizes(value)).any([&](const Index& index) {
    const Expr* result = all.at(value, index);
    const std::set<const Expr*> needed = reductionsIn({result});
    if (needed.empty() || !std::includes(held.begin(), held.end(), needed.begin(), needed.end())) return false;
    bundle.members.push_back({value, index, result});
    return true;
  });
}

/// The extent of the blocks of this axis whose numbers the results depend on, or its whole extent.
int64_t blockExtent(const Expr* axis, const std::vector<const Expr*>& results) {
  for (const Expr* node : ir::postorder(results)) {
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
      const Value block = axis(sizes[d] / blocks[d]) * blocks[d];
      bundle.index.push_back(block + axis(blocks[d]));
    }
  }
  return bundle;
}

/// A bundle of values of the same sizes, whose axes are split into blocks where reductions depend on these.
Bundle makeBundle(ir::ExprPool& pool, const std::vector<int>& values, const Results& all, const Intermediates& intermediates) {
  const ir::Shape& sizes = all.sizes(values.front());
  Bundle bundle = makeBundle(pool, sizes, sizes);
  const auto fill = [&] {
    std::vector<const Expr*> results;
    for (int value : values) {
      results.push_back(all.at(value, bundle.index));
      bundle.members.push_back({value, bundle.index, results.back()});
    }
    return results;
  };
  const std::vector<const Expr*> results = fill();
  ir::Shape blocks;
  for (const Expr* axis : bundle.axes) blocks.push_back(blockExtent(axis, results));
  const bool depends = !reductionsIn(results).empty() || readsAny(results, intermediates);
  if (!depends || blocks == sizes) return bundle;
  bundle = makeBundle(pool, sizes, blocks);
  fill();
  return bundle;
}

/// Loops that store one element of a value at each index.
Bundle makeBundle(ir::ExprPool& pool, int value, const Tensor& tensor) {
  Bundle bundle = makeBundle(pool, tensor.sizes, tensor.sizes);
  bundle.members.push_back({value, bundle.index, tensor.at(bundle.index).expr()});
  return bundle;
}

/// Loops that store `value` of each element that values are scattered to in the same element of a value.
Bundle makeBundle(ir::ExprPool& pool, int number, const Scatter& scatter, const std::function<Value(const Index&)>& value) {
  Bundle bundle = makeBundle(pool, scatter.sizes, scatter.sizes);
  const Index element = scatter.place(bundle.index);
  bundle.members.push_back({number, element, value(element).expr()});
  return bundle;
}

/// Loops that accumulate or store what is scattered to a value of this dtype.
Bundle makeBundle(ir::ExprPool& pool, int value, const Scatter& scatter, DType dtype, Intermediates& intermediates) {
  Bundle bundle = makeBundle(pool, scatter.sizes, scatter.sizes);
  const Expr* element = cast(scatter.value(bundle.index), dtype).expr();
  bundle.members.push_back({value, scatter.place(bundle.index), intermediates.read(element, scatter.sizes), scatter.op});
  return bundle;
}

std::vector<Bundle> bundled(ir::ExprPool& pool, const Lowered& lowered, Intermediates& intermediates) {
  const Results results(lowered, intermediates);
  std::vector<Bundle> all;
  std::vector<int> values = results.values();
  while (!values.empty()) {
    const int value = values.front();
    if (std::any_of(all.begin(), all.end(), [&](Bundle& bundle) { return join(pool, bundle, value, results); })) {
      values.erase(values.begin());
      continue;
    }
    const auto isAlike = [&](int other) { return results.sizes(other) == results.sizes(value); };
    const auto rest = std::stable_partition(values.begin(), values.end(), isAlike);
    all.push_back(makeBundle(pool, {values.begin(), rest}, results, intermediates));
    values.erase(values.begin(), rest);
  }
  return all;
}

/// Each bundle after the bundles that store what it reads; the largest first where several could be next.
std::vector<Bundle> inOrder(std::vector<Bundle> all, const Intermediates& intermediates) {
  std::map<int, const Bundle*> storing;
  for (const Bundle& bundle : all)
    for (const Member& member : bundle.members) storing[member.value] = &bundle;
  std::set<const Bundle*> open;
  std::map<const Bundle*, int> depths;
  const std::function<int(const Bundle&)> depth = [&](const Bundle& bundle) {
    if (const auto known = depths.find(&bundle); known != depths.end()) return known->second;
    if (!open.insert(&bundle).second) ir::fail(ir::ErrorKind::Unsupported, "loops need results of each other");
    int most = 0;
    for (const Expr* load : ir::loadsIn(resultsOf(bundle)))
      if (intermediates.contains(load->load().buffer)) most = std::max(most, 1 + depth(*storing.at(load->load().buffer)));
    open.erase(&bundle);
    return depths[&bundle] = most;
  };
  std::vector<std::pair<int, std::size_t>> order;
  for (std::size_t i = 0; i < all.size(); ++i) order.emplace_back(depth(all[i]), i);
  std::sort(order.begin(), order.end());
  std::vector<Bundle> ordered;
  for (const auto& [_, i] : order) ordered.push_back(std::move(all[i]));
  return ordered;
}

/// Bundles whose reductions can all be computed by loops over their axes; loops that scatter can compute theirs, too.
std::vector<Bundle> bundles(ir::ExprPool& pool, const Lowered& lowered, Intermediates& intermediates) {
  const auto isChanged = [&](const Bundle& bundle) { return intermediates.separate(resultsOf(bundle), bundle.axes); };
  for (;;) {
    std::vector<Bundle> all = bundled(pool, lowered, intermediates), scattering;
    for (const auto& [value, first, _] : lowered.scattered)
      if (!isEmpty(first.sizes) && !isEmpty(first.scatter->sizes))
        scattering.push_back(makeBundle(pool, value, *first.scatter, first.dtype, intermediates));
    if (std::any_of(all.begin(), all.end(), isChanged)) continue;
    if (std::none_of(scattering.begin(), scattering.end(), isChanged)) return inOrder(std::move(all), intermediates);
  }
}

/// Numbers the buffers of loops by first use, inputs before outputs, and notes which are read and written.
class BufferTable {
 public:
  BufferTable(const std::vector<ir::GraphValue>& values, ir::Loops& loops) : values_(values), loops_(loops) {}

  int of(int value) {
    const auto [found, isNew] = index_.emplace(value, static_cast<int>(loops_.buffers.size()));
    const ir::GraphValue& one = values_[static_cast<std::size_t>(value)];
    if (isNew) loops_.buffers.push_back({one.name, asReal(one.type), value, false, false});
    return found->second;
  }

 private:
  const std::vector<ir::GraphValue>& values_;
  ir::Loops& loops_;
  std::map<int, int> index_;
};

/// Adds the loops that accumulate or store what is scattered to a value, or to an intermediate of this number that is then
/// rounded.
std::optional<ir::GraphValue> addScattered(ir::ExprPool& pool, const Scattered& scattered, int number,
                                           Intermediates& intermediates, std::vector<Bundle>& all) {
  const Scatter& scatter = *scattered.first.scatter;
  const DType dtype = scattered.first.dtype, wide = ir::opmath(dtype);
  if (isEmpty(scattered.first.sizes)) return std::nullopt;
  const SummedApart apart = summedApart(scattered.first);
  if (apart == SummedApart::None) {
    if (!isEmpty(scatter.sizes)) all.push_back(makeBundle(pool, scattered.value, scatter, dtype, intermediates));
    return std::nullopt;
  }
  const ir::TensorType type = ir::TensorType::contiguous(wide, scattered.first.sizes);
  const auto sum = [&](const Index& index) {
    return cast(Value{pool, pool.load(number, wide, offsetOf(pool, type, index).expr())}, dtype);
  };
  const Tensor first = cast(scattered.first, wide), rounded{dtype, scattered.first.sizes, sum};
  const auto copied = [&](int value, const Tensor& from) {
    return apart == SummedApart::All ? makeBundle(pool, value, from) : makeBundle(pool, value, scatter, from.at);
  };
  all.push_back(copied(number, first));
  if (!isEmpty(scatter.sizes)) all.push_back(makeBundle(pool, number, scatter, wide, intermediates));
  all.push_back(copied(scattered.value, rounded));
  return ir::GraphValue{fmt::format("sums{}", scattered.value), type};
}

/// `values` are all that can be read or stored, `inputs` the ones that can be read, in the order in which they become buffers.
ir::Loops loopsOf(const std::vector<ir::GraphValue>& values, const std::vector<int>& inputs, const std::string& name,
                  const ir::ExprPoolPtr& pool, const Bundle& bundle) {
  ir::Loops loops{name, pool, {}, bundle.axes, {}};
  BufferTable buffers(values, loops);
  ir::Simplifier simplified(*pool);
  std::vector<const Expr*> results = resultsOf(bundle);
  for (const Expr*& result : results) result = simplified(result);
  std::vector<const Expr*> offsets, roots = results;
  for (const Member& member : bundle.members) {
    const ir::TensorType type = asReal(values[static_cast<std::size_t>(member.value)].type);
    offsets.push_back(simplified(offsetOf(*pool, type, member.index).expr()));
    roots.push_back(offsets.back());
  }
  const std::vector<const Expr*> loads = ir::loadsIn(roots);
  for (int input : inputs) {
    const bool isRead = std::any_of(loads.begin(), loads.end(), [&](const Expr* load) { return load->load().buffer == input; });
    if (isRead) loops.buffers[buffers.of(input)].isRead = true;
  }
  const std::function<const Expr*(const Expr*)> renumber = [&](const Expr* node) -> const Expr* {
    if (node->op != ir::Op::Load) return nullptr;
    return ir::movedLoad(*pool, node, buffers.of(node->load().buffer),
                         [&](const Expr* operand) { return ir::rewrite(*pool, operand, renumber); });
  };
  for (std::size_t i = 0; i < results.size(); ++i) {
    const int buffer = buffers.of(bundle.members[i].value);
    const std::optional<ir::Op> accumulate = bundle.members[i].accumulate;
    loops.buffers[buffer].isWritten = true;
    loops.buffers[buffer].isRead |= accumulate.has_value();
    const Expr* offset = ir::rewrite(*pool, offsets[i], renumber);
    loops.stores.push_back({buffer, offset, ir::rewrite(*pool, results[i], renumber), accumulate});
  }
  checkInPlace(loops);
  return loops;
}

}  // namespace

std::vector<ir::Loops> realize(const ir::Graph& graph, const std::string& name, const ir::ExprPoolPtr& pool,
                               const Lowered& lowered, Intermediates& intermediates) {
  std::vector<Bundle> found = bundles(*pool, lowered, intermediates);
  std::vector<ir::GraphValue> values = graph.values;
  std::vector<int> inputs = graph.inputs;
  if (graph.generator) inputs.push_back(*graph.generator);
  const auto add = [&](const ir::GraphValue& value) {
    inputs.push_back(static_cast<int>(values.size()));
    values.push_back(value);
  };
  const Tensors& stored = lowered.intermediates.tensors;
  for (std::size_t i = 0; i < stored.size(); ++i)
    add({fmt::format("stored{}", i), ir::TensorType::contiguous(stored[i].dtype, stored[i].sizes)});
  std::for_each(intermediates.values().begin(), intermediates.values().end(), add);
  const auto addScatteredTo = [&](const Scattered& one, std::vector<Bundle>& bundles) {
    if (const auto sums = addScattered(*pool, one, static_cast<int>(values.size()), intermediates, bundles)) add(*sums);
  };
  std::vector<Bundle> first;
  for (std::size_t i = 0; i < stored.size(); ++i) {
    const Scattered one{static_cast<int>(lowered.intermediates.first + i), stored[i]};
    const bool isCopied = stored[i].scatter != nullptr && summedApart(one.first) == SummedApart::All;
    if (!isEmpty(stored[i].sizes) && !isCopied) first.push_back(makeBundle(*pool, one.value, stored[i]));
    if (stored[i].scatter != nullptr) addScatteredTo(one, first);
  }
  found.insert(found.begin(), std::make_move_iterator(first.begin()), std::make_move_iterator(first.end()));
  for (const Scattered& one : lowered.scattered) addScatteredTo(one, found);
  std::vector<ir::Loops> all;
  for (const Bundle& bundle : found) {
    const std::string suffix = all.empty() ? "" : fmt::format("_{}", all.size() + 1);
    all.push_back(loopsOf(values, inputs, name + suffix, pool, bundle));
  }
  checkOrder(all, graph.values.size());
  return all;
}

}  // namespace lowering
