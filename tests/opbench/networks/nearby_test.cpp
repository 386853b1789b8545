// Outputs of networks and regions that are judged beside runs of eager on operands a rounding away.
#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>
#include <doctest/doctest.h>

#include <limits>

#include "opbench/check/correctness_check.h"
#include "opbench/check/reference.h"
#include "runtime/devices/open.h"
#include "runtime/torch/precision.h"
#include "runtime/torch/state.h"
#include "runtime/workloads/model/model.h"
#include "runtime/workloads/region/region.h"
#include "tests/runtime/program/models.h"
#include "tests/runtime/sample.h"

using namespace opbench;

namespace {

/// A judge of made-up outputs: a test gives eager's output, the one that is judged, and those of runs nearby.
class Judge {
 public:
  Judge()
      : device_(runtime::openDevice("cpu", 1)),
        model_(tests::sample("model.mlp.inference", "((T([16, 8], f32),), {})"), *device_, 1,
               runtime::Programs("", {{"mlp", tests::smallModelPath("mlp")}})),
        reference_(makeReference(model_)) {}

  at::Tensor right() const { return reference_.float64.state().tensors[0]; }
  /// Random errors whose root mean square is this share of the output's.
  at::Tensor offBy(double share) const { return right() + at::randn_like(right()) * right().square().mean().sqrt() * share; }

  std::string messageOf(const at::Tensor& eagers, const at::Tensor& found, const std::vector<at::Tensor>& nearby) {
    const auto listOf = [](const at::Tensor& output) { return runtime::makeTensorList({output.to(at::kFloat)}); };
    Reference reference = reference_;
    reference.eager = listOf(eagers);
    for (const at::Tensor& run : nearby) reference.nearby.push_back(listOf(run));
    const Tolerances tolerances = Tolerances::standard();
    return check(listOf(found), reference, model_, criterionOf(model_, model_.op(), tolerances), tolerances).message;
  }

 private:
  std::unique_ptr<runtime::Device> device_;
  runtime::Model model_;
  Reference reference_;
};

/// Divides by sums of rows, which it adds from their ends; times `factor`.
class FromTheEnd : public runtime::Callable {
 public:
  FromTheEnd(const runtime::Region& region, double factor) : region_(region), factor_(factor) { isDirect = true; }
  runtime::TensorList operator()() override {
    const std::vector<at::Tensor> inputs = region_.operands(set_).state().tensors;
    at::Tensor sum = inputs[0].select(1, 7).clone();
    for (int column = 6; column >= 0; --column) sum += inputs[0].select(1, column);
    return runtime::makeTensorList({inputs[1] / sum.unsqueeze(1) / sum.unsqueeze(1) * factor_});
  }
  void use(int number) override { set_ = number; }

 private:
  const runtime::Region& region_;
  double factor_;
  int set_ = 0;
};

}  // namespace

TEST_SUITE("networks: judged beside runs nearby") {
  TEST_CASE("an output that eager itself misses by more than a hundredth") {
    Judge judge;
    const auto offBy = [&](double share) { return judge.offBy(share); };
    at::manual_seed(1);
    CHECK(judge.right().numel() >= 64);
    CHECK(judge.messageOf(offBy(0.05), offBy(0.2), {offBy(0.15)}) == "");
    CHECK(judge.messageOf(offBy(0.05), offBy(0.6), {offBy(0.15)}) != "");
    CHECK(judge.messageOf(offBy(0.001), offBy(0.02), {offBy(0.015)}) != "");
  }

  TEST_CASE("one run of several that is further off than the others says how far off the next one may be") {
    Judge judge;
    const auto offBy = [&](double share) { return judge.offBy(share); };
    at::manual_seed(1);
    CHECK(judge.messageOf(offBy(0.05), offBy(0.6), {offBy(0.05), offBy(0.05), offBy(0.15)}) == "");
    CHECK(judge.messageOf(offBy(0.05), offBy(0.6), {offBy(0.15), offBy(0.15), offBy(0.15)}) != "");
    CHECK(judge.messageOf(offBy(0.05), offBy(1.2), {offBy(0.05), offBy(0.05), offBy(0.15)}) != "");
  }

  TEST_CASE("single elements, such as one whose step by Adam has the other sign") {
    Judge judge;
    const auto offAt = [&](int first, int count, double error) {
      at::Tensor values = judge.right().clone();
      values.flatten().slice(0, first, first + count) += error;
      return values;
    };
    CHECK(judge.messageOf(judge.right(), offAt(5, 1, 0.2), {offAt(0, 1, 0.2)}) == "");
    CHECK(judge.messageOf(judge.right(), offAt(5, 1, 0.9), {offAt(0, 1, 0.2)}) != "");
    CHECK(judge.messageOf(judge.right(), offAt(5, 1, 0.2), {judge.right()}) != "");
    CHECK(judge.messageOf(judge.right(), offAt(5, 8, 0.2), {offAt(0, 8, 0.2)}) != "");
  }

  TEST_CASE("few elements of a region, such as quotients of sums that are all but zero") {
    const auto device = runtime::openDevice("cpu", 1);
    const inputs::Sample sample = tests::sample(
        "region.r0",
        "((T([4096, 8], f32), T([4096, 8], f32)), {'graph': 'graph\\x0a  in x0 f32[4096, 8]\\x0a  in x1 f32[4096, 8]\\x0a  y0 "
        "f32[4096, 1] = aten.sum.dim_IntList(self=x0, dim=[-1], keepdim=True, dtype=None)\\x0a  y1 f32[4096, 8] = "
        "aten.div.Tensor(self=x1, other=y0)\\x0a  y2 f32[4096, 8] = aten.div.Tensor(self=y1, other=y0)\\x0a  return y2\\x0a'})");
    for (const uint64_t seed : {1, 9, 17, 24, 27, 41, 42, 54}) {
      runtime::Region region(sample, *device, seed, {});
      CorrectnessCheck correctness(region, sample.op, Tolerances::standard());
      correctness.begin(seed, {});
      const auto messageOf = [&](double factor) {
        FromTheEnd divided(region, factor);
        const auto trial = device->prepare(divided, region);
        return correctness.judge(*trial).message;
      };
      CHECK(messageOf(1) == "");
      CHECK(messageOf(1.001) != "");
    }
  }

  TEST_CASE("operands of a region a rounding away have the same strides, and infinities where they were") {
    const at::Tensor values = at::full({1000}, 1.5);
    values[3] = std::numeric_limits<float>::infinity();
    values[4] = std::numeric_limits<float>::max();
    const at::Tensor strided = values.as_strided({10, 20}, {0, 2}), moved = runtime::offByARounding(strided, {}, 1);
    CHECK(moved.strides() == strided.strides());
    CHECK(moved.isinf().equal(strided.isinf()));
    CHECK(at::allclose(moved, strided, 1.2e-7, 0));
    CHECK_FALSE(runtime::offByARounding(at::arange(1, 100, at::kFloat), {}, 1).equal(at::arange(1, 100, at::kFloat)));
  }

  TEST_CASE("what calls of a region make for other calls is a rounding away, too, and what they return is not") {
    const auto device = runtime::openDevice("cpu", 1);
    const inputs::Sample sample = tests::sample(
        "region.r0",
        "((T([64], f16),), {'graph': 'graph\\x0a  in x0 f16[64]\\x0a  y0 f16[64] = aten.clamp.default(self=x0, min=0.5, "
        "max=0.5)\\x0a  y1 f16[64] = aten.div.Scalar(self=y0, other=49)\\x0a  y2 f16[64] = aten.mul.Scalar(self=y1, "
        "other=64)\\x0a  return y2\\x0a'})");
    runtime::Region region(sample, *device, 1, {});
    const at::Tensor eager = region.runEager().state().tensors[0].clone();
    int moved = 0;
    for (uint64_t seed = 0; seed < 400; seed += 10) {
      const at::Tensor nearby = region.runEagerNearby(seed).state().tensors[0];
      CHECK(nearby.equal(nearby[0].expand_as(nearby)));  // of equal numbers
      moved += nearby.equal(eager) ? 0 : 1;
      CHECK(at::allclose(nearby, eager, 3e-3, 0));
    }
    CHECK(moved > 0);
    CHECK(moved < 40);
  }

  TEST_CASE("equal operands of a region move alike, as what a call makes of them is rounded alike") {
    const at::Tensor values = at::arange(1, 51, at::kFloat).repeat({20});
    for (const at::ScalarType dtype : {at::kFloat, at::kHalf, at::kBFloat16, at::kDouble}) {
      CAPTURE(dtype);
      const at::Tensor moved = runtime::offByARounding(values.to(dtype), {}, 7).to(at::kDouble).view({20, 50});
      CHECK(moved.equal(moved[0].expand_as(moved)));
      const at::Tensor off = moved[0] / values.slice(0, 0, 50).to(at::kDouble) - 1;
      CHECK(off.max().item<double>() > 0);
      CHECK(off.min().item<double>() < 0);
      CHECK_FALSE(moved.equal(runtime::offByARounding(values.to(dtype), {}, 8).to(at::kDouble).view({20, 50})));
    }
  }
}
