// Deliberate mistakes in the plans of networks: each is found by the check that a race makes.
#include "opbench/check/faults/plan_faults.h"
#include "opbench/check/faults/fault.h"

#include <doctest/doctest.h>
#include <torch/csrc/jit/api/module.h>

#include "codegen/compile_network.h"
#include "codegen/verify_plan.h"
#include "ir/text/text.h"
#include "opbench/check/correctness_check.h"
#include "opbench/check/group_check.h"
#include "runtime/capture/recording.h"
#include "runtime/contenders/plan/callables.h"
#include "runtime/devices/open.h"
#include "runtime/program/programs.h"
#include "runtime/workloads/make.h"
#include "tests/opbench/temporary_folder.h"
#include "tests/refusal.h"
#include "tests/runtime/sample.h"
#include "tests/targets.h"

using namespace opbench;

namespace {

/// A network of three layers that are alike but for a constant, written as TorchScript. `wide` is read in place and from both
/// ends.
constexpr const char* code = R"(
def forward(self, x):
  a = torch.mm(torch.relu(x) * 2.0 + 1.0, self.w)
  b = torch.mm(torch.relu(a) * 3.0 + 1.0, self.w)
  both = torch.relu(b)
  sums = torch.mm(both, self.w) + torch.mm(both * 0.5, self.w) + torch.mm(both * 0.25, self.w)
  kept = sums * 1.5
  before = torch.mm(kept, self.w)
  kept[:, 0:3].mul_(0.25)
  after = torch.mm(kept, self.w)
  ones = torch.ones_like(torch.mm(after, self.w)) * 0.5
  return torch.tanh(before) + torch.relu(after) * self.w + ones
)";

/// The network on a CPU, captured, with its reference.
class PlanFaultBed {
 public:
  PlanFaultBed() : device_(runtime::openDevice("cpu", 1)) {
    torch::jit::Module module("Net");
    module.register_parameter("w", at::ones({8, 8}), false);
    module.define(code);
    const std::string file = folder_.path / "net.pt";
    module.save(file);
    workload_ = runtime::makeWorkload(tests::sample("model.net.inference", "((T([8, 8], f32),), {})"), *device_, 1, {},
                                      runtime::Programs("", {{"net", file}}));
    capture_ = *workload_->capture(runtime::Audit::No);
  }

  codegen::Plan plan() const { return codegen::compileNetwork(capture_.graph, device_->target(), {runtime::drawsNumbers}); }
  /// Whether the plan has a place for the fault, which is planted.
  bool breaks(codegen::Plan& plan, Fault fault) const { return breakPlan(plan, fault, device_->target()); }
  /// The group of a plan that is wrong by itself, as the check of groups says; -1 where none is.
  int wrongGroup(const codegen::Plan& plan) {
    const auto wrong = findWrongGroup(*workload_, plan, capture_.constants, *device_, runtime::Cache(), Tolerances::standard());
    return wrong ? wrong->group : -1;
  }
  /// What the check says of a plan, on the sets of data that a race has; empty where it is right.
  std::string judge(const codegen::Plan& plan) {
    CorrectnessCheck correctness(*workload_, workload_->op(), Tolerances::standard());
    const auto callable = runtime::networkCallable(*workload_, plan, capture_.constants, *device_, runtime::Cache());
    const auto trial = device_->prepare(*callable, *workload_);
    correctness.begin(1, {});
    std::string message;
    do message = correctness.judge(*trial).message;
    while (message.empty() && correctness.drawNext());
    return message;
  }

 private:
  const tests::TemporaryFolder folder_;
  std::unique_ptr<runtime::Device> device_;
  std::unique_ptr<runtime::Workload> workload_;
  runtime::Capture capture_;
};

/// The group whose first launch differs: in its program, or in the values that it is given.
int groupThatDiffers(const codegen::Plan& plan, const codegen::Plan& right) {
  for (size_t i = 0; i < right.steps.size(); ++i) {
    const auto* launch = std::get_if<codegen::LaunchStep>(&plan.steps[i]);
    if (launch == nullptr) continue;
    const auto& before = std::get<codegen::LaunchStep>(right.steps[i]);
    const auto sourceOf = [](const codegen::Plan& of, const codegen::LaunchStep& step) {
      return of.programs.at(step.program).source;
    };
    if (launch->values != before.values || sourceOf(plan, *launch) != sourceOf(right, before))
      return plan.instances.at(launch->instance).group;
  }
  return -1;
}

}  // namespace

TEST_SUITE("plan faults") {
  TEST_CASE("a plan without a fault is right") {
    PlanFaultBed bed;
    CHECK(bed.judge(bed.plan()) == "");
    CHECK(bed.wrongGroup(bed.plan()) == -1);
  }

  TEST_CASE("mistakes among the steps of a plan are found") {
    PlanFaultBed bed;
    for (const Fault fault : {Fault::SwappedSteps, Fault::StaleValue, Fault::LostOutput, Fault::OtherGroup, Fault::DroppedWrite,
                              Fault::SwappedVersions, Fault::EarlyStore, Fault::Overlap}) {
      CAPTURE(std::string(name(fault)));
      codegen::Plan plan = bed.plan();
      REQUIRE(bed.breaks(plan, fault));
      CHECK(bed.judge(plan) != "");
    }
  }

  TEST_CASE("launches that take lists leave a tensor out, or write two in each other's place") {
    const codegen::Plan right = codegen::compileNetwork(ir::parseGraph(R"(graph
  parameter w f32[4, 4]
  parameter v f32[80]
  parameter u f32[4, 4]
  in        g f32[4, 4]
  in        h f32[80]
  in        k f32[4, 4]
  w, v, u = aten._foreach_add_.List(self=[w, v, u], other=[g, h, k], alpha=-0.01) writes w, v, u
  return w, v, u
)"),
                                                        tests::hopper(), {[](const ir::Node&) { return false; }});
    const auto launchOf = [](const codegen::Plan& plan) { return std::get<codegen::LaunchStep>(plan.steps.at(0)); };
    const auto sourceOf = [&](const codegen::Plan& plan) { return plan.programs.at(launchOf(plan).program).source; };
    CHECK(sourceOf(right).find("elementsOf[3] = {16, 80, 16}") != std::string::npos);
    codegen::Plan plan = right;
    REQUIRE(breakPlan(plan, Fault::OneTensor, tests::hopper()));
    CHECK(sourceOf(plan).find("elementsOf[3] = {16, 0, 16}") != std::string::npos);
    CHECK(launchOf(plan).values == launchOf(right).values);
    plan = right;
    REQUIRE(breakPlan(plan, Fault::Neighbour, tests::hopper()));
    CHECK(sourceOf(plan) == sourceOf(right));
    std::vector<int> values = launchOf(right).values;
    std::swap(values[0], values[4]);
    CHECK(launchOf(plan).values == values);
  }

  TEST_CASE("weights that are laid side by side change places") {
    const codegen::Plan right = codegen::compileNetwork(ir::parseGraph(R"(graph
  in        x f16[128, 64]
  parameter u f16[32, 64]
  parameter v f16[32, 64]
  s f16[64, 32] strides (1, 64) of u = aten.t.default(self=u)
  t f16[64, 32] strides (1, 64) of v = aten.t.default(self=v)
  p f16[128, 32] = aten.mm.default(self=x, mat2=s)
  q f16[128, 32] = aten.mm.default(self=x, mat2=t)
  y f16[128, 32] = aten.sub.Tensor(self=p, other=q, alpha=1)
  return y
)"),
                                                        tests::hopper(), {[](const ir::Node&) { return false; }});
    const auto valuesOf = [](const codegen::Plan& plan) { return std::get<codegen::LaunchStep>(plan.steps.at(0)).values; };
    codegen::Plan plan = right;
    REQUIRE(breakPlan(plan, Fault::SwappedParts, tests::hopper()));
    std::vector<int> values = valuesOf(right);
    REQUIRE(values.size() == 3);
    std::swap(values.front(), values.back());
    CHECK(valuesOf(plan) == values);
  }

  TEST_CASE("the compiler verifies its plans, and would refuse those whose steps do not find what they are to read") {
    PlanFaultBed bed;
    for (const Fault fault : {Fault::SwappedSteps, Fault::DroppedWrite, Fault::SwappedVersions, Fault::Overlap}) {
      CAPTURE(std::string(name(fault)));
      codegen::Plan plan = bed.plan();
      codegen::verify(plan);
      REQUIRE(bed.breaks(plan, fault));
      CHECK(tests::refusal(ir::ErrorKind::Internal, [&] { codegen::verify(plan); }).starts_with("step "));
    }
  }

  TEST_CASE("mistakes in the kernels of one group are found, and no other group has them") {
    PlanFaultBed bed;
    for (const Fault fault :
         {Fault::UnwrittenTail, Fault::OffByOne, Fault::Zeros, Fault::OneAlignment, Fault::UnwrittenOutput, Fault::WritesInput}) {
      CAPTURE(std::string(name(fault)));
      const codegen::Plan right = bed.plan();
      codegen::Plan plan = right;
      REQUIRE(bed.breaks(plan, fault));
      CHECK(bed.judge(plan) != "");
      size_t broken = 0;
      for (size_t i = 0; i < right.programs.size(); ++i) broken += plan.programs[i].source != right.programs[i].source;
      CHECK(broken == 1);
      CHECK(right.groups.size() > 1);
    }
  }

  TEST_CASE("the check of groups names the group that is wrong") {
    PlanFaultBed bed;
    for (const Fault fault :
         {Fault::Zeros, Fault::OffByOne, Fault::WritesInput, Fault::StaleValue, Fault::LostOutput, Fault::OtherGroup}) {
      CAPTURE(std::string(name(fault)));
      const codegen::Plan right = bed.plan();
      codegen::Plan plan = right;
      REQUIRE(bed.breaks(plan, fault));
      const int expected = groupThatDiffers(plan, right);
      REQUIRE(expected >= 0);
      CHECK(bed.wrongGroup(plan) == expected);
    }
  }

  TEST_CASE("a fault that a plan has no place for is not planted") {
    PlanFaultBed bed;
    codegen::Plan plan = bed.plan();
    for (const Fault fault : {Fault::LastTie, Fault::OnePassVariance, Fault::StaleOutput, Fault::NarrowI64})
      CHECK_FALSE(bed.breaks(plan, fault));
    plan.steps.clear();
    for (const Fault fault : {Fault::SwappedSteps, Fault::StaleValue, Fault::LostOutput, Fault::OtherGroup, Fault::DroppedWrite,
                              Fault::SwappedVersions, Fault::EarlyStore, Fault::Overlap})
      CHECK_FALSE(bed.breaks(plan, fault));
  }
}
