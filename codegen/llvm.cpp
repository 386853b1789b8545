#include "codegen/llvm.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/IntrinsicsX86.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/raw_ostream.h>

#include "codegen/llvm_expr.h"
#include "codegen/llvm_flow.h"
#include "ir/error.h"

namespace codegen {
namespace {

/// Prints the statements of one kernel, in order, into a function.
class LlvmKernel {
 public:
  LlvmKernel(llvm::Function& function, const ir::Kernel& kernel, const Cpu& cpu)
      : function_(function),
        builder_(llvm::BasicBlock::Create(function.getContext(), "entry", &function)),
        memory_(builder_, cpu, kernel, function.getArg(0)),
        scope_{builder_, kernel, cpu, memory_, LlvmMath(cpu, kernel.relaxedMath), {}} {}

  void print() {
    block(scope_.kernel.body);
    // Stores around the caches are seen by other threads only after a fence.
    if (scope_.kernel.streamStores) builder_.CreateIntrinsic(llvm::Intrinsic::x86_sse_sfence, {}, {});
    builder_.CreateRetVoid();
  }

 private:
  void block(const ir::Block& block) {
    for (const ir::Statement& statement : block) std::visit([this](const auto& node) { print(node); }, statement.node);
  }

  void print(const ir::For& loop) {
    const bool isTask = loop.kind == ir::LoopKind::Task;
    ir::require(isTask || loop.kind == ir::LoopKind::Serial, "a CPU kernel has no loop over the grid or threads of one");
    const int64_t extent = loop.axis->axis().extent;
    if (extent == 0) return;
    llvm::Value* begin = builder_.getInt64(0);
    llvm::Value* end = builder_.getInt64(static_cast<uint64_t>(extent));
    if (isTask) {
      begin = function_.getArg(1);
      end = function_.getArg(2);
    }
    countedLoop(builder_, begin, end, !isTask, [&](llvm::Value* i) {
      scope_.axes[loop.axis] = i;
      block(loop.body);
    });
    scope_.axes.erase(loop.axis);
  }

  void print(const ir::If& statement) {
    llvm::Value* condition = LlvmExpr(scope_)(statement.condition).value;
    const auto otherwise = [&] { block(statement.otherwise); };
    branch(
        builder_, condition, [&] { block(statement.then); }, statement.otherwise.empty() ? std::function<void()>() : otherwise);
  }

  void print(const ir::Combine&) { ir::require(false, "a combination of threads on a CPU"); }

  void print(const ir::Lanes& lanes) {
    const auto count = static_cast<int>(lanes.axis->axis().extent);
    if (count == 0) return;
    if (lanes.active == nullptr) return stores(lanes, {count, nullptr});
    const Vec active = LlvmExpr(scope_)(lanes.active);
    if (const auto* known = llvm::dyn_cast<llvm::ConstantInt>(active.value))
      return knownActive(lanes, count, known->getSExtValue());
    const Vec bounded = intrinsic("llvm.smin", {active, active.like(count)});
    branch(builder_, (active > 0).value, [&] { stores(lanes, {count, bounded.value}); }, nullptr);
  }

  void knownActive(const ir::Lanes& lanes, int count, int64_t active) {
    if (active <= 0) return;
    stores(lanes, {count, active >= count ? nullptr : builder_.getInt64(static_cast<uint64_t>(active))});
  }

  /// All values are computed before the first is stored.
  void stores(const ir::Lanes& lanes, const LaneSet& set) {
    LlvmExpr print(scope_, lanes.axis, set);
    std::vector<std::pair<Vec, Vec>> made;
    for (const ir::Store& store : lanes.stores) made.emplace_back(print(store.offset), print(store.value));
    for (size_t i = 0; i < made.size(); ++i) write(lanes.stores[i], made[i].first, made[i].second, set);
  }

  void write(const ir::Store& store, Vec offset, Vec value, const LaneSet& set) {
    if (store.contiguous) return memory_.storeContiguous(store.param, offset, value, set);
    if (set.count == 1) return memory_.store(store.param, offset, value);
    memory_.scatter(store.param, offset, value, set);
  }

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

Program emitLlvm(const ir::Kernel& kernel, const ir::Target& target) {
  ir::require(kernel.backend == ir::Backend::Cpu && target.backend == ir::Backend::Cpu, "kernel {} is not made for a CPU",
              kernel.name);
  llvm::LLVMContext context;
  llvm::Module module(kernel.name, context);
  const Cpu cpu(target);
  LlvmKernel(makeFunction(module, kernel, target), kernel, cpu).print();
  std::string source;
  llvm::raw_string_ostream stream(source);
  module.print(stream, nullptr);
  return {kernel.name, ir::Backend::Cpu, source, {}, target.arch, target.features, kernel.launch, kernel.params};
}

}  // namespace codegen
