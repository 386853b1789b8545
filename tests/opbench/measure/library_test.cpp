#include "opbench/measure/library.h"

#include <doctest/doctest.h>

#include "ir/error.h"
#include "runtime/workloads/call.h"
#include "tests/opbench/measure/library_device.h"
#include "tests/runtime/sample.h"

using namespace opbench;

namespace {

using tests::LibraryDevice;
using tests::Seconds;

const std::string convolution = "aten.convolution.default", pointwise = "[1, 1], [0, 0], [1, 1], False, [0, 0], 1), {})";

std::string right(runtime::Trial&) { return ""; }

/// A 1x1 convolution whose candidates were tried.
struct TriedCall {
  explicit TriedCall(const Seconds& seconds, const Check& check = right)
      : device(seconds),
        call(tests::sample(convolution, "((T([2, 3, 5, 5], f32), T([4, 3, 1, 1], f32), None, " + pointwise), device, 1),
        graph(call.graph(call.runEager())),
        trial(tryLibraries(call, graph, check, {options, run, device, cache})) {}

  Options options;
  Run run;
  runtime::Cache cache;
  LibraryDevice device;
  runtime::Call call;
  ir::Graph graph;
  std::optional<LibraryTrial> trial;
};

double favouringBmm(const std::string& library, int) { return library == "bmm" ? 1e-3 : 1.5e-3; }

}  // namespace

TEST_CASE("ATen's own call and every candidate race; the fastest is what the call becomes") {
  TriedCall tried(favouringBmm);
  REQUIRE(tried.trial);
  CHECK(tried.trial->library == "bmm");
  CHECK(tried.trial->gain == doctest::Approx(1.5));
  CHECK(tried.trial->refused.empty());
  std::vector<std::string> names;
  for (const TriedLibrary& one : tried.trial->tried) names.push_back(one.library);
  CHECK(names == std::vector<std::string>{"", "addmm", "bmm", "channels_last", "without onednn"});
  CHECK(tried.trial->tried[0].seconds == doctest::Approx(1.5e-3));
  CHECK(libraryCallable(tried.call, tried.graph, "bmm")->library == "bmm");
  CHECK(libraryCallable(tried.call, tried.graph, "")->library.empty());
}

TEST_CASE("ATen's own call stands where nothing is faster beyond noise, once more than once") {
  CHECK(TriedCall([](const std::string& library, int) { return library == "bmm" ? 0.99e-3 : 1e-3; }).trial->library.empty());
  const auto even = [](const std::string&, int) { return 1e-3; };
  const int runs = TriedCall(even).device.runs.at("bmm");
  const TriedCall lucky([&](const std::string& library, int run) { return library == "bmm" && run < runs ? 0.5e-3 : 1e-3; });
  CHECK(lucky.device.runs.at("bmm") > runs);
  CHECK(lucky.trial->library.empty());
  CHECK(lucky.trial->gain == 1);
}

TEST_CASE("a candidate whose runs scatter around those of ATen's own call does not win, whatever its median") {
  const TriedCall scattered([](const std::string& library, int run) {
    if (library != "bmm") return 1e-3;
    return run % 5 < 3 ? 0.9e-3 : 2e-3;
  });
  CHECK(scattered.trial->library.empty());
}

TEST_CASE("candidates that throw or are wrong only lose, and say why") {
  const TriedCall failing([](const std::string& library, int run) {
    if (library == "bmm") ir::fail(ir::ErrorKind::Unsupported, "cuBLAS refuses it\nand a trace");
    return favouringBmm(library, run);
  });
  CHECK(failing.trial->library.empty());
  CHECK(failing.trial->refused == std::vector<std::string>{"bmm: cuBLAS refuses it"});

  int checked = 0;
  const TriedCall wrong(favouringBmm, [&](runtime::Trial&) { return ++checked == 3 ? std::string("it is wrong") : ""; });
  CHECK(wrong.trial->library.empty());
  CHECK(wrong.trial->refused == std::vector<std::string>{"bmm: it is wrong"});
}

TEST_CASE("a candidate that takes several times as long does not race") {
  const TriedCall tried([](const std::string& library, int) { return library == "channels_last" ? 8e-3 : 1e-3; });
  CHECK(tried.trial->refused == std::vector<std::string>{"channels_last: it takes 8.0 times as long"});
  CHECK(tried.device.runs.at("channels_last") == 2);
}

TEST_CASE("where ATen's own call is wrong nothing takes its place") {
  const TriedCall tried(favouringBmm, [](runtime::Trial&) { return std::string("it is wrong"); });
  CHECK(tried.trial->library.empty());
  CHECK(tried.trial->tried.empty());
}

TEST_CASE("calls without candidates are not tried") {
  LibraryDevice device(favouringBmm);
  runtime::Call call(tests::sample("aten.mm.default", "((T([8, 8], f32), T([8, 8], f32)), {})"), device, 1);
  const Options options;
  Run run;
  const runtime::Cache cache;
  CHECK_FALSE(tryLibraries(call, call.graph(call.runEager()), right, {options, run, device, cache}));
  CHECK(device.runs.empty());
}
