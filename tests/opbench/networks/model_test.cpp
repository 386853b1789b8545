#include "runtime/workloads/model/model.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <c10/core/InferenceMode.h>
#include <doctest/doctest.h>

#include <limits>
#include <set>

#include "opbench/check/correctness_check.h"
#include "opbench/check/reference.h"
#include "runtime/devices/open.h"
#include "runtime/dispatch/interceptor.h"
#include "runtime/torch/state.h"
#include "tests/refusal.h"
#include "tests/runtime/program/models.h"
#include "tests/runtime/sample.h"

using namespace opbench;
using runtime::Contender;

namespace {

/// Three linear layers with a gelu, from tests/inputs/models.
constexpr const char* mlp = "mlp";

/// A model on the CPU, judged as a run judges it.
struct ModelBed {
  ModelBed(const std::string& mode, const std::string& arguments, const std::string& archive = mlp)
      : device(runtime::openDevice("cpu", 1)),
        model(tests::sample("model.mlp." + mode, arguments), *device, 1,
              runtime::Programs("", {{mlp, tests::smallModelPath(archive)}})),
        correctness(model, model.op(), Tolerances::standard()) {}

  std::string judge(runtime::Callable& callable) {
    correctness.begin(1, {});
    const auto trial = device->prepare(callable, model);
    return correctness.judge(*trial).message;
  }

  std::unique_ptr<runtime::Device> device;
  runtime::Model model;
  CorrectnessCheck correctness;
};

/// What each part of a run adds to the memory, by name: all that tests know beforehand.
std::map<std::string, int64_t> addedIn(ModelBed& bed) {
  const auto watch = bed.device->watchMemory();
  std::map<std::string, int64_t> added;
  for (const runtime::MemoryLine& line : bed.model.traceMemory(*watch)) added[line.name] = line.added;
  return added;
}

std::vector<at::Tensor> tensorsOf(const runtime::TensorList& list) { return list.state().tensors; }

/// A callable whose output is another one.
class Changed : public runtime::Callable {
 public:
  Changed(runtime::CallablePtr callable, std::function<void(std::vector<at::Tensor>&)> change)
      : callable_(std::move(callable)), change_(std::move(change)) {
    phases = callable_->phases;
    isDirect = true;
  }
  runtime::TensorList operator()() override {
    const c10::InferenceMode normal(false);
    const at::NoGradGuard noGrad;
    std::vector<at::Tensor> outputs = tensorsOf((*callable_)());
    change_(outputs);
    return runtime::makeTensorList(std::move(outputs));
  }
  void use(int) override {}
  void reseed() override { callable_->reseed(); }

 private:
  runtime::CallablePtr callable_;
  std::function<void(std::vector<at::Tensor>&)> change_;
};

/// Writes down where steps of a decoder put keys and values.
class PositionsSeen : public runtime::Interceptor {
 public:
  void call(runtime::InterceptedCall& call) override {
    if (call.op().operator_name().name == "aten::index_copy_") found.push_back(call.arguments()[2].toTensor().item<int64_t>());
    call.carryOut(runtime::Inner::Unseen);
  }

  std::vector<int64_t> found;
};

}  // namespace

TEST_SUITE("models") {
  TEST_CASE("a traced model agrees with eager, forward and in a step of training") {
    for (const auto& [mode, keywords] :
         {std::pair("inference", "{}"), {"training", "{}"}, {"training", "{'optimizer': 'adam', 'loss': 'mean'}"}}) {
      CAPTURE(std::string(keywords));
      ModelBed bed(mode, fmt::format("((T([4, 8], f32),), {})", keywords));
      CHECK(bed.judge(*bed.model.make(Contender::Torchscript)) == "");
    }
  }

  TEST_CASE("a gradient that is one per cent too large is found, and named") {
    ModelBed bed("training", "((T([4, 8], f32),), {'loss': 'mean'})");
    Changed wrong(bed.model.make(Contender::Eager), [](std::vector<at::Tensor>& outputs) { outputs[2] = outputs[2] * 1.01; });
    CHECK(bed.judge(wrong).find("the gradient of ") == 0);
  }

  TEST_CASE("what draws numbers of its own is judged by the same code that draws eager's, and by the size of its results") {
    ModelBed bed("training", "((T([4, 8], f32),), {'loss': 'mean'})", "mlp_training");
    const auto judge = [&](double factor, double twinsFactor) {
      const auto times = [&](double number) {
        return std::make_unique<Changed>(bed.model.make(Contender::Eager),
                                         [number](std::vector<at::Tensor>& outputs) { outputs[2] = outputs[2] * number; });
      };
      bed.correctness.begin(1, {});
      const auto own = times(factor), twin = times(twinsFactor);
      const auto trial = bed.device->prepare(*own, bed.model), twins = bed.device->prepare(*twin, bed.model);
      trial->withEagersDraws = [&](const std::function<void(runtime::Trial&)>& use) { use(*twins); };
      return bed.correctness.judge(*trial).message;
    };
    CHECK(judge(1, 1) == "");
    CHECK(judge(1.01, 1) == "");
    CHECK(judge(1, 1.01).find("the gradient of ") == 0);
    CHECK(judge(100, 1).find("eager's runs have") != std::string::npos);
  }

  TEST_CASE("what a run on operands a rounding away gives is right, however small eager's own error is by chance") {
    for (const char* keywords : {"{'loss': 'mean'}", "{'loss': 'mean', 'amp': 'bfloat16'}"}) {
      ModelBed bed("training", fmt::format("((T([4, 8], f32),), {})", keywords));
      for (uint64_t seed = 100; seed < 108; ++seed) {
        Changed nearby(bed.model.make(Contender::Eager),
                       [&](std::vector<at::Tensor>& outputs) { outputs = tensorsOf(bed.model.runEagerNearby(seed << 32)); });
        CHECK(bed.judge(nearby) == "");
      }
      Changed wrong(bed.model.make(Contender::Eager), [](std::vector<at::Tensor>& outputs) { outputs[0] = outputs[0] * 1.05; });
      CHECK(bed.judge(wrong).find("the loss is wrong") == 0);
    }
  }

  TEST_CASE("operands that are a rounding away are copies, and move each element by no more than that") {
    ModelBed bed("training", "((T([4, 8], f32),), {})");
    const std::vector<at::Tensor> before = tensorsOf(runtime::clone(bed.model.operands(0)));
    const runtime::TensorList nearby = bed.model.runEagerNearby(1);
    CHECK(runtime::bitwiseEqual(bed.model.operands(0), runtime::makeTensorList(before)));
    CHECK(!runtime::bitwiseEqual(nearby, bed.model.runEager()));
    CHECK(at::allclose(tensorsOf(nearby)[0], tensorsOf(bed.model.runEager())[0], 1e-4, 1e-6));
  }

  TEST_CASE("what a model writes in inference is put back before each run, and compared after it") {
    ModelBed bed("inference", "((T([3, 4], f32),), {})", "writes");
    const std::vector<at::Tensor> before = tensorsOf(runtime::clone(bed.model.operands(0)));
    CHECK(bed.model.mutates());
    CHECK(bed.model.outputs() == 4);
    CHECK(bed.model.outputName(1) == "steps afterwards");
    CHECK(bed.model.outputName(3) == "input x afterwards");
    CHECK(bed.judge(*bed.model.make(Contender::Eager)) == "");
    CHECK(bed.judge(*bed.model.make(Contender::Torchscript)) == "");
    Changed wrong(bed.model.make(Contender::Eager), [](std::vector<at::Tensor>& outputs) { outputs[1] = outputs[1] + 1; });
    CHECK(bed.judge(wrong).find("steps afterwards") == 0);
    bed.model.restore(0);
    CHECK(runtime::bitwiseEqual(bed.model.operands(0), runtime::makeTensorList(before)));
    const runtime::TensorList found = bed.model.runEager();
    CHECK(tensorsOf(found)[1].item<int64_t>() == 1);
    CHECK(at::equal(tensorsOf(found)[3], -before[2]));
  }

  // On a GPU a position beyond the cache ends the process: a step too many before a contender's first one is an error there.
  TEST_CASE("steps that make a contender ready begin where the drawn state does, whatever ran before") {
    ModelBed bed("inference", "((T([2, 1], i64),), {})", "decoder");
    for (const Contender& contender : {Contender::Eager, Contender::Torchscript}) {
      CAPTURE(name(contender));
      const auto eager = bed.model.make(Contender::Eager);
      for (int step = 0; step < 3; ++step) (*eager)();
      PositionsSeen positions;
      {
        const runtime::Interception interception(positions);
        bed.model.make(contender);
      }
      CHECK(positions.found.size() >= 4);
      CHECK(std::set<int64_t>(positions.found.begin(), positions.found.end()) == std::set<int64_t>{0});
    }
  }

  TEST_CASE("products in a block under autocast have its dtype, whatever the run has") {
    for (const char* keywords : {"{}", "{'amp': 'float16'}"}) {
      ModelBed autocast("inference", fmt::format("((T([3, 4], f32),), {})", keywords), "autocast");
      CHECK((tensorsOf(autocast.model.runEager())[0].scalar_type() == at::kBFloat16));
      CHECK(autocast.judge(*autocast.model.make(Contender::Eager)) == "");
    }
  }

  TEST_CASE("an optimizer's step that is left out is found") {
    ModelBed bed("training", "((T([4, 8], f32),), {'loss': 'mean', 'optimizer': 'sgd'})");
    const std::vector<at::Tensor> operands = tensorsOf(bed.model.operands(0));
    Changed wrong(bed.model.make(Contender::Eager), [&](std::vector<at::Tensor>& outputs) {
      for (at::Tensor& output : outputs)
        for (const at::Tensor& operand : operands)
          if (output.is_alias_of(operand)) output = at::zeros_like(output);
    });
    CHECK(bed.judge(wrong).find(" afterwards is wrong") != std::string::npos);
  }

  TEST_CASE("a step leaves parameters and the optimizer's state as they were, once they are restored") {
    ModelBed bed("training", "((T([4, 8], f32),), {'loss': 'mean', 'optimizer': 'adamw'})");
    std::vector<at::Tensor> before;
    for (const at::Tensor& tensor : tensorsOf(bed.model.operands(0))) before.push_back(tensor.detach().clone());
    const auto eager = bed.model.make(Contender::Eager);
    (*eager)();
    CHECK_FALSE(at::equal(before[0], tensorsOf(bed.model.operands(0))[0]));
    bed.model.restore(0);
    const runtime::TensorList after = bed.model.operands(0);
    for (size_t i = 0; i < before.size(); ++i) CHECK(at::equal(before[i], tensorsOf(after)[i]));
  }

  TEST_CASE("gradients are those of finite differences in float64") {
    ModelBed bed("training", "((T([3, 8], f64),), {'dtype': 'float64', 'loss': 'mean'})");
    const auto eager = bed.model.make(Contender::Eager);
    const runtime::TensorList results = (*eager)();
    const at::Tensor weight = tensorsOf(bed.model.operands(0))[0];
    const at::Tensor gradient = tensorsOf(results)[2].flatten();
    const c10::InferenceMode normal(false);
    const at::NoGradGuard noGrad;
    constexpr double step = 1e-5;
    for (const int64_t element : {int64_t{0}, int64_t{7}, weight.numel() - 1}) {
      const at::Tensor entry = weight.view({-1})[element];
      const auto lossAt = [&](double change) {
        entry.add_(change);
        const double loss = tensorsOf((*eager)())[0].item().toDouble();
        entry.sub_(change);
        return loss;
      };
      const double slope = (lossAt(step) - lossAt(-step)) / (2 * step);
      CHECK(gradient[element].item().toDouble() == doctest::Approx(slope).epsilon(1e-4));
    }
  }

  TEST_CASE("under autocast products are taken in the lower precision, and weights stay as they are") {
    ModelBed bed("inference", "((T([4, 8], f32),), {'amp': 'bfloat16'})");
    const auto eager = bed.model.make(Contender::Eager);
    CHECK((*eager)().type(0).dtype == ir::DType::BF16);
    CHECK(eager->arithmetic == "amp bfloat16");
    CHECK(bed.model.operands(0).type(0).dtype == ir::DType::F32);
  }

  TEST_CASE("a scaler of gradients settles, and steps as without it") {
    for (const char* form : {"foreach", "fused"}) {
      CAPTURE(std::string(form));
      const auto keywords =
          fmt::format("((T([4, 8], f32),), {{'loss': 'mean', 'optimizer': 'adam', 'optimizer_form': '{}'", form);
      ModelBed scaled("training", keywords + ", 'grad_scaler': True})"), plain("training", keywords + "})");
      const runtime::TensorList with = (*scaled.model.make(Contender::Eager))();
      const runtime::TensorList without = (*plain.model.make(Contender::Eager))();
      REQUIRE(with.size() == without.size() + 2);  // the scale, and the steps since it changed
      for (int i = 0; i < without.size(); ++i) {
        CAPTURE(i);
        CHECK(at::allclose(tensorsOf(with)[static_cast<size_t>(i)], tensorsOf(without)[static_cast<size_t>(i)], 1e-4, 1e-7));
      }
    }
  }

  TEST_CASE("a step whose gradients are not finite is left out, and halves the scale") {
    for (const bool isFused : {false, true}) {
      CAPTURE(isFused);
      const c10::InferenceMode normal(false);
      const at::Tensor parameter = at::ones({3});
      runtime::Optimizer optimizer({"adamw", isFused}, {parameter});
      runtime::GradScaler scaler(at::kCPU);
      scaler.step(optimizer, {at::full({3}, std::numeric_limits<float>::infinity())});
      CHECK(scaler.leftOut());
      CHECK(parameter.equal(at::ones({3})));
      CHECK(scaler.state()[0].item().toDouble() == 32768);
      CHECK(optimizer.state().back().item().toDouble() == 0);  // steps that were taken
      scaler.step(optimizer, {at::full({3}, 32768.0)});
      CHECK_FALSE(scaler.leftOut());
      CHECK(parameter[0].item().toDouble() == doctest::Approx((1 - 1e-5) - 1e-3).epsilon(1e-6));
    }
  }

  TEST_CASE("channels-last strides are those of 4-D parameters and inputs, and results agree") {
    const auto device = runtime::openDevice("cpu", 1);
    const runtime::Programs programs(tests::modelFolder(), {});
    const auto outputOf = [&](const char* keywords, bool isLast) {
      runtime::Model model(tests::sample("model.resnet18.inference", fmt::format("((T([2, 3, 224, 224], f32),), {})", keywords)),
                           *device, 1, programs);
      for (const at::Tensor& tensor : tensorsOf(model.operands(0)))
        if (tensor.dim() == 4 && tensor.size(1) > 1 && tensor.size(2) > 1)
          CHECK(tensor.is_contiguous(at::MemoryFormat::ChannelsLast) == isLast);
      return tensorsOf((*model.make(Contender::Eager))())[0];
    };
    const at::Tensor contiguous = outputOf("{}", false), last = outputOf("{'channels_last': True}", true);
    CHECK(at::allclose(last, contiguous, 1e-3, 1e-3));
  }

  TEST_CASE("float16 is refused where float32 is baked into the archive, and the operator is named") {
    const auto device = runtime::openDevice("cpu", 1);
    const auto refused = tests::refusal(ir::ErrorKind::Unsupported, [&] {
      runtime::Model(tests::sample("model.t.inference", "((T([2, 4], i64),), {'dtype': 'float16'})"), *device, 1,
                     runtime::Programs("", {{"t", tests::modelPath("gpt2")}}));
    });
    CHECK(refused.find("float32 is baked into ") == 0);
  }

  TEST_CASE("an archive of bfloat16 runs in it; its constants keep their dtype, and what it bakes is its own") {
    const auto device = runtime::openDevice("cpu", 1);
    const runtime::Programs programs("", {{"t", tests::smallModelPath("bfloat16")}});
    runtime::Model model(tests::sample("model.t.inference", "((T([2, 4], bf16),), {'dtype': 'bfloat16'})"), *device, 1, programs);
    std::vector<at::ScalarType> types;
    for (const at::Tensor& tensor : tensorsOf(model.operands(0))) types.push_back(tensor.scalar_type());
    CHECK((types == std::vector{at::kBFloat16, at::kBFloat16, at::kFloat, at::kBFloat16}));
    CHECK((tensorsOf((*model.make(Contender::Eager))())[0].scalar_type() == at::kBFloat16));
    const auto refused = tests::refusal(ir::ErrorKind::Unsupported, [&] {
      runtime::Model(tests::sample("model.t.inference", "((T([2, 4], f16),), {'dtype': 'float16'})"), *device, 1, programs);
    });
    CHECK(refused.find("float32 is baked into ") == 0);
  }

  TEST_CASE("memory is told by the modules whose calls allocate it: results of [4, 16] in f32 take 256 bytes") {
    ModelBed bed("inference", "((T([4, 8], f32),), {})");
    const int64_t operands = bed.model.operandBytes();
    const auto watch = bed.device->watchMemory();
    const std::vector<runtime::MemoryLine> lines = bed.model.traceMemory(*watch);
    const std::vector<runtime::MemoryLine> expected{
        {"(operands)", operands, operands, operands},      {"first", 256, operands + 256, operands + 256},
        {"activation", 0, operands + 256, operands + 512}, {"dropout", 0, operands + 256, operands + 256},
        {"second", 0, operands + 256, operands + 512},     {"third", 0, operands + 256, operands + 512},
        {"(forward)", 0, operands + 256, operands + 256}};
    REQUIRE(lines.size() == expected.size());
    for (size_t i = 0; i < lines.size(); ++i) {
      CHECK(lines[i].name == expected[i].name);
      CHECK((lines[i] == expected[i]));
    }
    CHECK(addedIn(bed)["first"] == 256);  // a second run is traced alike
  }

  TEST_CASE("in a step of training memory is held for the backward pass, which gives it back and leaves gradients") {
    ModelBed bed("training", "((T([4, 8], f32),), {'loss': 'mean', 'optimizer': 'adam'})");
    std::map<std::string, int64_t> added = addedIn(bed);
    CHECK(added["first"] == 256);
    CHECK(added["activation"] == 2 * 256);
    CHECK(added["second"] == 256);
    CHECK(added["third"] == 256);
    int64_t held = 0, gradients = 0;
    for (const auto& [name, bytes] : added)
      if (name != "(operands)" && name != "(backward)" && name != "(optimizer)") held += bytes;
    for (const at::Tensor& tensor : tensorsOf(bed.model.operands(0)))
      if (tensor.requires_grad()) gradients += static_cast<int64_t>(tensor.nbytes());
    constexpr int64_t output = 256, loss = 4;
    CHECK(added["(backward)"] == gradients + output + loss - held);
    CHECK(added["(optimizer)"] == 0);
  }

  TEST_CASE("calls of no module are told by their operator and output") {
    const auto device = runtime::openDevice("cpu", 1);
    runtime::Model model(tests::sample("model.w.inference", "((T([4, 4], f32),), {})"), *device, 1,
                         runtime::Programs("", {{"w", tests::smallModelPath("random")}}));
    const auto watch = device->watchMemory();
    const std::vector<runtime::MemoryLine> lines = model.traceMemory(*watch);
    REQUIRE(lines.size() > 1);
    CHECK(lines[1].name == "aten.dropout.default dropout");
  }
}
