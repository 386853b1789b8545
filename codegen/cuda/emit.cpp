#include "codegen/cuda/emit.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "codegen/cuda/lanes.h"
#include "codegen/cuda/memory.h"
#include "codegen/cuda/names.h"
#include "codegen/cuda/prelude.h"
#include "ir/error.h"

namespace codegen {

namespace {

/// Prints the statements of a kernel.
class CudaPrinter {
 public:
  CudaPrinter(const ir::Kernel& kernel, const CudaMemory& memory) : kernel_(kernel), memory_(memory) {}

  void body(CudaScope& scope);

 private:
  void block(const ir::Block& block, CudaScope& scope) {
    for (const ir::Statement& statement : block) std::visit([&](const auto& node) { print(node, scope); }, statement.node);
  }
  void print(const ir::For& loop, CudaScope& scope);
  void print(const ir::If& branch, CudaScope& scope);
  void print(const ir::Lanes& lanes, CudaScope& scope) {
    lanes.isAsync ? printAsyncCopy(kernel_, lanes, scope) : printLanes(kernel_, lanes, scope);
  }
  void print(const ir::Combine& combine, CudaScope& scope);
  void print(const ir::Barrier& barrier, CudaScope& scope);
  void print(const ir::CommitCopies&, CudaScope& scope) { scope.line("commitCopies();"); }
  void print(const ir::AwaitCopies& await, CudaScope& scope);

  void inPlace(const ir::For& loop, const char* name, CudaScope& scope);
  void persistentClusters(const ir::For& loop, CudaScope& scope);
  void repeated(const ir::For& loop, CudaScope& scope);
  void exchange(const ir::Combine& combine, CudaScope& scope);
  void exchangeInPersistentCluster(const ir::Combine& combine, CudaScope& scope);
  void declareTensor(CudaScope& scope) const;
  void declareIndices(CudaScope& scope) const;

  const ir::Kernel& kernel_;
  const CudaMemory& memory_;
};

/// Whether a statement for which `holds` is in a block, or in one inside it.
template <typename Node, typename Predicate>
bool contains(const ir::Block& block, const Predicate& holds) {
  return std::any_of(block.begin(), block.end(), [&](const ir::Statement& statement) {
    if (const auto* node = std::get_if<Node>(&statement.node); node != nullptr && holds(*node)) return true;
    if (const auto* loop = std::get_if<ir::For>(&statement.node)) return contains<Node>(loop->body, holds);
    const auto* branch = std::get_if<ir::If>(&statement.node);
    return branch != nullptr && (contains<Node>(branch->then, holds) || contains<Node>(branch->otherwise, holds));
  });
}

void CudaPrinter::body(CudaScope& scope) {
  memory_.declare(scope);
  if (kernel_.list) declareTensor(scope);
  const auto isStart = [](const ir::Barrier& barrier) { return barrier.scope == ir::Barrier::Scope::Start; };
  if (contains<ir::Barrier>(kernel_.body, isStart)) scope.line("clusterArrive();");
  declareIndices(scope);
  block(kernel_.body, scope);
}

void CudaPrinter::print(const ir::For& loop, CudaScope& scope) {
  switch (loop.kind) {
    case ir::LoopKind::Grid: return kernel_.launch.isPersistent ? persistentClusters(loop, scope) : inPlace(loop, "block", scope);
    case ir::LoopKind::Cluster: return inPlace(loop, "rank", scope);
    case ir::LoopKind::Thread: return inPlace(loop, "thread", scope);
    case ir::LoopKind::Serial:
    case ir::LoopKind::Unrolled: return repeated(loop, scope);
    case ir::LoopKind::Task: ir::require(false, "the kernel {} has a task loop on CUDA", kernel_.name);
  }
}

/// Which of a list's tensors a CTA works on, where its parameters are, and how many elements it has.
void CudaPrinter::declareTensor(CudaScope& scope) const {
  const size_t params = kernel_.params.size();
  scope.line(fmt::format("const u32 tensor = tensorOf<{}>(firstCtas, blockIdx.x);", kernel_.list->tensors()));
  for (size_t i = 0; i < params; ++i) {
    const ir::Buffer& buffer = kernel_.params[i].buffer;
    const std::string type = std::string(buffer.isWritten ? "" : "const ") + std::string(cudaType(buffer.type.dtype));
    scope.line(fmt::format("{0}* __restrict__ const {1} = static_cast<{0}*>(tensors.at[tensor * {2} + {3}]);", type,
                           scope.expressions().buffer(static_cast<int>(i)), params, i));
  }
  scope.line(fmt::format("const {} count = elementsOf[tensor];", scope.expressions().indexType()));
  scope.expressions().bind({kernel_.list->count, As::Index}, {"count"});
}

/// The places of a thread, which all loops over them share.
void CudaPrinter::declareIndices(CudaScope& scope) const {
  const auto declare = [&](ir::LoopKind kind, const char* name, const std::string& value) {
    const bool isUsed = contains<ir::For>(kernel_.body, [&](const ir::For& loop) { return loop.kind == kind; });
    if (isUsed) scope.line(fmt::format("const {} {} = {};", scope.expressions().indexType(), name, value));
  };
  if (!kernel_.launch.isPersistent) {
    const int cluster = kernel_.launch.cluster;
    const std::string first = kernel_.list ? "blockIdx.x - firstCtas[tensor]" : "blockIdx.x";
    declare(ir::LoopKind::Grid, "block", cluster > 1 ? fmt::format("blockIdx.x / {}", cluster) : first);
    declare(ir::LoopKind::Cluster, "rank", fmt::format("blockIdx.x % {}", cluster));
  }
  declare(ir::LoopKind::Thread, "thread", "threadIdx.x");
}

/// A loop over CTAs or threads: each carries out one iteration.
void CudaPrinter::inPlace(const ir::For& loop, const char* name, CudaScope& scope) {
  scope.expressions().bind({loop.axis, As::Index}, {name});
  block(loop.body, scope);
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
  inPlace(loop, "block", inner);
  scope.leave(inner);
  scope.line("}");
}

void CudaPrinter::repeated(const ir::For& loop, CudaScope& scope) {
  CudaScope inner = scope.enter();
  const std::string name = inner.numbered("i");
  inner.expressions().bind({loop.axis, As::Index}, {name});
  if (loop.kind == ir::LoopKind::Unrolled) scope.line("#pragma unroll");
  scope.line(
      fmt::format("for ({0} {1} = 0; {1} < {2}; ++{1}) {{", scope.expressions().indexType(), name, loop.axis->axis().extent));
  block(loop.body, inner);
  scope.leave(inner);
  scope.line("}");
}

void CudaPrinter::print(const ir::If& branch, CudaScope& scope) {
  scope.declare({scope.expressions().keyOf(branch.condition, As::Index)}, LaneForm::Scalar, nullptr);
  scope.line(fmt::format("if ({}) {{", scope.expressions().index(branch.condition)));
  std::vector<const ir::Expr*> failed;
  const auto print = [&](const ir::Block& statements, const ir::Expr* condition) {
    CudaScope inner = scope.enter();
    for (const ir::Expr* other : failed) inner.expressions().assume(other, false);
    if (condition != nullptr) inner.expressions().assume(condition, true);
    block(statements, inner);
    scope.leave(inner);
  };
  const ir::If* next = &branch;
  while (next != nullptr) {
    print(next->then, next->condition);
    failed.push_back(next->condition);
    const ir::Block& otherwise = next->otherwise;
    next = otherwise.size() == 1 ? std::get_if<ir::If>(&otherwise[0].node) : nullptr;
    if (next != nullptr) {
      scope.line(fmt::format("}} else if ({}) {{", scope.expressions().index(next->condition)));
    } else if (!otherwise.empty()) {
      scope.line("} else {");
      print(otherwise, nullptr);
    }
  }
  scope.line("}");
}

void CudaPrinter::print(const ir::Barrier& barrier, CudaScope& scope) {
  const ir::Launch& launch = kernel_.launch;
  switch (barrier.scope) {
    case ir::Barrier::Scope::Cta: return scope.line("__syncthreads();");
    case ir::Barrier::Scope::Cluster:
      return scope.line(launch.isPersistent ? fmt::format("persistentBarrier({}, rank, {});", memory_.arrived(), launch.cluster)
                                            : "clusterBarrier();");
    case ir::Barrier::Scope::Start: return scope.line("clusterWait();");
    case ir::Barrier::Scope::Grid: return scope.line(fmt::format("gridBarrier({});", memory_.barrier()));
    case ir::Barrier::Scope::LastCta:
      scope.line("// The CTA that is done last goes on; it sees what all of them wrote.");
      return scope.line(fmt::format("if (!isLastCta({})) return;", memory_.counter()));
  }
}

void CudaPrinter::print(const ir::AwaitCopies& await, CudaScope& scope) {
  scope.line(await.later == nullptr ? "awaitCopies();"
                                    : fmt::format("awaitCopies<{}>({});", await.most, scope.expressions().index(await.later)));
}

/// `sum`, or `sum, start` where what is before a thread is asked for too; and where the partial results are.
std::string arrays(const ir::Combine::Item& item, const CudaScope& scope) {
  std::string text = scope.expressions().buffer(item.local);
  for (const std::optional<int>& other : {item.before, item.partials})
    if (other) text += ", " + scope.expressions().buffer(*other);
  return text;
}

std::string_view verb(ir::Combine::Part part) {
  switch (part) {
    case ir::Combine::Part::Whole: return "combine";
    case ir::Combine::Part::Give: return "give";
    case ir::Combine::Part::Take: return "take";
  }
  return "combine";
}

void CudaPrinter::print(const ir::Combine& combine, CudaScope& scope) {
  if (combine.part != ir::Combine::Part::Whole) return exchange(combine, scope);
  if (combine.threads == 1) return;
  const std::string group = combine.stride == 1 ? fmt::format("Group<{}>", combine.threads)
                                                : fmt::format("Group<{}, {}>", combine.threads, combine.stride);
  for (const ir::Combine::Item& item : combine.items)
    scope.line(fmt::format("{}::combine<{}>({});", group, combinerName(item.op), arrays(item, scope)));
}

void CudaPrinter::exchange(const ir::Combine& combine, CudaScope& scope) {
  if (kernel_.launch.isPersistent && combine.ctas > 1) return exchangeInPersistentCluster(combine, scope);
  const std::string group =
      fmt::format("Group<{}, {}, {}, {}>", combine.threads, combine.stride, combine.ctas, kernel_.launch.block);
  for (const ir::Combine::Item& item : combine.items)
    scope.line(fmt::format("{}::{}<{}>({});", group, verb(combine.part), combinerName(item.op), arrays(item, scope)));
}

void CudaPrinter::exchangeInPersistentCluster(const ir::Combine& combine, CudaScope& scope) {
  const std::string cluster = fmt::format("PersistentCluster<{}, {}, {}>", combine.ctas, combine.threads, kernel_.launch.block);
  for (const ir::Combine::Item& item : combine.items) {
    const int64_t elements = partialsOf(kernel_.launch, combine).elements(kernel_.buffer(item.local));
    const std::string& array = scope.expressions().buffer(item.local);
    const std::string partials = fmt::format("{} + block * {}", scope.expressions().buffer(*item.partials), elements);
    scope.line(combine.part == ir::Combine::Part::Give
                   ? fmt::format("{}::give({}, {}, rank);", cluster, array, partials)
                   : fmt::format("{}::take<{}>({}, {});", cluster, combinerName(item.op), array, partials));
  }
}

/// CTAs that ptxas is told to leave room for on a multiprocessor: as many as the launch asks for, or all that it gets, where
/// these are few. Otherwise ptxas spares registers until as many fit as the multiprocessor has threads for, and to that end puts
/// off loads until earlier ones have arrived. The number is a limit as well, which must leave a thread more registers than it
/// needs. Large clusters do not find room on all multiprocessors: the last of them shares some, or waits for a second wave.
int64_t residentCtas(const ir::Launch& launch, const ir::Target& target) {
  constexpr int64_t mostThreads = 512, usualCluster = 4;
  if (launch.resident > 0) return launch.resident;
  const int64_t all = (launch.grid * launch.cluster - 1) / target.processors + 1;
  if (all * launch.block > mostThreads) return 0;
  return all + (launch.cluster > usualCluster ? 1 : 0);
}

std::string bounds(const ir::Kernel& kernel, int64_t ctas) {
  const std::string resident = ctas > 0 ? fmt::format(", {}", ctas) : "";
  return fmt::format("extern \"C\" __global__ void __launch_bounds__({}{})", kernel.launch.block, resident);
}

/// The tables of a list's tensors, and all of their parameters as one: `const __grid_constant__ Tensors tensors`.
std::string listHeader(const ir::Kernel& kernel, const std::vector<std::string>& names) {
  const ir::TensorList& list = *kernel.list;
  std::vector<int64_t> first{0};
  for (const int64_t elements : list.elements) first.push_back(first.back() + ir::ctasOf(kernel, elements));
  std::string text = fmt::format("// The first CTA of each of {} tensors, and its elements.\n", list.tensors());
  text += fmt::format("__constant__ const u32 firstCtas[{}] = {{{}}};\n", first.size(), fmt::join(first, ", "));
  text += fmt::format("__constant__ const i64 elementsOf[{}] = {{{}}};\n", list.tensors(), fmt::join(list.elements, ", "));
  text += fmt::format("// Of each tensor: {}.\n", fmt::join(names.begin(), names.begin() + std::ssize(kernel.params), ", "));
  text += fmt::format("struct Tensors {{\n  void* at[{}];\n}};\n\n", list.params.size());
  return text +
         fmt::format("{} {}(const __grid_constant__ Tensors tensors) {{\n", bounds(kernel, kernel.launch.resident), kernel.name);
}

/// `T* __restrict__ name` and a comment for each parameter, and the workspace.
std::string header(const ir::Kernel& kernel, const std::vector<std::string>& names, const CudaMemory& memory,
                   const ir::Target& target) {
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
  const bool isCluster = launch.cluster > 1 && !launch.isPersistent;
  const std::string cluster = isCluster ? fmt::format(" __cluster_dims__({})", launch.cluster) : "";
  std::string text = fmt::format("{}{}\n{}(", bounds(kernel, residentCtas(launch, target)), cluster, kernel.name);
  for (const Line& line : lines) text += fmt::format("\n    {:<{}}  // {}", line.declaration, widest, line.comment);
  return text + "\n";
}

}  // namespace

ir::KernelSource emitCuda(const ir::Kernel& kernel, const ir::Target& target) {
  ir::require(kernel.backend == ir::Backend::Cuda, "the kernel {} is scheduled for a CPU", kernel.name);
  ir::require(kernel.explicitBarriers, "the barriers of the kernel {} are implied", kernel.name);
  const std::vector<std::string> names = bufferNames(kernel);
  CudaScope scope(CudaExpressions(kernel, names), kernel);
  for (const std::string& name : names) scope.unique(name);
  for (const char* name : {"block", "rank", "thread", "tensor", "count"}) scope.unique(name);
  const CudaMemory memory(kernel, names);
  ir::require(memory.sharedBytes() <= target.ctaSharedBytes, "the kernel {} takes {} bytes of shared memory; {} has {} for a CTA",
              kernel.name, memory.sharedBytes(), target.arch, target.ctaSharedBytes);
  CudaPrinter(kernel, memory).body(scope);

  ir::KernelSource program;
  program.name = kernel.name;
  program.backend = ir::Backend::Cuda;
  const std::string text =
      fmt::format("{}{}}}\n", kernel.list ? listHeader(kernel, names) : header(kernel, names, memory, target), scope.text());
  program.source = fmt::format("{}\n{}", cudaPreludeFor(text), text);
  // Without textures and the runtime's functions, which no kernel calls and NVRTC takes 5 ms to declare.
  program.options = {"--std=c++17", "-default-device", "--fmad=true", "--minimal"};
  program.arch = target.arch;
  program.features = target.features;
  program.launch = kernel.launch;
  program.params = kernel.params;
  if (kernel.list) {
    program.launch.grid = ir::ctasOf(kernel);
    program.params = kernel.list->params;
    program.takesList = true;
  }
  program.workspaceBytes = memory.workspaceBytes();
  program.dynamicSharedBytes = memory.dynamicSharedBytes();
  program.waitsForGrid = ir::waitsForGrid(kernel);
  return program;
}

}  // namespace codegen
