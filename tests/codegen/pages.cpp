#include "tests/codegen/pages.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "codegen/compile.h"
#include "codegen/cuda/prelude.h"
#include "ir/text/text.h"
#include "ir/verify/verify.h"
#include "lowering/tensor/lowering.h"
#include "tests/golden.h"
#include "tests/targets.h"
#include "tests/waits.h"

namespace tests {
namespace {

std::string textOf(const std::vector<lowering::LoopNest>& nests) {
  std::string text;
  for (const lowering::LoopNest& nest : nests) {
    ir::verify(nest.loops);
    text += "\n" + ir::toText(nest.loops);
  }
  return text;
}

/// Whoever starts a program knows it if its CTAs wait for each other.
void checkWaitingIsKnown(const ir::KernelSource& program) {
  const auto waitsAt = [&](const char* barrier) {
    return codegen::withoutPrelude(program.source).find(barrier) != std::string_view::npos;
  };
  CHECK(waitsAt("gridBarrier(") == program.waitsForGrid);
  CHECK(waitsAt("persistentBarrier(") == program.launch.isPersistent);
  CHECK(waitsAt("clusterWait(") == (program.launch.cluster > 1 && !program.launch.isPersistent));
}

}  // namespace

void page(const std::string& name, const std::string& graphText, Sources sources) {
  CAPTURE(name);
  const ir::Graph graph = ir::parseGraph(graphText);
  ir::verify(graph);
  std::string text = ir::toText(graph);
  const std::vector<lowering::LoopNest> all = lowering::analyze(lowering::lower(graph), hopper());
  text += textOf(all);
  for (const ir::Target& target : {hopper(), avx512()}) {
    const codegen::Plan plan = codegen::compile(graph, target);
    REQUIRE_MESSAGE(plan.fallbackReason.empty(), plan.fallbackReason);
    if (plan.nests.size() != all.size()) text += textOf(plan.nests);
    for (std::size_t i = 0; i < plan.kernels.size(); ++i) {
      text += "\n" + ir::toText(plan.kernels[i]);
      if (target.backend == ir::Backend::Cuda && isSmall(plan.kernels[i])) checkWaits(plan.kernels[i]);
      const ir::KernelSource& program = plan.programs.at(i);
      if (target.backend == ir::Backend::Cuda) checkWaitingIsKnown(program);
      if (sources != Sources::None && target.backend == ir::Backend::Cuda)
        text += fmt::format("\n{}", codegen::withoutPrelude(program.source));
      if (sources == Sources::Both && target.backend == ir::Backend::Cpu) text += "\n" + program.source;
    }
  }
  checkGolden("pages/" + name + ".txt", text);
}

}  // namespace tests
