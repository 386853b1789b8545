#include <algorithm>
#include <unordered_set>

#include "ir/verify.h"
#include "ir/verify_access.h"

namespace ir {
namespace {

bool isAlways(const Guard& guard) {
  const std::optional<Range> range = rangeOf(guard.form);
  return range && range->least >= guard.least && range->most <= guard.most;
}

/// a - b, if both are affine.
std::optional<Affine> difference(const Expr* a, const Expr* b) {
  const std::optional<Affine> first = affine(a);
  const std::optional<Affine> second = affine(b);
  return first && second ? minus(*first, *second, 1) : std::nullopt;
}

void addGuard(VerifyScope& scope, const std::optional<Affine>& form, int64_t least, int64_t most) {
  if (!form) {
    scope.isUndecided = true;
  } else if (const Guard guard{*form, least, most}; !isAlways(guard)) {
    scope.guards.push_back(guard);
  }
}

/// The operands that nested `op`s join, each once.
std::vector<const Expr*> joined(Op op, const Expr* root) {
  std::vector<const Expr*> operands;
  std::vector<const Expr*> stack{root};
  std::unordered_set<const Expr*> seen{root};
  while (!stack.empty()) {
    const Expr* node = stack.back();
    stack.pop_back();
    if (node->op != op) {
      operands.push_back(node);
      continue;
    }
    for (const Expr* operand : node->src)
      if (seen.insert(operand).second) stack.push_back(operand);
  }
  return operands;
}

/// What a comparison being `holds` says.
void addComparison(VerifyScope& scope, const Expr* condition, bool holds) {
  const bool isOrder = (condition->op == Op::Lt || condition->op == Op::Le) && condition->src[0]->dtype == DType::I64;
  const int64_t most = condition->op == Op::Lt ? -1 : 0;
  const std::optional<Affine> form = isOrder ? difference(condition->src[0], condition->src[1]) : std::nullopt;
  holds ? addGuard(scope, form, INT64_MIN, most) : addGuard(scope, form, most + 1, INT64_MAX);
}

void addCondition(VerifyScope& scope, const Expr* condition, bool holds) {
  if (!holds) return addComparison(scope, condition, false);
  for (const Expr* one : joined(Op::And, condition)) addComparison(scope, one, true);
}

/// `lane < active`, where a minimum is below each of its operands.
void addActive(VerifyScope& scope, const Expr* lane, const Expr* active) {
  for (const Expr* bound : joined(Op::Min, active)) addGuard(scope, difference(lane, bound), INT64_MIN, -1);
}

/// Walks the statements.
class KernelVerifier {
 public:
  KernelVerifier(const Kernel& kernel, const std::vector<const Buffer*>& buffers)
      : kernel_(kernel), verifier_("kernel " + kernel.name, buffers) {}

  void run() {
    verifier_.demand(isWord(kernel_.name), "the name is no word");
    verifier_.demand(kernel_.pool != nullptr, "there is no pool of expressions");
    verifier_.buffers();
    verifier_.kernel = &kernel_;
    params();
    launch();
    block(kernel_.body, {}, {});
    loopsPresent();
    verifier_.everyOutputStored();
  }

 private:
  /// The parallel loops around a statement.
  struct Around {
    bool grid = false;
    bool thread = false;
    bool task = false;
    int depth = 0;
  };

  void params() {
    for (const Param& param : kernel_.params) {
      const bool isPower = param.alignment > 0 && (param.alignment & (param.alignment - 1)) == 0;
      verifier_.demand(isPower, "the alignment of {} is {}, no power of two", param.buffer.name, param.alignment);
    }
  }

  void launch() {
    const Launch& launch = kernel_.launch;
    const bool isCuda = kernel_.backend == Backend::Cuda;
    verifier_.demand(isCuda || (launch.grid == 1 && launch.block == 1), "blocks and threads on a cpu");
    verifier_.demand(!isCuda || (launch.tasks == 1 && launch.grain == 1), "tasks on cuda");
    verifier_.demand(launch.block >= 1 && launch.block <= 1024, "{} threads a block", launch.block);
    verifier_.demand(launch.grid >= 0 && launch.grid <= INT32_MAX, "{} blocks", launch.grid);
    verifier_.demand(launch.tasks >= 0 && launch.grain >= 1, "{} tasks, {} at a time", launch.tasks, launch.grain);
    verifier_.demand(!isCuda || !kernel_.streamStores, "stream stores on cuda");
  }

  void loopsPresent() {
    const Launch& launch = kernel_.launch;
    verifier_.demand(hasGrid_ || launch.grid == 1, "{} blocks and no grid loop", launch.grid);
    verifier_.demand(hasThread_ || launch.block == 1, "{} threads and no thread loop", launch.block);
    verifier_.demand(hasTask_ || launch.tasks == 1, "{} tasks and no task loop", launch.tasks);
  }

  void block(const Block& block, const VerifyScope& scope, const Around& around) {
    for (const Statement& statement : block)
      std::visit([&](const auto& node) { this->statement(node, scope, around, block.size()); }, statement.node);
  }

  void bind(const Expr* axis, VerifyScope& scope) const {
    verifier_.demand(axis != nullptr && axis->op == Op::Axis, "the axis of a loop is none");
    const bool isBound = std::find(scope.axes.begin(), scope.axes.end(), axis) != scope.axes.end();
    verifier_.demand(!isBound, "axis i{} is bound twice", axis->axis().id);
    scope.axes.push_back(axis);
  }

  /// A grid or task loop is all that the body is, and its extent is the launch's.
  void outermost(std::string_view kind, int64_t extent, int64_t launched, const Around& around, size_t siblings) const {
    verifier_.demand(around.depth == 0 && siblings == 1, "the {} loop is not the only outermost statement", kind);
    verifier_.demand(extent == launched, "the {} loop has {} iterations and the launch {}", kind, extent, launched);
  }

  void statement(const For& loop, VerifyScope scope, Around around, size_t siblings) {
    bind(loop.axis, scope);
    const int64_t extent = loop.axis->axis().extent;
    const bool isCuda = kernel_.backend == Backend::Cuda;
    switch (loop.kind) {
      case LoopKind::Grid:
        verifier_.demand(isCuda, "a grid loop on a cpu");
        outermost("grid", extent, kernel_.launch.grid, around, siblings);
        hasGrid_ = around.grid = true;
        break;
      case LoopKind::Task:
        verifier_.demand(!isCuda, "a task loop on cuda");
        outermost("task", extent, kernel_.launch.tasks, around, siblings);
        hasTask_ = around.task = true;
        break;
      case LoopKind::Thread:
        verifier_.demand(isCuda, "a thread loop on a cpu");
        verifier_.demand(!around.thread, "a thread loop inside a thread loop");
        verifier_.demand(extent == kernel_.launch.block, "the thread loop has {} iterations and the launch {}", extent,
                         kernel_.launch.block);
        hasThread_ = around.thread = true;
        break;
      case LoopKind::Cluster:
      case LoopKind::Serial:
      case LoopKind::Unrolled: break;
    }
    ++around.depth;
    block(loop.body, scope, around);
  }

  void statement(const If& branch, const VerifyScope& scope, Around around, size_t) {
    ++around.depth;
    verifier_.expression(branch.condition, scope, "a condition");
    verifier_.demand(branch.condition->dtype == DType::Bool, "a condition is {}, not b8", name(branch.condition->dtype));
    VerifyScope holds = scope;
    VerifyScope fails = scope;
    addCondition(holds, branch.condition, true);
    addCondition(fails, branch.condition, false);
    block(branch.then, holds, around);
    block(branch.otherwise, fails, around);
    if (kernel_.index32) verifier_.index32({branch.condition});
  }

  void statement(const Combine&, const VerifyScope&, const Around&, size_t) {}
  void statement(const Lanes& lanes, VerifyScope scope, const Around& around, size_t) {
    verifier_.demand(around.thread || kernel_.launch.block == 1, "lanes that {} threads carry out alike", kernel_.launch.block);
    if (lanes.active != nullptr) active(lanes, scope);
    bind(lanes.axis, scope);
    scope.lane = lanes.axis;
    scope.isMasked = lanes.active != nullptr;
    verifier_.demand(lanes.axis->axis().extent >= 1, "lanes of width {}", lanes.axis->axis().extent);
    if (lanes.active != nullptr) addActive(scope, lanes.axis, lanes.active);
    verifier_.stores(lanes.stores, scope);
    if (!kernel_.index32) return;
    for (const Store& store : lanes.stores) verifier_.index32({store.offset, store.value});
  }

  void active(const Lanes& lanes, const VerifyScope& scope) const {
    verifier_.expression(lanes.active, scope, "the active lanes");
    verifier_.demand(lanes.active->dtype == DType::I64, "the active lanes are {}, not i64", name(lanes.active->dtype));
  }

  const Kernel& kernel_;
  AccessVerifier verifier_;
  bool hasGrid_ = false;
  bool hasThread_ = false;
  bool hasTask_ = false;
};

}  // namespace

void verify(const Kernel& kernel) {
  std::vector<const Buffer*> buffers;
  for (const Param& param : kernel.params) buffers.push_back(&param.buffer);
  KernelVerifier(kernel, buffers).run();
}

}  // namespace ir
