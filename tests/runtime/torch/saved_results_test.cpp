#include "runtime/torch/saved_results.h"

#include <ATen/Functions.h>
#include <doctest/doctest.h>

#include "runtime/torch/aten_call.h"
#include "tests/runtime/sample.h"

namespace {

constexpr const char* op = "aten._scaled_dot_product_flash_attention_for_cpu_backward.default";

runtime::AtenCall callOf(const std::string& saved, const std::string& dropout) {
  const std::string of = "T([2, 3, 7, 4], f32)";
  const std::string arguments =
      of + ", " + of + ", T([2, 3, 5, 4], f32), T([2, 3, 5, 4], f32), " + saved + ", " + dropout + ", False";
  return runtime::AtenCall(tests::sample(op, "((" + arguments + "), {'scale': 0.5})"), at::kCPU, 1, {});
}

std::tuple<at::Tensor, at::Tensor> forwardOf(const torch::jit::Stack& a) {
  return at::_scaled_dot_product_flash_attention_for_cpu(a[1].toTensor(), a[2].toTensor(), a[3].toTensor(), 0, false, {}, 0.5);
}

}  // namespace

TEST_CASE("a gradient of attention has the output and the sums of its own queries, keys and values, for all data") {
  runtime::AtenCall call = callOf("T([2, 3, 7, 4], f32, stride=(84, 4, 12, 1)), T([2, 3, 7], f32)", "0.0");
  for (const inputs::Distribution distribution : {inputs::Distribution::Normal, inputs::Distribution::Spread}) {
    call.draw(2, {distribution});
    const auto [output, sums] = forwardOf(call.arguments);
    CHECK(call.arguments[4].toTensor().equal(output));
    CHECK(call.arguments[4].toTensor().strides() == at::IntArrayRef({84, 4, 12, 1}));
    CHECK(call.arguments[5].toTensor().equal(sums));
  }
}

TEST_CASE("what the sample says of a saved result stays, and so does what is drawn where numbers are dropped out") {
  const auto given = callOf("T([2, 3, 7, 4], f32), T([2, 3, 7], f32, stride=(0, 0, 0), values=[9.0])", "0.0").arguments;
  CHECK(given[4].toTensor().equal(std::get<0>(forwardOf(given))));
  CHECK(given[5].toTensor().eq(9).all().item<bool>());
  const auto dropping = callOf("T([2, 3, 7, 4], f32), T([2, 3, 7], f32)", "0.5").arguments;
  CHECK_FALSE(dropping[5].toTensor().equal(std::get<1>(forwardOf(dropping))));
}
