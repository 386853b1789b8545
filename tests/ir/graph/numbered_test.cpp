#include "ir/graph.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "ir/text/text.h"
#include "ir/verify/verify.h"

using namespace ir;

namespace {

/// A step of training with all that the text of graphs has.
constexpr const char* step = R"(graph
  parameter w         f32[2, 3]
  in        x         f32[3]
  state     m         f32[2, 3]
  storage flat 64
  buffer    mean      f32[3] of flat
  buffer    var       f32[3] of flat + 4
  constant  constant0 i64[3] of x on host
  generator random i64[2]
  t0 f32[3, 2] strides (1, 3) of w = aten.t.default(self=w) module "encoder.layer.0"
  t1 f32[2] = aten.mv.default(self=w, vec=x)
  storage memory_of_t2 4096
  t2 f32[2] of memory_of_t2 + 8, t2_ f32[2] of memory_of_t2 = aten.f.default(self=t1, n=[1, None, (2,)], p=-0.0)
  t3 f32[1] of t1 + 1 = aten.g.default(self=t1) @backward 1 module "a \"b\""
  m = aten.add_.Tensor(self=m, other=w, alpha=complex(1.0, -inf)) writes m @optimizer
  return t3, m
)";

}  // namespace

TEST_SUITE("graphs of steps") {
  TEST_CASE("values are numbered as the text makes them: what is read back is the graph") {
    std::string text = step;
    text.replace(text.find("of x on host"), 12, "of flat + 8");  // i64: byte 64 is the end
    text.replace(text.find("i64[3] of flat + 8"), 18, "f32[3] of flat + 8");
    const Graph graph = parseGraph(text);
    verify(graph);
    CHECK(toText(graph) == text);
    CHECK(numbered(graph) == graph);

    Graph shuffled = graph;  // the last value becomes the first, and storages change places
    const int last = static_cast<int>(graph.values.size()) - 1;
    const auto moved = [&](int value) { return value == last ? 0 : value + 1; };
    std::rotate(shuffled.values.begin(), shuffled.values.end() - 1, shuffled.values.end());
    std::reverse(shuffled.storages.begin(), shuffled.storages.end());
    for (GraphValue& value : shuffled.values)
      if (value.storage >= 0) value.storage = static_cast<int>(graph.storages.size()) - 1 - value.storage;
    for (std::vector<int>* values : {&shuffled.inputs, &shuffled.outputs})
      for (int& value : *values) value = moved(value);
    shuffled.generator = moved(*shuffled.generator);
    for (Node& node : shuffled.nodes) {
      for (std::vector<int>* values : {&node.outputs, &node.writes})
        for (int& value : *values) value = moved(value);
      for (NamedArgument& argument : node.args)
        if (auto* value = std::get_if<ValueRef>(&argument.value.data)) value->index = moved(value->index);
    }
    CHECK(toText(shuffled) == text);
    CHECK_FALSE(shuffled == graph);
    CHECK(numbered(shuffled) == graph);
  }

  TEST_CASE("what nothing makes has no number, and memory of one value alone is no storage") {
    Graph graph = parseGraph("graph\n  in x f32[4]\n  y f32[2] of x = aten.f(self=x)\n  return x\n");
    graph.nodes.clear();
    CHECK(numbered(graph) == parseGraph("graph\n  in x f32[4]\n  return x\n"));
  }
}
