#include "codegen/compile.h"

#include <doctest/doctest.h>

#include "ir/text/text.h"

namespace {

ir::Target target() {
  ir::Target target;
  target.arch = "x86-64-v3";
  target.vectorBytes = 32;
  target.processors = 2;
  target.cacheBytes = 1 << 20;
  return target;
}

/// `out0 = op(self)`.
ir::Graph unary(const std::string& op, ir::Shape sizes, ir::DType dtype = ir::DType::F32) {
  const ir::TensorType type = ir::TensorType::contiguous(dtype, std::move(sizes));
  ir::Graph graph;
  graph.values = {{"self", type}, {"out0", type}};
  graph.inputs = {0};
  graph.outputs = {1};
  graph.nodes.push_back({op, {{"self", ir::ValueRef{0}}}, {1}, {}});
  return graph;
}

}  // namespace

TEST_CASE("an operator without a lowering is called through ATen, and the plan says why") {
  const codegen::Plan plan = codegen::compile(unary("aten.no_such.default", {4}), target());
  REQUIRE(plan.steps.size() == 1);
  CHECK(std::get<codegen::CallStep>(plan.steps[0]).node == 0);
  CHECK(plan.fallbackReason == "no lowering for aten.no_such.default");
  CHECK(plan.kernels.empty());
}

TEST_CASE("why ATen is called is known before kernels are made") {
  const ir::DType complex = ir::DType::C64;
  for (const ir::Graph& graph : {unary("aten.no_such.default", {4}), unary("aten.neg.default", {4}, complex)}) {
    const std::string reason = codegen::compile(graph, target()).fallbackReason;
    CHECK(reason != "");
    CHECK(codegen::whyFallback(graph, target()) == reason);
  }
  CHECK(codegen::whyFallback(unary("aten.neg.default", {4, 5}), target()) == "");
}

TEST_CASE("an operator with a lowering is a launch with a parameter for every value") {
  const codegen::Plan plan = codegen::compile(unary("aten.neg.default", {4, 5}), target());
  CHECK(plan.fallbackReason.empty());
  REQUIRE(plan.steps.size() == 1);
  const auto& launch = std::get<codegen::LaunchStep>(plan.steps[0]);
  CHECK(launch.values == std::vector<int>{0, 1});
  CHECK(plan.programs.at(0).params.size() == 2);
  CHECK(plan.nests.size() == 1);
  CHECK(plan.kernels.size() == 1);
}

TEST_CASE("nothing is launched for an empty output") {
  const codegen::Plan plan = codegen::compile(unary("aten.neg.default", {0, 5}), target());
  CHECK(plan.steps.empty());
  CHECK(plan.fallbackReason.empty());
}
