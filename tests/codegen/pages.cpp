#include "tests/codegen/pages.h"

#include <doctest/doctest.h>

#include "codegen/cuda/emit.h"
#include "codegen/llvm/emit.h"
#include "ir/text/text.h"
#include "ir/verify/verify.h"
#include "lowering/fusion/fuse_loops.h"
#include "lowering/fusion/split_reduction.h"
#include "lowering/schedule/launches.h"
#include "lowering/tensor/lowering.h"
#include "tests/golden.h"
#include "tests/kernels_of.h"
#include "tests/targets.h"

namespace tests {
namespace {

/// The CUDA source of a program without the prelude, which is the same for all.
std::string withoutPrelude(const codegen::Program& program) {
  const std::string_view prelude = codegen::cudaPrelude();
  REQUIRE(program.source.starts_with(prelude));
  return program.source.substr(prelude.size());
}

std::string textOf(const std::vector<lowering::LoopNest>& nests) {
  std::string text;
  for (const lowering::LoopNest& nest : nests) {
    ir::verify(nest.loops);
    text += "\n" + ir::toText(nest.loops);
  }
  return text;
}

}  // namespace

void page(const std::string& name, const std::string& graphText, Sources sources) {
  CAPTURE(name);
  const ir::Graph graph = ir::parseGraph(graphText);
  ir::verify(graph);
  std::string text = ir::toText(graph);
  const std::vector<ir::Loops> all = lowering::lower(graph);
  text += textOf(lowering::analyze(all, hopper()));
  for (const ir::Target& target : {hopper(), avx512()}) {
    std::vector<lowering::LoopNest> chosen = lowering::fuseLoops(lowering::analyze(all, target), target);
    chosen = lowering::splitReductions(std::move(chosen), graph.values.size(), target);
    if (chosen.size() != all.size()) text += textOf(chosen);
    for (const ir::Kernel& kernel : kernelsOf(lowering::analyzeJointly(std::move(chosen), target), target)) {
      ir::verify(kernel, target);
      text += "\n" + ir::toText(kernel);
      if (sources != Sources::None && target.backend == ir::Backend::Cuda)
        text += "\n" + withoutPrelude(codegen::emitCuda(kernel, target));
      if (sources == Sources::Both && target.backend == ir::Backend::Cpu) text += "\n" + codegen::emitLlvm(kernel, target).source;
    }
  }
  checkGolden("pages/" + name + ".txt", text);
}

}  // namespace tests
