// The cache keeps which library call is the fastest.
#include "opbench/run/library_choice.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "runtime/workloads/call.h"
#include "tests/cache_settings.h"
#include "tests/opbench/measure/library_device.h"
#include "tests/opbench/temporary_folder.h"
#include "tests/runtime/sample.h"

using namespace opbench;

namespace {

std::string allRight(runtime::Trial&) { return ""; }

/// The choice for a 1x1 convolution of images of this size.
std::optional<LibraryTrial> chosen(int size, const tests::Seconds& seconds, const runtime::Cache& cache, int threads = 1) {
  tests::LibraryDevice device(seconds);
  RaceSettings options;
  options.threads = threads;
  Run run;
  const std::string image = fmt::format("T([2, 3, {0}, {0}], f32)", size);
  const std::string text = "((" + image + ", T([4, 3, 1, 1], f32), None, [1, 1], [0, 0], [1, 1], False, [0, 0], 1), {})";
  runtime::Call call(tests::sample("aten.convolution.default", text), device, 1);
  return chooseLibrary(call, call.graph(call.runEager()), allRight, {options, run, device, cache});
}

}  // namespace

TEST_CASE("the choice of an earlier run stands for the same call, with what was tried, and for no other one") {
  const tests::TemporaryFolder folder;
  const runtime::Cache cache(tests::cacheIn(folder.path));
  const auto bmm = [](const std::string& library, int) { return library == "bmm" ? 1e-3 : 1.5e-3; };
  const auto addmm = [](const std::string& library, int) { return library == "addmm" ? 1e-3 : 1.5e-3; };
  const auto first = chosen(5, bmm, cache);
  REQUIRE(first);
  CHECK_FALSE(first->isStored);
  CHECK(first->library == "bmm");
  const auto again = chosen(5, addmm, cache);
  REQUIRE(again);
  CHECK(again->isStored);
  CHECK(again->library == "bmm");
  CHECK(again->gain == doctest::Approx(1.5));
  CHECK(again->tried.size() == first->tried.size());
  CHECK(chosen(7, addmm, cache)->library == "addmm");
  CHECK(chosen(5, addmm, cache, 3)->library == "addmm");  // with three threads
  CHECK(chosen(5, addmm, runtime::Cache())->library == "addmm");
}
