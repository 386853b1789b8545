#include "runtime/program/program.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>
#include <c10/core/InferenceMode.h>
#include <doctest/doctest.h>

#include "runtime/program/draw.h"
#include "tests/runtime/program/models.h"

using namespace runtime;

namespace {

std::unique_ptr<Program> model(const std::string& name) { return openProgram(tests::modelPath(name)); }

std::vector<at::Tensor> cast(std::vector<at::Tensor> tensors, at::ScalarType dtype) {
  for (at::Tensor& tensor : tensors)
    if (tensor.is_floating_point()) tensor = tensor.detach().to(dtype);
  return tensors;
}

/// The root mean square of the differences, relative to that of the reference.
double relativeError(const at::Tensor& result, const at::Tensor& reference) {
  const at::Tensor difference = result.to(at::kDouble) - reference;
  return (difference.square().mean().sqrt() / reference.square().mean().sqrt()).item().toDouble();
}

}  // namespace

TEST_SUITE("program") {
  TEST_CASE("an archive says what its program takes and has") {
    const auto program = model("bert_base");
    REQUIRE(program->inputs().size() == 1);
    const ProgramInput& ids = program->inputs()[0];
    CHECK(ids.name == "ids");
    CHECK((ids.dtype == at::kLong));
    REQUIRE(ids.dimensions.size() == 2);
    CHECK(ids.dimensions[0].isOpen());
    CHECK(ids.dimensions[1].least == 2);
    CHECK(ids.dimensions[1].most == 512);
    CHECK(ids.dimensions[0].symbol != ids.dimensions[1].symbol);
    CHECK(ids.bound.value_or(0) == 30522);  // the rows of the embedding
    REQUIRE(program->outputNames().size() == 1);
    CHECK(program->outputNames()[0] == "linear_73");
  }

  TEST_CASE("tied weights are one tensor of the state") {
    const auto program = model("bert_base");
    int embeddings = 0;
    for (const StateTensor& tensor : program->state()) {
      embeddings += static_cast<int>(tensor.sizes == std::vector<int64_t>{30522, 768});
      CHECK(tensor.name != "m.cls.predictions.decoder.weight");
    }
    CHECK(embeddings == 1);
  }

  TEST_CASE("archives without weights keep their constants") {
    for (const StateTensor& tensor : model("bert_base")->state()) {
      CHECK(tensor.value.defined() == (tensor.role != Role::Parameter));
      if (tensor.name == "m.bert.embeddings.position_ids") CHECK(at::equal(tensor.value, at::arange(512).unsqueeze(0)));
    }
  }

  TEST_CASE("a program computes what it computes in float64") {
    const c10::InferenceMode guard;
    for (const char* name : {"squeezenet1_1", "resnet18", "bert_base"}) {
      CAPTURE(std::string(name));
      const auto program = model(name);
      const bool isText = program->inputs()[0].dtype == at::kLong;
      const auto state = drawState(*program, 1, at::kCPU);
      const auto inputs =
          drawInputs(*program, {isText ? std::vector<int64_t>{2, 8} : std::vector<int64_t>{2, 3, 224, 224}}, 1, at::kCPU);
      const at::Tensor result = program->run(state, inputs)[0];
      const at::Tensor reference = program->inFloat64()->run(cast(state, at::kDouble), cast(inputs, at::kDouble))[0];
      CHECK((result.scalar_type() == at::kFloat));
      CHECK((reference.scalar_type() == at::kDouble));
      CHECK(relativeError(result, reference) < 1e-5);
      CHECK(result.square().mean().sqrt().item().toDouble() > 1e-3);  // and is something in half precision, too
    }
  }

  TEST_CASE("archives of each release of torch are read, and compute the same") {
    const c10::InferenceMode guard;
    const at::Tensor x = at::linspace(-1, 1, 24).view({3, 8});
    const auto resultOf = [&](const std::string& name) {
      const auto program = openProgram(tests::smallModelPath(name));
      return program->run(drawState(*program, 1, at::kCPU), {x})[0];
    };
    const at::Tensor expected = resultOf("mlp_with_weights");
    for (const char* release : {"2.11", "2.12", "2.13", "2.14", "2.15"})
      CHECK_MESSAGE(at::equal(resultOf(std::string("torch_") + release), expected), release);
  }

  TEST_CASE("what a block without gradients makes has none") {
    const c10::InferenceMode normal(false);
    const auto program = openProgram(tests::smallModelPath("no_grad"));
    const at::Tensor x = at::linspace(-1, 1, 12).view({3, 4}).set_requires_grad(true);
    program->run({}, {x})[0].sum().backward();
    CHECK(at::allclose(x.grad(), x.detach().exp()));  // of x * exp(x), where exp(x) is a number
  }
}
