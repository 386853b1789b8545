#include "runtime/workloads/network/training.h"
#include "runtime/program/autocast.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <c10/core/InferenceMode.h>
#include <doctest/doctest.h>

#include <cmath>

using namespace runtime;

namespace {

constexpr int steps = 20;

/// Gradients that a step depends on: they change with each step.
double gradientAt(int element, int step) { return std::sin(1.0 + element + 0.7 * step) * (1 + element); }

/// One parameter by its optimizer's formula in float64, as PyTorch's documentation has it.
double expected(const std::string& optimizer, double p, int element) {
  double first = 0, second = 0;
  for (int t = 1; t <= steps; ++t) {
    const double g = gradientAt(element, t);
    if (optimizer == "sgd") {
      first = 0.9 * first + g;
      p -= 0.01 * first;
      continue;
    }
    if (optimizer == "adamw") p -= 1e-3 * 0.01 * p;
    first = 0.9 * first + 0.1 * g;
    second = 0.999 * second + 0.001 * g * g;
    p -= 1e-3 * (first / (1 - std::pow(0.9, t))) / (std::sqrt(second / (1 - std::pow(0.999, t))) + 1e-8);
  }
  return p;
}

}  // namespace

TEST_SUITE("training") {
  TEST_CASE("twenty steps of each optimizer follow its formula in float64, in both forms") {
    const c10::InferenceMode normal(false);
    const at::NoGradGuard noGrad;
    for (const char* name : {"sgd", "adam", "adamw"})
      for (const bool isFused : {false, true}) {
        CAPTURE(std::string(name));
        CAPTURE(isFused);
        const at::Tensor start = at::linspace(-2, 2, 5, at::kDouble);
        std::vector<at::Tensor> parameters{start.slice(0, 0, 2).clone(), start.slice(0, 2, 5).clone()};
        Optimizer optimizer({name, isFused}, parameters);
        for (int t = 1; t <= steps; ++t) {
          at::Tensor all = at::empty({5}, at::kDouble);
          for (int i = 0; i < 5; ++i) all[i] = gradientAt(i, t);
          optimizer.step({all.slice(0, 0, 2).clone(), all.slice(0, 2, 5).clone()});
        }
        const at::Tensor result = at::cat({parameters[0], parameters[1]});
        for (int i = 0; i < 5; ++i)
          CHECK(result[i].item().toDouble() == doctest::Approx(expected(name, start[i].item().toDouble(), i)).epsilon(1e-9));
      }
  }

  TEST_CASE("a parameter without a gradient is left as it is, scaled or not, and the others take their step") {
    const c10::InferenceMode normal(false);
    const at::NoGradGuard noGrad;
    for (const char* name : {"sgd", "adam", "adamw"})
      for (const bool isFused : {false, true})
        for (const bool isScaled : {false, true}) {
          CAPTURE(std::string(name));
          CAPTURE(isFused);
          const at::Tensor idle = at::ones({3}), alone = at::ones({2}), beside = at::ones({2});
          Optimizer optimizer({name, isFused}, {idle, beside}), single({name, isFused}, {alone});
          GradScaler scaler(at::kCPU), other(at::kCPU);
          const auto step = [&](Optimizer& one, GradScaler& scale, const std::vector<at::Tensor>& gradients) {
            isScaled ? scale.step(one, gradients) : one.step(gradients);
          };
          step(optimizer, scaler, {at::Tensor(), at::full({2}, 3.0)});
          step(single, other, {at::full({2}, 3.0)});
          CHECK(idle.equal(at::ones({3})));
          CHECK(beside.equal(alone));
          CHECK_FALSE(beside.equal(at::ones({2})));
          for (const at::Tensor& state : optimizer.state())
            if (state.dim() > 0 && state.size(0) == 3) CHECK(state.equal(at::zeros({3})));
          Optimizer none({name, isFused}, {idle});
          none.step({at::Tensor()});
          CHECK(idle.equal(at::ones({3})));
        }
  }

  TEST_CASE("the loss of logits is the mean of minus their logarithmic probabilities") {
    const at::Tensor logits = at::arange(24, at::kDouble).reshape({1, 3, 8}) / 7,
                     labels = at::tensor({1, 7, 4}).to(at::kLong).view({1, 3});
    double sum = 0;
    for (int i = 0; i < 3; ++i) {
      const at::Tensor row = logits[0][i];
      sum += row.exp().sum().log().item().toDouble() - row[labels[0][i].item().toLong()].item().toDouble();
    }
    CHECK(crossEntropy(logits, labels).item().toDouble() == doctest::Approx(sum / 3));
  }

  TEST_CASE("the mean loss averages the floating outputs alone") {
    CHECK(meanOf({at::full({2, 2}, 3.0), at::full({4}, 5.0), at::ones({3}, at::kLong)}).item().toDouble() == doctest::Approx(4));
  }

  TEST_CASE("autocast ends where its guard does") {
    const at::Tensor a = at::ones({4, 4});
    {
      const Autocast autocast(at::kCPU, at::kBFloat16);
      CHECK((at::mm(a, a).scalar_type() == at::kBFloat16));
    }
    CHECK((at::mm(a, a).scalar_type() == at::kFloat));
  }
}
