// Runs that are checked among those that are timed, and contenders that do not do what is timed.
#include <ATen/ops/add.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>
#include <c10/core/StreamGuard.h>
#include <c10/core/impl/VirtualGuardImpl.h>
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "opbench/check/correctness_check.h"
#include "opbench/measure/race.h"
#include "opbench/run/suspicion.h"
#include "runtime/compare/oracle.h"
#include "runtime/torch/state.h"
#include "runtime/workloads/call.h"
#include "tests/gpu/made.h"

namespace {

using runtime::TensorList;
using tests::Case;
using tests::Made;
using tests::only;

TEST_CASE("what is right in its first runs alone is found by an audit, wherever that is drawn") {
  Case c("aten.add.Tensor", "((T([1000], f32), T([1000], f32)), {})");
  const at::Tensor expected = only(c.call.runEager());
  const at::Tensor count = at::zeros({1}, expected.options());
  Made forgetful([&] {
    count.add_(1);
    return runtime::makeTensorList({at::where(count.lt(3), expected, at::zeros_like(expected))});
  });
  const auto trial = tests::gpu().prepare(forgetful, c.call);
  const auto eager = runtime::eagerCallable(c.call);
  const auto baseline = tests::gpu().prepare(*eager, c.call);
  opbench::Pace pace;
  pace.maxSeconds = 0.01;
  int found = 0;
  for (int run = 0; run < 100; ++run) {
    bool isFound = false;
    count.zero_();
    opbench::race(
        {baseline.get(), trial.get()}, runtime::Measure::Cold, tests::gpu(), pace, 0, opbench::RunChecks{[&](size_t contender) {
          const bool isRight = at::equal(only((contender == 0 ? baseline : trial)->audit(runtime::Measure::Cold)), expected);
          if (contender == 0) CHECK(isRight);
          isFound = isFound || !isRight;
        }});
    found += isFound ? 1 : 0;
  }
  CHECK(found == 100);
}

TEST_CASE("an audit poisons the outputs of the capture that it runs, and leaves the turn of the next one as it was") {
  Case c("aten.add.Tensor", "((T([64, 131], f16), T([131], f16)), {})");
  const auto callable = c.planned();
  const auto trial = tests::gpu().prepare(*callable, c.call);
  while (trial->grow()) {
  }
  REQUIRE(trial->captures(runtime::Measure::Cold) > 2);
  const TensorList expected = c.call.runEager();
  std::set<const void*> places;
  for (int capture = 0; capture < trial->captures(runtime::Measure::Cold); ++capture) {
    const TensorList outputs = trial->audit(runtime::Measure::Cold, capture);
    CHECK(runtime::compare(outputs, expected, {}, 0, 0).unequal == 0);
    places.insert(only(outputs).const_data_ptr());
  }
  CHECK(static_cast<int>(places.size()) == trial->captures(runtime::Measure::Cold));
  trial->seconds();
  const void* const latest = only(trial->outputs()).const_data_ptr();
  trial->audit(runtime::Measure::Cold);
  CHECK(only(trial->outputs()).const_data_ptr() == latest);
}

TEST_CASE("a call with dropout is right in a sequence, too, where it draws after the calls before it") {
  const std::string op = "aten._scaled_dot_product_efficient_attention.default";
  Case c(op, "((T([2, 4, 128, 64], f16), T([2, 4, 128, 64], f16), T([2, 4, 128, 64], f16), None, True, 0.1), {})");
  const opbench::Tolerances& tolerances = opbench::Tolerances::standard();
  opbench::CorrectnessCheck correctness(c.call, opbench::criterionOf(c.call, op, tolerances), tolerances);
  correctness.begin(0, {});
  const auto eager = runtime::eagerCallable(c.call);
  const auto trial = tests::gpu().prepare(*eager, c.call);
  REQUIRE(trial->prepareFor(runtime::Measure::BackToBack));
  for (int i = 0; i < 20; ++i) CHECK(correctness.audit(*trial, runtime::Measure::BackToBack).message == "");
}

TEST_CASE("sequences that take turns have outputs of their own, and any of them may be audited") {
  Case c("aten.add.Tensor", "((T([64, 131], f16), T([131], f16)), {})");
  const auto callable = c.planned();
  const auto trial = tests::gpu().prepare(*callable, c.call);
  REQUIRE(trial->prepareFor(runtime::Measure::BackToBack));
  REQUIRE(trial->captures(runtime::Measure::BackToBack) == 4);
  const TensorList expected = c.call.runEager();
  std::set<const void*> places;
  for (int i = 0; i < 50; ++i) {
    trial->queue(runtime::Measure::BackToBack);
    const TensorList outputs = trial->audit(runtime::Measure::BackToBack);
    CHECK(runtime::compare(outputs, expected, {}, 0, 0).unequal == 0);
    places.insert(only(outputs).const_data_ptr());
  }
  CHECK(places.size() > 4);
  std::vector<double> seconds;
  trial->collect(seconds);
  CHECK(seconds.size() == 50);
}

TEST_CASE("the audit of a sequence passes a call that uses scratch memory") {
  Case c("aten.embedding_dense_backward.default", "((T([1, 512, 128], f16), T([1, 512], i64), 512, -1, False), {})");
  const auto callable = c.planned();
  const auto trial = tests::gpu().prepare(*callable, c.call);
  REQUIRE(trial->prepareFor(runtime::Measure::BackToBack));
  for (int i = 0; i < 20; ++i) CHECK(runtime::writtenOutside(trial->audit(runtime::Measure::BackToBack)) == "");
  CHECK(runtime::writtenOutside(trial->audit(runtime::Measure::Cold)) == "");
}

TEST_CASE("what is called directly is watched: how many kernels, and whether on the stream that is timed") {
  Case c("aten.add.Tensor", "((T([1000], f32), T([1000], f32)), {})");
  const auto operands = [&] { return c.call.operands().state().tensors; };
  Made waits([&] {
    const at::Tensor sum = at::add(operands()[0], operands()[1]);
    sum.sum().item();  // cannot be captured
    return runtime::makeTensorList({sum});
  });
  const auto honest = tests::gpu().prepare(waits, c.call);
  REQUIRE(honest->notCaptured != "");
  const auto launches = honest->launches();
  REQUIRE(launches);
  CHECK(launches->kernels.size() >= 2);
  CHECK(launches->elsewhere == 0);
  CHECK(opbench::suspicion(*launches, *honest->launches()) == "");

  Made elsewhere([&] {
    const at::Tensor sum = at::add(operands()[0], operands()[1]);
    sum.sum().item();
    const c10::impl::VirtualGuardImpl device(c10::DeviceType::CUDA);
    const c10::StreamGuard guard(device.getStreamFromGlobalPool(sum.device(), /*isHighPriority=*/false));
    return runtime::makeTensorList({at::add(operands()[0], operands()[1])});
  });
  const auto cheat = tests::gpu().prepare(elsewhere, c.call);
  const auto cheats = cheat->launches();
  REQUIRE(cheats);
  CHECK(cheats->elsewhere == 1);
  CHECK(opbench::suspicion(*cheats, *cheats).find("on another stream than the one that is timed") != std::string::npos);
  CHECK(opbench::suspicion(*launches, *cheats) != "");

  const auto callable = c.planned();
  CHECK_FALSE(tests::gpu().prepare(*callable, c.call)->launches());  // a graph holds all that it launches
}

TEST_CASE("a cold run is cold: its time is that of memory, not of the caches, whatever it takes to fill them") {
  // 8 MB read and written, which L2 would hold: at the bandwidth of its memory no GPU is faster than the time of a large one
  // tells.
  const auto secondsOf = [](int64_t elements, runtime::Measure measure) {
    Case c("aten.neg.default", fmt::format("((T([{}], f32),), {{}})", elements));
    const auto callable = c.planned();
    const auto trial = tests::gpu().prepare(*callable, c.call);
    REQUIRE(trial->prepareFor(measure));
    std::vector<double> times;
    for (int i = 0; i < 20; ++i) trial->queue(measure);
    trial->collect(times);
    std::sort(times.begin(), times.end());
    return times[times.size() / 2];
  };
  constexpr int64_t large = int64_t{1} << 26, small = int64_t{1} << 21;
  for (const runtime::Measure measure : {runtime::Measure::Cold, runtime::Measure::BackToBack}) {
    const double perByte = secondsOf(large, measure) / static_cast<double>(large);
    CAPTURE(static_cast<int>(measure));
    // Reads come from memory; of what is written L2 may keep all.
    CHECK(secondsOf(small, measure) > 0.4 * perByte * static_cast<double>(small));
  }
}

}  // namespace
