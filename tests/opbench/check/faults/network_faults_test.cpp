// Deliberate mistakes in networks: every one is found out, and eager passes beside them.
#include "opbench/check/faults/network_faults.h"

#include <ATen/Functions.h>
#include <ATen/core/grad_mode.h>
#include <c10/core/InferenceMode.h>
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <torch/csrc/jit/api/module.h>

#include "opbench/check/correctness_check.h"
#include "runtime/devices/open.h"
#include "runtime/torch/state.h"
#include "runtime/workloads/model/model.h"
#include "tests/opbench/temporary_folder.h"
#include "tests/refusal.h"
#include "tests/runtime/program/models.h"
#include "tests/runtime/sample.h"

using namespace opbench;
using runtime::Contender;

namespace {

/// A model on the CPU, whose own runs are judged with mistakes in them.
struct NetworkFaultBed {
  NetworkFaultBed(const std::string& file, const std::string& mode, const std::string& call)
      : device(runtime::openDevice("cpu", 1)),
        model(tests::sample("model.net." + mode, call), *device, 1, runtime::Programs("", {{"net", file}})),
        correctness(model, model.op(), Tolerances::standard()) {}

  std::string judge(runtime::CallablePtr callable) {
    correctness.begin(1, {});
    const auto trial = device->prepare(*callable, model);
    trial->arithmetic = callable->arithmetic;
    return correctness.judge(*trial).message;
  }
  std::string right() { return judge(model.make(Contender::Eager)); }
  std::string with(Fault fault) { return judge(brokenNetwork(model.make(Contender::Eager), fault, model)); }

  std::unique_ptr<runtime::Device> device;
  runtime::Model model;
  CorrectnessCheck correctness;
};

/// The file of a layer that keeps statistics of its batches.
std::string normalizing(const tests::TemporaryFolder& folder) {
  torch::jit::Module module("Net");
  module.register_parameter("weight", at::ones({6}).requires_grad_(), false);
  module.register_parameter("bias", at::zeros({6}).requires_grad_(), false);
  module.register_buffer("running_mean", at::zeros({6}));
  module.register_buffer("running_var", at::ones({6}));
  module.define(
      "def forward(self, x):\n"
      "  return torch.batch_norm(x, self.weight, self.bias, self.running_mean, self.running_var, True, 0.1, 1e-5, True)\n");
  const std::string file = folder.path / "net.pt";
  module.save(file);
  return file;
}

/// Rounds results to the digits of TF32, as products on a GPU would.
class Rounded : public runtime::Callable {
 public:
  explicit Rounded(runtime::CallablePtr callable) : runtime::Callable(*callable), callable_(std::move(callable)) {}
  runtime::TensorList operator()() override {
    std::vector<at::Tensor> outputs = (*callable_)().state().tensors;
    const c10::InferenceMode normal(false);
    const at::NoGradGuard noGrad;
    for (at::Tensor& output : outputs) output = output.to(at::kHalf).to(at::kFloat);
    return runtime::makeTensorList(std::move(outputs));
  }
  void use(int) override {}

 private:
  runtime::CallablePtr callable_;
};

}  // namespace

TEST_SUITE("network faults") {
  TEST_CASE("eager passes against itself") {
    for (const char* call : {"((T([4, 8], f32),), {})", "((T([4, 8], f32),), {'loss': 'mean', 'optimizer': 'adam'})"})
      CHECK(NetworkFaultBed(tests::smallModelPath("mlp"), "training", call).right() == "");
    CHECK(NetworkFaultBed(tests::smallModelPath("mlp_training"), "training", "((T([4, 8], f32),), {})").right() == "");
    const tests::TemporaryFolder folder;
    CHECK(NetworkFaultBed(normalizing(folder), "training", "((T([16, 6], f32),), {})").right() == "");
  }

  TEST_CASE("a gradient that is one per cent too large is found") {
    for (const char* loss : {"mean", "gradient"}) {
      NetworkFaultBed bed(tests::smallModelPath("mlp"), "training", fmt::format("((T([4, 8], f32),), {{'loss': '{}'}})", loss));
      CHECK(bed.with(Fault::ScaledGradient).starts_with("the gradient of "));
    }
  }

  TEST_CASE("a bias that is not added is found, in training and inference") {
    for (const char* mode : {"training", "inference"})
      for (const char* archive : {"mlp", "mlp_with_weights"}) {
        CAPTURE(std::string(mode));
        CAPTURE(std::string(archive));
        NetworkFaultBed bed(tests::smallModelPath(archive), mode, "((T([4, 8], f32),), {})");
        CHECK(bed.with(Fault::DroppedBias) != "");
      }
  }

  TEST_CASE("a running mean that stays as it was is found") {
    const tests::TemporaryFolder folder;
    NetworkFaultBed bed(normalizing(folder), "training", "((T([16, 6], f32),), {})");
    CHECK(bed.with(Fault::StaleStatistic).find("running_mean afterwards is wrong") != std::string::npos);
  }

  TEST_CASE("a network that drops out is judged by float64 with the masks that eager draws, in each precision") {
    for (const char* keywords :
         {"", "'amp': 'bfloat16'", "'dtype': 'bfloat16'", "'dtype': 'float64'", "'loss': 'mean', 'optimizer': 'adam'"}) {
      CAPTURE(std::string(keywords));
      NetworkFaultBed bed(tests::smallModelPath("mlp_training"), "training",
                          fmt::format("((T([64, 8], f32),), {{{}}})", keywords));
      REQUIRE(bed.model.isRandom());
      CHECK(bed.right() == "");
      CHECK(bed.correctness.reference().float64);
      CHECK(bed.judge(bed.model.make(Contender::Torchscript)) == "");
      CHECK(bed.with(Fault::DroppedBias) != "");
      CHECK(bed.with(Fault::OtherMask) != "");
      const bool isAutocast = std::string(keywords).find("amp") != std::string::npos;  // which is off by more than a hundredth
      if (!isAutocast) CHECK(bed.with(Fault::ScaledGradient).starts_with("the gradient of "));
    }
  }

  TEST_CASE("so is one that draws coins and numbers") {
    NetworkFaultBed bed(tests::smallModelPath("random"), "inference", "((T([64, 4], f32),), {})");
    REQUIRE(bed.model.isRandom());
    CHECK(bed.right() == "");
    CHECK(bed.correctness.reference().float64);
    CHECK(bed.with(Fault::OtherMask) != "");
  }

  TEST_CASE("an optimizer's step that is left out is found") {
    for (const char* optimizer : {"sgd", "adam", "adamw"}) {
      NetworkFaultBed bed(tests::smallModelPath("mlp_with_weights"), "training",
                          fmt::format("((T([4, 8], f32),), {{'loss': 'mean', 'optimizer': '{}'}})", optimizer));
      CHECK_MESSAGE(bed.with(Fault::SkippedStep).find(" afterwards is wrong") != std::string::npos, optimizer);
    }
  }

  TEST_CASE("a fault that a network has no place for is refused") {
    NetworkFaultBed bed(tests::smallModelPath("mlp"), "inference", "((T([4, 8], f32),), {})");
    for (const Fault fault : {Fault::ScaledGradient, Fault::StaleStatistic, Fault::OtherMask, Fault::SkippedStep, Fault::Zeros})
      CHECK(tests::refusal(ir::ErrorKind::Unsupported, [&] { bed.with(fault); }) ==
            fmt::format("model.net.inference has no place for the fault {}", name(fault)));
  }

  TEST_CASE("what is computed in TF32 is judged as TF32") {
    NetworkFaultBed bed(tests::smallModelPath("mlp_with_weights"), "inference", "((T([4, 8], f32),), {})");
    CHECK(bed.judge(std::make_unique<Rounded>(bed.model.make(Contender::Eager))) != "");
    auto rounded = std::make_unique<Rounded>(bed.model.make(Contender::Eager));
    rounded->arithmetic = "tf32";
    CHECK(bed.judge(std::move(rounded)) == "");
  }

  TEST_CASE("by cosine the direction of results is enough") {
    NetworkFaultBed bed(tests::smallModelPath("mlp"), "training", "((T([4, 8], f32),), {'loss': 'mean'})");
    const Tolerances& standard = Tolerances::standard();
    CorrectnessCheck byCosine(bed.model, standard.criterionFor(bed.model.op(), {ir::DType::F32, false, false, true}), standard);
    byCosine.begin(1, {});
    const auto scaled = brokenNetwork(bed.model.make(Contender::Eager), Fault::ScaledGradient, bed.model);
    CHECK(byCosine.judge(*bed.device->prepare(*scaled, bed.model)).ok);
    const auto dropped = brokenNetwork(bed.model.make(Contender::Eager), Fault::DroppedBias, bed.model);
    CHECK_FALSE(byCosine.judge(*bed.device->prepare(*dropped, bed.model)).ok);
  }
}
