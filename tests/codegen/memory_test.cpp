// Memory of networks' plans: where it lies, and whether steps find there what they are to read.
#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <set>

#include "codegen/accesses.h"
#include "codegen/compile_network.h"
#include "codegen/lifetimes.h"
#include "codegen/plan_memory.h"
#include "codegen/verify_plan.h"
#include "ir/memories.h"
#include "ir/text/text.h"
#include "tests/codegen/random_plan.h"
#include "tests/random/dice.h"
#include "tests/refusal.h"
#include "tests/targets.h"

using codegen::Need;
using codegen::Others;
using codegen::Plan;

namespace {

using Offsets = std::vector<int64_t>;

/// The places of needs that come alone.
Offsets offsetsOf(const std::vector<Need>& needs, int steps) { return place(needs, std::vector<Others>(steps)).offsets; }

Plan plannedOf(const std::string& text) {
  return codegen::compileNetwork(ir::parseGraph(text), tests::hopper(), {[](const ir::Node&) { return false; }});
}

/// The offset of a value's memory in its plan's arena; -1 where it is no part of it.
int64_t offsetOf(const Plan& plan, const std::string& name) {
  for (size_t value = 0; value < plan.graph.values.size(); ++value)
    if (plan.graph.values[value].name == name)
      return plan.memory.offsets.at(ir::memoryOf(codegen::withIntermediates(plan), static_cast<int>(value)));
  return -2;
}

/// The needs of the memories that have places, by memory.
std::map<int, Need> needsOf(const Plan& plan) {
  const ir::Graph graph = codegen::withIntermediates(plan);
  const codegen::Lifetimes lifetimes(plan, graph);
  std::map<int, Need> needs;
  for (size_t value = 0; value < graph.values.size(); ++value) {
    const int memory = lifetimes.memoryOf(static_cast<int>(value));
    if (!plan.memory.has(memory)) continue;
    Need& need = needs.try_emplace(memory, Need{lifetimes.first(memory), lifetimes.last(memory), 0}).first->second;
    need.bytes = std::max(need.bytes, ir::startOf(graph.values[value]) + ir::bytesOf(graph.values[value]));
  }
  return needs;
}

std::string refusalOf(const Plan& plan) {
  return tests::refusal(ir::ErrorKind::Internal, [&] { codegen::verify(plan); });
}
bool isRefused(const Plan& plan) { return refusalOf(plan) != "nothing was refused"; }

/// Mistakes in plans that change what some step reads, and how many of these are found.
struct Planted {
  int real = 0, found = 0;
  void look(const Plan& plan) {
    if (tests::readingsOfPlan(plan) == tests::readingsOfGraph(plan)) return;
    ++real;
    found += isRefused(plan);
  }
};

/// Two memories of the arena share bytes.
void overlap(Plan& plan, tests::Dice& dice) {
  const std::map<int, Need> needs = needsOf(plan);
  if (needs.size() < 2) return;
  const auto &moved = dice.pick(needs), &other = dice.pick(needs);
  int64_t& offset = plan.memory.offsets[static_cast<size_t>(moved.first)];
  offset = plan.memory.offsets[static_cast<size_t>(other.first)];
  plan.memory.bytes = std::max(plan.memory.bytes, offset + moved.second.bytes);
}

/// The place of a memory is given to others before it was read for the last time.
void freeEarly(Plan& plan, tests::Dice& dice) {
  const std::map<int, Need> byMemory = needsOf(plan);
  if (byMemory.empty()) return;
  const int early = dice.pick(byMemory).first;
  std::vector<Need> needs;
  for (const auto& [memory, need] : byMemory) {
    needs.push_back(need);
    if (memory == early) needs.back().last = static_cast<int>(dice.between(need.first, std::max(need.first, need.last - 1)));
  }
  const codegen::Placement placement = place(needs, std::vector<Others>(plan.steps.size() + 1));
  plan.memory.bytes = placement.bytes;
  size_t number = 0;
  for (const auto& each : byMemory) plan.memory.offsets[static_cast<size_t>(each.first)] = placement.offsets[number++];
}

/// Two steps change places, in memory that is planned for them.
void exchangeSteps(Plan& plan, tests::Dice& dice) {
  if (plan.steps.size() < 2) return;
  const auto step = static_cast<size_t>(dice.below(std::ssize(plan.steps) - 1));
  const auto* one = std::get_if<codegen::LaunchStep>(&plan.steps[step]);
  const auto* other = std::get_if<codegen::LaunchStep>(&plan.steps[step + 1]);
  if (one != nullptr && other != nullptr && one->instance == other->instance) return;
  std::swap(plan.steps[step], plan.steps[step + 1]);
  plan.memory = codegen::planMemory(plan);
}

}  // namespace

TEST_SUITE("memory of plans") {
  TEST_CASE("memory that is needed at different steps has one place, at the same step another one") {
    CHECK(offsetsOf({{0, 1, 512}, {2, 3, 512}}, 4) == Offsets{0, 0});
    CHECK(offsetsOf({{0, 2, 512}, {2, 3, 512}}, 4) == Offsets{0, 512});
    CHECK(offsetsOf({{0, 1, 1}, {0, 1, 257}, {0, 1, 300}}, 2) == Offsets{1024, 512, 0});  // in multiples of 256
  }

  TEST_CASE("the largest come first, and the others where they fit best") {
    CHECK(offsetsOf({{0, 3, 1024}, {0, 1, 512}, {2, 3, 256}, {0, 3, 300}}, 4) == Offsets{0, 1024, 1024, 1536});
    // The fourth lies where the second one was, and not behind the third.
    CHECK(offsetsOf({{0, 1, 1024}, {0, 0, 512}, {0, 1, 512}, {1, 1, 512}}, 2) == Offsets{0, 1024, 1536, 1024});
  }

  TEST_CASE("memory has no place where the arena and what lies beside it would take more than they do at most without it") {
    const std::vector<Need> needs{{0, 0, 1024}};
    CHECK(place(needs, {{1024, 0}, {1024, 0}}).offsets == Offsets{0});
    CHECK(place(needs, {{0, 0}, {1024, 0}}).offsets == Offsets{-1});  // as its place would be empty at step 1
    CHECK(place(needs, {{1024, 0}, {1024, 512}}).offsets == Offsets{-1});
    CHECK(place(needs, {{1024, 512}, {1024, 0}}).offsets == Offsets{0});
    // What is needed at the step that takes most keeps its place.
    CHECK(codegen::place({{0, 2, 512}, {0, 0, 512}}, {{0, 0}, {0, 0}, {1024, 0}}).offsets == Offsets{0, -1});
  }

  TEST_CASE("launches and products write into the arena; other calls, outputs and inputs have memory of their own") {
    const Plan plan = plannedOf(R"(graph
  in x f32[16, 16]
  in w f32[16, 2]
  a f32[16, 16] = aten.exp.default(self=x)
  p f32[16, 16] = aten.mm.default(self=a, mat2=x)
  q f32[16, 16] = aten.cholesky.default(self=p, upper=False)
  c f32[16, 16] = aten.add.Tensor(self=q, other=a, alpha=1)
  r f32[16, 2] = aten.mm.default(self=c, mat2=w)
  return r
)");
    for (const char* name : {"x", "w", "q", "r"}) CHECK(offsetOf(plan, name) == -1);
    CHECK(offsetOf(plan, "a") == 0);
    CHECK(offsetOf(plan, "p") == 1024);
    CHECK(offsetOf(plan, "c") == 1024);
    CHECK(plan.memory.bytes == 2048);
  }

  TEST_CASE("a memory lives until the last view of it is read") {
    const Plan plan = plannedOf(R"(graph
  in x f32[16, 16]
  in w f32[16, 1]
  a f32[16, 16] = aten.exp.default(self=x)
  t f32[16, 16] strides (1, 16) of a = aten.t.default(self=a)
  p f32[16, 16] = aten.mm.default(self=a, mat2=x)
  q f32[16, 16] = aten.mm.default(self=p, mat2=x)
  r f32[16, 16] = aten.mm.default(self=q, mat2=t)
  s f32[16, 1] = aten.mm.default(self=r, mat2=w)
  return s
)");
    CHECK(offsetOf(plan, "r") == offsetOf(plan, "p"));
    CHECK(offsetOf(plan, "r") != offsetOf(plan, "a"));
  }

  TEST_CASE("a plan is refused with the step and the value that is not there") {
    Plan plan = plannedOf(R"(graph
  in x f32[16, 16]
  a f32[16, 16] = aten.mm.default(self=x, mat2=x)
  b f32[16, 16] = aten.mm.default(self=x, mat2=a)
  c f32[16, 16] = aten.mm.default(self=a, mat2=b)
  return c
)");
    CHECK_FALSE(isRefused(plan));
    Plan swapped = plan;
    std::swap(swapped.steps[0], swapped.steps[1]);
    CHECK(refusalOf(swapped) ==
          "step 1 of a network's plan: it reads a, where something else lies than what was written there last before");
    Plan shared = plan;
    shared.memory.offsets[static_cast<size_t>(ir::memoryOf(plan.graph, 2))] = offsetOf(plan, "a");
    CHECK(refusalOf(shared) == "step 2 of a network's plan: a and b lie in the same bytes");
    Plan outside = plan;
    outside.memory.bytes = 1024;
    CHECK(refusalOf(outside).find("lies outside the arena") != std::string::npos);
    Plan lost = plan;
    lost.steps.pop_back();
    CHECK(refusalOf(lost) == "step 3 of a network's plan: the output c is not what was written to it last");
  }

  TEST_CASE("10,000 random plans are right, and each overlap, early free and wrong version that matters is found") {
    Planted overlaps, early, versions;
    int shared = 0;
    for (uint64_t seed = 0; seed < 10'000; ++seed) {
      CAPTURE(seed);
      tests::Dice dice(seed + 1'000'000);
      Plan plan = tests::randomPlan(seed);
      plan.memory = codegen::planMemory(plan);
      REQUIRE(tests::readingsOfPlan(plan) == tests::readingsOfGraph(plan));
      REQUIRE_FALSE(isRefused(plan));
      int64_t bytes = 0;
      for (const auto& [memory, need] : needsOf(plan)) bytes += (need.bytes + codegen::placeBytes - 1) / codegen::placeBytes;
      shared += plan.memory.bytes < bytes * codegen::placeBytes;
      const auto broken = [&](const auto& breakIt) {
        Plan copy = plan;
        breakIt(copy, dice);
        return copy;
      };
      overlaps.look(broken(overlap));
      early.look(broken(freeEarly));
      versions.look(broken(exchangeSteps));
    }
    CHECK(shared > 1'000);
    for (const Planted* each : {&overlaps, &early, &versions}) {
      CHECK(each->real > 200);
      CHECK(each->found == each->real);
    }
  }
}
