#include "codegen/cuda.h"

#include <algorithm>
#include <array>
#include <unordered_set>

#include "codegen/cuda_scope.h"
#include "ir/error.h"
#include "ir/walk.h"

namespace codegen {
namespace {

using ir::Expr;
using ir::Op;

constexpr std::array reservedWords{
    "load",  "store", "lane", "block", "thread", "math",     "fast",     "Vec",      "Word",     "auto",    "bool",  "char",
    "const", "int",   "long", "float", "short",  "double",   "signed",   "struct",   "return",   "default", "case",  "do",
    "else",  "for",   "goto", "if",    "new",    "delete",   "class",    "enum",     "this",     "true",    "false", "switch",
    "while", "using", "void", "union", "break",  "typename", "operator", "template", "register", "static"};

bool isReserved(std::string_view name) {
  if (std::find(reservedWords.begin(), reservedWords.end(), name) != reservedWords.end()) return true;
  if (ir::dtypeFromName(name)) return true;
  // Names that the text itself makes: t0, o0, i0, ...
  return name.size() > 1 && std::string_view("toi").find(name[0]) != std::string_view::npos &&
         std::all_of(name.begin() + 1, name.end(), [](char c) { return c >= '0' && c <= '9'; });
}

std::vector<std::string> parameterNames(const ir::Kernel& kernel) {
  std::vector<std::string> names;
  for (const ir::Param& param : kernel.params) {
    std::string name = param.buffer.name;
    while (isReserved(name) || std::find(names.begin(), names.end(), name) != names.end()) name += "_";
    names.push_back(std::move(name));
  }
  return names;
}

std::vector<const Expr*> rootsOf(const ir::Lanes& lanes) {
  std::vector<const Expr*> roots;
  for (const ir::Store& store : lanes.stores) roots.insert(roots.end(), {store.offset, store.value});
  return roots;
}

/// The nodes of a statement whose value differs from lane to lane.
std::unordered_set<const Expr*> lanewise(const ir::Lanes& lanes) {
  std::unordered_set<const Expr*> found;
  for (const Expr* node : ir::postorder(rootsOf(lanes))) {
    const bool isVector = node->op == Op::Load && node->load().mode == ir::LoadMode::Contiguous;
    const bool inherits = std::any_of(node->src.begin(), node->src.end(), [&](const Expr* x) { return found.contains(x); });
    if (node == lanes.axis || isVector || inherits) found.insert(node);
  }
  return found;
}

/// Prints statements into a scope.
class CudaPrinter {
 public:
  explicit CudaPrinter(const ir::Kernel& kernel) : kernel_(kernel) {}

  void block(const ir::Block& block, CudaScope& scope) const {
    for (const ir::Statement& statement : block) std::visit([&](const auto& node) { print(node, scope); }, statement.node);
  }

 private:
  void print(const ir::For& loop, CudaScope& scope) const;
  void print(const ir::If& branch, CudaScope& scope) const;
  void print(const ir::Lanes& lanes, CudaScope& scope) const;
  void print(const ir::Combine& combine, CudaScope& scope) const;

  void scalar(const ir::Lanes& lanes, CudaScope& scope) const;
  void guarded(const ir::Lanes& lanes, CudaScope& scope) const;
  void vector(const ir::Lanes& lanes, CudaScope& scope) const;

  void elements(const ir::Lanes& lanes, LaneForm form, CudaScope& scope) const;
  void readVectors(const ir::Lanes& lanes, CudaScope& scope) const;
  void gather(const ir::Lanes& lanes, CudaScope& scope) const;
  void hoist(const ir::Lanes& lanes, CudaScope& scope) const;

  std::string type(int param) const { return cudaType(kernel_.params[static_cast<size_t>(param)].buffer.type.dtype); }
  static std::string laneLoop(const ir::Lanes& lanes, CudaScope& scope, CudaScope& inner);

  const ir::Kernel& kernel_;
};

void CudaPrinter::print(const ir::For& loop, CudaScope& scope) const {
  const std::string type = scope.expressions().indexType();
  switch (loop.kind) {
    case ir::LoopKind::Grid:
    case ir::LoopKind::Thread: {
      const bool isGrid = loop.kind == ir::LoopKind::Grid;
      const std::string name = scope.unique(isGrid ? "block" : "thread");
      scope.line(fmt::format("const {} {} = {};", type, name, isGrid ? "blockIdx.x" : "threadIdx.x"));
      scope.expressions().bind({loop.axis, As::Index}, {name});
      return block(loop.body, scope);
    }
    case ir::LoopKind::Serial: {
      CudaScope inner = scope.enter();
      const std::string name = inner.numbered("i");
      inner.expressions().bind({loop.axis, As::Index}, {name});
      scope.line(fmt::format("for ({0} {1} = 0; {1} < {2}; ++{1}) {{", type, name, loop.axis->axis().extent));
      block(loop.body, inner);
      scope.leave(inner);
      return scope.line("}");
    }
    case ir::LoopKind::Cluster:
    case ir::LoopKind::Unrolled:
    case ir::LoopKind::Task: ir::require(false, "the kernel {} has a task loop on CUDA", kernel_.name);
  }
}

void CudaPrinter::print(const ir::If& branch, CudaScope& scope) const {
  scope.declare({scope.expressions().keyOf(branch.condition, As::Index)}, LaneForm::Scalar, nullptr);
  scope.line(fmt::format("if ({}) {{", scope.expressions().index(branch.condition)));
  const ir::If* next = &branch;
  while (next != nullptr) {
    CudaScope then = scope.enter();
    block(next->then, then);
    scope.leave(then);
    const ir::Block& otherwise = next->otherwise;
    next = otherwise.size() == 1 ? std::get_if<ir::If>(&otherwise[0].node) : nullptr;
    if (next != nullptr) {
      scope.line(fmt::format("}} else if ({}) {{", scope.expressions().index(next->condition)));
    } else if (!otherwise.empty()) {
      scope.line("} else {");
      CudaScope last = scope.enter();
      block(otherwise, last);
      scope.leave(last);
    }
  }
  scope.line("}");
}

void CudaPrinter::print(const ir::Lanes& lanes, CudaScope& scope) const {
  if (lanes.active != nullptr) return guarded(lanes, scope);
  lanes.axis->axis().extent == 1 ? scalar(lanes, scope) : vector(lanes, scope);
}

void CudaPrinter::print(const ir::Combine&, CudaScope&) const {}

/// All loads, then all values, then the stores: an output may be an input too.
void CudaPrinter::elements(const ir::Lanes& lanes, LaneForm form, CudaScope& scope) const {
  std::vector<Key> places;
  for (const Expr* node : ir::postorder(rootsOf(lanes)))
    if (node->op == Op::Load) places.push_back(scope.expressions().keyOf(node, As::Value));
  std::vector<Key> values;
  for (const ir::Store& store : lanes.stores) {
    places.push_back(scope.expressions().keyOf(store.offset, As::Index));
    values.push_back(scope.expressions().keyOf(store.value, As::Value));
  }
  scope.declare(places, form, lanes.axis);
  scope.declare(values, form, lanes.axis);
  const CudaExpressions& print = scope.expressions();
  for (const ir::Store& store : lanes.stores) {
    const std::string lane = store.contiguous && form == LaneForm::Guarded ? print.index(lanes.axis) : "";
    scope.line(fmt::format("{} = {};", print.element(store.param, store.offset, lane), print.value(store.value)));
  }
}

void CudaPrinter::scalar(const ir::Lanes& lanes, CudaScope& scope) const {
  CudaScope inner = scope;
  inner.expressions().bind({lanes.axis, As::Index}, {"0"});
  elements(lanes, LaneForm::Scalar, inner);
  scope.absorb(inner);
}

std::string CudaPrinter::laneLoop(const ir::Lanes& lanes, CudaScope& scope, CudaScope& inner) {
  const std::string name = inner.unique("lane");
  inner.expressions().bind({lanes.axis, As::Index}, {name});
  scope.line("#pragma unroll");
  scope.line(fmt::format("for (i32 {0} = 0; {0} < {1}; ++{0}) {{", name, lanes.axis->axis().extent));
  return name;
}

void CudaPrinter::guarded(const ir::Lanes& lanes, CudaScope& scope) const {
  scope.declare({scope.expressions().keyOf(lanes.active, As::Index)}, LaneForm::Scalar, nullptr);
  CudaScope loop = scope.enter();
  const std::string name = laneLoop(lanes, scope, loop);
  loop.line(fmt::format("if ({} < {}) {{", name, scope.expressions().index(lanes.active)));
  CudaScope body = loop.enter();
  elements(lanes, LaneForm::Guarded, body);
  loop.leave(body);
  loop.line("}");
  scope.leave(loop);
  scope.line("}");
}

void CudaPrinter::vector(const ir::Lanes& lanes, CudaScope& scope) const {
  CudaScope outer = scope;
  readVectors(lanes, outer);
  gather(lanes, outer);
  hoist(lanes, outer);

  std::vector<std::string> vectors;
  for (const ir::Store& store : lanes.stores) {
    vectors.push_back(store.contiguous ? outer.unique(outer.expressions().param(store.param) + "_out") : "");
    if (store.contiguous)
      outer.line(fmt::format("Vec<{}, {}> {};", type(store.param), lanes.axis->axis().extent, vectors.back()));
  }
  CudaScope inner = outer.enter();
  const std::string lane = laneLoop(lanes, outer, inner);
  std::vector<Key> roots;
  for (const ir::Store& store : lanes.stores) {
    roots.push_back(inner.expressions().keyOf(store.value, As::Value));
    if (!store.contiguous) roots.push_back(inner.expressions().keyOf(store.offset, As::Index));
  }
  inner.declare(roots, LaneForm::Vector, lanes.axis);
  for (size_t i = 0; i < lanes.stores.size(); ++i) {
    const ir::Store& store = lanes.stores[i];
    const std::string to =
        store.contiguous ? fmt::format("{}[{}]", vectors[i], lane) : inner.expressions().element(store.param, store.offset);
    inner.line(fmt::format("{} = {};", to, inner.expressions().value(store.value)));
  }
  outer.leave(inner);
  outer.line("}");
  for (size_t i = 0; i < lanes.stores.size(); ++i) {
    const ir::Store& store = lanes.stores[i];
    if (!store.contiguous) continue;
    const int bytes = accessBytes(kernel_.params[static_cast<size_t>(store.param)], lanes.axis->axis().extent);
    outer.line(fmt::format("store<{}>({}, {});", bytes, outer.expressions().address(store.param, store.offset), vectors[i]));
  }
  scope.absorb(outer);
}

/// Contiguous loads as vectors and loads that are the same for all lanes as scalars, before anything is computed.
void CudaPrinter::readVectors(const ir::Lanes& lanes, CudaScope& scope) const {
  const std::unordered_set<const Expr*> lanewise = codegen::lanewise(lanes);
  std::vector<Key> loads;
  for (const Expr* node : ir::postorder(rootsOf(lanes)))
    if (node->op == Op::Load && !lanewise.contains(node->src[0])) loads.push_back(scope.expressions().keyOf(node, As::Value));
  for (const ir::Store& store : lanes.stores)
    if (store.contiguous) loads.push_back(scope.expressions().keyOf(store.offset, As::Index));
  // The vectors are named outside the loop and indexed inside it.
  scope.expressions().bind({lanes.axis, As::Index}, {"lane"});
  scope.declare(loads, LaneForm::Vector, lanes.axis);
}

/// Loads at offsets of their own for each lane, all issued before the first is used. A load that needs another lane's
/// load for its offset stays in the loop that computes.
void CudaPrinter::gather(const ir::Lanes& lanes, CudaScope& scope) const {
  const std::unordered_set<const Expr*> lanewise = codegen::lanewise(lanes);
  std::vector<const Expr*> loads;
  for (const Expr* node : ir::postorder(rootsOf(lanes))) {
    if (node->op != Op::Load || !lanewise.contains(node->src[0])) continue;
    const std::vector<const Expr*> below = ir::postorder({node->src[0]});
    const bool isDirect =
        std::none_of(below.begin(), below.end(), [&](const Expr* x) { return x->op == Op::Load && lanewise.contains(x); });
    if (isDirect) loads.push_back(node);
  }
  if (loads.empty()) return;

  std::vector<std::string> vectors;
  std::vector<Key> offsets;
  for (const Expr* load : loads) {
    vectors.push_back(scope.unique(scope.expressions().param(load->load().buffer) + "_in"));
    scope.line(fmt::format("Vec<{}, {}> {};", cudaType(load->dtype), lanes.axis->axis().extent, vectors.back()));
    offsets.push_back(scope.expressions().keyOf(load->src[0], As::Index));
  }
  CudaScope inner = scope.enter();
  const std::string lane = laneLoop(lanes, scope, inner);
  inner.declare(offsets, LaneForm::Vector, lanes.axis);
  for (size_t i = 0; i < loads.size(); ++i)
    inner.line(
        fmt::format("{}[{}] = {};", vectors[i], lane, inner.expressions().element(loads[i]->load().buffer, loads[i]->src[0])));
  scope.leave(inner);
  scope.line("}");
  for (size_t i = 0; i < loads.size(); ++i)
    scope.expressions().bind(scope.expressions().keyOf(loads[i], As::Value), {fmt::format("{}[{}]", vectors[i], lane)});
}

/// Values that are the same for all lanes, computed once.
void CudaPrinter::hoist(const ir::Lanes& lanes, CudaScope& scope) const {
  const std::unordered_set<const Expr*> lanewise = codegen::lanewise(lanes);
  std::vector<const Expr*> users;
  for (const ir::Store& store : lanes.stores) users.push_back(store.value);
  std::vector<Key> invariant;
  const auto consider = [&](const Expr* node) {
    const bool isComputed = !node->src.empty() && node->op != Op::Load && node->dtype != ir::DType::I64;
    if (isComputed && !lanewise.contains(node)) invariant.push_back(scope.expressions().keyOf(node, As::Value));
  };
  for (const Expr* node : users) consider(node);
  for (const Expr* node : ir::postorder(users))
    if (lanewise.contains(node) && node->op != Op::Load) std::for_each(node->src.begin(), node->src.end(), consider);
  scope.hoist(invariant);
}

std::string header(const ir::Kernel& kernel, const std::vector<std::string>& names) {
  std::string text = fmt::format("extern \"C\" __global__ void __launch_bounds__({})\n{}(", kernel.launch.block, kernel.name);
  size_t widest = 0;
  std::vector<std::string> declared;
  for (size_t i = 0; i < kernel.params.size(); ++i) {
    const ir::Buffer& buffer = kernel.params[i].buffer;
    const bool isLast = i + 1 == kernel.params.size();
    declared.push_back(fmt::format("{}{}* __restrict__ {}{}", buffer.isWritten ? "" : "const ", cudaType(buffer.type.dtype),
                                   names[i], isLast ? ") {" : ","));
    widest = std::max(widest, declared.back().size());
  }
  for (size_t i = 0; i < declared.size(); ++i)
    text += fmt::format("\n    {:<{}}  // {}", declared[i], widest, ir::toText(kernel.params[i].buffer.type));
  return text + "\n";
}

}  // namespace

Program emitCuda(const ir::Kernel& kernel, const ir::Target& target) {
  ir::require(kernel.backend == ir::Backend::Cuda, "the kernel {} is scheduled for a CPU", kernel.name);
  const std::vector<std::string> names = parameterNames(kernel);
  CudaScope scope(CudaExpressions(kernel, names), kernel);
  for (const std::string& name : names) scope.unique(name);
  CudaPrinter(kernel).block(kernel.body, scope);

  Program program;
  program.name = kernel.name;
  program.backend = ir::Backend::Cuda;
  program.source = fmt::format("{}\n{}{}}}\n", cudaPrelude(), header(kernel, names), scope.text());
  program.options = {"--std=c++17", "-default-device", "--fmad=true"};
  program.arch = target.arch;
  program.features = target.features;
  program.launch = kernel.launch;
  program.params = kernel.params;
  return program;
}

}  // namespace codegen
