#include "codegen/llvm/emit.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/IntrinsicsX86.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/raw_ostream.h>

#include <algorithm>

#include "codegen/llvm/accumulate.h"
#include "codegen/llvm/expr.h"
#include "codegen/llvm/locals.h"
#include "codegen/llvm/values/flow.h"
#include "ir/error.h"

namespace codegen {
namespace {

/// The loop that is split over worker threads; statements may follow it.
const ir::For* taskLoop(const ir::Kernel& kernel) {
  const auto* loop = kernel.body.empty() ? nullptr : std::get_if<ir::For>(&kernel.body.front().node);
  return loop != nullptr && loop->kind == ir::LoopKind::Task ? loop : nullptr;
}

bool hasEpilogue(const ir::Kernel& kernel) { return taskLoop(kernel) != nullptr && kernel.body.size() > 1; }

/// Prints the statements of one kernel, in order, into a function.
class LlvmKernel {
 public:
  LlvmKernel(llvm::Function& function, const ir::Kernel& kernel, const Cpu& cpu)
      : function_(function),
        builder_(llvm::BasicBlock::Create(function.getContext(), "entry", &function)),
        memory_(builder_, cpu, kernel, function.getArg(0)),
        scope_{builder_, kernel, cpu, memory_, LlvmMath(cpu, kernel.math == ir::Math::Relaxed), {}} {}

  void print() {
    const ir::Block& body = scope_.kernel.body;
    hasEpilogue(scope_.kernel) ? tasksOrEpilogue(body) : block(body);
    // Stores around the caches are seen by other threads only after a fence.
    if (scope_.kernel.streamStores) builder_.CreateIntrinsic(llvm::Intrinsic::x86_sse_sfence, {}, {});
    builder_.CreateRetVoid();
  }

 private:
  void block(const ir::Block& block) {
    for (const ir::Statement& statement : block) std::visit([this](const auto& node) { print(node); }, statement.node);
  }

  /// What follows the Task loop is its last iteration, which is called alone.
  void tasksOrEpilogue(const ir::Block& body) {
    llvm::Value* isLast = builder_.CreateICmpEQ(function_.getArg(1), integer(scope_.kernel.launch.tasks));
    branch(builder_, isLast, [&] { block({body.begin() + 1, body.end()}); }, [&] { block({body.front()}); });
  }

  void print(const ir::For& loop) {
    const int64_t extent = loop.axis->axis().extent;
    const auto iteration = [&](llvm::Value* i) {
      scope_.axes[loop.axis] = i;
      block(loop.body);
    };
    switch (loop.kind) {
      case ir::LoopKind::Task: countedLoop(builder_, function_.getArg(1), function_.getArg(2), false, iteration); break;
      case ir::LoopKind::Serial:
        if (extent > 0) countedLoop(builder_, integer(0), integer(extent), true, iteration);
        break;
      case ir::LoopKind::Unrolled:
        for (int64_t i = 0; i < extent; ++i) iteration(integer(i));
        break;
      case ir::LoopKind::Grid:
      case ir::LoopKind::Cluster:
      case ir::LoopKind::Thread: ir::fail(ir::ErrorKind::Internal, "a CPU kernel has no loop over the grid or threads of one");
    }
    scope_.axes.erase(loop.axis);
  }

  void print(const ir::If& statement) {
    llvm::Value* condition = LlvmExpr(scope_)(statement.condition).value;
    if (const auto* known = llvm::dyn_cast<llvm::ConstantInt>(condition))
      return block(known->isOne() ? statement.then : statement.otherwise);
    const auto otherwise = [&] { block(statement.otherwise); };
    branch(
        builder_, condition, [&] { block(statement.then); }, statement.otherwise.empty() ? std::function<void()>() : otherwise);
  }

  [[noreturn]] void print(const ir::Combine&) { refuseThreads(); }
  [[noreturn]] void print(const ir::Barrier&) { refuseThreads(); }
  [[noreturn]] void print(const ir::CommitCopies&) { refuseThreads(); }
  [[noreturn]] void print(const ir::AwaitCopies&) { refuseThreads(); }
  [[noreturn]] void refuseThreads() {
    ir::fail(ir::ErrorKind::Internal, "the kernel {} combines threads or lets them wait on a CPU", scope_.kernel.name);
  }

  void print(const ir::Lanes& lanes) {
    const auto count = static_cast<int>(lanes.axis->axis().extent);
    if (count == 0) return;
    const Vec first = clamped(lanes.first, 0, count, "llvm.smax");
    const Vec end = clamped(lanes.active, count, count, "llvm.smin");
    const LaneSet set{count, end.value == integer(count) ? nullptr : end.value,
                      first.value == integer(0) ? nullptr : first.value};
    llvm::Value* isAny = (end > first).value;
    const auto* known = llvm::dyn_cast<llvm::ConstantInt>(isAny);
    if (known == nullptr) return branch(builder_, isAny, [&] { stores(lanes, set); }, nullptr);
    if (known->isOne()) stores(lanes, set);
  }

  /// A bound of the active lanes, no less or no more than the limit; the limit itself where there is none.
  Vec clamped(const ir::Expr* bound, int64_t limit, int64_t count, const char* towards) {
    const Vec most{&builder_, integer(limit)};
    if (bound == nullptr) return most;
    const Vec value = LlvmExpr(scope_)(bound);
    const auto* known = llvm::dyn_cast<llvm::ConstantInt>(value.value);
    if (known == nullptr) return intrinsic(towards, {value, most});
    return {&builder_, integer(std::clamp<int64_t>(known->getSExtValue(), 0, count))};
  }

  /// All values are computed before the first is stored.
  void stores(const ir::Lanes& lanes, const LaneSet& set) {
    if (const int side = ir::transposedSide(scope_.kernel, lanes); side > 0)
      return memory_.transpose(lanes.stores.front().param, side);
    LlvmExpr print(scope_, lanes.axis, set);
    std::vector<std::pair<Vec, Vec>> made;
    for (const ir::Store& store : lanes.stores) made.emplace_back(print(store.offset), print(store.value));
    for (size_t i = 0; i < made.size(); ++i) write(lanes.stores[i], made[i].first, made[i].second, set);
  }

  void write(const ir::Store& store, Vec offset, Vec value, const LaneSet& set) {
    if (store.accumulate) return accumulate(scope_, store, offset, value, set);
    if (store.contiguous) return memory_.storeContiguous(store.param, offset, value, set);
    if (set.count == 1) return memory_.store(store.param, offset, value);
    memory_.scatter(store.param, offset, value, set);
  }

  llvm::Value* integer(int64_t value) { return builder_.getInt64(static_cast<uint64_t>(value)); }

  llvm::Function& function_;
  llvm::IRBuilder<> builder_;
  LlvmMemory memory_;
  Scope scope_;
};

llvm::Function& makeFunction(llvm::Module& module, const ir::Kernel& kernel, const ir::Target& target) {
  llvm::LLVMContext& context = module.getContext();
  llvm::Type* index = llvm::Type::getInt64Ty(context);
  auto* type =
      llvm::FunctionType::get(llvm::Type::getVoidTy(context), {llvm::PointerType::getUnqual(context), index, index}, false);
  llvm::Function* function = llvm::Function::Create(type, llvm::Function::ExternalLinkage, kernel.name, module);
  const char* names[] = {"params", "begin", "end"};
  for (unsigned i = 0; i < 3; ++i) function->getArg(i)->setName(names[i]);
  function->addParamAttr(0, llvm::Attribute::NoAlias);
  function->addParamAttr(0, llvm::Attribute::ReadOnly);
  function->setDoesNotThrow();
  function->addFnAttr("target-cpu", target.arch);
  function->addFnAttr("target-features", target.features);
  if (target.vectorBytes == 64) function->addFnAttr("prefer-vector-width", "512");
  return *function;
}

}  // namespace

ir::KernelSource emitLlvm(const ir::Kernel& kernel, const ir::Target& target) {
  ir::require(kernel.backend == ir::Backend::Cpu && target.backend == ir::Backend::Cpu, "kernel {} is not made for a CPU",
              kernel.name);
  llvm::LLVMContext context;
  llvm::Module module(kernel.name, context);
  const Cpu cpu(target);
  LlvmKernel(makeFunction(module, kernel, target), kernel, cpu).print();
  std::string source;
  llvm::raw_string_ostream stream(source);
  module.print(stream, nullptr);
  ir::KernelSource program{kernel.name, ir::Backend::Cpu, source, {}, target.arch, target.features, kernel.launch, kernel.params};
  program.workspaceBytes = workspaceBytes(kernel);
  program.hasEpilogue = hasEpilogue(kernel);
  return program;
}

}  // namespace codegen
