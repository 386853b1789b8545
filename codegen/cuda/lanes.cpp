#include "codegen/cuda/lanes.h"

#include <algorithm>
#include <bit>
#include <unordered_set>

#include <fmt/format.h>

#include "codegen/cuda/random.h"
#include "ir/error.h"
#include "ir/walk.h"

namespace codegen {
namespace {

using ir::Expr;
using ir::Op;

constexpr int64_t wordBytes = 4;  // of a register

bool isContiguous(const Expr* node) { return node->op == Op::Load && node->load().mode == ir::LoadMode::Contiguous; }

/// The nodes of a statement whose value differs from lane to lane.
std::unordered_set<const Expr*> lanewise(const ir::Lanes& lanes) {
  std::unordered_set<const Expr*> found;
  for (const Expr* node : ir::postorder(ir::rootsOf(lanes.stores))) {
    const bool inherits = std::any_of(node->src.begin(), node->src.end(), [&](const Expr* x) { return found.contains(x); });
    if (node == lanes.axis || isContiguous(node) || inherits) found.insert(node);
  }
  return found;
}

/// `element = value`, or the element combined with it.
std::string assignment(const ir::Store& store, const std::string& element, const std::string& value) {
  if (!store.accumulate) return fmt::format("{} = {};", element, value);
  const Op op = *store.accumulate;
  const ir::DType dtype = store.value->dtype;
  if (store.isAtomic && op == Op::Add && dtype == ir::DType::F32) return fmt::format("atomicAdd(&{}, {});", element, value);
  if (store.isAtomic) return fmt::format("combineAtomically<{}>(&{}, {});", combinerName(op), element, value);
  if (ir::isLowPrecision(dtype)) return fmt::format("{0} = combined<{1}>({0}, {2});", element, combinerName(op), value);
  const bool isInfix = ir::isFloating(dtype) && (op == Op::Add || op == Op::Mul);
  if (isInfix) return fmt::format("{} {} {};", element, op == Op::Add ? "+=" : "*=", value);
  if (dtype == ir::DType::Bool) return fmt::format("{} {} {};", element, op == Op::And ? "&=" : "|=", value);
  return fmt::format("{0} = math::{1}({0}, {2});", element, ir::name(op), value);
}

/// How the value that a store gets reaches it.
struct Way {
  enum Kind {
    Element,  ///< each lane assigns its own
    Vector,   ///< the lanes make up a vector, which is then stored
    Sums,     ///< the lanes make up a vector, which is then added atomically
    Tree,     ///< the lanes make up a vector, which is then combined into the element they share
  } kind = Element;
  std::string vector = {};
  bool isThere = false;  ///< the vector need not be computed: it is one that was read
};

class LanesPrinter {
 public:
  LanesPrinter(const ir::Kernel& kernel, const ir::Lanes& lanes)
      : kernel_(kernel), lanes_(lanes), count_(lanes.axis->axis().extent), lanewise_(lanewise(lanes)) {}

  void scalar(CudaScope& scope) const;
  void guarded(CudaScope& scope) const;
  void vector(CudaScope& scope) const;

  /// Register arrays that are written, and read by what is written.
  std::set<int> selfAssigned() const;

 private:
  void elements(LaneForm form, CudaScope& scope) const;
  void readVectors(CudaScope& scope) const;
  void gather(CudaScope& scope) const;
  void hoist(CudaScope& scope) const;

  /// The register vector of which some lanes are stored to memory, just as they are; empty where there is more to do.
  std::string vectorStored(const ir::Store& store, const CudaScope& scope) const;
  /// Whether nothing that a load is made of differs from lane to lane.
  bool isUniform(const Expr* load) const {
    return std::none_of(load->src.begin(), load->src.end(), [&](const Expr* x) { return lanewise_.contains(x); });
  }
  bool isCopiedVector(const Expr* load, const CudaScope& scope) const;
  std::string vectorRead(const Expr* value, const CudaScope& scope) const;
  bool isCopy(const ir::Store& store, const CudaScope& scope) const;
  Way declareWay(const ir::Store& store, CudaScope& scope) const;
  void computeLanes(const std::vector<Way>& ways, CudaScope& scope) const;
  void finish(const ir::Store& store, const Way& way, CudaScope& scope) const;
  std::string laneLoop(CudaScope& scope, CudaScope& inner) const;

  std::string type(int buffer) const { return cudaType(kernel_.buffer(buffer).type.dtype); }

  const ir::Kernel& kernel_;
  const ir::Lanes& lanes_;
  const int64_t count_;
  const std::unordered_set<const Expr*> lanewise_;
};

std::set<int> LanesPrinter::selfAssigned() const {
  std::set<int> written;
  for (const ir::Store& store : lanes_.stores) written.insert(store.param);
  std::set<int> found;
  for (const Expr* node : ir::postorder(ir::rootsOf(lanes_.stores)))
    if (node->op == Op::Load && written.contains(node->load().buffer)) found.insert(node->load().buffer);
  return found;
}

/// All loads, then all values, then the stores: an output may be an input too.
void LanesPrinter::elements(LaneForm form, CudaScope& scope) const {
  std::vector<Key> places;
  for (const Expr* node : ir::postorder(ir::rootsOf(lanes_.stores)))
    if (node->op == Op::Load) places.push_back(scope.expressions().keyOf(node, As::Value));
  std::vector<Key> values;
  for (const ir::Store& store : lanes_.stores) {
    if (!isPrivate(kernel_, store.param)) places.push_back(scope.expressions().keyOf(store.offset, As::Index));
    values.push_back(scope.expressions().keyOf(store.value, As::Value));
  }
  scope.declare(places, form, lanes_.axis);
  scope.declare(values, form, lanes_.axis);
  const CudaExpressions& print = scope.expressions();
  for (const ir::Store& store : lanes_.stores) {
    const Expr* lane = store.contiguous && form == LaneForm::Guarded ? lanes_.axis : nullptr;
    scope.line(assignment(store, print.element(store.param, store.offset, lane), print.value(store.value)));
  }
}

void LanesPrinter::scalar(CudaScope& scope) const {
  scope.expressions().bind({lanes_.axis, As::Index}, {"0"});
  elements(LaneForm::Scalar, scope);
}

std::string LanesPrinter::laneLoop(CudaScope& scope, CudaScope& inner) const {
  const std::string name = inner.unique("lane");
  inner.expressions().bind({lanes_.axis, As::Index}, {name});
  scope.line("#pragma unroll");
  scope.line(fmt::format("for (i32 {0} = 0; {0} < {1}; ++{0}) {{", name, count_));
  return name;
}

std::string LanesPrinter::vectorStored(const ir::Store& store, const CudaScope& scope) const {
  const bool isMemory = store.contiguous && !store.accumulate && !isPrivate(kernel_, store.param);
  if (!isMemory || !std::has_single_bit(static_cast<uint64_t>(count_)) || !isContiguous(store.value)) return "";
  const int from = store.value->load().buffer;
  return isPrivate(kernel_, from) ? scope.expressions().wholeVector(from, store.value->src[0], count_) : "";
}

void LanesPrinter::guarded(CudaScope& scope) const {
  // Where vectors are and which lanes of them: not worked out under each lane's condition.
  std::vector<Key> places;
  const auto note = [&](const Expr* index) {
    if (index != nullptr && !index->src.empty()) places.push_back(scope.expressions().keyOf(index, As::Index));
  };
  note(lanes_.first);
  note(lanes_.active);
  for (const ir::Store& store : lanes_.stores)
    if (store.contiguous && !isPrivate(kernel_, store.param)) note(store.offset);
  scope.hoist(places);
  constexpr std::size_t mostVectors = 4;  // the selection of each costs registers
  std::vector<std::string> vectors;
  for (const ir::Store& store : lanes_.stores) vectors.push_back(vectorStored(store, scope));
  if (vectors.size() <= mostVectors && std::find(vectors.begin(), vectors.end(), "") == vectors.end()) {
    const CudaExpressions& print = scope.expressions();
    const std::string first = lanes_.first != nullptr ? print.index(lanes_.first) : "0";
    const std::string end = lanes_.active != nullptr ? print.index(lanes_.active) : std::to_string(count_);
    for (std::size_t i = 0; i < vectors.size(); ++i) {
      const ir::Store& store = lanes_.stores[i];
      scope.line(fmt::format("storeLanes<{}>({}, {}, {}, {});", accessBytes(kernel_, store.param, count_),
                             print.address(store.param, store.offset), vectors[i], first, end));
    }
    return;
  }
  CudaScope loop = scope.enter();
  const std::string name = laneLoop(scope, loop);
  std::string condition;
  if (lanes_.first != nullptr) condition = fmt::format("{} >= {}", name, scope.expressions().index(lanes_.first));
  if (lanes_.active != nullptr)
    condition += fmt::format("{}{} < {}", condition.empty() ? "" : " && ", name, scope.expressions().index(lanes_.active));
  loop.line(fmt::format("if ({}) {{", condition));
  CudaScope body = loop.enter();
  elements(LaneForm::Guarded, body);
  loop.leave(body);
  loop.line("}");
  scope.leave(loop);
  scope.line("}");
}

void LanesPrinter::vector(CudaScope& scope) const {
  readVectors(scope);
  gather(scope);
  hoist(scope);
  nameRandomWords(kernel_, lanes_, scope);
  std::vector<Way> ways;
  for (const ir::Store& store : lanes_.stores) ways.push_back(declareWay(store, scope));
  computeLanes(ways, scope);
  for (size_t i = 0; i < ways.size(); ++i) finish(lanes_.stores[i], ways[i], scope);
}

/// Contiguous loads as vectors and loads that are the same for all lanes as scalars, before anything is computed.
void LanesPrinter::readVectors(CudaScope& scope) const {
  std::vector<Key> keys;
  for (const Expr* node : ir::postorder(ir::rootsOf(lanes_.stores))) {
    const bool isRead = node->op == Op::Load && isUniform(node) && !isCopiedVector(node, scope);
    if (isRead) keys.push_back(scope.expressions().keyOf(node, As::Value));
  }
  for (const ir::Store& store : lanes_.stores)
    if (store.contiguous && !isPrivate(kernel_, store.param)) keys.push_back(scope.expressions().keyOf(store.offset, As::Index));
  // The vectors are named outside the loop and indexed inside it.
  scope.expressions().bind({lanes_.axis, As::Index}, {"lane"});
  scope.declare(keys, LaneForm::Vector, lanes_.axis);
}

bool LanesPrinter::isCopiedVector(const Expr* load, const CudaScope& scope) const {
  return isContiguous(load) && isPrivate(kernel_, load->load().buffer) && !scope.isInPlace(load);
}

/// Loads at offsets or under masks of their own for each lane, all issued before the first is used. A load that needs another
/// lane's load for its offset stays in the loop that computes.
void LanesPrinter::gather(CudaScope& scope) const {
  std::vector<const Expr*> loads;
  for (const Expr* node : ir::postorder(ir::rootsOf(lanes_.stores))) {
    const bool isGathered = node->op == Op::Load && !scope.isInPlace(node) && (!isUniform(node) || isCopiedVector(node, scope));
    if (!isGathered) continue;
    const std::vector<const Expr*> below = ir::postorder(node->src);
    const bool isDirect =
        std::none_of(below.begin(), below.end(), [&](const Expr* x) { return x->op == Op::Load && lanewise_.contains(x); });
    if (isDirect) loads.push_back(node);
  }
  if (loads.empty()) return;

  std::vector<std::string> vectors;
  std::vector<Key> operands;
  for (const Expr* load : loads) {
    vectors.push_back(scope.unique(scope.expressions().buffer(load->load().buffer) + "_in"));
    scope.line(fmt::format("Vec<{}, {}> {};", cudaType(load->dtype), count_, vectors.back()));
    const std::vector<Key> own = scope.expressions().operandsOf({load, As::Value});
    operands.insert(operands.end(), own.begin(), own.end());
  }
  CudaScope inner = scope.enter();
  const std::string lane = laneLoop(scope, inner);
  inner.declare(operands, LaneForm::Guarded, lanes_.axis);
  for (size_t i = 0; i < loads.size(); ++i) {
    const Expr* added = isContiguous(loads[i]) ? lanes_.axis : nullptr;
    inner.line(fmt::format("{}[{}] = {};", vectors[i], lane, inner.expressions().loaded(loads[i], added).text));
  }
  scope.leave(inner);
  scope.line("}");
  for (size_t i = 0; i < loads.size(); ++i)
    scope.expressions().bind(scope.expressions().keyOf(loads[i], As::Value), {fmt::format("{}[{}]", vectors[i], lane)});
}

/// Values that are the same for all lanes, computed once.
void LanesPrinter::hoist(CudaScope& scope) const {
  const std::vector<const Expr*> users = ir::storedValues(lanes_.stores);
  std::vector<Key> invariant;
  const auto consider = [&](const Expr* node) {
    const bool isComputed = !node->src.empty() && node->op != Op::Load && node->dtype != ir::DType::I64;
    if (isComputed && !lanewise_.contains(node)) invariant.push_back(scope.expressions().keyOf(node, As::Value));
  };
  for (const Expr* node : users) consider(node);
  std::unordered_set<const Expr*> seen;
  const auto isKnown = [&](const Expr* node) { return node->isMasked() || !seen.insert(node).second; };  // read, with its mask
  for (const Expr* user : users)
    for (const Expr* node : ir::postorder(user, isKnown))
      if (lanewise_.contains(node) && node->op != Op::Load) std::for_each(node->src.begin(), node->src.end(), consider);
  scope.hoist(invariant);
}

/// The vector that a value is the lanes of, as it was read; empty where it is computed.
std::string LanesPrinter::vectorRead(const Expr* value, const CudaScope& scope) const {
  if (!isContiguous(value) || !isUniform(value)) return "";
  const int buffer = value->load().buffer;
  if (scope.isInPlace(value)) return scope.expressions().wholeVector(buffer, value->src[0], count_);
  const std::string lane = scope.expressions().value(value);  // `self_in[lane]`
  return lane.substr(0, lane.rfind('['));
}

/// Whether a store copies a whole vector: nothing is unpacked on the way.
bool LanesPrinter::isCopy(const ir::Store& store, const CudaScope& scope) const {
  if (!store.contiguous || store.accumulate || vectorRead(store.value, scope).empty()) return false;
  return !isPrivate(kernel_, store.param) || !scope.expressions().wholeVector(store.param, store.offset, count_).empty();
}

Way LanesPrinter::declareWay(const ir::Store& store, CudaScope& scope) const {
  const std::string read = vectorRead(store.value, scope);
  if (isCopy(store, scope)) return {Way::Vector, read, true};
  const std::string& buffer = scope.expressions().buffer(store.param);
  const auto readOrMade = [&](Way::Kind kind, const char* suffix) -> Way {
    if (!read.empty()) return {kind, read, true};
    const Way way{kind, scope.unique(buffer + suffix)};
    scope.line(fmt::format("Vec<{}, {}> {};", type(store.param), count_, way.vector));
    return way;
  };
  if (store.isAtomic) return store.contiguous ? readOrMade(Way::Sums, "_added") : Way{};
  const bool isShared = !store.contiguous && !lanewise_.contains(store.offset);
  if (store.accumulate && isShared) return readOrMade(Way::Tree, "_lanes");
  if (!store.contiguous || isPrivate(kernel_, store.param)) return {};
  const Way way{Way::Vector, scope.unique(buffer + "_out")};
  if (store.accumulate) {
    scope.line(fmt::format("auto {} = load<{}, {}>({});", way.vector, count_, accessBytes(kernel_, store.param, count_),
                           scope.expressions().address(store.param, store.offset)));
  } else {
    scope.line(fmt::format("Vec<{}, {}> {};", type(store.param), count_, way.vector));
  }
  return way;
}

/// The loop that computes the lanes' values, if there is anything to compute.
void LanesPrinter::computeLanes(const std::vector<Way>& ways, CudaScope& scope) const {
  if (std::all_of(ways.begin(), ways.end(), [](const Way& way) { return way.isThere; })) return;
  CudaScope inner = scope.enter();
  const std::string lane = laneLoop(scope, inner);
  std::vector<Key> roots;
  for (size_t i = 0; i < ways.size(); ++i) {
    const ir::Store& store = lanes_.stores[i];
    if (ways[i].isThere) continue;
    roots.push_back(inner.expressions().keyOf(store.value, As::Value));
    const bool hasOffset = ways[i].kind == Way::Element && !isPrivate(kernel_, store.param);
    if (hasOffset) roots.push_back(inner.expressions().keyOf(store.offset, As::Index));
  }
  inner.declare(roots, LaneForm::Guarded, lanes_.axis);
  const CudaExpressions& print = inner.expressions();
  for (size_t i = 0; i < ways.size(); ++i) {
    const ir::Store& store = lanes_.stores[i];
    if (ways[i].isThere) continue;
    const std::string value = print.value(store.value);
    if (ways[i].kind == Way::Element)
      inner.line(assignment(store, print.element(store.param, store.offset, store.contiguous ? lanes_.axis : nullptr), value));
    if (ways[i].kind == Way::Vector) inner.line(assignment(store, fmt::format("{}[{}]", ways[i].vector, lane), value));
    if (ways[i].kind == Way::Tree || ways[i].kind == Way::Sums)
      inner.line(fmt::format("{}[{}] = {};", ways[i].vector, lane, value));
  }
  scope.leave(inner);
  scope.line("}");
}

void LanesPrinter::finish(const ir::Store& store, const Way& way, CudaScope& scope) const {
  if (way.kind == Way::Element) return;
  const CudaExpressions& print = scope.expressions();
  if (way.kind == Way::Tree) {
    const std::string element = print.element(store.param, store.offset);
    return scope.line(fmt::format("{0} = combine<{1}>({0}, {2});", element, combinerName(*store.accumulate), way.vector));
  }
  if (isPrivate(kernel_, store.param)) {
    const bool isMoved =
        isContiguous(store.value) && isPrivate(kernel_, store.value->load().buffer) && ir::sizeOf(store.value->dtype) < wordBytes;
    const std::string value = isMoved ? fmt::format("inWords({})", way.vector) : way.vector;
    return scope.line(fmt::format("{} = {};", print.wholeVector(store.param, store.offset, count_), value));
  }
  scope.line(fmt::format("{}<{}>({}, {});", way.kind == Way::Sums ? "addAtomically" : "store",
                         accessBytes(kernel_, store.param, count_), print.address(store.param, store.offset), way.vector));
}

}  // namespace

std::string combinerName(Op op) {
  std::string text(ir::name(op));
  text[0] = static_cast<char>(text[0] - 'a' + 'A');
  return text;
}

void printLanes(const ir::Kernel& kernel, const ir::Lanes& lanes, CudaScope& scope) {
  const LanesPrinter printer(kernel, lanes);
  CudaScope statement = scope;
  statement.copyRegisters(printer.selfAssigned());
  if (lanes.active != nullptr || lanes.first != nullptr) {
    printer.guarded(statement);
  } else if (lanes.axis->axis().extent == 1) {
    printer.scalar(statement);
  } else {
    printer.vector(statement);
  }
  scope.absorb(statement);
}

void printAsyncCopy(const ir::Kernel& kernel, const ir::Lanes& lanes, CudaScope& scope) {
  const ir::Store& store = lanes.stores.front();
  const Expr* from = store.value->src[0];
  CudaExpressions& print = scope.expressions();
  scope.declare({print.keyOf(store.offset, As::Index), print.keyOf(from, As::Index)}, LaneForm::Scalar, nullptr);
  scope.line(fmt::format("copyAsync<{}>({}, {});", ir::copiedBytes(kernel, lanes), print.address(store.param, store.offset),
                         print.address(store.value->load().buffer, from)));
}

}  // namespace codegen
