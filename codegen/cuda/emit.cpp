#include "codegen/cuda/emit.h"

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "codegen/cuda/barriers.h"
#include "codegen/cuda/copies.h"
#include "codegen/cuda/lanes.h"
#include "codegen/cuda/memory.h"
#include "codegen/cuda/names.h"
#include "ir/error.h"

namespace codegen {

// The texts of the two files, which the build embeds.
std::string_view cudaScalarPrelude();
std::string_view cudaCombinePrelude();

namespace {

/// Prints the statements of a kernel and the barriers between them.
class CudaPrinter {
 public:
  CudaPrinter(const ir::Kernel& kernel, const CudaMemory& memory)
      : kernel_(kernel), memory_(memory), inCta_(kernel), inCluster_(kernel), groups_(kernel) {}

  void body(CudaScope& scope);

 private:
  void block(const ir::Block& block, CudaScope& scope) {
    const int before = groups_.awaited();
    for (const ir::Statement& statement : block) {
      if (groups_.isNeeded(statement)) scope.line(groups_.await(scope));
      std::visit([&](const auto& node) { print(node, scope); }, statement.node);
    }
    groups_.setAwaited(before);
  }
  void print(const ir::For& loop, CudaScope& scope);
  void print(const ir::If& branch, CudaScope& scope);
  void print(const ir::Lanes& lanes, CudaScope& scope) {
    const bool isAsync = copiedBytes(kernel_, lanes) > 0 && copied_.contains(lanes.stores.front().param);
    if (isAsync) groups_.add(lanes.stores.front().param);
    isAsync ? printAsyncCopy(kernel_, lanes, scope) : printLanes(kernel_, lanes, scope);
  }
  void print(const ir::Combine& combine, CudaScope& scope);

  void grid(const ir::For& loop, CudaScope& scope);
  void persistentClusters(const ir::For& loop, CudaScope& scope);
  void cluster(const ir::For& loop, CudaScope& scope);
  void threads(const ir::For& loop, CudaScope& scope);
  void repeated(const ir::For& loop, CudaScope& scope);
  void exchange(const ir::Combine& combine, CudaScope& scope);
  void meet(const ir::Combine& combine, CudaScope& scope);
  /// What a Combine exchanges is memory too, with a number after the buffers'.
  int numberOf(const ir::Combine& combine) const {
    return static_cast<int>(kernel_.params.size() + kernel_.locals.size()) + memory_.number(combine);
  }
  void awaitPeers(CudaScope& scope);
  void endOfGrid(bool isFollowedByGrid, CudaScope& scope);

  void declareIndices(CudaScope& scope) const;
  void waitFor(const Accesses& next, bool ofCluster, CudaScope& scope);
  void passBarrier(bool ofCluster, CudaScope& scope);

  const ir::Kernel& kernel_;
  const CudaMemory& memory_;
  Unordered inCta_;
  Unordered inCluster_;
  std::set<int> copied_;  ///< Accesses::copies of the loop over threads that is printed
  CopyGroups groups_;     ///< its copies
  bool isInThreads_ = false;
  bool hasAwaitedPeers_ = false;
};

bool spansCtas(const ir::Block& block) {
  const std::vector<const ir::Combine*> combines = combinesOf(block);
  return std::any_of(combines.begin(), combines.end(), [](const ir::Combine* combine) { return combine->ctas > 1; });
}

bool hasLoop(const ir::Block& block, ir::LoopKind kind) {
  const auto has = [&](const ir::Statement& statement) {
    if (const auto* loop = std::get_if<ir::For>(&statement.node)) return loop->kind == kind || hasLoop(loop->body, kind);
    const auto* branch = std::get_if<ir::If>(&statement.node);
    return branch != nullptr && (hasLoop(branch->then, kind) || hasLoop(branch->otherwise, kind));
  };
  return std::any_of(block.begin(), block.end(), has);
}

void CudaPrinter::body(CudaScope& scope) {
  memory_.declare(scope);
  if (spansCtas(kernel_.body) && !kernel_.launch.isPersistent) scope.line("clusterArrive();");
  declareIndices(scope);
  for (auto statement = kernel_.body.begin(); statement != kernel_.body.end(); ++statement) {
    std::visit([&](const auto& node) { print(node, scope); }, statement->node);
    const auto next = statement + 1;
    if (ir::isGridLoop(*statement) && next != kernel_.body.end()) endOfGrid(ir::isGridLoop(*next), scope);
  }
}

/// Between a grid loop and what follows it: another one, or statements for one CTA.
void CudaPrinter::endOfGrid(bool isFollowedByGrid, CudaScope& scope) {
  if (isFollowedByGrid) {
    scope.line(fmt::format("gridBarrier({});", memory_.barrier()));
  } else {
    scope.line("// The CTA that is done last goes on; it sees what all of them wrote.");
    scope.line(fmt::format("if (!isLastCta({})) return;", memory_.counter()));
  }
  inCta_.clear();
}

void CudaPrinter::print(const ir::For& loop, CudaScope& scope) {
  switch (loop.kind) {
    case ir::LoopKind::Grid: return grid(loop, scope);
    case ir::LoopKind::Cluster: return cluster(loop, scope);
    case ir::LoopKind::Thread: return threads(loop, scope);
    case ir::LoopKind::Serial:
    case ir::LoopKind::Unrolled: return repeated(loop, scope);
    case ir::LoopKind::Task: ir::require(false, "the kernel {} has a task loop on CUDA", kernel_.name);
  }
}

/// The places of a thread, which all loops over them share.
void CudaPrinter::declareIndices(CudaScope& scope) const {
  const auto declare = [&](ir::LoopKind kind, const char* name, const std::string& value) {
    if (hasLoop(kernel_.body, kind)) scope.line(fmt::format("const {} {} = {};", scope.expressions().indexType(), name, value));
  };
  if (!kernel_.launch.isPersistent) {
    const int cluster = kernel_.launch.cluster;
    declare(ir::LoopKind::Grid, "block", cluster > 1 ? fmt::format("blockIdx.x / {}", cluster) : "blockIdx.x");
    declare(ir::LoopKind::Cluster, "rank", fmt::format("blockIdx.x % {}", cluster));
  }
  declare(ir::LoopKind::Thread, "thread", "threadIdx.x");
}

void CudaPrinter::grid(const ir::For& loop, CudaScope& scope) {
  scope.expressions().bind({loop.axis, As::Index}, {"block"});
  kernel_.launch.isPersistent ? persistentClusters(loop, scope) : block(loop.body, scope);
}

/// As many CTAs as run at once take the places in persistent clusters in order: a CTA only waits for others that work on the same
/// cluster or on earlier ones.
void CudaPrinter::persistentClusters(const ir::For& loop, CudaScope& scope) {
  const ir::Launch& launch = kernel_.launch;
  scope.line(
      fmt::format("for (u32 number = blockIdx.x; number < {}; number += gridDim.x) {{", launch.grid * int64_t{launch.cluster}));
  CudaScope inner = scope.enter();
  const std::string type = scope.expressions().indexType();
  inner.line(fmt::format("const {} block = number / {};", type, launch.cluster));
  inner.line(fmt::format("const {} rank = number % {};", type, launch.cluster));
  block(loop.body, inner);
  inner.line("__syncthreads();");
  scope.leave(inner);
  scope.line("}");
}

void CudaPrinter::cluster(const ir::For& loop, CudaScope& scope) {
  scope.expressions().bind({loop.axis, As::Index}, {"rank"});
  const Accesses accesses = accessesOf(kernel_, loop.body).betweenCtas(kernel_);
  waitFor(accesses, /*ofCluster=*/true, scope);
  block(loop.body, scope);
  inCluster_.add(accesses);
}

void CudaPrinter::threads(const ir::For& loop, CudaScope& scope) {
  scope.expressions().bind({loop.axis, As::Index}, {"thread"});
  const Accesses accesses = accessesOf(kernel_, loop.body);
  waitFor(accesses, /*ofCluster=*/false, scope);
  isInThreads_ = true;
  copied_ = accesses.copies;
  block(loop.body, scope);
  copied_.clear();
  groups_ = CopyGroups(kernel_);
  isInThreads_ = false;
  inCta_.add(accesses);
}

void CudaPrinter::repeated(const ir::For& loop, CudaScope& scope) {
  if (spansCtas(loop.body)) awaitPeers(scope);
  CudaScope inner = scope.enter();
  const std::string name = inner.numbered("i");
  inner.expressions().bind({loop.axis, As::Index}, {name});
  if (!isInThreads_) {
    // An iteration follows the one before it: printing that shows what it leaves unordered.
    const std::pair before(inCta_, inCluster_);
    CudaScope previous = inner;
    block(loop.body, previous);
    inCta_.add(before.first);
    inCluster_.add(before.second);
  }
  if (loop.kind == ir::LoopKind::Unrolled) scope.line("#pragma unroll");
  scope.line(
      fmt::format("for ({0} {1} = 0; {1} < {2}; ++{1}) {{", scope.expressions().indexType(), name, loop.axis->axis().extent));
  const bool isOfThread = isInThreads_ && loop.kind == ir::LoopKind::Serial;
  if (isOfThread) groups_.enter(loop.axis);
  block(loop.body, inner);
  if (isOfThread) {
    if (groups_.endsHere()) inner.line("commitCopies();");
    groups_.leave();
  }
  scope.leave(inner);
  scope.line("}");
}

void CudaPrinter::print(const ir::If& branch, CudaScope& scope) {
  if (spansCtas(branch.then) || spansCtas(branch.otherwise)) awaitPeers(scope);
  scope.declare({scope.expressions().keyOf(branch.condition, As::Index)}, LaneForm::Scalar, nullptr);
  scope.line(fmt::format("if ({}) {{", scope.expressions().index(branch.condition)));
  const std::pair before(inCta_, inCluster_);
  auto after = before;  // of whichever branch is taken
  const auto print = [&](const ir::Block& statements) {
    std::tie(inCta_, inCluster_) = before;
    CudaScope inner = scope.enter();
    block(statements, inner);
    scope.leave(inner);
    after.first.add(inCta_);
    after.second.add(inCluster_);
  };
  const ir::If* next = &branch;
  while (next != nullptr) {
    print(next->then);
    const ir::Block& otherwise = next->otherwise;
    next = otherwise.size() == 1 ? std::get_if<ir::If>(&otherwise[0].node) : nullptr;
    if (next != nullptr) {
      scope.line(fmt::format("}} else if ({}) {{", scope.expressions().index(next->condition)));
    } else if (!otherwise.empty()) {
      scope.line("} else {");
      print(otherwise);
    }
  }
  scope.line("}");
  std::tie(inCta_, inCluster_) = after;
}

/// `sum`, or `sum, start` where what is before a thread is asked for too.
std::string arrays(const ir::Combine::Item& item, const CudaScope& scope) {
  const std::string& array = scope.expressions().buffer(item.local);
  return item.before ? fmt::format("{}, {}", array, scope.expressions().buffer(*item.before)) : array;
}

void CudaPrinter::print(const ir::Combine& combine, CudaScope& scope) {
  if (exchanges(combine)) return exchange(combine, scope);
  if (combine.threads == 1) return;
  const std::string group = combine.stride == 1 ? fmt::format("Group<{}>", combine.threads)
                                                : fmt::format("Group<{}, {}>", combine.threads, combine.stride);
  for (const ir::Combine::Item& item : combine.items)
    scope.line(fmt::format("{}::combine<{}>({});", group, combinerName(item.op), arrays(item, scope)));
}

/// All items at once: partial results are given, and taken after one barrier. A CTA of a persistent cluster combines its own
/// first, and then with those of the others.
void CudaPrinter::exchange(const ir::Combine& combine, CudaScope& scope) {
  const bool isPersistent = kernel_.launch.isPersistent && combine.ctas > 1, ofCluster = combine.ctas > 1 && !isPersistent;
  if (ofCluster) awaitPeers(scope);
  Accesses exchanged;
  exchanged.writes = {numberOf(combine)};
  waitFor(exchanged, ofCluster, scope);
  const std::string group = fmt::format("Group<{}, {}, {}, {}>", combine.threads, combine.stride, isPersistent ? 1 : combine.ctas,
                                        kernel_.launch.block);
  const auto call = [&](const char* verb) {
    for (const ir::Combine::Item& item : combine.items)
      scope.line(
          fmt::format("{}::{}<{}>({}, {});", group, verb, combinerName(item.op), arrays(item, scope), memory_.partials(item)));
  };
  call("give");
  passBarrier(ofCluster, scope);
  call("take");
  std::swap(exchanged.reads, exchanged.writes);
  inCta_.add(exchanged);
  if (isPersistent) meet(combine, scope);
  inCluster_.add(exchanged);
}

/// Combines the results of a persistent cluster's CTAs through global memory.
void CudaPrinter::meet(const ir::Combine& combine, CudaScope& scope) {
  const auto partials = [&](const ir::Combine::Item& item) {
    return fmt::format("{} + block * {}", memory_.clusterPartials(item), persistentElements(kernel_, combine, item));
  };
  const std::string cluster = fmt::format("PersistentCluster<{}, {}, {}>", combine.ctas, combine.threads, kernel_.launch.block);
  Accesses exchanged;
  exchanged.writes = {numberOf(combine)};
  waitFor(exchanged, /*ofCluster=*/true, scope);
  for (const ir::Combine::Item& item : combine.items)
    scope.line(fmt::format("{}::give({}, {}, rank);", cluster, scope.expressions().buffer(item.local), partials(item)));
  passBarrier(/*ofCluster=*/true, scope);
  for (const ir::Combine::Item& item : combine.items)
    scope.line(fmt::format("{}::take<{}>({}, {});", cluster, combinerName(item.op), scope.expressions().buffer(item.local),
                           partials(item)));
}

/// A CTA's shared memory may be written by others of its cluster once it has started.
void CudaPrinter::awaitPeers(CudaScope& scope) {
  if (kernel_.launch.isPersistent || std::exchange(hasAwaitedPeers_, true)) return;
  scope.line("clusterWait();");
}

void CudaPrinter::waitFor(const Accesses& next, bool ofCluster, CudaScope& scope) {
  if ((ofCluster ? inCluster_ : inCta_).conflictsWith(next)) passBarrier(ofCluster, scope);
}

void CudaPrinter::passBarrier(bool ofCluster, CudaScope& scope) {
  if (inCta_.isCopying()) scope.line("awaitCopies();");
  const ir::Launch& launch = kernel_.launch;
  if (!ofCluster)
    scope.line("__syncthreads();");
  else if (launch.isPersistent)
    scope.line(fmt::format("persistentBarrier({}, rank, {});", memory_.arrived(), launch.cluster));
  else
    scope.line("clusterBarrier();");
  inCta_.clear();
  if (ofCluster) inCluster_.clear();
}

/// `T* __restrict__ name` and a comment for each parameter, and the workspace.
std::string header(const ir::Kernel& kernel, const std::vector<std::string>& names, const CudaMemory& memory) {
  struct Line {
    std::string declaration, comment;
  };
  std::vector<Line> lines;
  for (size_t i = 0; i < kernel.params.size(); ++i) {
    const ir::Buffer& buffer = kernel.params[i].buffer;
    lines.push_back(
        {fmt::format("{}{}* __restrict__ {}", buffer.isWritten ? "" : "const ", cudaType(buffer.type.dtype), names[i]),
         ir::toText(buffer.type)});
  }
  if (memory.workspaceBytes() > 0) lines.push_back({"u8* workspace", fmt::format("{} bytes", memory.workspaceBytes())});
  size_t widest = 0;
  for (Line& line : lines) {
    line.declaration += &line == &lines.back() ? ") {" : ",";
    widest = std::max(widest, line.declaration.size());
  }
  const ir::Launch& launch = kernel.launch;
  const std::string resident = launch.resident > 0 ? fmt::format(", {}", launch.resident) : "";
  const bool isCluster = launch.cluster > 1 && !launch.isPersistent;
  const std::string cluster = isCluster ? fmt::format(" __cluster_dims__({})", launch.cluster) : "";
  std::string text =
      fmt::format("extern \"C\" __global__ void __launch_bounds__({}{}){}\n{}(", launch.block, resident, cluster, kernel.name);
  for (const Line& line : lines) text += fmt::format("\n    {:<{}}  // {}", line.declaration, widest, line.comment);
  return text + "\n";
}

}  // namespace

std::string_view cudaPrelude() {
  static const std::string text = fmt::format("{}\n{}", cudaScalarPrelude(), cudaCombinePrelude());
  return text;
}

Program emitCuda(const ir::Kernel& kernel, const ir::Target& target) {
  ir::require(kernel.backend == ir::Backend::Cuda, "the kernel {} is scheduled for a CPU", kernel.name);
  const std::vector<std::string> names = bufferNames(kernel);
  CudaScope scope(CudaExpressions(kernel, names), kernel);
  for (const std::string& name : names) scope.unique(name);
  for (const char* name : {"block", "rank", "thread"}) scope.unique(name);
  const CudaMemory memory(kernel, scope);
  ir::require(memory.sharedBytes() <= target.ctaSharedBytes, "the kernel {} takes {} bytes of shared memory; {} has {} for a CTA",
              kernel.name, memory.sharedBytes(), target.arch, target.ctaSharedBytes);
  CudaPrinter(kernel, memory).body(scope);

  Program program;
  program.name = kernel.name;
  program.backend = ir::Backend::Cuda;
  program.source = fmt::format("{}\n{}{}}}\n", cudaPrelude(), header(kernel, names, memory), scope.text());
  program.options = {"--std=c++17", "-default-device", "--fmad=true"};
  program.arch = target.arch;
  program.features = target.features;
  program.launch = kernel.launch;
  program.params = kernel.params;
  program.workspaceBytes = memory.workspaceBytes();
  program.dynamicSharedBytes = memory.dynamicSharedBytes();
  program.waitsForGrid = ir::waitsForGrid(kernel);
  return program;
}

}  // namespace codegen
