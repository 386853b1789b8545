// Captured and timed calls: what a CUDA graph changes, and what must not change with it.
#include <ATen/core/Tensor.h>
#include <ATen/ops/equal.h>
#include <doctest/doctest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <set>

#include "codegen/compile.h"
#include "runtime/compare/oracle.h"
#include "runtime/torch/aten_call.h"
#include "runtime/torch/guard.h"
#include "runtime/torch/state.h"
#include "runtime/workloads/call.h"
#include "tests/cache_settings.h"
#include "tests/gpu/gpu.h"
#include "tests/gpu/made.h"
#include "tests/runtime/sample.h"

namespace {

using runtime::TensorList;
using tests::Case;
using tests::Made;
using tests::only;

TEST_CASE("cold times are whole ticks of the device's timer") {
  const double tick = tests::gpu().tick();
  REQUIRE(tick > 0);
  Case c("aten.add.Tensor", "((T([64, 131], f16), T([131], f16)), {})");
  const auto callable = c.planned();
  const auto trial = tests::gpu().prepare(*callable, c.call);
  for (int i = 0; i < 20; ++i) {
    const double ticks = trial->seconds() / tick;
    CHECK(std::abs(ticks - std::round(ticks)) < 0.01);
  }
}

TEST_CASE("a generated addition is captured as one kernel and computes what eager does") {
  Case c("aten.add.Tensor", "((T([64, 131], f16), T([131], f16)), {})");
  const auto callable = c.planned();
  REQUIRE(callable->kind == runtime::Kind::Generated);
  const auto trial = tests::gpu().prepare(*callable, c.call);
  CHECK(trial->notCaptured == "");
  CHECK(trial->kernelNodes() == 1);
  const TensorList expected = c.call.runEager();
  for (int i = 0; i < 3; ++i) CHECK(runtime::compare(trial->run(), expected, {}, 0, 0).unequal == 0);
}

TEST_CASE("eager is captured too; an in-place argument starts from the same values in each run") {
  Case c("aten.add_.Tensor", "((T([1000], f32), T([1000], f32)), {'alpha': 3})");
  for (const bool isGenerated : {false, true}) {
    CAPTURE(isGenerated);
    const auto callable = isGenerated ? c.planned() : runtime::eagerCallable(c.call);
    const auto trial = tests::gpu().prepare(*callable, c.call);
    CHECK(trial->notCaptured == "");
    CHECK(trial->kernelNodes() == 1);
    const TensorList expected = c.call.runEager();
    trial->seconds();
    CHECK(at::equal(only(trial->run()), only(expected)));
    CHECK(at::equal(only(trial->run()), only(expected)));
    CHECK(only(trial->run()).is_same(c.call.aten().arguments[0].toTensor()));
  }
}

TEST_CASE("runs that warm a callable up start from the same values, too: a counter is an index, which may be the last one") {
  Case c("aten.add_.Scalar", "((T([3], i64), 1), {})");
  const auto eager = runtime::eagerCallable(c.call);
  std::vector<at::Tensor> found;
  Made counted([&] {
    const bool isWarmUp = found.size() < 2;
    TensorList outputs = (*eager)();
    if (isWarmUp) found.push_back(only(outputs).clone());
    return outputs;
  });
  const TensorList expected = c.call.runEager();
  const auto trial = tests::gpu().prepare(counted, c.call);
  CHECK(trial->notCaptured == "");
  REQUIRE(found.size() == 2);
  for (const at::Tensor& each : found) CHECK(at::equal(each, only(expected)));
  const auto time = trial->kernelTime();
  REQUIRE(time.has_value());
  CHECK(time->kernels == 1);
  CHECK(at::equal(only(trial->outputs()), only(expected)));
}

TEST_CASE("outputs hold 0xff bytes before a run, so that what nobody writes shows") {
  Case c("aten.empty_like.default", "((T([100], f32),), {})");
  const auto callable = runtime::eagerCallable(c.call);
  const auto trial = tests::gpu().prepare(*callable, c.call);
  const at::Tensor out = only(trial->run()).to(at::kCPU);
  for (int i = 0; i < 100; ++i) CHECK(std::isnan(out.const_data_ptr<float>()[i]));
}

TEST_CASE("an output that is a view of an argument is not poisoned") {
  Case c("aten.transpose.int", "((T([10, 20], f32), 0, 1), {})");
  const auto callable = runtime::eagerCallable(c.call);
  const auto trial = tests::gpu().prepare(*callable, c.call);
  CHECK(at::equal(only(trial->run()), only(c.call.runEager())));
  CHECK(trial->kernelNodes() == 0);
}

TEST_CASE("an operator that waits for the device is called directly, and says why") {
  Case c("aten.nonzero.default", "((T([100], f32),), {})");
  const auto callable = runtime::eagerCallable(c.call);
  const auto trial = tests::gpu().prepare(*callable, c.call);
  CHECK(trial->notCaptured != "");
  CHECK(trial->kernelNodes() == -1);
  CHECK(at::equal(only(trial->run()), only(c.call.runEager())));
  CHECK(trial->seconds() > 0);
}

void checkDeviceWorks() {
  Case random("aten.bernoulli.p", "((T([1000], f32), 0.5), {})");
  CHECK(only(random.call.eager()).numel() == 1000);
  const auto callable = runtime::eagerCallable(random.call);
  const auto trial = tests::gpu().prepare(*callable, random.call);
  CHECK(trial->notCaptured == "");
  CHECK(at::equal(only(trial->run()).clone(), only(trial->run())));
}

TEST_CASE("random numbers are captured, and are the same in each run") { checkDeviceWorks(); }

TEST_CASE("the device survives a capture that fails") {
  Case c("aten.bernoulli.p", "((T([1000], f32), 0.5), {})");
  const auto eager = runtime::eagerCallable(c.call);

  SUBCASE("because the work throws") {
    int calls = 0;
    Made throws([&]() -> TensorList {
      TensorList outputs = (*eager)();
      if (++calls == 3) ir::fail(ir::ErrorKind::Unsupported, "the third call fails");
      return outputs;
    });
    const auto trial = tests::gpu().prepare(throws, c.call);
    CHECK(trial->notCaptured == "the third call fails");
    CHECK(trial->seconds() > 0);
  }
  SUBCASE("because CUDA refuses what it does") {
    Made waits([&] {
      TensorList outputs = (*eager)();
      tests::gpu().synchronize();
      return outputs;
    });
    const auto trial = tests::gpu().prepare(waits, c.call);
    CHECK(trial->notCaptured != "");
    CHECK(only(trial->run()).numel() == 1000);
  }
  checkDeviceWorks();
}

TEST_CASE("times: one, and many queued behind one another") {
  Case c("aten.add.Tensor", "((T([1024, 1024], f16), T([1024, 1024], f16)), {})");
  const auto callable = c.planned();
  const auto trial = tests::gpu().prepare(*callable, c.call);
  CHECK(trial->seconds() > 0);
  std::vector<double> times;
  for (int i = 0; i < 20; ++i) trial->queue(runtime::Measure::Cold);
  trial->collect(times);
  REQUIRE(times.size() == 20);
  for (const double seconds : times) CHECK(seconds > 0);
}

TEST_CASE("throughput: a further call in a graph takes less than a cold one, and does not touch the first set of arguments") {
  Case c("aten.add_.Tensor", "((T([256, 256], f32), T([256, 256], f32)), {})");
  for (const bool isGenerated : {false, true}) {
    CAPTURE(isGenerated);
    const auto callable = isGenerated ? c.planned() : runtime::eagerCallable(c.call);
    const auto trial = tests::gpu().prepare(*callable, c.call);
    const TensorList expected = c.call.runEager();
    REQUIRE(trial->prepareFor(runtime::Measure::BackToBack));
    std::vector<double> times;
    for (int i = 0; i < 20; ++i) trial->queue(runtime::Measure::BackToBack);
    trial->collect(times);
    std::sort(times.begin(), times.end());
    CHECK(times[10] > 0);
    CHECK(times[10] < trial->seconds());
    CHECK(at::equal(only(trial->run()), only(expected)));
  }
}

TEST_CASE("CUPTI tells the kernels' own time, and how many there are") {
  Case c("aten.add.Tensor", "((T([1024, 1024], f16), T([1024, 1024], f16)), {})");
  const auto callable = c.planned();
  const auto trial = tests::gpu().prepare(*callable, c.call);
  const auto time = trial->kernelTime();
  REQUIRE(time.has_value());
  CHECK(time->kernels == 1);
  CHECK(time->seconds > 1e-6);
  CHECK(time->seconds < trial->seconds());
}

TEST_CASE("what is called directly is guarded where it is checked, as what is captured is") {
  /// A generated kernel that cannot be captured, as where memory is short.
  class NotInGraphs : public runtime::Callable {
   public:
    explicit NotInGraphs(runtime::CallablePtr callable) : callable_(std::move(callable)) {}
    TensorList operator()() override {
      if (++calls_ == 3) ir::fail(ir::ErrorKind::Unsupported, "not in a graph");
      return (*callable_)();
    }
    void use(int number) override { callable_->use(number); }
    void guard(runtime::Guards guards) override { callable_->guard(guards); }

   private:
    runtime::CallablePtr callable_;
    int calls_ = 0;
  };
  for (const char* op : {"aten.neg.default", "aten.neg_.default"}) {
    Case c(op, "((T([100], f32),), {})");
    const TensorList expected = c.call.runEager();
    NotInGraphs callable(c.planned());
    const auto trial = tests::gpu().prepare(callable, c.call);
    REQUIRE(trial->notCaptured == "not in a graph");
    CHECK(runtime::isGuarded(only(trial->run())));
    CHECK(runtime::writtenOutside(trial->outputs()) == "");
    CHECK(runtime::bitwiseEqual(trial->outputs(), expected));
    trial->seconds();
    CHECK(runtime::writtenOutside(trial->outputs()) == "");
  }
}

TEST_CASE("captures that take turns: each is a run of the same call on pages of its own, until there are enough") {
  const auto page = [](const at::Tensor& tensor) { return reinterpret_cast<uintptr_t>(tensor.const_data_ptr()) >> 21; };
  for (const char* op : {"aten.add.Tensor", "aten.add_.Tensor"}) {
    CAPTURE(op);
    Case c(op, "((T([64, 131], f16), T([131], f16)), {})");
    const auto callable = c.planned();
    const auto trial = tests::gpu().prepare(*callable, c.call);
    while (trial->grow()) {
    }
    REQUIRE(trial->captures(runtime::Measure::Cold) == 16);
    const TensorList expected = c.call.runEager();
    std::set<uintptr_t> arguments, outputs;
    for (int i = 0; i < 2 * trial->captures(runtime::Measure::Cold); ++i) {
      runtime::poisonGuarded(trial->outputs());
      trial->seconds();
      CHECK(runtime::bitwiseEqual(trial->outputs(), expected));
      CHECK(runtime::writtenOutside(trial->outputs()) == "");
      arguments.insert(page(c.call.aten().set(i % trial->captures(runtime::Measure::Cold))[1].toTensor()));
      outputs.insert(page(only(trial->outputs())));
    }
    CHECK(arguments.size() == 16);
    CHECK(outputs.size() == 16);
  }
}

TEST_CASE("what cannot be captured has no throughput time") {
  Case c("aten.nonzero.default", "((T([100], f32),), {})");
  const auto callable = runtime::eagerCallable(c.call);
  CHECK_FALSE(tests::gpu().prepare(*callable, c.call)->prepareFor(runtime::Measure::BackToBack));
}

TEST_CASE("what is called directly and does not wait is timed without the host's part") {
  Case c("aten.add.Tensor", "((T([64], f32), T([64], f32)), {})");
  const auto eager = runtime::eagerCallable(c.call);
  int calls = 0;
  Made slowOnTheHost([&]() -> TensorList {
    if (++calls == 3) ir::fail(ir::ErrorKind::Unsupported, "not in a graph");
    usleep(3000);
    return (*eager)();
  });
  const auto trial = tests::gpu().prepare(slowOnTheHost, c.call);
  REQUIRE(trial->notCaptured == "not in a graph");
  trial->seconds();
  CHECK(trial->seconds() < 1e-3);
}

TEST_CASE("L2 can be emptied by reading as well") {
  Case c("aten.add.Tensor", "((T([1024, 1024], f16), T([1024, 1024], f16)), {})");
  const auto callable = c.planned();
  const auto trial = tests::gpu().prepare(*callable, c.call);
  tests::gpu().setFlush(runtime::Flush::Read);
  CHECK(trial->seconds() > 0);
  tests::gpu().setFlush(runtime::Flush::Write);
}

TEST_CASE("the multiprocessors' clock is read in the stream") {
  tests::gpu().queueClock();
  const auto clock = tests::gpu().clock();
  REQUIRE(clock.has_value());
  CHECK(*clock > 0.1 * tests::gpu().ratedClock());
  CHECK(*clock < 1.5 * tests::gpu().ratedClock());
}

TEST_CASE("a kernel is compiled once and then taken from the cache") {
  const std::filesystem::path folder = std::filesystem::temp_directory_path() / ("opbench_gpu_test" + std::to_string(getpid()));
  const runtime::Cache cache(tests::cacheIn(folder));
  Case c("aten.mul.Tensor", "((T([77, 3], f32), T([77, 3], f32)), {})");
  CHECK_FALSE(c.planned(cache)->cached);
  const auto again = c.planned(cache);
  CHECK(again->cached);
  const auto trial = tests::gpu().prepare(*again, c.call);
  CHECK(runtime::compare(trial->run(), c.call.runEager(), {}, 0, 0).unequal == 0);
  std::filesystem::remove_all(folder);
}

TEST_CASE("what the device says of itself") {
  CHECK(tests::gpu().torchName() == "cuda:0");
  CHECK(tests::gpu().target().arch.starts_with("sm_"));
  CHECK(tests::gpu().target().processors > 0);
  CHECK(tests::gpu().target().cacheBytes > 0);
  CHECK(tests::gpu().facts().size() >= 4);
  for (const char* part : {"torch 2.", "CUDA 13.", "driver ", "NVRTC 13."})
    CHECK_MESSAGE(tests::gpu().software().find(part) != std::string::npos, tests::gpu().software());
}

}  // namespace
