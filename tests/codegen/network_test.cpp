// Captured graphs as plans of launches and calls.
#include "codegen/compile_network.h"

#include <doctest/doctest.h>

#include "ir/text/text.h"
#include "tests/targets.h"

namespace {

codegen::Plan planOf(const std::string& text) {
  const auto draws = [](const ir::Node& node) { return node.op.starts_with("aten.bernoulli"); };
  return codegen::compileNetwork(ir::parseGraph(text), tests::hopper(), {draws});
}

/// The steps in words: `launch 0` for the plan's first program, `mm` for a call.
std::vector<std::string> stepsOf(const codegen::Plan& plan) {
  std::vector<std::string> steps;
  for (const codegen::Step& step : plan.steps) {
    if (const auto* launch = std::get_if<codegen::LaunchStep>(&step)) {
      steps.push_back("launch " + std::to_string(launch->program));
      continue;
    }
    const std::string& op = plan.graph.nodes.at(std::get<codegen::CallStep>(step).node).op;
    steps.push_back(op.substr(5, op.find('.', 5) - 5));
  }
  return steps;
}

using Steps = std::vector<std::string>;

}  // namespace

TEST_SUITE("plans") {
  TEST_CASE("equal groups are compiled once, and views are no steps") {
    const codegen::Plan plan = planOf(R"(graph
  in x f32[4, 4]
  t f32[4, 4] strides (1, 4) of x = aten.t.default(self=x)
  a f32[4, 4] = aten.exp.default(self=x)
  b f32[4, 4] = aten.neg.default(self=a)
  p f32[4, 4] = aten.mm.default(self=b, mat2=t)
  c f32[4, 4] = aten.exp.default(self=p)
  d f32[4, 4] = aten.neg.default(self=c)
  return d
)");
    CHECK(stepsOf(plan) == Steps{"launch 0", "mm", "launch 0"});
    CHECK(plan.groups.size() == 1);
    CHECK(plan.programs.size() == 1);
    CHECK(plan.programs[0].name.starts_with("exp_neg_"));
    CHECK(codegen::groupName(plan, 0) == "group 1: exp+neg");
    REQUIRE(plan.instances.size() == 2);
    CHECK(plan.instances[1].group == 0);
    const auto& last = std::get<codegen::LaunchStep>(plan.steps.back());
    const auto name = [&](int value) { return plan.graph.values.at(value).name; };
    CHECK(name(last.values.at(0)) == "p");
    CHECK(name(last.values.at(1)) == "d");
    CHECK(last.instance == 1);
    CHECK(codegen::nameOf(plan, last) == "group 1: exp+neg");
    const std::vector<int>& values = plan.instances[1].values;
    CHECK(name(values.front()) == "p");
    CHECK(name(values.back()) == "d");
  }

  TEST_CASE("a group is named after its calls, a large one after the first of them") {
    std::string calls, previous = "x";
    for (int i = 0; i < 9; ++i) {
      const std::string next = "a" + std::to_string(i);
      calls += "  " + next + " f32[4] = aten." + (i % 2 == 0 ? "exp" : "neg") + ".default(self=" + previous + ")\n";
      previous = next;
    }
    const codegen::Plan plan = planOf("graph\n  in x f32[4]\n" + calls + "  return a8\n");
    CHECK(codegen::groupName(plan, 0) == "group 1: exp+neg+exp+neg+exp+4 more");
  }

  TEST_CASE("products of one row are kernels, with what is done to their results, unless they are left out") {
    const std::string text = R"(graph
  in x f16[1, 64]
  parameter g f16[64, 96] strides (1, 64)
  parameter u f16[64, 96] strides (1, 64)
  parameter d f16[96, 64] strides (1, 96)
  a f16[1, 96] = aten.mm.default(self=x, mat2=g)
  s f16[1, 96] = aten.silu.default(self=a)
  b f16[1, 96] = aten.mm.default(self=x, mat2=u)
  m f16[1, 96] = aten.mul.Tensor(self=s, other=b)
  y f16[1, 64] = aten.mm.default(self=m, mat2=d)
  z f16[1, 64] = aten.add.Tensor(self=y, other=x, alpha=1)
  return z
)";
    const auto draws = [](const ir::Node&) { return false; };
    const codegen::Plan all = codegen::compileNetwork(ir::parseGraph(text), tests::hopper(), {.draws = draws});
    CHECK(all.launches() == 2);
    CHECK(all.steps.size() == 2);
    const codegen::Plan without =
        codegen::compileNetwork(ir::parseGraph(text), tests::hopper(), {.draws = draws, .without = {"row-products"}});
    CHECK(stepsOf(without) == Steps{"mm", "mm", "launch 0", "mm", "launch 1"});
  }

  TEST_CASE("a group comes where its last call stood, and calls that draw keep their order") {
    CHECK(stepsOf(planOf(R"(graph
  in x f32[4, 4]
  a f32[4, 4] = aten.exp.default(self=x)
  p f32[4, 4] = aten.mm.default(self=x, mat2=x)
  m f32[4, 4] = aten.bernoulli.default(self=p, generator=None)
  n f32[4, 4] = aten.bernoulli.default(self=x, generator=None)
  b f32[4, 4] = aten.add.Tensor(self=a, other=p, alpha=1)
  return b, m, n
)")) == Steps{"mm", "bernoulli", "bernoulli", "launch 0"});
  }

  TEST_CASE("calls that accumulate join those that read what was there before, under other names, and those that read it later") {
    CHECK(stepsOf(planOf(R"(graph
  in x f32[4, 4]
  a f32[4, 4] = aten.mm.default(self=x, mat2=x)
  t f32[4, 4] strides (1, 4) of a = aten.t.default(self=a)
  b f32[4, 4] = aten.mm.default(self=t, mat2=x)
  a = aten.add_.Tensor(self=a, other=b, alpha=1) writes a
  c f32[4, 4] strides (1, 4) = aten.exp.default(self=t)
  return c
)")) == Steps{"mm", "mm", "launch 0"});
  }

  TEST_CASE("an input that is written is written by the group that reads it last") {
    const codegen::Plan plan = planOf(R"(graph
  parameter w f32[4, 4]
  in x f32[4, 4]
  t f32[4, 4] strides (1, 4) of w = aten.t.default(self=w)
  g f32[4, 4] = aten.mm.default(self=t, mat2=x)
  w = aten.mul_.Scalar(self=w, other=0.9) writes w
  w = aten.add_.Tensor(self=w, other=g, alpha=-0.1) writes w
  return w
)");
    CHECK(stepsOf(plan) == Steps{"mm", "launch 0"});
    CHECK(std::get<codegen::LaunchStep>(plan.steps.back()).values.size() == 2);
  }

  TEST_CASE("a sum of constants is computed where it is read, guarded as its reader is") {
    const codegen::Plan plan = planOf(R"(graph
  in x f32[6, 6]
  in z f32[24]
  a f32[6, 6] = aten.fill.Scalar(self=x, value=1)
  s f32[6] = aten.sum.dim_IntList(self=a, dim=[0], keepdim=False, dtype=None)
  c f32[30] = aten.cat.default(tensors=[s, z], dim=0)
  return c
)");
    CHECK(plan.launches() == static_cast<int>(plan.steps.size()));
  }

  TEST_CASE("casts of weights share a launch before all that waits for them, and casts of their gradients one after it") {
    const auto cast = [](const std::string& to, const std::string& from, const std::string& type, const std::string& dtype) {
      return "  " + to + " " + type + " = aten._to_copy.default(self=" + from + ", dtype=" + dtype +
             ", layout=None, device=None, pin_memory=None, non_blocking=False, memory_format=None)\n";
    };
    const std::string text = "graph\n  parameter w f32[4, 4]\n  parameter v f32[4, 8]\n  in x f16[4, 4]\n" +
                             cast("h", "w", "f16[4, 4]", "f16") + "  a f16[4, 4] = aten.mm.default(self=x, mat2=h)\n" +
                             cast("k", "v", "f16[4, 8]", "f16") + "  b f16[4, 8] = aten.mm.default(self=a, mat2=k)\n" +
                             cast("c", "a", "f32[4, 4]", "f32") + "  e f16[4, 8] = aten.mm.default(self=h, mat2=b)\n" +
                             cast("f", "e", "f32[4, 8]", "f32") + "  return c, f, b\n";
    const codegen::Plan plan = planOf(text);
    CHECK(stepsOf(plan) == Steps{"launch 0", "mm", "mm", "mm", "launch 1"});
    CHECK(codegen::groupName(plan, 0) == "group 1: _to_copy+_to_copy");
    CHECK(plan.programs[0].takesList);
    CHECK(plan.programs[0].params.size() == 4);
    const auto& launch = std::get<codegen::LaunchStep>(plan.steps[0]);
    const auto name = [&](int value) { return plan.graph.values.at(value).name; };
    CHECK(name(launch.values.at(0)) == "w");
    CHECK(name(launch.values.at(1)) == "h");
    CHECK(name(launch.values.at(2)) == "v");
    CHECK(name(launch.values.at(3)) == "k");
    const auto draws = [](const ir::Node&) { return false; };
    const codegen::Plan apart =
        codegen::compileNetwork(ir::parseGraph(text), tests::hopper(), {.draws = draws, .without = {"tensor-lists"}});
    CHECK(apart.launches() == 4);
  }

  TEST_CASE("an optimizer is a launch for all parameters of each kind") {
    const codegen::Plan plan = planOf(R"(graph
  parameter w f32[4, 4]
  parameter v f32[8]
  parameter u f32[30]
  in        g f32[4, 4]
  in        h f32[8]
  in        k f32[30]
  state     m f32[4, 4]
  state     n f32[8]
  state     o f32[30]
  m, n, o = aten._foreach_mul_.Scalar(self=[m, n, o], scalar=0.9) writes m, n, o
  m, n, o = aten._foreach_add_.List(self=[m, n, o], other=[g, h, k], alpha=1) writes m, n, o
  w, v, u = aten._foreach_add_.List(self=[w, v, u], other=[m, n, o], alpha=-0.01) writes w, v, u
  return w, v, u
)");
    CHECK(stepsOf(plan) == Steps{"launch 0"});
    CHECK(plan.programs[0].params.size() == 9);
  }

  TEST_CASE("groups that wait for each other share no launch") {
    CHECK(stepsOf(planOf(R"(graph
  in x f32[4, 4]
  a f32[4, 4] = aten.exp.default(self=x)
  b f32[4, 4] = aten.mm.default(self=a, mat2=a)
  c f32[4, 4] = aten.exp.default(self=b)
  d f32[4, 4] = aten.mm.default(self=c, mat2=c)
  e f32[4, 4] = aten.exp.default(self=d)
  return e
)")) == Steps{"launch 0", "mm", "launch 0", "mm", "launch 0"});
  }

  TEST_CASE("a call with a long list stays a call") {
    std::string list, inputs;
    for (int i = 0; i < 17; ++i) {
      inputs += "  in x" + std::to_string(i) + " f32[4]\n";
      list += (i > 0 ? ", x" : "x") + std::to_string(i);
    }
    CHECK(stepsOf(planOf("graph\n" + inputs + "  a f32[68] = aten.cat.default(tensors=[" + list + "], dim=0)\n  return a\n")) ==
          Steps{"cat"});
  }

  TEST_CASE("an input that lies behind the start of its memory is a parameter of less alignment") {
    const codegen::Plan plan = planOf(R"(graph
  in x f16[64]
  a f16[32] of x + 3 = aten.slice.Tensor(self=x, dim=0, start=3, end=35, step=1)
  b f16[32] of x + 16 = aten.slice.Tensor(self=x, dim=0, start=16, end=48, step=1)
  c f16[32] = aten.add.Tensor(self=a, other=b, alpha=1)
  return c
)");
    REQUIRE(plan.programs.size() == 1);
    const std::vector<ir::Param>& params = plan.programs[0].params;
    REQUIRE(params.size() == 3);
    CHECK(params[0].alignment == 2);
    CHECK(params[1].alignment == 16);
    CHECK(params[2].alignment == 16);
  }

  TEST_CASE("a group that is refused is cut, and nothing of it becomes a call") {
    const codegen::Plan plan = planOf(R"(graph
  in x f32[4, 8]
  s f32[4, 1] = aten.sum.dim_IntList(self=x, dim=[1], keepdim=True, dtype=None)
  a f32[4, 8] = aten.sub.Tensor(self=x, other=s, alpha=1)
  c f32[4, 8] = aten.cumsum.default(self=a, dim=1, dtype=None)
  p f32[4, 4] = aten.mm.default(self=c, mat2=x)
  return p
)");
    REQUIRE(plan.steps.size() > 2);
    CHECK(stepsOf(plan).back() == "mm");
    CHECK(plan.launches() == static_cast<int>(plan.steps.size()) - 1);
  }
}
