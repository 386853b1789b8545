#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <doctest/doctest.h>
#include <torch/csrc/jit/api/module.h>
#include <torch/csrc/jit/codegen/fuser/interface.h>
#include <torch/csrc/jit/tensorexpr/kernel.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "runtime/capture/bound_graph.h"
#include "runtime/dispatch/one_thread.h"
#include "runtime/program/autocast.h"
#include "runtime/torch/state.h"
#include "runtime/workloads/network/scripted.h"
#include "runtime/workloads/network/training.h"
#include "tests/opbench/temporary_folder.h"
#include "tests/refusal.h"
#include "tests/runtime/capture/capture_bed.h"

using runtime::apply;
using runtime::Audit;
using runtime::Autocast;
using runtime::Capture;
using runtime::makeTensorList;
using runtime::ProgramMode;
using runtime::replay;
using runtime::reseedGenerator;
using runtime::ScriptSettings;
using tests::captured;
using tests::countOf;
using tests::operatorsOf;
using tests::repeats;

namespace {

std::string refused(const std::function<at::Tensor(const at::Tensor&)>& compute) {
  return tests::refusal(ir::ErrorKind::Unsupported, [&] { captured(at::ones({2, 2}), compute); });
}

/// A number as Python's operators hand it to ATen.
at::Tensor number(const at::Scalar& value) {
  at::Tensor tensor = at::scalar_tensor(value, at::TensorOptions(value.type()));
  tensor.unsafeGetTensorImpl()->set_wrapped_number(true);
  return tensor;
}

/// A parameter that wants gradients.
at::Tensor leaf(at::IntArrayRef sizes) { return at::ones(sizes).set_requires_grad(true); }

}  // namespace

TEST_SUITE("traps of captures") {
  TEST_CASE("Python's numbers do not promote: not in the text, not when it is read back, not when it is made once more") {
    for (const at::ScalarType type : {at::kHalf, at::kLong, at::kBool}) {
      const at::Tensor x = at::ones({3}).to(type);
      CAPTURE(std::string(at::toString(type)));
      const Capture capture = captured(std::vector<at::Tensor>{x}, [&] {
        return std::vector<at::Tensor>{at::mul(x, number(2)), at::mul(x, number(2.5)), at::mul(x, number(true)),
                                       at::sub(number(3), x.to(at::kHalf))};
      });
      CHECK(repeats(capture, makeTensorList({x})));
      CHECK(capture.constants.size() == 0);
      const auto& outputs = capture.outputs.state().tensors;
      CHECK((outputs[0].scalar_type() == (type == at::kBool ? at::kLong : type)));
      CHECK((outputs[1].scalar_type() == (type == at::kHalf ? at::kHalf : at::kFloat)));
      CHECK((outputs[2].scalar_type() == type));
      CHECK((outputs[3].scalar_type() == at::kHalf));
    }
  }

  TEST_CASE("dropout twice in one graph: two masks, which come again from one seed") {
    const at::Tensor x = at::ones({64}).set_requires_grad(true);
    reseedGenerator(at::kCPU);
    const Capture capture = captured(std::vector<at::Tensor>{x}, [&] {
      return std::vector<at::Tensor>{at::dropout(x, 0.5, true), at::dropout(x, 0.5, true)};
    });
    CHECK(capture.graph.generator.has_value());
    CHECK(repeats(capture, makeTensorList({x})));
    CHECK_FALSE(capture.outputs.state().tensors[0].equal(capture.outputs.state().tensors[1]));
  }

  TEST_CASE("a loop that the host ends by what it reads: its numbers are compared") {
    const auto compute = [](const at::Tensor& tensor) {
      at::Tensor y = tensor;
      while (y.sum().item().toDouble() < 10) y = y + 1;
      return y;
    };
    const at::Tensor x = at::ones({2});
    const Capture capture = captured(x, compute);
    REQUIRE(capture.hostReads.size() == 5);
    CHECK((capture.hostReads.front() == ir::Argument(2.0)));
    CHECK((capture.hostReads.back() == ir::Argument(10.0)));
    CHECK(repeats(capture, makeTensorList({x})));
    CHECK_FALSE(repeats(capture, makeTensorList({x * 2})));
    CHECK((replay(capture, makeTensorList({x * 2})).hostReads != capture.hostReads));
  }

  TEST_CASE("memory at the address of what was freed is other memory") {
    std::set<const void*> addresses;
    constexpr int calls = 256;
    const Capture capture = captured(at::ones({1 << 10}), [&](const at::Tensor& tensor) {
      at::Tensor y = tensor;
      for (int i = 0; i < calls; ++i) {
        y = y + 1;  // frees what the one before made
        addresses.insert(y.data_ptr());
      }
      return y;
    });
    REQUIRE(addresses.size() < calls);
    CHECK(capture.graph.storages.empty());
    CHECK(capture.graph.values.size() == 1 + calls);
  }

  TEST_CASE("a call that makes a tensor like another one makes it where that one lies") {
    const Capture capture =
        captured(at::ones({2, 3}), [](const at::Tensor& x) { return at::ones_like(x, at::MemoryFormat::Contiguous).add(x); });
    const runtime::BoundGraph again(capture.graph);
    CHECK(again.run({at::empty({2, 3}, at::kMeta)}).outputs.at(0).device() == at::Device(at::kMeta));
  }

  TEST_CASE("squeeze_, unsqueeze_ and t_ give a view other sizes and write nothing") {
    const Capture capture = captured(at::ones({1, 3}), [](const at::Tensor& tensor) {
      at::Tensor y = tensor + 1;
      y.t_().squeeze_(1).unsqueeze_(0);
      return y * 2;
    });
    CHECK(ir::toText(capture.graph) == R"(graph
  parameter x f32[1, 3]
  t0 f32[1, 3] = aten.add.Scalar(self=x, other=1, alpha=1)
  t1 f32[3, 1] strides (1, 3) of t0 = aten.t_.default(self=t0)
  t2 f32[3] of t0 = aten.squeeze_.dim(self=t1, dim=1)
  t0 = aten.unsqueeze_.default(self=t2, dim=0)
  y f32[1, 3] = aten.mul.Scalar(self=t0, other=2)
  return y
)");
    CHECK(repeats(capture, makeTensorList({at::ones({1, 3})})));
  }

  TEST_CASE("views that no schema declares: _unsafe_view, detach, data") {
    const Capture capture = captured(at::ones({2, 3}), [](const at::Tensor& tensor) {
      const at::Tensor y = tensor + 1;
      at::_unsafe_view(y, {6}).add_(1);
      y.detach().mul_(2);
      y.data().sub_(3);
      return y;
    });
    CHECK(capture.graph.storages.size() == 1);
    CHECK(capture.constants.size() == 0);
    CHECK(repeats(capture, makeTensorList({at::ones({2, 3})})));
  }

  TEST_CASE("weights of an LSTM in one buffer are views of it, and what one call writes another one reads") {
    constexpr int64_t hidden = 4, input = 3, gates = 4 * hidden, numbers = gates * (input + hidden + 2);
    const at::Tensor buffer = at::linspace(-1, 1, numbers), x = at::ones({5, 2, input}), h = at::zeros({1, 2, hidden});
    std::vector<at::Tensor> weights;
    int64_t offset = 0;
    for (const std::vector<int64_t>& sizes : {std::vector<int64_t>{gates, input}, {gates, hidden}, {gates}, {gates}}) {
      weights.push_back(at::empty({0}).set_(buffer.storage(), offset, sizes));
      offset += weights.back().numel();
    }
    const auto lstm = [&] { return std::get<0>(at::lstm(x, {h, h}, weights, true, 1, 0, false, false, false)); };
    const Capture capture = captured(std::vector<at::Tensor>{x, h, weights[0], weights[1], weights[2], weights[3]}, [&] {
      const at::NoGradGuard noGrad;
      const at::Tensor before = lstm();
      weights[1].mul_(0.5);
      return std::vector<at::Tensor>{before, lstm()};
    });
    CHECK(capture.constants.size() == 0);
    REQUIRE(capture.graph.storages.front().bytes == numbers * 4);
    const std::vector<int>& inputs = capture.graph.inputs;
    CHECK(std::count_if(inputs.begin(), inputs.end(),
                        [&](int value) { return capture.graph.values[static_cast<size_t>(value)].storage == 0; }) == 4);
    weights[1].mul_(2);  // as it was, to the bit
    CHECK(repeats(capture, makeTensorList({x, h, weights[0], weights[1], weights[2], weights[3]})));
  }

  TEST_CASE("a call that asks whether gradients are wanted is told the same again") {
    const at::Tensor x = at::ones({5, 2, 3}), h = at::zeros({1, 2, 4});
    const std::vector<at::Tensor> weights{leaf({16, 3}), leaf({16, 4}), leaf({16}), leaf({16})};
    const auto lstm = [&] { return std::get<0>(at::lstm(x, {h, h}, weights, true, 1, 0, false, false, false)); };
    const Capture capture = captured(std::vector<at::Tensor>{x, h, weights[0], weights[1], weights[2], weights[3]}, [&] {
      const at::NoGradGuard noGrad;
      return std::vector<at::Tensor>{lstm()};
    });
    CHECK(repeats(capture, makeTensorList({x, h, weights[0], weights[1], weights[2], weights[3]})));
  }

  TEST_CASE("the backward call of oneDNN's recurrent networks writes its workspace, which no schema says") {
    tests::ModelBed bed(tests::modelPath("lstm_training"), "training", "((T([100, 2, 512], f32),), {})");
    const Capture capture = *bed.model.capture(Audit::Yes);
    CHECK(capture.undeclared.empty());
    CHECK(repeats(capture, bed.model.operands(0)));
    const auto& nodes = capture.graph.nodes;
    const auto backward = std::find_if(nodes.begin(), nodes.end(),
                                       [](const ir::Node& node) { return node.op == "aten.mkldnn_rnn_layer_backward.default"; });
    REQUIRE(backward != nodes.end());
    CHECK((*backward->find("workspace") == ir::Argument(ir::ValueRef{backward->writes.at(0)})));
  }

  TEST_CASE("two steps of autocast cast the weights of their time") {
    const at::Tensor x = at::ones({2, 2}), weight = leaf({2, 2});
    const Capture capture = captured(std::vector<at::Tensor>{x, weight}, [&] {
      std::vector<at::Tensor> results;
      for (int step = 0; step < 2; ++step) {
        {
          const Autocast autocast(at::kCPU, at::kBFloat16);
          results.push_back(at::mm(x, weight) + at::mm(x, weight));  // one cast for both
        }
        const at::NoGradGuard noGrad;
        weight.add_(1);
      }
      return results;
    });
    CHECK(countOf(capture.graph, "aten._to_copy.default") == 2 * 3);  // of x twice, since it is no weight
    CHECK_FALSE(capture.outputs.state().tensors[0].equal(capture.outputs.state().tensors[1]));
    {
      const at::NoGradGuard noGrad;
      weight.sub_(2);
    }
    CHECK(repeats(capture, makeTensorList({x, weight})));
  }

  TEST_CASE("TorchScript has the calls of eager, though its executor has fused them") {
    const tests::TemporaryFolder folder;
    torch::jit::Module module("Net");
    module.register_parameter("weight", at::linspace(-1, 1, 12).reshape({3, 4}), false);
    module.define(R"(
def product(self, x):
    return torch.mm(x, self.weight)
def forward(self, x, factor: float = 2.0):
    y = self.product(x)
    return torch.sigmoid(y) * torch.tanh(y) + y * factor
)");
    module.save(folder.path / "net.pt");
    torch::jit::overrideCanFuseOnCPU(true);
    torch::jit::tensorexpr::getTEMustUseLLVMOnCPU() = false;
    tests::ModelBed bed(folder.path / "net.pt", "inference", "((T([2, 3], f32),), {})");
    for (int run = 0; run < 4; ++run) bed.model.runEager();  // so that it has been profiled
    const Capture capture = *bed.model.capture(Audit::Yes);
    apply(ScriptSettings{});
    CHECK(repeats(capture, bed.model.operands(0)));
    CHECK(operatorsOf(capture.graph) == std::vector<std::string>{"aten.mm.default", "aten.sigmoid.default", "aten.tanh.default",
                                                                 "aten.mul.Tensor", "aten.mul.Scalar", "aten.add.Tensor"});
  }

  TEST_CASE("TorchScript's gradients are autograd's") {
    const tests::TemporaryFolder folder;
    torch::jit::Module module("Net");
    module.register_parameter("weight", leaf({3, 4}), false);
    module.define("def forward(self, x):\n    y = torch.mm(x, self.weight)\n    return torch.sigmoid(y) * torch.tanh(y)\n");
    module.save(folder.path / "net.pt");
    tests::ModelBed bed(folder.path / "net.pt", "training", "((T([2, 3], f32),), {'optimizer': 'sgd'})");
    const Capture capture = *bed.model.capture(Audit::Yes);
    CHECK(repeats(capture, bed.model.operands(0)));
    CHECK(countOf(capture.graph, "aten.sigmoid_backward.default") == 1);
    CHECK(countOf(capture.graph, "aten.tanh_backward.default") == 1);
  }

  TEST_CASE("tensors without strided memory, and views that put work off, are refused in one line that names the operator") {
    CHECK(refused([](const at::Tensor& x) { return x.to_sparse(); }).starts_with("aten."));
    CHECK(refused([](const at::Tensor& x) { return at::_nested_tensor_from_tensor_list({x, x}); }).starts_with("aten."));
    CHECK(refused([](const at::Tensor& x) { return x.to(at::kComplexFloat).conj(); }) ==
          "aten._conj.default: views that conjugate or negate cannot be captured");
    const std::string sparse = refused([](const at::Tensor& x) { return x.to_sparse(); });
    CHECK(sparse.find("tensors without strided memory cannot be captured") != std::string::npos);
    CHECK(sparse.find('\n') == std::string::npos);
  }

  TEST_CASE("a gradient that none reaches is zeros that the graph makes, and an optimizer leaves its parameter alone") {
    const auto module = [](const std::string& path) {
      torch::jit::Module net("Net");
      net.register_parameter("used", leaf({3}), false);
      net.register_parameter("idle", leaf({3}), false);
      net.define("def forward(self, x):\n    y = self.idle + x\n    return x * self.used\n");
      net.save(path);
    };
    const tests::TemporaryFolder folder;
    module(folder.path / "net.pt");
    tests::ModelBed bed(folder.path / "net.pt", "training", "((T([2, 3], f32),), {'optimizer': 'adamw'})");
    const Capture capture = *bed.model.capture(Audit::Yes);
    CHECK(repeats(capture, bed.model.operands(0)));
    CHECK(capture.constants.size() == 0);
    const ir::Graph& graph = capture.graph;
    REQUIRE(graph.nodes.back().op == "aten.zeros_like.default");
    CHECK(graph.values[static_cast<size_t>(graph.nodes.back().outputs.front())].name == "the_gradient_of_idle");
    const std::vector<at::Tensor>& outputs = capture.outputs.state().tensors;
    CHECK(outputs[3].equal(at::zeros({3})));
    for (const ir::Node& node : graph.nodes)
      if (node.scope.phase == ir::Phase::Optimizer)
        for (const int written : node.writes)
          CHECK(graph.values[static_cast<size_t>(written)].name.find("idle") == std::string::npos);
  }
}
