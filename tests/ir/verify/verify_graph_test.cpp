#include <doctest/doctest.h>

#include <functional>

#include "ir/text/text.h"
#include "ir/verify/verify.h"
#include "tests/ir/verify/refusals.h"

using namespace ir;

namespace {

/// A step of one storage that `w` covers, and one that nothing does.
const char* const step = R"(graph
  parameter w f32[4]
  in x f32[2]
  t f32[2] of w + 2 = aten.slice(self=w)
  storage rest 32
  y f32[2] of rest + 1, z f32[2] of rest + 4 = aten.f(self=t)
  g f32[2] = aten.g(self=y) @backward 1
  w = aten.add_(self=w) writes w @optimizer
  return g, w
)";
enum Values { w, x, t, y, z, g };

/// Why the step is refused once it is changed.
std::string refused(const std::function<void(Graph&)>& change) {
  Graph graph = parseGraph(step);
  change(graph);
  return tests::refusal(ErrorKind::Internal, [&] { verify(graph); });
}

}  // namespace

TEST_SUITE("the rules of graphs of steps") {
  TEST_CASE("a step in order is fine") {
    CHECK(refused([](Graph&) {}) == tests::fine);
  }

  TEST_CASE("a value lies in its storage") {
    CHECK(refused([](Graph& graph) { graph.values[t].offset = 3; }) == "graph: t goes beyond the 16 bytes of w");
    CHECK(refused([](Graph& graph) { graph.values[t].offset = -1; }) == "graph: t has the offset -1");
    CHECK(refused([](Graph& graph) { graph.values[g].offset = 1; }) == "graph: g has the offset 1");
    CHECK(refused([](Graph& graph) { graph.values[t].storage = 2; }) == "graph: t names storage 2 of 2");
    CHECK(refused([](Graph& graph) { graph.storages[1].bytes = 20; }) == "graph: z goes beyond the 20 bytes of rest");
  }

  TEST_CASE("two values of one place are one value") {
    CHECK(refused([](Graph& graph) { graph.values[z].offset = 1; }) == "graph: z is another name of a value");
  }

  TEST_CASE("a storage has a name of its own, or that of the first value in it, which covers it") {
    CHECK(refused([](Graph& graph) { graph.storages[1].name = "None"; }) == "graph: 'None' is no name of a storage");
    CHECK(refused([](Graph& graph) { graph.storages[1].name = "w"; }) == "graph: two storages are called w");
    CHECK(refused([](Graph& graph) { graph.storages[1].name = "x"; }) == "graph: x does not cover the storage of its name");
    CHECK(refused([](Graph& graph) { graph.storages[1].name = "y"; }) == "graph: y does not cover the storage of its name");
    CHECK(refused([](Graph& graph) { graph.storages[0].bytes = 20; }) == "graph: w does not cover the storage of its name");
    CHECK(refused([](Graph& graph) { graph.storages.push_back({"more", 8}); }) == "graph: nothing lies in more");
  }

  TEST_CASE("no storage is on the host and on the device") {
    CHECK(refused([](Graph& graph) { graph.values[z].onHost = true; }) == "graph: rest lies on the host and on the device");
    CHECK(refused([](Graph& graph) { graph.values[y].onHost = graph.values[z].onHost = true; }) == tests::fine);
  }

  TEST_CASE("a node makes values in new memory, or in that of its arguments") {
    CHECK(refused([](Graph& graph) { std::swap(graph.nodes[0], graph.nodes[1]); }) ==
          "graph: the arguments of aten.f use t, which is not made yet");
    CHECK(refused([](Graph& graph) { graph.values[g].storage = 0; }) == "graph: aten.g makes g in memory that is no argument's");
    CHECK(refused([](Graph& graph) { graph.nodes[2].outputs = {g, x}; }) == "graph: aten.g makes x again");
    CHECK(refused([](Graph& graph) { graph.nodes[2].outputs = {g, 9}; }) == "graph: aten.g names value 9 of 6");
    CHECK(refused([](Graph& graph) { graph.nodes[3].writes = {x}; }) == "graph: aten.add_ writes x, which is no argument");
    CHECK(refused([](Graph& graph) { graph.nodes[3].writes = {-1}; }) == "graph: aten.add_ names value -1 of 6");
  }

  TEST_CASE("a role is an input's") {
    CHECK(refused([](Graph& graph) { graph.values[g].role = Role::Buffer; }) == "graph: g has a role and is no input");
  }

  TEST_CASE("a gradient is that of an earlier node, and in a backward pass") {
    CHECK(refused([](Graph& graph) { graph.nodes[2].scope.forward = 2; }) == "graph: aten.g is the gradient of node 2");
    CHECK(refused([](Graph& graph) { graph.nodes[2].scope.forward = -2; }) == "graph: aten.g is the gradient of node -2");
    CHECK(refused([](Graph& graph) { graph.nodes[2].scope.phase = Phase::Optimizer; }) ==
          "graph: aten.g is a gradient outside of a backward pass");
  }

  TEST_CASE("arguments have names, and outputs are made") {
    CHECK(refused([](Graph& graph) { graph.nodes[0].args[0].name = "a b"; }) ==
          "graph: the arguments of aten.slice have the name 'a b'");
    CHECK(refused([](Graph& graph) { graph.nodes[0].args[0].value = Argument(ValueRef{9}); }) ==
          "graph: the arguments of aten.slice names value 9 of 6");
    CHECK(refused([](Graph& graph) { graph.outputs = {7}; }) == "graph: the graph's outputs names value 7 of 6");
  }
}
