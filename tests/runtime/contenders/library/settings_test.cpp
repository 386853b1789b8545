#include "runtime/contenders/library/settings.h"

#include <ATen/Context.h>
#include <ATen/ops/ones.h>
#include <doctest/doctest.h>

#include <stdexcept>
#include <thread>

using namespace runtime::library;

TEST_CASE("a setting holds while a call is made, and is put back, also after one that throws") {
  const auto& context = at::globalContext();
  REQUIRE(context.userEnabledMkldnn());
  const Results results = under(Setting::WithoutOneDnn, [&]() -> Results {
    CHECK_FALSE(context.userEnabledMkldnn());
    return {at::ones({2})};
  });
  CHECK(results.size() == 1);
  CHECK(context.userEnabledMkldnn());
  CHECK_THROWS_AS(under(Setting::BenchmarkedCudnn,
                        [&]() -> Results {
                          CHECK(context.benchmarkCuDNN());
                          throw std::runtime_error("it does not fit");
                        }),
                  std::runtime_error);
  CHECK_FALSE(context.benchmarkCuDNN());
  const auto before = context.allowFP16ReductionCuBLAS();
  under(Setting::WholeSums, [&]() -> Results {
    CHECK(context.allowFP16ReductionCuBLAS() == at::CuBLASReductionOption::DisallowReducedPrecisionAllowSplitK);
    CHECK(context.allowBF16ReductionCuBLAS() == at::CuBLASReductionOption::DisallowReducedPrecisionAllowSplitK);
    return {};
  });
  CHECK(context.allowFP16ReductionCuBLAS() == before);
  under(Setting::WithoutCudnn, [&]() -> Results {
    CHECK_FALSE(context.userEnabledCuDNN());
    return {};
  });
  CHECK(context.userEnabledCuDNN());
}

TEST_CASE("calls that are made apart share one thread, which is not this one; what they throw arrives here") {
  std::thread::id first, second;
  const Results results = apart(at::kCPU, [&]() -> Results {
    first = std::this_thread::get_id();
    return {at::ones({3})};
  });
  apart(at::kCPU, [&]() -> Results {
    second = std::this_thread::get_id();
    return {};
  });
  CHECK(results.at(0).numel() == 3);
  CHECK(first == second);
  CHECK(first != std::this_thread::get_id());
  CHECK_THROWS_AS(apart(at::kCPU, []() -> Results { throw std::runtime_error("it does not fit"); }), std::runtime_error);
}
