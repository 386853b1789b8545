// What is started where the driver says how much a GPU runs at once.
#include "runtime/residency.h"

#include <doctest/doctest.h>

#include <map>

#include "tests/refusal.h"
#include "tests/targets.h"

namespace {

/// The largest cluster of a GPU that has these clusters at once, by their CTAs.
int largest(const ir::Target& target, const std::map<int, int64_t>& active) {
  return runtime::largestActiveCluster(target, [&](int ctas) { return active.at(ctas); });
}

codegen::Program programOf(int64_t grid, int cluster, bool isPersistent) {
  codegen::Program program;
  program.name = "norm";
  program.launch.grid = grid;
  program.launch.cluster = cluster;
  program.launch.isPersistent = isPersistent;
  return program;
}

std::string refusalOf(const codegen::Program& program, const runtime::Residency& room) {
  return tests::refusal(ir::ErrorKind::Unsupported, [&] { runtime::startedCtas(program, room); });
}

}  // namespace

TEST_CASE("kernels are scheduled for the largest cluster that the device has room for") {
  const ir::Target hopper = tests::hopper();
  CHECK(largest(hopper, {{16, 8}}) == 16);
  CHECK(largest(hopper, {{16, 0}, {8, 7}}) == 8);  // a part of a GPU
  CHECK(largest(hopper, {{16, 0}, {8, 0}, {4, 0}, {2, 1}}) == 2);
  CHECK(largest(hopper, {{16, 0}, {8, 0}, {4, 0}, {2, 0}}) == 1);
  CHECK(largest(ir::targetOf("sm_80"), {}) == 1);  // nobody is asked
}

TEST_CASE("all CTAs are started, and clusters of which the device runs none are refused") {
  CHECK(runtime::startedCtas(programOf(6000, 1, false), {}) == 6000);
  CHECK(runtime::startedCtas(programOf(100, 16, false), {.clusters = 1}) == 1600);
  CHECK(refusalOf(programOf(100, 16, false), {.clusters = 0}) ==
        "the kernel norm has clusters of 16 CTAs; the device has room for none");
}

TEST_CASE("of persistent clusters as many CTAs are started as run at once, one cluster's at least") {
  CHECK(runtime::startedCtas(programOf(16, 40, true), {.ctas = 264}) == 264);
  CHECK(runtime::startedCtas(programOf(2, 40, true), {.ctas = 264}) == 80);
  CHECK(runtime::startedCtas(programOf(16, 40, true), {.ctas = 40}) == 40);
  CHECK(refusalOf(programOf(16, 40, true), {.ctas = 39}) == "the kernel norm needs 40 CTAs at once; the device has room for 39");
}
