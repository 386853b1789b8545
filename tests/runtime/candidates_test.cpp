// Every candidate's source compiles, and its CTAs fit on a multiprocessor.
#include <doctest/doctest.h>

#include "ir/text/text.h"
#include "lowering/heuristics/schedule.h"
#include "lowering/schedule/apply.h"
#include "lowering/schedule/launches.h"
#include "lowering/tensor/lowering.h"
#include "tests/cuda_program.h"
#include "tests/runtime/build/kernel_batch.h"
#include "tests/targets.h"

namespace {

void compileAll(const std::string& lines) {
  const ir::Target target = tests::hopper();
  tests::KernelBatch batch(tests::CompiledTo::MachineCode);
  for (const lowering::LoopNest& nest : lowering::analyze(lowering::lower(ir::parseGraph("graph\n" + lines)), target))
    for (const lowering::Schedule& schedule : lowering::candidates(nest, target, lowering::chooseSchedule(nest, target))) {
      const ir::Kernel kernel = lowering::narrowIndices({lowering::apply(nest, target, schedule)}).front();
      batch.add(tests::cudaProgram(kernel, target), toText(schedule));
    }
  for (const std::string& refusal : batch.refusals()) FAIL_CHECK(refusal);
}

}  // namespace

TEST_CASE("candidates of rows compile: short, long, in clusters, and of many runs") {
  for (const char* type : {"f16[4096, 77]", "f32[512, 5003]", "f16[64, 50257]", "f32[4, 262144]"})
    compileAll(std::string("  in self ") + type + "\n  out0 " + type +
               " = aten._softmax.default(self=self, dim=-1, half_to_float=False)\n  return out0\n");
  compileAll(R"(  in input f16[32, 64, 56, 56]
  out0 f16[32, 64, 56, 56], out1 f32[64], out2 f32[64] = aten.native_batch_norm.default(input=input, weight=None, bias=None, running_mean=None, running_var=None, training=True, momentum=0.1, eps=1e-05)
  return out0, out1, out2
)");
}

TEST_CASE("candidates of columns and of one row shared by the grid compile") {
  compileAll(
      "  in self f16[4096, 768]\n"
      "  out0 f16[768] = aten.sum.dim_IntList(self=self, dim=[0], keepdim=False, dtype=None)\n  return out0\n");
  compileAll(
      "  in self f16[70000, 64]\n"
      "  out0 f16[64] = aten.sum.dim_IntList(self=self, dim=[0], keepdim=False, dtype=None)\n  return out0\n");
  compileAll("  in self f32[10000000]\n  out0 f32[] = aten.sum.default(self=self, dtype=None)\n  return out0\n");
}

TEST_CASE("candidates of elements compile") {
  compileAll(
      "  in self f16[1000, 33]\n  in other f16[33]\n"
      "  out0 f16[1000, 33] = aten.add.Tensor(self=self, other=other, alpha=1)\n  return out0\n");
}
