#include "opbench/check/fault.h"

#include <unordered_map>
#include <utility>

#include "ir/error.h"
#include "ir/walk.h"

namespace opbench {
namespace {

using ir::DType;
using ir::Expr;
using ir::Op;

/// Whether the operation rounds.
bool rounds(Op op) {
  switch (op) {
    case Op::Add:
    case Op::Sub:
    case Op::Mul:
    case Op::Div:
    case Op::Sqrt:
    case Op::Rsqrt: return true;
    default: return ir::isFunction(op);
  }
}

/// Rewrites the stores of one kernel.
class Breaker {
 public:
  Breaker(ir::Kernel& kernel, Fault fault) : kernel_(kernel), pool_(*kernel.pool), fault_(fault) {}

  /// Whether anything was changed.
  bool operator()() {
    breakBlock(kernel_.body);
    return isBroken_;
  }

 private:
  const Expr* make(Op op, std::vector<const Expr*> src) { return pool_.make(op, std::move(src)); }
  const Expr* number(int64_t value) { return pool_.integer(DType::I64, value); }

  bool isOutput(const ir::Store& store) const { return static_cast<size_t>(store.param) < kernel_.params.size(); }
  int64_t elementsOf(const ir::Store& store) const {
    return kernel_.params[static_cast<size_t>(store.param)].buffer.type.storageElements();
  }
  /// Where lane `lane` stores, an I64.
  const Expr* offsetOf(const ir::Store& store, const ir::Lanes& lanes, const Expr* lane) {
    return store.contiguous ? make(Op::Add, {store.offset, lane}) : ir::substitute(pool_, store.offset, lanes.axis, lane);
  }

  void breakBlock(ir::Block& block) {
    for (ir::Statement& statement : block) {
      if (auto* loop = std::get_if<ir::For>(&statement.node)) breakBlock(loop->body);
      if (auto* branch = std::get_if<ir::If>(&statement.node)) {
        breakBlock(branch->then);
        breakBlock(branch->otherwise);
      }
      if (auto* lanes = std::get_if<ir::Lanes>(&statement.node)) breakLanes(*lanes, statement);
    }
  }

  void breakLanes(ir::Lanes& lanes, ir::Statement& statement) {
    for (ir::Store& store : lanes.stores) {
      if (fault_ == Fault::F16Accumulation && !lanes.isAsync) store.value = roughened(store.value);
      if (!isOutput(store)) continue;
      if (fault_ == Fault::OffByOne) shift(store, lanes);
      if (fault_ == Fault::Zeros) setZero(store);
    }
    if (fault_ == Fault::UnwrittenTail) leaveOut(lanes, statement);
  }

  void setZero(ir::Store& store) {
    const DType dtype = store.value->dtype;
    store.value = pool_.constant(dtype, 0);
    isBroken_ = true;
  }

  void shift(ir::Store& store, const ir::Lanes& lanes) {
    const int64_t elements = elementsOf(store);
    if (elements < 2) return;
    const Expr* next = make(Op::Add, {offsetOf(store, lanes, lanes.axis), number(1)});
    store.offset = make(Op::Where, {make(Op::Lt, {next, number(elements)}), next, number(0)});
    store.contiguous = false;
    isBroken_ = true;
  }

  /// Only vectors that do not reach the last element of an output are stored.
  void leaveOut(ir::Lanes& lanes, ir::Statement& statement) {
    const Expr* isElsewhere = nullptr;
    for (const ir::Store& store : lanes.stores) {
      if (!isOutput(store)) continue;
      const Expr* last = number(elementsOf(store) - 1);
      for (int64_t lane = store.contiguous ? lanes.axis->axis().extent - 1 : 0; lane < lanes.axis->axis().extent; ++lane) {
        const Expr* isBefore = make(Op::Lt, {offsetOf(store, lanes, number(lane)), last});
        isElsewhere = isElsewhere == nullptr ? isBefore : make(Op::And, {isElsewhere, isBefore});
      }
    }
    if (isElsewhere == nullptr) return;
    isBroken_ = true;
    ir::Block then{{lanes}};
    statement = {ir::If{isElsewhere, std::move(then), {}}};
  }

  /// The value with the result of every operation rounded.
  const Expr* roughened(const Expr* value) {
    std::unordered_map<const Expr*, const Expr*> made;
    for (const Expr* node : ir::postorder({value})) {
      std::vector<const Expr*> src;
      for (const Expr* operand : node->src) src.push_back(made.at(operand));
      made[node] = rounded(src == node->src || node->op == Op::Load ? node : remade(*node, std::move(src)));
    }
    return made.at(value);
  }
  const Expr* remade(const Expr& node, std::vector<const Expr*> src) {
    return node.op == Op::Cast ? pool_.cast(node.dtype, src[0]) : make(node.op, std::move(src));
  }
  const Expr* rounded(const Expr* value) {
    if (!rounds(value->op) || (value->dtype != DType::F32 && value->dtype != DType::F64)) return value;
    isBroken_ = true;
    return pool_.cast(value->dtype, pool_.cast(value->dtype == DType::F64 ? DType::F32 : DType::F16, value));
  }

  ir::Kernel& kernel_;
  ir::ExprPool& pool_;
  Fault fault_;
  bool isBroken_ = false;
};

/// Computes once and hands that out ever after.
class StaleCallable : public runtime::Callable {
 public:
  explicit StaleCallable(runtime::CallablePtr callable) : runtime::Callable(*callable), callable_(std::move(callable)) {}
  runtime::TensorList operator()() override {
    if (!kept_) kept_ = (*callable_)();
    return kept_;
  }
  void use(int number) override { callable_->use(number); }
  void reload() override { callable_->reload(); }
  void reseed() override { callable_->reseed(); }
  void advance() override { callable_->advance(); }
  void guard(runtime::Guards guards) override { callable_->guard(guards); }

 private:
  runtime::CallablePtr callable_;
  runtime::TensorList kept_;
};

class SlowTrial : public runtime::Trial {
 public:
  explicit SlowTrial(std::unique_ptr<runtime::Trial> trial) : runtime::Trial(*trial), trial_(std::move(trial)) {}
  runtime::TensorList run() override { return trial_->run(); }
  void reseed() override { trial_->reseed(); }
  runtime::TensorList outputs() const override { return trial_->outputs(); }
  int kernelNodes() const override { return trial_->kernelNodes(); }
  std::optional<runtime::KernelTime> kernelTime() override { return trial_->kernelTime(); }
  bool grow() override { return trial_->grow(); }
  int captures() const override { return trial_->captures(); }
  bool prepareFor(runtime::Measure measure) override { return trial_->prepareFor(measure); }
  void queue(runtime::Measure measure) override { trial_->queue(measure); }
  void collect(std::vector<double>& seconds) override {
    const size_t before = seconds.size();
    trial_->collect(seconds);
    for (size_t i = before; i < seconds.size(); ++i) seconds[i] *= slowness;
  }

 private:
  static constexpr double slowness = 1.05;
  std::unique_ptr<runtime::Trial> trial_;
};

}  // namespace

bool breakPlan(codegen::Plan& plan, Fault fault, const ir::Target& target) {
  if (fault == Fault::StaleOutput || fault == Fault::Slow) return !plan.kernels.empty();
  bool isBroken = false;
  for (size_t i = 0; i < plan.kernels.size(); ++i) {
    isBroken = Breaker(plan.kernels[i], fault)() || isBroken;
    plan.steps[i] = codegen::launchStep(plan.kernels[i], target);
  }
  return isBroken;
}

runtime::CallablePtr broken(runtime::CallablePtr callable, Fault fault) {
  const bool isStale = fault == Fault::StaleOutput && callable->kind == runtime::Kind::Generated;
  return isStale ? std::make_unique<StaleCallable>(std::move(callable)) : std::move(callable);
}

std::unique_ptr<runtime::Trial> broken(std::unique_ptr<runtime::Trial> trial, Fault fault) {
  return fault == Fault::Slow ? std::make_unique<SlowTrial>(std::move(trial)) : std::move(trial);
}

}  // namespace opbench
