#include "runtime/program/extents.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>
#include <doctest/doctest.h>

#include <cmath>

#include "runtime/program/draw.h"
#include "tests/refusal.h"
#include "tests/runtime/program/models.h"

using namespace runtime;

namespace {

using Sizes = std::vector<std::vector<int64_t>>;

std::string inputRefusal(const Program& program, std::optional<int64_t> batch, std::optional<int64_t> length) {
  return tests::refusal(ir::ErrorKind::Unsupported, [&] { bindExtents(program.inputs(), batch, length); });
}

}  // namespace

TEST_SUITE("extents of programs") {
  TEST_CASE("a batch and a length set the open dimensions of a language model") {
    const auto program = openProgram(tests::modelPath("bert_base"));
    const Extents extents = bindExtents(program->inputs(), 4, 128);
    CHECK((extents.sizes == Sizes{{4, 128}}));
    CHECK(!extents.outside);
    CHECK((bindExtents(program->inputs(), 4).sizes == Sizes{{4, 33}}));  // as it was exported
  }

  TEST_CASE("a batch of 1, which torch.export never declares, is allowed and told") {
    const auto program = openProgram(tests::modelPath("bert_base"));
    CHECK(bindExtents(program->inputs(), 1, 128).outside.value_or("") == "batch 1 is below the declared 2");
    CHECK(bindExtents(program->inputs(), 2, 1).outside.value_or("") == "length 1 is below the declared 2");
  }

  TEST_CASE("extents that the program does not have are refused") {
    const auto text = openProgram(tests::modelPath("bert_base"));
    CHECK(inputRefusal(*text, 2, 513) == "length 513 is above the declared 512");
    CHECK(inputRefusal(*text, 0, 8) == "batch 0 is below the declared 2");
    const auto vision = openProgram(tests::modelPath("squeezenet1_1"));
    CHECK(inputRefusal(*vision, 2, 128) == "length is fixed at 224");
    CHECK((bindExtents(vision->inputs(), 2, 224).sizes == Sizes{{2, 3, 224, 224}}));
  }

  TEST_CASE("sizes that a sample gives are checked alike") {
    const auto program = openProgram(tests::modelPath("squeezenet1_1"));
    CHECK(!checkExtents(program->inputs(), {{8, 3, 224, 224}}));
    const auto refused = [&](const Sizes& sizes) {
      return tests::refusal(ir::ErrorKind::Unsupported, [&] { checkExtents(program->inputs(), sizes); });
    };
    CHECK(refused({{8, 1, 224, 224}}) == "dimension 1 of x is fixed at 3");
    CHECK(refused({{8, 3, 224}}) == "input x has 4 dimensions, 3 are given");
    CHECK(refused({}) == "the program has 1 inputs, 0 are given");
  }

  TEST_CASE("integers are drawn below their bound, or a given one; equal seeds draw equal tensors") {
    const auto program = openProgram(tests::modelPath("bert_base"));
    const at::Tensor ids = drawInputs(*program, {{4, 512}}, 1, at::kCPU)[0];
    CHECK(ids.min().item().toLong() >= 0);
    CHECK(ids.max().item().toLong() < 30522);
    CHECK(ids.max().item().toLong() > 20000);
    CHECK(ids.equal(drawInputs(*program, {{4, 512}}, 1, at::kCPU)[0]));
    CHECK(!ids.equal(drawInputs(*program, {{4, 512}}, 2, at::kCPU)[0]));
    CHECK(drawInputs(*program, {{4, 512}}, 1, at::kCPU, std::nullopt, {{"ids", {0, 3}}})[0].max().item().toLong() == 2);
    const at::Tensor few = drawInputs(*program, {{4, 512}}, 1, at::kCPU, std::nullopt, {{"ids", {2, 9}}})[0];
    CHECK(few.min().item().toLong() == 2);
    CHECK(few.max().item().toLong() == 8);
  }

  TEST_CASE("state is drawn by name") {
    const auto program = openProgram(tests::modelPath("resnet18"));
    const auto state = drawState(*program, 1, at::kCPU, at::kBFloat16);
    for (size_t i = 0; i < state.size(); ++i) {
      const StateTensor& tensor = program->state()[i];
      CAPTURE(tensor.name);
      CHECK(state[i].requires_grad() == (tensor.role == Role::Parameter));
      if (tensor.name == "bn1.running_var" || tensor.name == "bn1.weight") CHECK((state[i] == 1).all().item().toBool());
      if (tensor.name == "bn1.running_mean") CHECK((state[i] == 0).all().item().toBool());
      if (tensor.name == "bn1.bias") CHECK((state[i] != 0).all().item().toBool());
      if (tensor.name == "conv1.weight")  // sums of 3 * 7 * 7 terms
        CHECK(state[i].to(at::kFloat).std().item().toDouble() == doctest::Approx(std::sqrt(2.0 / 147)).epsilon(0.03));
      if (tensor.name == "fc.weight") CHECK(state[i].std().item().toDouble() == doctest::Approx(0.02).epsilon(0.02));
    }
  }
}
