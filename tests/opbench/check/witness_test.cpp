#include "opbench/check/witness.h"

#include <ATen/ops/zeros.h>
#include <c10/core/InferenceMode.h>
#include <doctest/doctest.h>

#include <functional>
#include <utility>

#include "runtime/devices/open.h"
#include "runtime/torch/state.h"
#include "runtime/workloads/call.h"
#include "tests/opbench/check/untimed_trial.h"
#include "tests/runtime/sample.h"

using namespace opbench;

namespace {

/// Eager's softmax, in which `change` may spoil a run.
class Spoilt : public tests::UntimedTrial {
 public:
  using Change = std::function<void(at::Tensor& result, int run)>;

  Spoilt(runtime::Call& call, Change change) : call_(call), change_(std::move(change)) {}
  runtime::TensorList run() override {
    const c10::InferenceMode guard;
    latest_ = call_.runEager();
    change_(latest_.state().tensors[0], ++runs_);
    return latest_;
  }

 private:
  runtime::Call& call_;
  Change change_;
  int runs_ = 0;
};

/// What a vigil over a softmax of [8, 100] says of it.
struct Vigil {
  explicit Vigil(const Spoilt::Change& change, const std::string& dtype = "f32")
      : device(runtime::openDevice("cpu", 1)),
        call(tests::sample("aten._softmax.default", "((T([8, 100], " + dtype + "), -1, False), {})"), *device, 1),
        correctness(call, "aten._softmax.default", Tolerances::standard()) {
    correctness.begin(1, {});
    Spoilt trial(call, change);
    Witness witness(trial, correctness);
    why = keepVigil(trial, witness, call, *device);
    varies = witness.varies();
  }

  std::unique_ptr<runtime::Device> device;
  runtime::Call call;
  CorrectnessCheck correctness;
  std::string why;
  bool varies = false;
};

}  // namespace

TEST_CASE("one wrong run in fifty is found, and the reason says which") {
  const Vigil vigil([](at::Tensor& result, int run) {
    if (run % 50 == 0) result[3][7].fill_(2);
  });
  CHECK(vigil.why.find("[3, 7]: found 2") != std::string::npos);
  CHECK(vigil.why.find("(in run 50 of those that were looked at one by one)") != std::string::npos);
}

TEST_CASE("a rare result that a tolerance allows is wrong where it is far worse than all others") {
  for (const auto& [dtype, factor] : {std::pair{"f32", 1.0002}, std::pair{"f16", 1.1}}) {
    CAPTURE(dtype);
    const Vigil vigil(
        [factor = factor](at::Tensor& result, int run) {
          if (run % 40 == 0) result.view(-1)[result.argmin().item<int64_t>()].mul_(factor);
        },
        dtype);
    CHECK_MESSAGE(vigil.why.find("values of its dtype off, where others are ") != std::string::npos, vigil.why);
    CHECK(vigil.varies);
  }
}

TEST_CASE("results whose bits are the same, or often others and right, pass") {
  const Vigil same([](at::Tensor&, int) {});
  CHECK(same.why == "");
  CHECK_FALSE(same.varies);
  const Vigil others([](at::Tensor& result, int run) { result.view(-1)[run % 800].mul_(1 + 1e-6); });
  CHECK_MESSAGE(others.why == "", others.why);
  CHECK(others.varies);
}

TEST_CASE("a run that throws is an error of the contender's, on whatever thread it was") {
  CHECK_THROWS_AS(Vigil([](at::Tensor&, int run) { TORCH_CHECK(run < 10, "no more"); }), c10::Error);
}
