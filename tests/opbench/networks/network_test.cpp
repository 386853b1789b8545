#include "runtime/workloads/network/network.h"

#include <ATen/Functions.h>
#include <doctest/doctest.h>

#include <map>

#include "opbench/check/correctness_check.h"
#include "runtime/devices/open.h"
#include "runtime/known_contenders.h"
#include "runtime/torch/state.h"
#include "runtime/workloads/network/layered.h"
#include "runtime/workloads/network/recurrent_source.h"
#include "runtime/workloads/network/scripted.h"
#include "tests/refusal.h"
#include "tests/runtime/sample.h"

using namespace opbench;
using runtime::Network;

namespace {

inputs::Sample recurrentSample(const std::string& cell, const std::string& keywords) {
  return tests::sample("rnn." + cell + ".training", "((T([5, 3, 4], f32),), {'hidden': 6" + keywords + "})");
}

/// A network on the CPU, judged as a run judges it.
struct NetworkBed {
  explicit NetworkBed(const std::string& cell, const std::string& keywords = "")
      : device(runtime::openDevice("cpu", 1)),
        network(recurrentSample(cell, keywords), *device, 1),
        correctness(network, network.op(), Tolerances::standard()) {
    correctness.begin(1, {});
  }

  std::string judge(runtime::Callable& callable) {
    const auto trial = device->prepare(callable, network);
    return correctness.judge(*trial).message;
  }
  std::string judge(const std::string& creator) { return judge(*network.make(runtime::Contender(creator))); }
  /// Of jit_premul with a text of its source replaced by another one.
  std::string judgeWith(const std::string& text, const std::string& replacement) {
    std::string source = recurrentSource("jit_premul", network.recurrent());
    const size_t at = source.find(text);
    REQUIRE(at != std::string::npos);
    source.replace(at, text.size(), replacement);
    return judgeForward(scriptedForward(network.recurrent(), source, "layer"));
  }
  std::string judgeForward(runtime::Forward forward) {
    const auto step = [this, forward](const std::function<void()>& mark) {
      return runtime::runStep(network.recurrent(), network.tensors(), forward, mark);
    };
    return judge(*runtime::stepCallable("rnn", runtime::phasesOf(network.recurrent()), at::Device(at::kCPU), step, false));
  }

  std::unique_ptr<runtime::Device> device;
  Network network;
  CorrectnessCheck correctness;
};

/// A call's gradient times 1.01.
class ScaledGradient : public runtime::Callable {
 public:
  explicit ScaledGradient(runtime::CallablePtr callable) : callable_(std::move(callable)) {}
  runtime::TensorList operator()() override {
    runtime::TensorList outputs = (*callable_)();
    at::Tensor& last = outputs.state().tensors.back();
    last = last.mul(1.01);
    return outputs;
  }
  void use(int) override {}

 private:
  runtime::CallablePtr callable_;
};

std::string recurrentRefusal(const std::string& op, const std::string& call) {
  return tests::refusal(ir::ErrorKind::Input, [&] { (void)runtime::recurrentOf(tests::sample(op, call)); });
}

}  // namespace

TEST_CASE("all creators compute the same outputs, states and gradients") {
  for (const char* cell : {"lstm", "gru"})
    for (const char* keywords : {"", ", 'layers': 2", ", 'bidirectional': True", ", 'layers': 2, 'bidirectional': True"}) {
      CAPTURE(cell);
      CAPTURE(keywords);
      NetworkBed bed(cell, keywords);
      CHECK(bed.correctness.trivialSolution() == "");
      std::map<std::string, runtime::CallablePtr> made;
      for (const char* creator : {"cudnn", "aten", "jit", "jit_premul", "jit_premul_bias", "jit_simple", "py"})
        made[creator] = bed.network.make(runtime::Contender(creator));
      do
        for (const auto& [creator, callable] : made) CHECK_MESSAGE(bed.judge(*callable) == "", creator);
      while (bed.correctness.drawNext());
    }
}

TEST_CASE("jit_multilayer computes several layers in one direction") {
  for (const char* cell : {"lstm", "gru"}) CHECK(NetworkBed(cell, ", 'layers': 3").judge("jit_multilayer") == "");
  NetworkBed both("lstm", ", 'bidirectional': True");
  CHECK(tests::refusal(ir::ErrorKind::Unsupported, [&] { both.judge("jit_multilayer"); }).find("one direction") !=
        std::string::npos);
}

TEST_CASE("an LSTM may project its output") {
  NetworkBed bed("lstm", ", 'layers': 2, 'projection': 2");
  for (const char* creator : {"cudnn", "aten", "jit", "jit_premul", "jit_premul_bias", "jit_simple", "jit_multilayer", "py"})
    CHECK_MESSAGE(bed.judge(creator) == "", creator);
}

TEST_CASE("layer norms are TorchScript's to compute, written out or not; in one layer") {
  NetworkBed bed("lstm_layernorm");
  CHECK(bed.judge("jit_layernorm") == "");
  CHECK(bed.judge("jit_layernorm_decom") == "");
  CHECK(recurrentRefusal("rnn.lstm_layernorm.training", "((T([5, 3, 4], f32),), {'layers': 2})") ==
        "rnn.lstm_layernorm.training: it has no keyword 'layers'");
}

TEST_CASE("the bound of layer norms computes the network without them, forward alone") {
  const auto device = runtime::openDevice("cpu", 1);
  Network network(tests::sample("rnn.lstm_layernorm_bound.inference", "((T([5, 3, 4], f32),), {'hidden': 6})"), *device, 1);
  CorrectnessCheck correctness(network, network.op(), Tolerances::standard());
  correctness.begin(1, {});
  const runtime::CallablePtr callable = network.make(runtime::Contender("cudnn_layernorm"));
  CHECK(callable->phases == std::vector<std::string>{"forward"});
  CHECK(correctness.judge(*device->prepare(*callable, network)).message == "");
  CHECK(recurrentRefusal("rnn.lstm_layernorm_bound.training", "((T([5, 3, 4], f32),), {})") ==
        "rnn.lstm_layernorm_bound.training: it has no backward pass: its name ends in .inference");
}

TEST_CASE("sequences may have lengths of their own") {
  for (const char* keywords : {"", ", 'layers': 2"}) {
    NetworkBed bed("vl_lstm", std::string(keywords) + ", 'lengths': [2, 5, 3]");
    for (const char* creator : {"vl_cudnn", "vl_jit", "vl_py"}) CHECK_MESSAGE(bed.judge(creator) == "", creator);
  }
  CHECK(recurrentRefusal("rnn.vl_lstm.training", "((T([5, 3, 4], f32),), {'lengths': [2, 4, 3]})") ==
        "rnn.vl_lstm.training: 'lengths' must be 3 numbers, the largest 5");
  CHECK(recurrentRefusal("rnn.vl_lstm.training", "((T([5, 3, 4], f32),), {'lengths': [2, 6, 3]})") ==
        "rnn.vl_lstm.training: 'lengths' must be whole numbers from 1 to 5");
}

TEST_CASE("what drops out is compared without, and by chance with it") {
  NetworkBed one("lstm_dropout");
  CHECK_FALSE(one.network.isRandom());
  CHECK(one.judge("cudnn_dropout") == "");
  NetworkBed bed("lstm_dropout", ", 'layers': 2");
  CHECK(bed.network.isRandom());
  for (const char* creator : {"cudnn_dropout", "jit_dropout"}) CHECK_MESSAGE(bed.judge(creator) == "", creator);

  // Twice what is right, where chance has a part in it; and what draws, where nothing is to be drawn.
  const runtime::Forward right = runtime::loopForward(bed.network.recurrent());
  CHECK(bed.judgeForward(right) == "");
  const auto doubled = [&](const runtime::Operands& operands) {
    std::vector<at::Tensor> results = right(operands);
    if (bed.network.recurrent().dropout > 0) results[0] = results[0].mul(2);
    return results;
  };
  CHECK(bed.judgeForward(doubled).find("the output has a root mean square of") == 0);
  const auto always = [&](const runtime::Operands& operands) {
    std::vector<at::Tensor> results = right(operands);
    results[0] = at::dropout(results[0], 0.4, true);
    return results;
  };
  CHECK(bed.judgeForward(always).find("the output is wrong") == 0);

  const runtime::CallablePtr callable = bed.network.make(runtime::Contender("jit_dropout"));
  const runtime::TensorList first = runtime::clone((*callable)());
  CHECK_FALSE(runtime::bitwiseEqual(first, (*callable)()));
}

TEST_CASE("the fusers and executors of TorchScript compute the same") {
  for (const char* settings : {", 'fuser': 'old'", ", 'fuser': 'none'", ", 'executor': 'simple'", ", 'fuser': 'default'"}) {
    NetworkBed bed("lstm", settings);
    CHECK_MESSAGE(bed.judge("jit") == "", settings);
  }
  runtime::apply({});
}

TEST_CASE("planted faults are found") {
  NetworkBed bed("lstm", ", 'layers': 2");
  CHECK(bed.judgeWith("step(", "step(") == "");
  CHECK(bed.judgeWith("to_write, to_keep", "to_keep, to_write").find("the output is wrong") == 0);
  CHECK(bed.judgeWith(" + b_hh", "").find("the output is wrong") == 0);
  ScaledGradient scaled(bed.network.make(runtime::Contender("aten")));
  CHECK(bed.judge(scaled).find("the gradient of bias_hh_l1 is wrong") == 0);

  // The second layer begins with the first one's states.
  const runtime::Operands stale = [&] {
    runtime::Operands operands = bed.network.tensors();
    operands.h0 = at::stack({operands.h0.select(0, 0), operands.h0.select(0, 0)});
    return operands;
  }();
  const runtime::Forward right = layered(bed.network.recurrent(), loopLayer(bed.network.recurrent()));
  CHECK(bed.judgeForward(right) == "");
  CHECK(bed.judgeForward([&](const runtime::Operands&) { return right(stale); }).find("the output is wrong") == 0);
}

TEST_CASE("equal seeds draw equal operands, and other seeds others, into the memory there is") {
  const auto device = runtime::openDevice("cpu", 1);
  Network network(recurrentSample("lstm", ""), *device, 1);
  const runtime::TensorList first = runtime::clone(network.operands(0));
  network.draw(2, {});
  CHECK_FALSE(bitwiseEqual(first, network.operands(0)));
  network.draw(1, {});
  CHECK(bitwiseEqual(first, network.operands(0)));
}

TEST_CASE("operands can be differentiated, and no run keeps a gradient") {
  const auto device = runtime::openDevice("cpu", 1);
  Network network(recurrentSample("lstm", ""), *device, 1);
  network.runEager();
  for (const at::Tensor& tensor : network.tensors().all()) CHECK_FALSE(tensor.is_inference());
  for (const at::Tensor& weight : network.tensors().weights) CHECK_FALSE(weight.grad().defined());
}

TEST_CASE("a run has its phases, and inference the forward one alone") {
  const auto device = runtime::openDevice("cpu", 1);
  const auto phasesOf = [&](const char* op) {
    Network network(tests::sample(op, "((T([5, 3, 4], f32),), {})"), *device, 1);
    const runtime::CallablePtr callable = network.make(runtime::Contender("py"));
    const auto trial = device->prepare(*callable, network);
    std::vector<double> seconds;
    trial->prepareFor(runtime::Measure::BackToBack);
    trial->queue(runtime::Measure::BackToBack);
    trial->collect(seconds);
    std::string names;
    double sum = 0;
    for (const runtime::PhaseTime& phase : trial->phases()) {
      names += phase.name + " ";
      sum += phase.seconds;
    }
    CHECK(sum <= seconds.at(0));
    return names;
  };
  CHECK(phasesOf("rnn.lstm.training") == "forward backward ");
  CHECK(phasesOf("rnn.lstm.inference") == "forward ");
}

TEST_CASE("what is no network is refused in one line") {
  const std::string input = "((T([5, 3, 4], f32),), {";
  CHECK(recurrentRefusal("rnn.elman.training", input + "})") ==
        "rnn.elman.training: there is no such network; there are lstm, gru, lstm_layernorm, lstm_layernorm_bound, vl_lstm, "
        "lstm_dropout");
  CHECK(recurrentRefusal("rnn.lstm.sleeping", input + "})") == "rnn.lstm.sleeping: a network ends in .training or .inference");
  CHECK(recurrentRefusal("rnn.lstm.training", input + "'hidden': 0})") ==
        "rnn.lstm.training: 'hidden' must be a whole number from 1 to 2147483648");
  CHECK(recurrentRefusal("rnn.lstm.training", input + "'hiden': 4})") == "rnn.lstm.training: it has no keyword 'hiden'");
  CHECK(recurrentRefusal("rnn.gru.training", input + "'projection': 2})") == "rnn.gru.training: a GRU has no projection");
  CHECK(recurrentRefusal("rnn.lstm.training", input + "'fuser': 'x'})") ==
        "rnn.lstm.training: 'fuser' must be one of te, old, none, default");
  CHECK(recurrentRefusal("rnn.lstm.training", "((T([5, 3], f32),), {})") ==
        "rnn.lstm.training: it takes one contiguous floating tensor [length, batch, input]");
}

TEST_CASE("a CUDA graph needs a GPU") {
  NetworkBed bed("lstm");
  CHECK(tests::refusal(ir::ErrorKind::Unsupported, [&] { bed.judge("cudnn_graph"); }) == "a CUDA graph needs a GPU");
  CHECK(tests::refusal(ir::ErrorKind::Input, [&] { bed.judge("eager"); }) == "rnn.lstm.training has no contender 'eager'");
}
