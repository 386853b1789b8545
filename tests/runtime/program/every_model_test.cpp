// Every built-in network; minutes, so that it runs only when it is asked for: test_runtime -ns -ts="every model".
#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>
#include <c10/core/InferenceMode.h>
#include <c10/util/accumulate.h>
#include <doctest/doctest.h>

#include <cstdio>
#include <filesystem>
#include <set>

#include "ir/error.h"
#include "runtime/program/draw.h"
#include "runtime/program/extents.h"
#include "tests/runtime/program/models.h"

using namespace runtime;

namespace {

std::vector<at::Tensor> raisedState(std::vector<at::Tensor> tensors) {
  for (at::Tensor& tensor : tensors)
    if (tensor.is_floating_point()) tensor = tensor.to(at::kDouble);
  return tensors;
}

/// Whether the weights, and those of a reference in float64, are more than a test may hold.
bool isLarge(const Program& program) {
  int64_t elements = 0;
  for (const StateTensor& tensor : program.state()) elements += c10::multiply_integers(tensor.sizes);
  return elements > 300'000'000;
}

double errorOf(const at::Tensor& result, const at::Tensor& reference) {
  const at::Tensor wide = reference.to(at::kDouble), difference = result.to(at::kDouble) - wide;
  return (difference.square().mean().sqrt() / wide.square().mean().sqrt()).item().toDouble();
}

}  // namespace

TEST_SUITE("every model" * doctest::skip()) {
  TEST_CASE("runs, in float32 as in float64, and each row of a batch alone as in the batch") {
    const c10::InferenceMode guard;
    std::set<std::filesystem::path> paths;
    for (const auto& entry : std::filesystem::directory_iterator(std::filesystem::path(tests::modelPath("x")).parent_path()))
      if (entry.path().extension() == ".pt2") paths.insert(entry.path());
    for (const auto& path : paths) {
      const std::string name = path.stem();
      CAPTURE(name);
      const bool isTraining = name.ends_with("_training");
      const auto program = openProgram(path);
      if (isLarge(*program)) continue;
      const bool isText = at::isIntegralType(program->inputs()[0].dtype, false);
      const auto sizes = [&](int64_t batch) {
        return bindExtents(program->inputs(), batch, isText ? std::optional<int64_t>(16) : std::nullopt).sizes;
      };
      const auto state = drawState(*program, 1, at::kCPU);
      std::vector<at::Tensor> inputs = drawInputs(*program, sizes(2), 1, at::kCPU);
      const at::Tensor result = program->run(state, inputs)[0];
      CHECK(result.isfinite().all().item().toBool());
      double wide = -1, row = -1;
      {
        const auto raised = raisedState(drawState(*program, 1, at::kCPU));
        const auto inDouble = program->inFloat64();
        const at::Tensor reference = inDouble->run(raised, raisedState(inputs))[0];
        CHECK((reference.scalar_type() == at::kDouble));
        wide = errorOf(result, reference);
      }
      if (!isTraining) {
        for (at::Tensor& input : inputs) input = input.narrow(0, 0, 1);
        row = errorOf(program->run(state, inputs)[0], result.narrow(0, 0, 1));
        CHECK(wide < 1e-5);
        CHECK(row < 1e-5);
      }
      std::printf("%-28s %5zu tensors  rms %.3g  float64 %.2g  batch 1 %.2g  %s\n", name.c_str(), state.size(),
                  result.square().mean().sqrt().item().toDouble(), wide, row, program->bakedDtype().value_or("").c_str());
      std::fflush(stdout);
    }
  }
}
