#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>

#include "runtime/capture/recording.h"
#include "runtime/devices/open.h"
#include "runtime/torch/state.h"
#include "runtime/workloads/network/network.h"
#include "tests/refusal.h"
#include "tests/runtime/capture/capture_bed.h"

using runtime::Audit;
using runtime::Capture;
using runtime::makeTensorList;
using runtime::Network;
using runtime::recordedSamples;
using runtime::reseedGenerator;
using tests::captured;
using tests::ModelBed;
using tests::operatorsOf;
using tests::repeats;

TEST_SUITE("captures") {
  TEST_CASE("a captured step gives the same bits again, and its text reads back to the same graph") {
    for (const auto& [mode, keywords] : {std::pair("inference", "{}"),
                                         {"inference", "{'amp': 'bfloat16'}"},
                                         {"training", "{}"},
                                         {"training", "{'optimizer': 'sgd'}"},
                                         {"training", "{'optimizer': 'adam'}"},
                                         {"training", "{'optimizer': 'adamw', 'optimizer_form': 'fused'}"},
                                         {"training", "{'optimizer': 'adam', 'amp': 'bfloat16'}"}}) {
      CAPTURE(std::string(mode));
      CAPTURE(std::string(keywords));
      ModelBed bed(tests::smallModelPath("mlp_training"), mode, "((T([4, 8], f32),), " + std::string(keywords) + ")");
      const Capture capture = *bed.model.capture(Audit::Yes);
      CHECK(capture.undeclared.empty());
      CHECK(repeats(capture, bed.model.operands(0)));
    }
  }

  TEST_CASE("programs of archives give the same bits again: lists, sizes, random numbers") {
    for (const auto& [name, input] : {std::pair("lists", "[2, 6]"), {"symbols", "[6, 4]"}, {"random", "[6, 4]"}}) {
      CAPTURE(std::string(name));
      ModelBed bed(tests::smallModelPath(name), "inference", std::string("((T(") + input + ", f32),), {})");
      const Capture capture = *bed.model.capture(Audit::Yes);
      CHECK(capture.undeclared.empty());
      CHECK(repeats(capture, bed.model.operands(0)));
    }
  }

  TEST_CASE("recurrent networks give the same bits again, forward and backward, whatever their cells") {
    for (const auto& [op, keywords] : {std::pair("rnn.lstm.training", ""),
                                       {"rnn.lstm.inference", ""},
                                       {"rnn.gru.training", ", 'layers': 2, 'bidirectional': True"},
                                       {"rnn.lstm_layernorm.training", ""},
                                       {"rnn.lstm.training", ", 'projection': 3"}}) {
      CAPTURE(std::string(op));
      const auto device = runtime::openDevice("cpu", 1);
      Network network(tests::sample(op, std::string("((T([5, 3, 4], f32),), {'hidden': 6") + keywords + "})"), *device, 1);
      const Capture capture = *network.capture(Audit::Yes);
      CHECK(capture.undeclared.empty());
      CHECK(capture.constants.size() == 0);
      CHECK(inputs::parseFile(inputs::toText(recordedSamples(capture.graph, true)), "all", "").errors.empty());
      CHECK(repeats(capture, network.operands(0)));
    }
  }

  TEST_CASE("calls of a step have its phases, and gradients the call that they belong to") {
    ModelBed bed(tests::smallModelPath("mlp_training"), "training", "((T([4, 8], f32),), {'optimizer': 'sgd'})");
    const ir::Graph graph = bed.model.capture(Audit::No)->graph;
    int gradients = 0;
    for (const ir::Node& node : graph.nodes)
      if (node.op == "aten.mm.default" && node.scope.forward >= 0) {
        CHECK((node.scope.phase == ir::Phase::Backward));
        CHECK(graph.nodes[static_cast<size_t>(node.scope.forward)].op == "aten.addmm.default");
        ++gradients;
      }
    CHECK(gradients > 0);
    CHECK((graph.nodes.front().scope.phase == ir::Phase::Forward));
    CHECK((graph.nodes.back().scope.phase == ir::Phase::Optimizer));
    CHECK((graph.values[static_cast<size_t>(graph.inputs.front())].role == ir::Role::Parameter));
    CHECK((graph.values[static_cast<size_t>(graph.inputs.back())].role == ir::Role::State));
  }

  TEST_CASE("a view lies in the memory of what it is taken of, and a write of it changes both") {
    const at::Tensor x = at::zeros({2, 3});
    const Capture capture = captured(x, [](const at::Tensor& tensor) {
      const at::Tensor y = tensor + 1;
      y.t().select(0, 1).mul_(2);
      return y;
    });
    CHECK(ir::toText(capture.graph) == R"(graph
  parameter x f32[2, 3]
  y f32[2, 3] = aten.add.Scalar(self=x, other=1, alpha=1)
  t1 f32[3, 2] strides (1, 3) of y = aten.t.default(self=y)
  t2 f32[2] strides (3) of y + 1 = aten.select.int(self=t1, dim=0, index=1)
  t2 = aten.mul_.Scalar(self=t2, other=2) writes t2
  return y
)");
    CHECK(repeats(capture, makeTensorList({x})));
  }

  TEST_CASE("random numbers repeat from one seed, and two draws differ") {
    const at::Tensor x = at::ones({64});
    reseedGenerator(at::kCPU);
    const Capture capture =
        captured(x, [](const at::Tensor& tensor) { return at::cat({at::bernoulli(tensor, 0.5), at::bernoulli(tensor, 0.5)}); });
    CHECK(capture.graph.generator.has_value());
    CHECK(repeats(capture, makeTensorList({x})));
    const at::Tensor y = capture.outputs.state().tensors.front();
    CHECK_FALSE(y.narrow(0, 0, 64).equal(y.narrow(0, 64, 64)));
  }

  TEST_CASE("numbers that the host reads are kept and compared; Python's numbers do not promote") {
    const at::Tensor x = at::full({2}, 3, at::kHalf);
    const Capture capture = captured(x, [](const at::Tensor& tensor) { return tensor * (2.0 + tensor[0].item().toDouble()); });
    REQUIRE(capture.hostReads.size() == 1);
    CHECK((capture.hostReads[0] == ir::Argument(3.0)));
    CHECK((capture.outputs.state().tensors.front().scalar_type() == at::kHalf));
    CHECK(repeats(capture, makeTensorList({x})));
  }

  TEST_CASE("memory that is freed and allocated again is other memory") {
    const Capture capture = captured(at::ones({1 << 16}), [](const at::Tensor& tensor) {
      at::Tensor y = tensor + 1;
      for (int i = 0; i < 4; ++i) y = y + 1;  // each frees what the one before the last made
      return y;
    });
    CHECK(capture.graph.storages.empty());
    CHECK(capture.graph.nodes.size() == 5);
  }

  TEST_CASE("a step in inference mode has the calls of the same step outside of it") {
    const auto gelu = [](const at::Tensor& x) { return at::linear(at::gelu(x), x); };
    const at::Tensor x = at::ones({3, 3});
    const auto inside = [&](const at::Tensor& tensor) {
      const c10::InferenceMode inference;
      return gelu(tensor);
    };
    CHECK((operatorsOf(captured(x, gelu).graph) == operatorsOf(captured(x, inside).graph)));
  }

  TEST_CASE("where another fallback holds the key, operators are captured one by one") {
    const at::Tensor x = at::ones({3});
    const auto compute = [](const at::Tensor& tensor) { return at::relu(tensor + 1); };
    const ir::Graph before = captured(x, compute).graph;
    const auto taken =
        c10::Dispatcher::singleton().registerFallback(c10::DispatchKey::Fake, c10::KernelFunction::makeFallthrough(), "a test");
    CHECK((captured(x, compute).graph == before));
  }

  TEST_CASE("tensors without strided memory are refused by the operator's name") {
    const auto refused = tests::refusal(ir::ErrorKind::Unsupported, [] {
      captured(at::ones({2, 2}), [](const at::Tensor& tensor) { return tensor.to_sparse(); });
    });
    CHECK(refused.find("cannot be captured") != std::string::npos);
    CHECK(refused.starts_with("aten."));
  }

  TEST_CASE("recorded samples count equal calls, and leave out what computes nothing") {
    const at::Tensor x = at::ones({2, 3});
    const ir::Graph graph = captured(x, [](const at::Tensor& tensor) {
                              at::Tensor y = at::zeros_like(tensor);
                              for (int i = 0; i < 3; ++i) y = at::add(y, tensor, i == 2 ? 2 : 1);
                              return at::mm(y, tensor.t());
                            }).graph;
    CHECK(inputs::toText(recordedSamples(graph, false)) == R"(Operator: aten.add.Tensor
cnt: 2, ((T([2, 3], f32), T([2, 3], f32)), {})
cnt: 1, ((T([2, 3], f32), T([2, 3], f32)), {'alpha': 2})
Operator: aten.mm.default
cnt: 1, ((T([2, 3], f32), T([3, 2], f32, stride=(1, 3))), {})
)");
    const std::vector<inputs::Sample> all = recordedSamples(graph, true);
    CHECK(std::count_if(all.begin(), all.end(), [](const auto& sample) { return sample.op == "aten.t.default"; }) == 1);
    CHECK(inputs::parseFile(inputs::toText(all), "all", "").errors.empty());
  }

  TEST_CASE("attention draws numbers where it drops something out, and nowhere else") {
    const auto draws = [](const char* chance) {
      const ir::Graph graph = ir::parseGraph(fmt::format(R"(graph
  in q f32[1, 2, 4, 8]
  y0 f32[1, 2, 4, 8], y1 i64[], y2 i64[] = aten._scaled_dot_product_efficient_attention.default(query=q, key=q, value=q, attn_bias=None, compute_log_sumexp=False, dropout_p={}, is_causal=False, scale=None)
  return y0
)",
                                                         chance));
      return runtime::drawsNumbers(graph.nodes.front());
    };
    CHECK_FALSE(draws("0.0"));
    CHECK(draws("0.1"));
  }
}
