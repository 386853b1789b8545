// Outputs of networks that are judged beside runs of eager on operands a rounding away.
#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>
#include <doctest/doctest.h>

#include "opbench/check/reference.h"
#include "runtime/devices/open.h"
#include "runtime/torch/state.h"
#include "runtime/workloads/model/model.h"
#include "tests/runtime/program/models.h"
#include "tests/runtime/sample.h"

using namespace opbench;

namespace {

/// What judges an output of 64 elements or more by eager's and by one run nearby, all three of which a test makes.
class Judge {
 public:
  Judge()
      : device_(runtime::openDevice("cpu", 1)),
        model_(tests::sample("model.mlp.inference", "((T([16, 8], f32),), {})"), *device_, 1,
               runtime::Programs("", {{"mlp", tests::smallModelPath("mlp")}})),
        reference_(makeReference(model_)) {}

  at::Tensor right() const { return reference_.float64.state().tensors[0]; }

  std::string messageOf(const at::Tensor& eagers, const at::Tensor& found, const at::Tensor& nearby) {
    const auto listOf = [](const at::Tensor& output) { return runtime::makeTensorList({output.to(at::kFloat)}); };
    Reference reference = reference_;
    reference.eager = listOf(eagers);
    reference.nearby = {listOf(nearby)};
    const Tolerances tolerances = Tolerances::standard();
    return check(listOf(found), reference, model_, criterionOf(model_, model_.op(), tolerances), tolerances).message;
  }

 private:
  std::unique_ptr<runtime::Device> device_;
  runtime::Model model_;
  Reference reference_;
};

}  // namespace

TEST_SUITE("networks: judged beside runs nearby") {
  TEST_CASE("an output that eager itself misses by more than a hundredth") {
    Judge judge;
    at::manual_seed(1);
    const auto offBy = [&](double share) {
      const at::Tensor right = judge.right();
      return right + at::randn_like(right) * right.square().mean().sqrt() * share;
    };
    CHECK(judge.right().numel() >= 64);
    CHECK(judge.messageOf(offBy(0.05), offBy(0.2), offBy(0.15)) == "");
    CHECK(judge.messageOf(offBy(0.05), offBy(0.6), offBy(0.15)) != "");
    CHECK(judge.messageOf(offBy(0.001), offBy(0.02), offBy(0.015)) != "");
  }

  TEST_CASE("single elements, such as one whose step by Adam has the other sign") {
    Judge judge;
    const auto offAt = [&](int first, int count, double error) {
      at::Tensor values = judge.right().clone();
      values.flatten().slice(0, first, first + count) += error;
      return values;
    };
    CHECK(judge.messageOf(judge.right(), offAt(5, 1, 0.2), offAt(0, 1, 0.2)) == "");
    CHECK(judge.messageOf(judge.right(), offAt(5, 1, 0.9), offAt(0, 1, 0.2)) != "");
    CHECK(judge.messageOf(judge.right(), offAt(5, 1, 0.2), judge.right()) != "");
    CHECK(judge.messageOf(judge.right(), offAt(5, 8, 0.2), offAt(0, 8, 0.2)) != "");
  }
}
