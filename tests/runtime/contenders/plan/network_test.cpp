// Networks as plans: launches and calls in place of the calls of a captured step.
#include <ATen/Functions.h>
#include <doctest/doctest.h>

#include <algorithm>

#include "codegen/compile_network.h"
#include "codegen/plan_memory.h"
#include "inputs/data/materialize.h"
#include "ir/text/text.h"
#include "lowering/graph/biases.h"
#include "lowering/graph/channels_last.h"
#include "lowering/graph/equal_calls.h"
#include "lowering/graph/joined_products.h"
#include "lowering/graph/padded_rows.h"
#include "runtime/capture/recording.h"
#include "runtime/contenders/plan/callables.h"
#include "runtime/device.h"
#include "runtime/devices/open.h"
#include "runtime/program/programs.h"
#include "runtime/workload.h"
#include "runtime/workloads/make.h"
#include "tests/random_graphs/graph_workload.h"
#include "tests/runtime/program/models.h"
#include "tests/runtime/sample.h"

namespace {

/// A network on the CPU, captured.
class PlanBed {
 public:
  /// `file` is one of tests/inputs/models; without one it is a recurrent network.
  PlanBed(const std::string& op, const std::string& arguments, const std::string& file = "")
      : device(runtime::openDevice("cpu", 1)),
        workload(runtime::makeWorkload(tests::sample(op, arguments), *device, 1, {},
                                       runtime::Programs("", {{file, file.empty() ? "" : tests::smallModelPath(file)}}))),
        capture(*workload->capture(runtime::Audit::No)) {}

  codegen::Plan plan(bool generates = true) const {
    const auto mayGenerate = [generates](const ir::Node&) { return generates; };
    return codegen::compileNetwork(capture.graph, device->target(), {runtime::drawsNumbers, mayGenerate});
  }
  runtime::CallablePtr callable(const codegen::Plan& plan) {
    return runtime::networkCallable(*workload, plan, capture.constants, *device, runtime::Cache());
  }
  /// Whether a run of a plan gives the bits of eager, which draws from the generator's beginning.
  bool givesEagersBits(const codegen::Plan& plan) {
    const runtime::CallablePtr planned = callable(plan);
    const runtime::TensorList expected = workload->runEager();
    workload->restore();
    planned->reseed();
    const bool isEqual = bitwiseEqual((*planned)(), expected);
    workload->restore();
    return isEqual;
  }
  /// Whether all results of a plan are close to float64's, as eager's are.
  bool isRight(const codegen::Plan& plan) {
    const runtime::CallablePtr planned = callable(plan);
    const runtime::TensorList eager = workload->runEager(), wide = workload->runEagerInFloat64();
    workload->restore();
    const runtime::TensorList found = clone((*planned)());
    workload->restore();
    for (int i = 0; i < eager.size(); ++i)
      if (!compare(found, eager, wide, i, 1e-5).allClose) return false;
    return found.size() == eager.size();
  }

  std::unique_ptr<runtime::Device> device;
  std::unique_ptr<runtime::Workload> workload;
  runtime::Capture capture;
};

PlanBed mlp(const std::string& mode, const std::string& keywords = "{}") {
  return {"model.mlp." + mode, "((T([4, 8], f32),), " + keywords + ")", "mlp"};
}

/// Whether plans of two graphs give the same results on tensors that are drawn for their inputs, as halves are the same.
bool giveTheSame(const ir::Graph& one, const ir::Graph& other) {
  const auto device = runtime::openDevice("cpu", 1);
  at::manual_seed(1);
  std::vector<at::Tensor> operands;
  for (const int input : one.inputs) {
    const ir::TensorType& type = one.values[static_cast<size_t>(input)].type;
    operands.push_back(at::randn(type.sizes, at::kFloat).mul_(0.1).to(inputs::scalarType(type.dtype)));
  }
  random_graphs::GraphWorkload workload(runtime::makeTensorList(operands));
  const auto run = [&](const ir::Graph& graph) {
    const codegen::Plan plan = codegen::compileNetwork(graph, device->target(), {runtime::drawsNumbers});
    return (*runtime::networkCallable(workload, plan, {}, *device, runtime::Cache()))();
  };
  const runtime::TensorList expected = run(one), found = run(other);
  for (int i = 0; i < expected.size(); ++i) {
    const at::Tensor &a = expected.state().tensors[static_cast<size_t>(i)], &b = found.state().tensors[static_cast<size_t>(i)];
    if (a.strides() != b.strides() || !at::allclose(a.to(at::kFloat), b.to(at::kFloat), 2e-2, 2e-2)) return false;
  }
  return expected.size() == found.size();
}

}  // namespace

TEST_SUITE("plans of networks") {
  TEST_CASE("calls alone give eager's bits, forward, in a step of training, and with random numbers") {
    for (const char* keywords : {"{}", "{'optimizer': 'adam', 'loss': 'mean'}"}) {
      PlanBed bed = mlp("training", keywords);
      const codegen::Plan plan = bed.plan(false);
      CHECK(plan.launches() == 0);
      CHECK(bed.givesEagersBits(plan));
    }
    PlanBed inference = mlp("inference");
    CHECK(inference.givesEagersBits(inference.plan(false)));
    PlanBed lstm("rnn.lstm.training", "((T([5, 3, 4], f32),), {'hidden': 6, 'layers': 2, 'bidirectional': True})");
    CHECK(lstm.givesEagersBits(lstm.plan(false)));
    PlanBed random("model.random.inference", "((T([4, 4], f32),), {})", "random");
    CHECK(random.givesEagersBits(random.plan(false)));
    PlanBed writes("model.writes.inference", "((T([3, 4], f32),), {})", "writes");
    CHECK(writes.givesEagersBits(writes.plan(false)));
  }

  TEST_CASE("groups are as close to float64 as they should be, and equal ones are compiled once") {
    for (const char* keywords : {"{}", "{'optimizer': 'adam', 'loss': 'mean'}"}) {
      PlanBed bed = mlp("training", keywords);
      const codegen::Plan plan = bed.plan();
      CHECK(plan.launches() > 0);
      CHECK(bed.isRight(plan));
    }
    PlanBed writes("model.writes.inference", "((T([3, 4], f32),), {})", "writes");
    CHECK(writes.plan().launches() > 0);
    CHECK(writes.isRight(writes.plan()));
    for (const char* cell : {"lstm", "gru"}) {
      CAPTURE(std::string(cell));
      PlanBed bed(fmt::format("rnn.{}.training", cell), "((T([5, 3, 4], f32),), {'hidden': 6, 'layers': 2})");
      const codegen::Plan plan = bed.plan();
      CHECK(plan.launches() > static_cast<int>(plan.groups.size()));
      CHECK(bed.isRight(plan));
    }
  }

  TEST_CASE("sixteen steps of decoding with a cache give what eager's give, one after another") {
    constexpr int length = 16;
    PlanBed bed("model.decoder.inference", "((T([2, 1], i64),), {})", "decoder");
    const runtime::CallablePtr eager = bed.workload->make(runtime::Contender::Eager), planned = bed.callable(bed.plan());
    CHECK(bed.plan().launches() > 0);
    std::vector<runtime::TensorList> expected;
    for (int step = 0; step < length; ++step) expected.push_back(clone((*eager)()));
    CHECK_FALSE(bitwiseEqual(expected.front(), expected.back(), 0));  // as it sees more
    bed.workload->restore();
    for (int step = 0; step < length; ++step) {
      CAPTURE(step);
      const runtime::TensorList found = clone((*planned)());
      for (int i = 0; i < found.size(); ++i) CHECK(compare(found, expected[static_cast<size_t>(step)], {}, i, 1e-5).allClose);
    }
    bed.workload->restore();
  }

  TEST_CASE("a plan says where its phases begin, and no group has calls of two") {
    PlanBed bed = mlp("training", "{'optimizer': 'sgd', 'loss': 'mean'}");
    const codegen::Plan plan = bed.plan();
    REQUIRE(plan.phases.size() == 3);
    CHECK(plan.phases[0] == 0);
    CHECK(plan.phases[1] > 0);
    CHECK(plan.phases[2] > plan.phases[1]);
    CHECK(plan.phases[2] < static_cast<int>(plan.steps.size()));
    int marks = 0;
    const runtime::CallablePtr planned = bed.callable(plan);
    planned->onPhase([&] { ++marks; });
    (*planned)();
    bed.workload->restore();
    CHECK(marks == 4);
    CHECK(planned->phases == std::vector<std::string>{"forward", "backward", "optimizer"});
  }

  TEST_CASE("a CPU's arena is kept for the next run, and takes no more than values that are allocated one by one") {
    const ir::Graph graph = ir::parseGraph(R"(graph
  in x f32[256, 256]
  in w f32[256, 1]
  a f32[256, 256] = aten.tanh.default(self=x)
  b f32[256, 256] = aten.mm.default(self=a, mat2=x)
  c f32[256, 256] = aten.tanh.default(self=b)
  d f32[256, 256] = aten.mm.default(self=c, mat2=a)
  e f32[256, 1] = aten.mm.default(self=d, mat2=w)
  return e
)");
    const auto device = runtime::openDevice("cpu", 1);
    random_graphs::GraphWorkload workload(runtime::makeTensorList({at::rand({256, 256}), at::rand({256, 1})}));
    const codegen::Plan planned = codegen::compileNetwork(graph, device->target(), {runtime::drawsNumbers});
    codegen::Plan oneByOne = planned;
    oneByOne.memory = {};
    const auto callableOf = [&](const codegen::Plan& plan) {
      return runtime::networkCallable(workload, plan, {}, *device, runtime::Cache());
    };
    const auto peakOf = [&](runtime::Callable& callable) {
      const auto watch = device->watchMemory();
      callable();
      return watch->peaks().allocated;
    };
    const runtime::CallablePtr withArena = callableOf(planned), without = callableOf(oneByOne);
    REQUIRE(planned.memory.bytes >= 2 * 256 * 256 * 4);
    CHECK(withArena->plannedBytes == planned.memory.bytes);
    CHECK(bitwiseEqual((*callableOf(planned))(), (*callableOf(oneByOne))()));
    const int64_t first = peakOf(*withArena), second = peakOf(*withArena);
    CHECK(first >= planned.memory.bytes);
    CHECK(first <= peakOf(*without) + codegen::placeBytes);
    CHECK(second == first - planned.memory.bytes);
  }

  TEST_CASE("rows with gaps give what rows without them give, in kernels and in products that write them") {
    const ir::Graph graph = ir::parseGraph(R"(graph
  in gradient f16[70, 5001]
  in x f16[70, 640]
  in w f16[5001, 640]
  t f16[640, 5001] strides (1, 640) of w = aten.t.default(self=w)
  p f16[70, 5001] = aten.mm.default(self=x, mat2=t)
  v f16[7, 10, 5001] of p = aten.view.default(self=p, size=[7, 10, 5001])
  e f16[7, 10, 5001] = aten.tanh.default(self=v)
  f f16[70, 5001] of e = aten.view.default(self=e, size=[70, 5001])
  g f16[70, 5001] = aten.mul.Tensor(self=f, other=gradient)
  d f16[70, 640] = aten.mm.default(self=g, mat2=w)
  h f16[70, 640] = aten.mm.default(self=gradient, mat2=w)
  q f16[70, 5001] = aten.mm.default(self=h, mat2=t)
  return d, q
)");
    const ir::Graph padded = lowering::withPaddedRows(graph, [](const ir::Node&) { return true; }, 0);
    const auto count = [&](std::string_view op) {
      return std::count_if(padded.nodes.begin(), padded.nodes.end(), [&](const ir::Node& node) { return node.op == op; });
    };
    CHECK(count("aten.clone.default") == 2);  // of the gradient and of the output
    CHECK(giveTheSame(graph, padded));
  }

  TEST_CASE("joined products give what each of them gives, as attention sees it, and casts are made once") {
    const ir::Graph graph = ir::parseGraph(R"(graph
  in x f32[2, 64, 64]
  in u bf16[64, 64]
  in v bf16[64, 64]
  in b bf16[64]
  in c bf16[64]
  h bf16[2, 64, 64] = aten._to_copy.default(self=x, dtype=bf16, layout=None, device=None, pin_memory=None, non_blocking=False, memory_format=None)
  k bf16[128, 64] of h = aten.view.default(self=h, size=[128, 64])
  s bf16[64, 64] strides (1, 64) of u = aten.t.default(self=u)
  p bf16[128, 64] = aten.addmm.default(self=b, mat1=k, mat2=s, beta=1, alpha=1)
  q bf16[2, 64, 4, 16] of p = aten.view.default(self=p, size=[2, 64, 4, 16])
  r bf16[2, 4, 64, 16] strides (4096, 16, 64, 1) of p = aten.transpose.int(self=q, dim0=1, dim1=2)
  i bf16[2, 64, 64] = aten._to_copy.default(self=x, dtype=bf16, layout=None, device=None, pin_memory=None, non_blocking=False, memory_format=None)
  l bf16[128, 64] of i = aten.view.default(self=i, size=[128, 64])
  t bf16[64, 64] strides (1, 64) of v = aten.t.default(self=v)
  m bf16[128, 64] = aten.addmm.default(self=c, mat1=l, mat2=t, beta=1, alpha=1)
  n bf16[2, 64, 4, 16] of m = aten.view.default(self=m, size=[2, 64, 4, 16])
  o bf16[2, 4, 64, 16] strides (4096, 16, 64, 1) of m = aten.transpose.int(self=n, dim0=1, dim1=2)
  y bf16[2, 4, 64, 16] strides (4096, 16, 64, 1), z f32[2, 4, 64] strides (256, 1, 4) = aten._scaled_dot_product_flash_attention_for_cpu.default(query=r, key=o, value=o, dropout_p=0.0, is_causal=False, attn_mask=None, scale=None)
  return y
)");
    const auto isGenerated = [](const ir::Node& node) {
      return node.op == "aten._to_copy.default" || node.op == "aten.cat.default";
    };
    const ir::Graph once = lowering::withoutEqualCalls(graph, isGenerated);
    CHECK(once.nodes.size() == graph.nodes.size() - 2);
    const ir::Graph joined = lowering::withJoinedProducts(once, isGenerated);
    CHECK(ir::toText(joined).find("m_joined bf16[128, 128] = aten.addmm.default") != std::string::npos);
    CHECK(giveTheSame(graph, joined));
  }

  TEST_CASE("images with their channels last give what others give, forward and backward") {
    const std::string convolution =
        ", bias=None, stride=[1, 1], padding=[1, 1], dilation=[1, 1], transposed=False, output_padding=[0, 0], groups=1";
    const ir::Graph graph = ir::parseGraph(fmt::format(R"(graph
  in x bf16[2, 3, 12, 12]
  in u bf16[16, 3, 3, 3]
  in v bf16[16, 16, 3, 3]
  a bf16[2, 16, 12, 12] = aten.convolution.default(input=x, weight=u{0})
  b bf16[2, 16, 12, 12] = aten.relu.default(self=a)
  c bf16[2, 16, 12, 12] = aten.convolution.default(input=b, weight=v{0})
  d bf16[2, 16, 12, 12] = aten.add.Tensor(self=c, other=b, alpha=1)
  p bf16[2, 16, 6, 6], q i64[2, 16, 6, 6] = aten.max_pool2d_with_indices.default(self=d, kernel_size=[2, 2], stride=[2, 2], padding=[0, 0], dilation=[1, 1], ceil_mode=False)
  e bf16[2, 16, 6, 6] = aten.convolution.default(input=p, weight=v{0})
  f bf16[2, 16, 1, 1] = aten.mean.dim(self=e, dim=[-1, -2], keepdim=True)
  g bf16[2, 16, 6, 6] = aten.mul.Tensor(self=e, other=f)
  h bf16[2, 16, 6, 6], i bf16[16, 16, 3, 3] = aten.convolution_backward.default(grad_output=g, input=p, weight=v, bias_sizes=None, stride=[1, 1], padding=[1, 1], dilation=[1, 1], transposed=False, output_padding=[0, 0], groups=1, output_mask=[True, True, False])
  k bf16[2, 16, 6, 6] = aten.neg.default(self=h)
  return f, i, k
)",
                                                       convolution));
    const ir::Graph changed =
        lowering::withChannelsLast(graph, [](const ir::Node& node) { return !node.op.starts_with("aten.convolution"); });
    CHECK(ir::toText(changed).find("d bf16[2, 16, 12, 12] strides (2304, 1, 192, 16)") != std::string::npos);
    CHECK(giveTheSame(graph, changed));
  }

  TEST_CASE("biases that kernels add, and sum the gradients of, are those that ATen adds and sums") {
    const std::string convolution =
        ", stride=[1, 1], padding=[1, 1], dilation=[1, 1], transposed=False, output_padding=[0, 0], groups=1";
    const ir::Graph graph = ir::parseGraph(fmt::format(R"(graph
  in x bf16[2, 3, 12, 12]
  in w bf16[16, 3, 3, 3]
  in b bf16[16]
  y bf16[2, 16, 12, 12] = aten.convolution.default(input=x, weight=w, bias=b{0})
  r bf16[2, 16, 12, 12] = aten.relu.default(self=y)
  g bf16[16, 3, 3, 3], h bf16[16] = aten.convolution_backward.default(grad_output=r, input=x, weight=w, bias_sizes=[16]{0}, output_mask=[False, True, True])
  return r, g, h
)",
                                                       convolution));
    const ir::Graph apart =
        lowering::withConvolutionBiases(graph, [](const ir::Node& node) { return !node.op.starts_with("aten.convolution"); });
    CHECK(ir::toText(apart).find("aten.sum.dim_IntList") != std::string::npos);
    CHECK(giveTheSame(graph, apart));
  }
}
