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

ir::KernelSource clusters(int64_t grid, int ctas) {
  ir::KernelSource program;
  program.name = "norm";
  program.launch.grid = grid;
  program.launch.cluster = ctas;
  return program;
}
ir::KernelSource persistentClusters(int64_t grid, int ctas) {
  ir::KernelSource program = clusters(grid, ctas);
  program.launch.isPersistent = true;
  return program;
}
ir::KernelSource waitingGrid(int64_t grid, int cluster = 1) {
  ir::KernelSource program = clusters(grid, cluster);
  program.waitsForGrid = true;
  return program;
}

std::string refusalOf(const ir::KernelSource& program, const runtime::Residency& room) {
  return tests::refusal(ir::ErrorKind::Unsupported, [&] { runtime::startOf(program, room); });
}

/// `264 CTAs` or `264 CTAs together`.
std::string start(const ir::KernelSource& program, const runtime::Residency& room) {
  const runtime::Start made = runtime::startOf(program, room);
  return std::to_string(made.ctas) + " CTAs" + (made.isCooperative ? " together" : "");
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

TEST_CASE("all CTAs are started that wait for nobody, however few run at once") {
  CHECK_FALSE(runtime::waits(clusters(6000, 1)));
  CHECK(start(clusters(6000, 1), {}) == "6000 CTAs");
  CHECK(start(clusters(6000, 1), {.isShared = true}) == "6000 CTAs");
}

TEST_CASE("the hardware starts a cluster as a whole, and is asked whether it can") {
  CHECK(runtime::hasHardwareClusters(clusters(100, 16)));
  CHECK_FALSE(runtime::waits(clusters(100, 16)));
  CHECK(start(clusters(100, 16), {.clusters = 1}) == "1600 CTAs");
  CHECK(refusalOf(clusters(100, 16), {.clusters = 0}) == "the kernel norm has clusters of 16 CTAs; the device has room for none");
}

TEST_CASE("of persistent clusters as many CTAs are started as run at once, one cluster's at least") {
  CHECK(runtime::waits(persistentClusters(16, 40)));
  CHECK_FALSE(runtime::hasHardwareClusters(persistentClusters(16, 40)));
  CHECK(start(persistentClusters(16, 40), {.ctas = 264}) == "264 CTAs");
  CHECK(start(persistentClusters(2, 40), {.ctas = 264}) == "80 CTAs");
  CHECK(start(persistentClusters(16, 40), {.ctas = 40}) == "40 CTAs");
  CHECK(refusalOf(persistentClusters(16, 40), {.ctas = 39}) ==
        "the kernel norm needs 40 CTAs at once; the device has room for 39");
}

TEST_CASE("they start together where kernels of other processes may hold multiprocessors and wait as well") {
  CHECK(start(persistentClusters(16, 40), {.ctas = 264, .isShared = true}) == "264 CTAs together");
}

TEST_CASE("a grid that waits for all its CTAs starts as a whole, or not at all") {
  CHECK(runtime::waits(waitingGrid(132)));
  CHECK(start(waitingGrid(132), {.ctas = 132}) == "132 CTAs together");
  CHECK(start(waitingGrid(132), {.ctas = 264}) == "132 CTAs together");
  CHECK(refusalOf(waitingGrid(132), {.ctas = 131}) == "the kernel norm needs 132 CTAs at once; the device has room for 131");
  CHECK(start(waitingGrid(8, 16), {.ctas = 132, .clusters = 8}) == "128 CTAs together");
  CHECK(refusalOf(waitingGrid(8, 16), {.ctas = 132, .clusters = 7}) ==
        "the kernel norm needs 128 CTAs at once; the device has room for 112");
}
