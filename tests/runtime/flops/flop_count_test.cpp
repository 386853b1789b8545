#include "runtime/flops/flop_count.h"

#include <ATen/Functions.h>
#include <ATen/core/grad_mode.h>
#include <c10/core/InferenceMode.h>
#include <doctest/doctest.h>

#include <stdexcept>

#include "runtime/device.h"
#include "runtime/devices/open.h"
#include "runtime/flops/call_flops.h"
#include "runtime/program/autocast.h"
#include "runtime/program/programs.h"
#include "runtime/workload.h"
#include "runtime/workloads/make.h"
#include "runtime/workloads/network/training.h"
#include "tests/runtime/program/models.h"
#include "tests/runtime/sample.h"

using namespace runtime;

namespace {

/// What is counted in float32, where that is all.
int64_t inFloat32(const std::function<void()>& work) {
  const FlopCount found = countFlops(work);
  CHECK(found.size() == 1);
  return found.contains("float32") ? found.at("float32") : 0;
}

at::Tensor leaf(at::IntArrayRef sizes) { return at::rand(sizes).set_requires_grad(true); }

/// Forward and backward of something, from a gradient of ones.
int64_t stepFlops(const std::function<at::Tensor()>& forward) {
  return inFloat32([&] {
    const at::Tensor result = forward();
    result.backward(at::ones_like(result));
  });
}

/// Those of one call.
int64_t ofCall(const std::string& op, const std::vector<c10::IValue>& arguments) {
  return flopsOf(op, c10::ArrayRef<const c10::IValue>(arguments.data(), arguments.size())).value().flops;
}

FlopCount flopsOfStep(const char* op, const char* arguments) {
  const auto device = openDevice("cpu", 1);
  const auto workload = makeWorkload(tests::sample(op, arguments), *device, 1, {}, Programs(tests::modelFolder(), {}));
  return countFlops([&] { workload->runEager(); });
}

}  // namespace

TEST_SUITE("flops") {
  TEST_CASE("a product of [m, k] and [k, n] takes 2 m n k operations, by whatever call") {
    const at::Tensor a = at::rand({3, 4}), b = at::rand({4, 5}), x = at::rand({4}), batch = at::rand({2, 3, 4});
    constexpr int64_t one = 2 * 3 * 5 * 4;
    CHECK(inFloat32([&] { at::mm(a, b); }) == one);
    CHECK(inFloat32([&] { at::matmul(a, b); }) == one);
    CHECK(inFloat32([&] { at::addmm(at::rand({5}), a, b); }) == one);
    CHECK(inFloat32([&] { at::linear(a, b.t(), at::rand({5})); }) == one);
    CHECK(inFloat32([&] { at::bmm(batch, b.expand({2, 4, 5})); }) == 2 * one);
    CHECK(inFloat32([&] { at::baddbmm(at::rand({2, 3, 5}), batch, b.expand({2, 4, 5})); }) == 2 * one);
    CHECK(inFloat32([&] { at::linear(batch, b.t()); }) == 2 * one);
    CHECK(inFloat32([&] { at::einsum("bmk,kn->bmn", {batch, b}); }) == 2 * one);
    CHECK(inFloat32([&] { at::mv(a, x); }) == 2 * 3 * 4);
    CHECK(inFloat32([&] { at::dot(x, x); }) == 2 * 4);
  }

  TEST_CASE("what multiplies no matrices has no operations") {
    const at::Tensor a = at::rand({3, 4});
    CHECK(countFlops([&] { at::softmax(a.mul(a).add(1).relu(), 1).sum(); }).empty());
    CHECK(countFlops([&] { at::mm(at::ones({2, 2}, at::kLong), at::ones({2, 2}, at::kLong)); }).empty());
  }

  TEST_CASE("backward takes a product for each gradient that is asked for") {
    const at::Tensor a = leaf({3, 4}), b = leaf({4, 5}), constant = at::rand({3, 4});
    constexpr int64_t one = 2 * 3 * 5 * 4;
    CHECK(stepFlops([&] { return at::mm(a, b); }) == 3 * one);
    CHECK(stepFlops([&] { return at::mm(constant, b); }) == 2 * one);
  }

  TEST_CASE("a convolution multiplies each element of its output by the kernel of its group, and backward twice as often") {
    const at::Tensor input = leaf({2, 4, 9, 8}), weight = leaf({6, 2, 3, 3}), constant = input.detach();
    const auto convolve = [&](const at::Tensor& images) {
      return at::conv2d(images, weight, at::rand({6}), {2, 1}, {1, 0}, {1, 2}, 2);
    };
    const at::Tensor output = convolve(input);
    const int64_t forward = 2 * convolve(input).numel() * (4 / 2) * 3 * 3;
    CHECK(inFloat32([&] { convolve(input); }) == forward);
    CHECK(stepFlops([&] { return convolve(input); }) == 3 * forward);
    CHECK(stepFlops([&] { return convolve(constant); }) == 2 * forward);
  }

  TEST_CASE("convolutions of one and three dimensions count alike; transposed ones by the elements of their input") {
    const at::Tensor line = leaf({2, 3, 10}), volume = leaf({1, 2, 4, 5, 6}), image = leaf({2, 6, 5, 4});
    const at::Tensor ofLine = leaf({4, 3, 3}), ofVolume = leaf({3, 2, 2, 2, 2}), ofImage = leaf({6, 2, 3, 3});
    CHECK(stepFlops([&] { return at::conv1d(line, ofLine, {}, 1, at::IntArrayRef{0}); }) == 3 * 2 * (2 * 4 * 8) * 3 * 3);
    CHECK(stepFlops([&] { return at::conv3d(volume, ofVolume); }) == 3 * 2 * (3 * 3 * 4 * 5) * 2 * 8);
    CHECK(stepFlops([&] { return at::conv_transpose2d(image, ofImage, {}, 2, 1, 1, 2); }) == 3 * 2 * image.numel() * 2 * 3 * 3);
  }

  TEST_CASE("attention is two products, in one call and in several; backward computes scores again in one call") {
    const at::Tensor query = leaf({2, 3, 5, 8}), key = leaf({2, 3, 7, 8}), value = leaf({2, 3, 7, 8});
    constexpr int64_t one = 2 * (2 * 3) * 5 * 7 * 8;
    CHECK(inFloat32([&] { at::scaled_dot_product_attention(query, key, value); }) == 2 * one);
    CHECK(inFloat32([&] { at::_scaled_dot_product_attention_math(query, key, value); }) == 2 * one);
    CHECK(stepFlops([&] { return std::get<0>(at::_scaled_dot_product_flash_attention_for_cpu(query, key, value)); }) == 7 * one);
    CHECK(stepFlops([&] { return std::get<0>(at::_scaled_dot_product_attention_math(query, key, value)); }) == 6 * one);
  }

  TEST_CASE("each form of fused attention counts alike, with queries and values of sizes of their own") {
    const at::Tensor query = at::rand({2, 3, 5, 8}), key = at::rand({2, 3, 7, 8}), value = at::rand({2, 3, 7, 4});
    const std::vector<c10::IValue> forward{query, key, value}, backward{at::rand({2, 3, 5, 4}), query, key, value};
    constexpr int64_t pairs = 2 * (2 * 3) * 5 * 7;
    for (const char* form : {"flash_attention", "flash_attention_for_cpu", "efficient_attention", "cudnn_attention",
                             "fused_attention_overrideable"}) {
      const std::string op = std::string("aten::_scaled_dot_product_") + form;
      CHECK(ofCall(op, forward) == pairs * (8 + 4));
      CHECK(ofCall(op + "_backward", backward) == pairs * (3 * 8 + 2 * 4));
    }
  }

  TEST_CASE("a recurrent network takes each weight in each step, in one call of a library and in many of products") {
    constexpr int64_t steps = 7, batch = 3, input = 5, hidden = 4, gates = 4 * hidden;
    const at::Tensor x = at::rand({steps, batch, input}), h = at::zeros({2, batch, hidden});
    std::vector<at::Tensor> weights;
    for (int direction = 0; direction < 2; ++direction)
      weights.insert(weights.end(), {at::rand({gates, input}), at::rand({gates, hidden}), at::rand({gates}), at::rand({gates})});
    const int64_t rows = steps * batch, expected = 2 * 2 * rows * gates * (input + hidden);
    CHECK(inFloat32([&] { at::lstm(x, {h, h}, weights, true, 1, 0, false, true, false); }) == expected);
    CHECK(ofCall("aten::_cudnn_rnn", std::vector<c10::IValue>{x, weights}) == expected);
    std::vector<c10::IValue> backward(22);
    backward[0] = x;
    backward[1] = weights;
    for (const bool asksWeights : {false, true}) {
      backward[21] = std::vector<bool>{true, true, true, asksWeights};
      CHECK(ofCall("aten::_cudnn_rnn_backward", backward) == (asksWeights ? 2 : 1) * expected);
    }
    const std::vector<c10::IValue> layer{x, weights[0], weights[1], weights[2], weights[3]};
    CHECK(ofCall("aten::mkldnn_rnn_layer", layer) == expected / 2);
    CHECK(ofCall("aten::mkldnn_rnn_layer_backward", layer) == expected);
  }

  TEST_CASE("operations are counted by the precision of their factors, under autocast by that which it chooses") {
    const at::Tensor a = at::rand({3, 4}), b = at::rand({4, 5});
    constexpr int64_t one = 2 * 3 * 5 * 4;
    CHECK(countFlops([&] {
            at::mm(a.to(at::kDouble), b.to(at::kDouble));
            at::mm(a, b);
            at::mm(a.to(at::kBFloat16), b.to(at::kBFloat16));
            at::mm(a, b);
          }) == FlopCount{{"bfloat16", one}, {"float32", 2 * one}, {"float64", one}});
    CHECK(countFlops([&] {
            const Autocast autocast(at::kCPU, at::kBFloat16);
            at::mm(a, b);
            at::linear(a, b.t());
            at::conv2d(at::rand({1, 1, 4, 4}), at::rand({1, 1, 1, 1}));
          }) == FlopCount{{"bfloat16", 2 * one + 2 * 16}});
  }

  TEST_CASE("what throws is thrown, and the next count begins anew") {
    const at::Tensor a = at::rand({3, 4});
    CHECK_THROWS_AS(countFlops([&] {
                      at::mm(a, a.t());
                      throw std::runtime_error("no");
                    }),
                    std::runtime_error);
    CHECK(inFloat32([&] { at::mm(a, a.t()); }) == 2 * 3 * 3 * 4);
  }

  TEST_CASE("resnet18 takes 1.814 billion multiplications for an image; a step three times that, less its first gradient") {
    constexpr int64_t images = 2, multiplications = 1'814'073'344, firstConvolution = 64 * 112 * 112 * 3 * 7 * 7;
    const char* batch = "((T([2, 3, 224, 224], f32),), {})";
    CHECK(flopsOfStep("model.resnet18.inference", batch) == FlopCount{{"float32", 2 * images * multiplications}});
    CHECK(flopsOfStep("model.resnet18.training", batch) ==
          FlopCount{{"float32", 2 * images * (3 * multiplications - firstConvolution)}});
  }
}
