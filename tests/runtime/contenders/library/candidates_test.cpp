#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "runtime/contenders/library/callables.h"
#include "runtime/contenders/library/candidate.h"
#include "runtime/device.h"
#include "runtime/devices/open.h"
#include "runtime/torch/operator_names.h"
#include "runtime/workloads/call.h"
#include "tests/runtime/sample.h"

namespace {

constexpr double f32 = 1e-4, f64 = 1e-9, half = 1e-2;

/// A call, and the candidates that apply to it on a CPU.
struct Claim {
  std::string op, call;
  std::set<std::string> candidates;
};

/// How far values may be off whose terms are summed in any order: rounding errors add up like a random walk.
double errorOfSums(const runtime::Comparison& comparison, int64_t terms, double roundoff) {
  return 4 * std::sqrt(static_cast<double>(terms)) * roundoff * (1 + comparison.rmsReference);
}

/// Checks that these candidates apply, and give what eager does: types to the stride, and values that are as precise as eager's
/// on this processor, or as sums of so many terms can be anywhere.
void check(const Claim& claim, double tolerance, int64_t terms = 300) {
  CAPTURE(claim.op);
  CAPTURE(claim.call);
  const auto device = runtime::openDevice("cpu", 2);
  runtime::Call call(tests::sample(claim.op, claim.call), *device, 3);
  const runtime::TensorList eager = call.runEager(), float64 = call.runEagerInFloat64();
  const auto callables = runtime::libraryCallables(call, call.graph(eager));
  call.multiply(2);
  std::set<std::string> names;
  for (const runtime::CallablePtr& callable : callables) {
    CAPTURE(callable->library);
    names.insert(callable->library);
    for (const int set : {0, 1}) {
      callable->use(set);
      const runtime::TensorList found = (*callable)();
      REQUIRE(found.size() == eager.size());
      for (int i = 0; i < found.size(); ++i) {
        const auto comparison = runtime::compare(found, eager, float64, i, tolerance);
        CHECK(comparison.sameType);
        const double ofSums = errorOfSums(comparison, terms, tolerance == f64 ? 0x1p-53 : 0x1p-24);
        CHECK((comparison.allClose || comparison.worstError <= 2 * comparison.worstErrorEager));
        CHECK(comparison.rmseFound <= 2 * comparison.rmseEager + tolerance / 64 + ofSums);
      }
    }
  }
  CHECK(names == claim.candidates);
}

using Names = std::set<std::string>;
const Names others{"channels_last", "without onednn"};

Names with(const Names& more, Names names = others) {
  names.insert(more.begin(), more.end());
  return names;
}

}  // namespace

TEST_CASE("convolutions of 1x1 kernels are products") {
  const std::string op = "aten.convolution.default", rest = ", [1, 1], [0, 0], [1, 1], False, [0, 0], 1), {})";
  // A product for each image, of one image or several; all images' points as rows where they are few.
  check({op, "((T([2, 3, 5, 7], f32), T([4, 3, 1, 1], f32), None" + rest, with({"bmm", "addmm"})}, f32);
  check({op, "((T([1, 3, 5, 7], f32), T([4, 3, 1, 1], f32), T([4], f32)" + rest, with({"bmm", "baddbmm", "addmm"})}, f32);
  check({op, "((T([3, 16, 8, 8], f64), T([5, 16, 1, 1], f64), T([5], f64)" + rest, with({"bmm", "baddbmm", "addmm"})}, f64);
  check({op, "((T([2, 8, 64, 64], f32), T([4, 8, 1, 1], f32), T([4], f32)" + rest, with({"bmm", "baddbmm"})}, f32);
  // Images of one point are the rows of a matrix.
  check({op, "((T([8, 24, 1, 1], f32), T([6, 24, 1, 1], f32), T([6], f32)" + rest, {"bmm", "baddbmm", "addmm", "without onednn"}},
        f32);
  // Channels last: rows are points, and so are eager's results.
  check({op,
         "((T([2, 8, 64, 64], f32, stride=(32768, 1, 512, 8)), T([4, 8, 1, 1], f32), T([4], f32)" + rest,
         {"addmm", "channels_first", "without onednn"}},
        f32);
  // Halves are rounded once.
  check({op, "((T([2, 8, 6, 6], bf16), T([4, 8, 1, 1], bf16), T([4], bf16)" + rest, {"baddbmm", "addmm", "channels_last"}}, half);
  // One dimension.
  check({op,
         "((T([2, 6, 50], f32), T([4, 6, 1], f32), T([4], f32), [1], [0], [1], False, [0], 1), {})",
         {"bmm", "baddbmm", "addmm", "without onednn"}},
        f32);
}

TEST_CASE("convolutions of other kernels, strides, paddings and groups are no products") {
  const std::string op = "aten.convolution.default";
  check({op, "((T([2, 4, 9, 9], f32), T([6, 4, 3, 3], f32), T([6], f32), [1, 1], [1, 1], [1, 1], False, [0, 0], 1), {})", others},
        f32);
  check({op, "((T([2, 4, 9, 9], f32), T([6, 4, 1, 1], f32), None, [2, 2], [0, 0], [1, 1], False, [0, 0], 1), {})", others}, f32);
  check({op, "((T([2, 4, 9, 9], f32), T([6, 4, 1, 1], f32), None, [1, 1], [1, 1], [1, 1], False, [0, 0], 1), {})", others}, f32);
  check({op, "((T([2, 4, 9, 9], f32), T([6, 2, 1, 1], f32), None, [1, 1], [0, 0], [1, 1], False, [0, 0], 2), {})", others}, f32);
  check({op, "((T([2, 4, 9, 9], f32), T([4, 6, 1, 1], f32), None, [1, 1], [0, 0], [1, 1], True, [0, 0], 1), {})", others}, f32);
  check({op, "((T([2, 4, 9, 9], f32), T([4, 1, 3, 3], f32), None, [1, 1], [1, 1], [1, 1], False, [0, 0], 4), {})", others}, f32);
  check(
      {op, "((T([1, 2, 4, 6, 6], f32), T([3, 2, 3, 3, 3], f32), None, [1, 1, 1], [1, 1, 1], [1, 1, 1], False, [0, 0, 0], 1), {})",
       others},
      f32);
}

TEST_CASE("gradients of 1x1 convolutions are products, and sums for the bias; those that are asked for") {
  const std::string op = "aten.convolution_backward.default";
  const auto call = [](const std::string& grad, const std::string& input, const std::string& asked) {
    return "((T(" + grad + "), T(" + input + "), T([4, 3, 1, 1], f32), [4], [1, 1], [0, 0], [1, 1], False, [0, 0], 1, " + asked +
           "), {})";
  };
  const std::string grad = "[2, 4, 5, 7], f32", input = "[2, 3, 5, 7], f32";
  check({op, call(grad, input, "[True, True, True]"), with({"bmm", "bmm, sum", "mm"})}, f32);
  check({op, call(grad, input, "[True, False, False]"), with({"bmm", "mm"})}, f32);
  check({op, call(grad, input, "[False, True, False]"), with({"bmm", "bmm, sum", "mm"})}, f32);
  check({op, call(grad, input, "[False, True, True]"), with({"bmm", "bmm, sum", "mm"})}, f32);
  check({op, call("[1, 4, 5, 7], f32", "[1, 3, 5, 7], f32", "[True, True, True]"), with({"bmm", "mm"})}, f32);
  check({op, call("[2, 4, 50, 50], f32", "[2, 3, 50, 50], f32", "[True, True, False]"), with({"bmm", "bmm, sum"})}, f32, 5000);
  check({op,
         call("[2, 4, 50, 50], f32, stride=(10000, 1, 200, 4)", "[2, 3, 50, 50], f32, stride=(7500, 1, 150, 3)",
              "[True, True, True]"),
         {"mm", "channels_first", "without onednn"}},
        f32, 5000);
  check({op,
         "((T([2, 4, 9], f64), T([2, 3, 9], f64), T([4, 3, 1], f64), [4], [1], [0], [1], False, [0], 1, [True, True, True]), {})",
         {"bmm", "bmm, sum", "mm", "without onednn"}},
        f64);
  check({op,
         "((T([2, 4, 6, 6], bf16), T([2, 8, 6, 6], bf16), T([4, 8, 1, 1], bf16), None, [1, 1], [0, 0], [1, 1], False, [0, 0], 1, "
         "[True, True, False]), {})",
         {"bmm", "mm", "channels_last"}},
        half);
  check({op,
         "((T([2, 6, 9, 9], f32), T([2, 4, 9, 9], f32), T([6, 4, 3, 3], f32), [6], [1, 1], [1, 1], [1, 1], False, [0, 0], 1, "
         "[True, True, True]), {})",
         others},
        f32);
}

TEST_CASE("matrix products are those of vectors, outer products, and one for a batch") {
  const std::string mm = "aten.mm.default", bmm = "aten.bmm.default";
  check({mm, "((T([8, 16], f32), T([16, 4], f32)), {})", {}}, f32);
  check({mm, "((T([1, 300], f32), T([300, 1], f32)), {})", {"dot"}}, f32);
  check({mm, "((T([1, 30], f64), T([30, 7], f64, stride=(1, 30))), {})", {"mv"}}, f64);
  check({mm, "((T([7, 30], f32, stride=(1, 7)), T([30, 1], f32)), {})", {"mv"}}, f32);
  check({mm, "((T([7, 1], f32), T([1, 9], f32)), {})", {"mul"}}, f32);
  check({bmm, "((T([3, 7, 1], f32), T([3, 1, 9], f32)), {})", {"mul"}}, f32);
  check({bmm, "((T([3, 7, 5], f32), T([3, 5, 9], f32)), {})", {}}, f32);
  check({bmm, "((T([1, 7, 5], f32), T([1, 5, 9], f32)), {})", {"mm"}}, f32);
  check({bmm, "((T([3, 7, 5], f32), T([3, 5, 9], f32, stride=(0, 9, 1))), {})", {"mm"}}, f32);
  check({bmm, "((T([3, 7, 5], f32, stride=(35, 1, 7)), T([3, 5, 9], f32, stride=(0, 1, 5))), {})", {"mm"}}, f32);
  check({mm, "((T([8, 1000], f16), T([1000, 9], f16)), {})", {"without onednn"}}, half);
  check({bmm, "((T([3, 8, 1000], bf16), T([3, 1000, 8], bf16)), {})", {"without onednn"}}, half);
}

TEST_CASE("products that are added are added afterwards, or not at all") {
  const std::string addmm = "aten.addmm.default", baddbmm = "aten.baddbmm.default";
  check({addmm, "((T([4], f32), T([8, 16], f32), T([16, 4], f32)), {})", {"product, add"}}, f32);
  check({addmm, "((T([8, 4], f32), T([8, 16], f32), T([16, 4], f32)), {'beta': 0})", {"product"}}, f32);
  check({addmm, "((T([8, 4], f32), T([8, 16], f32), T([16, 4], f32)), {'beta': 2, 'alpha': 3})", {}}, f32);
  check({addmm, "((T([8, 1], f32), T([8, 16], f32), T([16, 1], f32)), {'beta': 2, 'alpha': 3})", {"addmv"}}, f32);
  check({addmm, "((T([4], bf16), T([8, 16], bf16), T([16, 4], bf16)), {})", {"without onednn"}}, half);
  check({baddbmm, "((T([3, 1, 4], f32), T([3, 8, 16], f32), T([3, 16, 4], f32)), {})", {"product, add"}}, f32);
  check({baddbmm, "((T([3, 8, 4], f64), T([3, 8, 16], f64), T([3, 16, 4], f64)), {'beta': 0})", {"product"}}, f64);
  check({baddbmm, "((T([1, 8, 4], f32), T([1, 8, 16], f32), T([1, 16, 4], f32)), {'beta': 2, 'alpha': 3})", {"addmm"}}, f32);
}

TEST_CASE("attention is products that keep the scores") {
  const std::string qkv = "T([2, 3, 10, 8], f32), T([2, 3, 12, 8], f32), T([2, 3, 12, 8], f32)";
  for (const std::string op :
       {"aten.scaled_dot_product_attention.default", "aten._scaled_dot_product_flash_attention_for_cpu.default"}) {
    check({op, "((" + qkv + "), {})", {"products"}}, f32);
    check({op, "((" + qkv + "), {'scale': 0.3})", {"products"}}, f32);
    check({op, "((T([2, 3, 9, 8], f32), T([2, 3, 9, 8], f32), T([2, 3, 9, 8], f32)), {'is_causal': True})", {}}, f32);
  }
}

TEST_CASE("calls that write an argument, and views, have no candidates") {
  check({"aten.addmm_.default", "((T([8, 4], f32), T([8, 16], f32), T([16, 4], f32)), {})", {}}, f32);
  check({"aten.t.default", "((T([8, 4], f32),), {})", {}}, f32);
}

TEST_CASE("candidates are of operators that ATen has, and have names of their own") {
  std::set<std::string> operators;
  for (const std::string& name : runtime::operatorNames()) operators.insert(name.substr(0, name.rfind('.')));
  std::set<std::pair<std::string, std::string>> names;
  for (const runtime::library::Registered& one : runtime::library::registered()) {
    CAPTURE(one.op);
    CHECK(operators.contains("aten." + one.op.substr(std::string("aten::").size())));
    CHECK(names.emplace(one.op, one.name).second);
  }
  CHECK(names.size() > 20);
}
