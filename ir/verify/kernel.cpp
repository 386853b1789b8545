#include <algorithm>

#include "ir/index/width.h"
#include "ir/text/text.h"
#include "ir/verify/access.h"
#include "ir/verify/guards.h"
#include "ir/verify/verify.h"
#include "ir/verify/waits.h"
#include "ir/walk.h"

namespace ir {
namespace {

bool isOfGrid(const Statement& statement) {
  const auto* barrier = std::get_if<Barrier>(&statement.node);
  return isGridLoop(statement) || (barrier != nullptr && barrier->scope == Barrier::Scope::Grid);
}

/// Walks the statements.
class KernelVerifier {
 public:
  KernelVerifier(const Kernel& kernel, int registerBytes)
      : kernel_(kernel), verifier_("kernel " + kernel.name, buffersOf(kernel)), waits_(kernel, verifier_) {
    verifier_.kernel = &kernel_;
    verifier_.registerBytes = registerBytes;
  }

  void run() {
    verifier_.demand(isWord(kernel_.name), "the name is no word");
    verifier_.demand(kernel_.pool != nullptr, "there is no pool of expressions");
    verifier_.buffers();
    params();
    locals();
    launch();
    VerifyScope scope;
    if (kernel_.list) list(*kernel_.list, scope);
    for (size_t i = 0; i < kernel_.body.size(); ++i) {
      const auto at = kernel_.body.begin() + static_cast<std::ptrdiff_t>(i);
      Around around;
      around.isFirst = std::all_of(kernel_.body.begin(), at, isOfGrid);
      around.isAfterGrid = i > 0 && isGridLoop(at[-1]);
      around.isBeforeGrid = i + 1 < kernel_.body.size() && isGridLoop(at[1]);
      std::visit([&](const auto& node) { statement(node, scope, around); }, at->node);
    }
    waits_.gridLoops();
    loopsPresent();
    verifier_.everyOutputStored();
    if (kernel_.index32) indices();
  }

 private:
  static std::vector<const Buffer*> buffersOf(const Kernel& kernel) {
    std::vector<const Buffer*> buffers;
    for (const Param& param : kernel.params) buffers.push_back(&param.buffer);
    for (const Local& local : kernel.locals) buffers.push_back(&local.buffer);
    return buffers;
  }

  bool isCuda() const { return kernel_.backend == Backend::Cuda; }

  void params() {
    for (const Param& param : kernel_.params) {
      const bool isPower = param.alignment > 0 && (param.alignment & (param.alignment - 1)) == 0;
      verifier_.demand(isPower, "the alignment of {} is {}, no power of two", param.buffer.name, param.alignment);
    }
  }

  void locals() {
    for (const Local& local : kernel_.locals) {
      const TensorType& type = local.buffer.type;
      const std::string& name = local.buffer.name;
      verifier_.demand(type.rank() == 1 && type.isContiguous(), "the local array {} is {}", name, toText(type));
      const bool isDivided = local.lanes >= 1 && type.numel() % local.lanes == 0;
      verifier_.demand(isDivided, "the {} elements of {} in vectors of {}", type.numel(), name, local.lanes);
      verifier_.demand(local.lanes == 1 || local.space == Space::Private, "vectors of {}, which is no private array", name);
      verifier_.demand(local.space != Space::Shared || isCuda(), "the shared array {} on a cpu", name);
      verifier_.demand(local.space != Space::Sums || isCuda(), "the sums {} on a cpu", name);
      verifier_.demand(local.space != Space::Sums || type.dtype == DType::F32, "the sums {}, which are {}, not f32", name,
                       ir::name(type.dtype));
    }
  }

  void launch() {
    const Launch& launch = kernel_.launch;
    const bool isOne =
        launch.grid == 1 && launch.cluster == 1 && !launch.isPersistent && launch.block == 1 && launch.resident == 0;
    verifier_.demand(isCuda() || isOne, "blocks and threads on a cpu");
    verifier_.demand(!isCuda() || (launch.tasks == 1 && launch.grain == 1), "tasks on cuda");
    verifier_.demand(launch.block >= 1 && launch.block <= Target::ctaThreads, "{} threads a block", launch.block);
    verifier_.demand(launch.cluster >= 1, "{} blocks a cluster", launch.cluster);
    verifier_.demand(!launch.isPersistent || launch.cluster > 1, "a persistent cluster of one block");
    verifier_.demand(launch.resident >= 0, "{} blocks resident", launch.resident);
    verifier_.demand(launch.grid >= 0 && launch.grid <= INT32_MAX / launch.cluster, "{} blocks", launch.grid);
    verifier_.demand(launch.tasks >= 0 && launch.grain >= 1, "{} tasks, {} at a time", launch.tasks, launch.grain);
    verifier_.demand(!isCuda() || !kernel_.streamStores, "stream stores on cuda");
  }

  void list(const TensorList& list, VerifyScope& scope) const {
    bind(list.count, scope);
    const int64_t most = list.count->axis().extent - 1, ctas = kernel_.launch.grid;
    verifier_.demand(isCuda() && kernel_.launch.cluster == 1 && !waitsForGrid(kernel_) && kernel_.body.size() == 1,
                     "a list of tensors in no single loop over blocks");
    verifier_.demand(ctas >= 1 && most % ctas == 0, "{} blocks for {} elements of a tensor", ctas, most);
    verifier_.demand(list.params.size() == list.tensors() * kernel_.params.size(), "{} parameters for a list of {} tensors",
                     list.params.size(), list.tensors());
    for (const int64_t elements : list.elements)
      verifier_.demand(elements >= 1 && elements <= most, "a tensor of {} elements, not 1 to {}", elements, most);
    verifier_.demand(ctasOf(kernel_) <= INT32_MAX, "{} blocks", ctasOf(kernel_));
    verifier_.demand(kernel_.locals.empty() || std::all_of(kernel_.locals.begin(), kernel_.locals.end(),
                                                           [](const Local& local) { return local.space == Space::Private; }),
                     "tensors of a list that share an array");
  }

  void loopsPresent() {
    const Launch& launch = kernel_.launch;
    verifier_.demand(hasGrid_ || launch.grid == 1, "{} blocks and no grid loop", launch.grid);
    verifier_.demand(hasCluster_ || launch.cluster == 1, "{} blocks a cluster and no cluster loop", launch.cluster);
    verifier_.demand(hasThread_ || launch.block == 1, "{} threads and no thread loop", launch.block);
    verifier_.demand(hasTask_ || launch.tasks == 1, "{} tasks and no task loop", launch.tasks);
    const bool isFollowed = hasGrid_ && launch.cluster > 1 && kernel_.body.size() > 1;
    verifier_.demand(!waitsForGrid(kernel_) || launch.resident > 0, "blocks that wait for each other and need not be resident");
    verifier_.demand(!isFollowed, "statements after the loop over clusters of {} blocks", launch.cluster);
  }

  void indices() const {
    const std::optional<WideIndex> wide = findWideIndex(kernel_);
    if (wide) verifier_.refuse("index32, and {} goes from {} to {}", toText(wide->index), wide->bounds.least, wide->bounds.most);
  }

  void block(const Block& block, const VerifyScope& scope, const Around& around) {
    for (const Statement& one : block) std::visit([&](const auto& node) { statement(node, scope, around); }, one.node);
  }

  void bind(const Expr* axis, VerifyScope& scope) const {
    verifier_.demand(axis != nullptr && axis->op == Op::Axis, "the axis of a loop is none");
    const bool isBound = std::find(scope.axes.begin(), scope.axes.end(), axis) != scope.axes.end();
    verifier_.demand(!isBound, "axis i{} is bound twice", axis->axis().id);
    scope.axes.push_back(axis);
  }

  /// A loop that a launch carries out is on its backend, and as long as the launch says.
  void parallel(std::string_view kind, Backend backend, int64_t extent, int64_t launched) const {
    verifier_.demand(kernel_.backend == backend, "a {} loop on {}", kind, isCuda() ? "cuda" : "a cpu");
    verifier_.demand(extent == launched, "the {} loop has {} iterations and the launch {}", kind, extent, launched);
  }

  void statement(const For& loop, VerifyScope scope, Around around) {
    bind(loop.axis, scope);
    const int64_t extent = loop.axis->axis().extent;
    const Launch& launch = kernel_.launch;
    switch (loop.kind) {
      case LoopKind::Grid:
        parallel("grid", Backend::Cuda, extent, launch.grid);
        verifier_.demand(around.isFirst, "the grid loop comes after other statements");
        hasGrid_ = around.grid = true;
        break;
      case LoopKind::Task:
        parallel("task", Backend::Cpu, extent, launch.tasks);
        verifier_.demand(around.isFirst, "the task loop is not the first statement");
        hasTask_ = true;
        break;
      case LoopKind::Cluster:
        parallel("cluster", Backend::Cuda, extent, launch.cluster);
        verifier_.demand(around.grid, "a cluster loop outside the grid loop");
        verifier_.demand(!around.cluster && !around.thread, "a cluster loop inside a cluster or thread loop");
        hasCluster_ = around.cluster = true;
        break;
      case LoopKind::Thread:
        verifier_.demand(!around.thread, "a thread loop inside a thread loop");
        parallel("thread", Backend::Cuda, extent, launch.block);
        verifier_.demand(isInCta(around), "a thread loop outside the cluster loops");
        hasThread_ = around.thread = true;
        break;
      case LoopKind::Serial:
      case LoopKind::Unrolled: break;
    }
    around.isFirst = false;
    block(loop.body, scope, around);
  }

  bool isInCta(const Around& around) const { return waits_.isInCta(around); }
  bool isInThread(const Around& around) const { return (around.thread || kernel_.launch.block == 1) && isInCta(around); }

  void statement(const If& branch, VerifyScope scope, Around around) {
    around.isFirst = false;
    scope.isThread = isInThread(around);
    verifier_.expression(branch.condition, scope, "a condition");
    const std::vector<const Expr*> nodes = postorder({branch.condition});
    around.isUniform =
        around.isUniform && std::none_of(nodes.begin(), nodes.end(), [](const Expr* x) { return x->op == Op::Load; });
    verifier_.demand(branch.condition->dtype == DType::Bool, "a condition is {}, not b8", name(branch.condition->dtype));
    VerifyScope holds = scope;
    VerifyScope fails = scope;
    addCondition(holds, branch.condition, true);
    addCondition(fails, branch.condition, false);
    block(branch.then, holds, around);
    block(branch.otherwise, fails, around);
  }

  void statement(const Combine& combine, const VerifyScope&, const Around& around) const { waits_.statement(combine, around); }
  void statement(const Barrier& barrier, const VerifyScope&, const Around& around) const { waits_.statement(barrier, around); }
  void statement(const CommitCopies& commit, const VerifyScope&, const Around& around) const { waits_.statement(commit, around); }
  void statement(const AwaitCopies& await, const VerifyScope& scope, const Around&) const { waits_.statement(await, scope); }

  void statement(const Lanes& lanes, VerifyScope scope, const Around& around) {
    verifier_.demand(isInCta(around), "lanes that {} blocks of a cluster carry out alike", kernel_.launch.cluster);
    verifier_.demand(isInThread(around), "lanes that {} threads carry out alike", kernel_.launch.block);
    waits_.asynchronous(lanes);
    scope.isThread = true;
    bound(lanes.active, scope, "the active lanes");
    bound(lanes.first, scope, "the first of the lanes");
    bind(lanes.axis, scope);
    scope.lane = lanes.axis;
    scope.isMasked = lanes.active != nullptr || lanes.first != nullptr;
    verifier_.demand(lanes.axis->axis().extent >= 1, "lanes of width {}", lanes.axis->axis().extent);
    if (lanes.active != nullptr) addActive(scope, lanes.axis, lanes.active);
    if (lanes.first != nullptr) addFirst(scope, lanes.axis, lanes.first);
    verifier_.stores(lanes.stores, scope);
  }

  /// A bound of the lanes; there may be none.
  void bound(const Expr* value, const VerifyScope& scope, const std::string& place) const {
    if (value == nullptr) return;
    verifier_.expression(value, scope, place);
    verifier_.demand(value->dtype == DType::I64, "{} are {}, not i64", place, name(value->dtype));
  }

  const Kernel& kernel_;
  AccessVerifier verifier_;
  WaitVerifier waits_;
  bool hasGrid_ = false;
  bool hasCluster_ = false;
  bool hasThread_ = false;
  bool hasTask_ = false;
};

constexpr int widestRegister = 64;  // bytes, of any CPU

}  // namespace

void verify(const Kernel& kernel) { KernelVerifier(kernel, widestRegister).run(); }

void verify(const Kernel& kernel, const Target& target) {
  KernelVerifier(kernel, target.vectorBytes).run();
  const Launch& launch = kernel.launch;
  const auto demand = [&](bool holds, const std::string& what) {
    require(holds, "kernel {} on {}: {}", kernel.name, target.arch, what);
  };
  demand(kernel.backend == target.backend, "it is for another backend");
  demand(launch.isPersistent || launch.cluster <= target.clusterCtas, fmt::format("{} blocks a cluster", launch.cluster));
  demand(launch.resident * launch.block <= target.processorThreads,
         fmt::format("{} blocks of {} threads resident", launch.resident, launch.block));
}

}  // namespace ir
