// cuDNN's operators race: they are right and timed where cuDNN takes the call, and elsewhere unsupported with the reason.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <iostream>

#include "opbench/run/pipeline.h"
#include "tests/gpu/gpu.h"
#include "tests/runtime/sample.h"

namespace {

using ir::DType;
using opbench::Contender;
using opbench::Outcome;
using opbench::Status;

/// What becomes of cuDNN's operator beside eager, which is said as well. Samples in f16 are converted.
Outcome raced(const std::string& op, const std::string& call, DType dtype) {
  opbench::RaceSettings options;
  options.repeats = 1;
  options.dtype = dtype;
  options.contenders = {Contender::Eager, Contender("cudnn")};
  opbench::Run run;
  run.contenders = options.contenders;
  run.device = tests::gpu().torchName();
  run.dtype = ir::torchName(dtype);
  const runtime::Cache cache;
  const opbench::Bench bench{.options = options, .run = run, .device = tests::gpu(), .cache = cache, .casesLeft = 0};
  const std::vector<Outcome> outcomes = raceSample(tests::sample(op, call), 1, bench).outcomes;
  const Outcome& outcome = outcomes.at(1);
  std::cout << fmt::format("cudnn: {} {} {}: {} {}", op, ir::name(dtype), call, name(outcome.status), outcome.reason);
  if (outcome.timing && outcomes[0].timing)
    std::cout << fmt::format("{:.2f} us, eager {:.2f} us", outcome.timing->median * 1e6, outcomes[0].timing->median * 1e6);
  std::cout << std::endl;
  return outcome;
}

void isRight(const std::string& op, const std::string& call, std::initializer_list<DType> dtypes) {
  for (const DType dtype : dtypes) {
    CAPTURE(op);
    CAPTURE(call);
    CAPTURE(ir::name(dtype));
    const Outcome outcome = raced(op, call, dtype);
    CHECK_MESSAGE(outcome.status == Status::Ok, name(outcome.status), ": ", outcome.reason);
    CHECK(outcome.notCaptured == "");
    CHECK(outcome.timing.has_value());
    CHECK(outcome.speedup.has_value());
  }
}

/// Of operators that cuDNN computes otherwise than ATen does, by how much depends on its release: less precisely, or with the
/// lowest number as the maximum of a row of -infinity.
void isJudged(const std::string& op, const std::string& call, std::initializer_list<DType> dtypes) {
  for (const DType dtype : dtypes) {
    const Outcome outcome = raced(op, call, dtype);
    CHECK_MESSAGE((outcome.status == Status::Ok || outcome.status == Status::Wrong), op, " ", call, " is ", name(outcome.status),
                  ": ", outcome.reason);
  }
}

void isUnsupported(const std::string& op, const std::string& call, DType dtype, const std::string& reason) {
  const Outcome outcome = raced(op, call, dtype);
  CHECK_MESSAGE(outcome.status == Status::Unsupported, op, " ", call, " is ", name(outcome.status), ": ", outcome.reason);
  CHECK_MESSAGE(outcome.reason.find(reason) != std::string::npos, outcome.reason);
}

TEST_CASE("cudnn: softmax and its gradient, along the last dimension and others") {
  isRight("aten._softmax.default", "((T([512, 1000], f16), -1, False), {})", {DType::F32});
  isRight("aten._softmax.default", "((T([16, 64, 35], f16), 1, False), {})", {DType::F32});
  isRight("aten._log_softmax.default", "((T([512, 1000], f16), 1, False), {})", {DType::F16});
  isJudged("aten._softmax.default", "((T([512, 1000], f16), -1, False), {})", {DType::F16});
  isJudged("aten._log_softmax.default", "((T([512, 1000], f16), 1, False), {})", {DType::F32});
  isRight("aten._softmax_backward_data.default", "((T([512, 1000], f16), T([512, 1000], f16), -1, f16), {})",
          {DType::F32, DType::F16});
  isRight("aten._log_softmax_backward_data.default", "((T([512, 1000], f16), T([512, 1000], f16), -1, f16), {})",
          {DType::F32, DType::F16});
}

TEST_CASE("cudnn: reductions of all, of the last dimensions and of others") {
  isRight("aten.sum.default", "((T([512, 1000], f16),), {})", {DType::F32});
  isRight("aten.sum.dim_IntList", "((T([512, 1000], f16), [1]), {})", {DType::F32, DType::F16});
  isRight("aten.sum.dim_IntList", "((T([512, 1000], f16), [0], True), {})", {DType::F32, DType::F16});
  isRight("aten.mean.dim", "((T([16, 64, 28, 28], f16), [-1, -2], True), {})", {DType::F32, DType::F16});
  isRight("aten.mean.dim", "((T([16, 64, 28, 28], f16), [0, 2, 3]), {})", {DType::F32, DType::F16});
  isJudged("aten.amax.default", "((T([512, 1000], f16), [1]), {})", {DType::F32, DType::F16});
  isJudged("aten.amin.default", "((T([512, 1000], f16), [0]), {})", {DType::F32, DType::F16});
}

TEST_CASE("cudnn: layer norm by a plan for each shape") {
  isRight("aten.native_layer_norm.default", "((T([64, 197, 768], f16), [768], T([768], f16), T([768], f16), 1e-06), {})",
          {DType::F32, DType::F16});
  isRight("aten.native_layer_norm.default", "((T([128, 8, 64], f16), [8, 64], T([8, 64], f16), T([8, 64], f16), 1e-05), {})",
          {DType::F32, DType::F16});
}

TEST_CASE("cudnn: batch norm, which writes its running statistics") {
  const std::string call =
      "((T([32, 64, 28, 28], f16), T([64], f16), T([64], f16), T([64], f16), T([64], f16), True, 0.1, 1e-05), {})";
  isJudged("aten.native_batch_norm.default", call, {DType::F32});
  isJudged("aten._native_batch_norm_legit.default", call, {DType::F32});
  isJudged("aten._native_batch_norm_legit.no_stats",
           "((T([32, 64, 28, 28], f16), T([64], f16), T([64], f16), True, 0.1, 1e-05), {})", {DType::F32});
  isRight("aten.native_batch_norm.default",
          "((T([32, 64, 28, 28], f16), T([64], f32), T([64], f32), T([64], f32), T([64], f32), True, 0.1, 1e-05), {})",
          {DType::F16});
  isUnsupported("aten.native_batch_norm.default", call, DType::F16, "cudnn::native_batch_norm refuses the call: ");
}

TEST_CASE("cudnn: attention") {
  const std::string transposed = "T([2, 8, 512, 64], f16, stride=(262144, 64, 512, 1))";
  const std::string three = transposed + ", " + transposed + ", " + transposed;
  isJudged("aten._scaled_dot_product_flash_attention.default", "((" + three + "), {})", {DType::F16});
  isJudged("aten._scaled_dot_product_flash_attention.default", "((" + three + ", 0.0, True), {})", {DType::F16});
  isJudged("aten._scaled_dot_product_efficient_attention.default", "((" + three + ", None, True), {})", {DType::F16});
  isUnsupported("aten._scaled_dot_product_efficient_attention.default",
                "((T([2, 8, 512, 64], f16), T([2, 8, 512, 64], f16), T([2, 8, 512, 64], f16), None, True), {})", DType::F16,
                "which lies otherwise");
}

TEST_CASE("cudnn: what it would need a copy for, or has not, is unsupported") {
  isUnsupported("aten._softmax.default", "((T([512, 1000], f16, stride=(1, 512)), -1, False), {})", DType::F32,
                "cudnn::_softmax refuses the call: self is not contiguous, and cuDNN would need a copy");
  isUnsupported("aten._softmax.default", "((T([512, 1000], f16), -1, True), {})", DType::F16, "half_to_float asks for f32");
  isUnsupported("aten.amax.default", "((T([512, 1000], i64), [1]), {})", DType::F32, "cuDNN computes no tensors of Long here");
  isUnsupported("aten.native_layer_norm.default", "((T([64, 768], f16), [768], None, None, 1e-06), {})", DType::F32,
                "cuDNN's layer norm has a weight and a bias");
  isUnsupported("aten.mul.Tensor", "((T([512, 1000], f16), T([512, 1000], f16)), {})", DType::F32,
                "cudnn has no operator cudnn::mul.Tensor");
}

}  // namespace
