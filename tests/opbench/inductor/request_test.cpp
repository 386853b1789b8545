#include "opbench/inductor/request.h"

#include <doctest/doctest.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "tests/refusal.h"

using namespace opbench;
using Json = nlohmann::json;

namespace {

Json requestOf(const ir::Graph& graph, const std::vector<std::string>& settings = {}) {
  return Json::parse(inductorRequest(graph, "cuda", 3, settings));
}

/// One call whose argument `value` is this.
ir::Graph callWith(ir::Argument value) {
  ir::Graph graph;
  graph.nodes.push_back({"aten.some.default", {{"value", std::move(value)}}, {0}, {}});
  return graph;
}

Json argumentOf(ir::Argument value) { return requestOf(callWith(std::move(value)))["calls"][0]["arguments"]["value"]; }

}  // namespace

TEST_CASE("a request has a graph's inputs with their types and devices, its calls and its outputs") {
  ir::Graph graph;
  graph.values = {
      {"self", {ir::DType::F16, {2, 3}, {1, 2}}}, {"other", ir::TensorType::contiguous(ir::DType::I64, {})}, {"out0", {}}};
  graph.values[1].onHost = true;
  graph.inputs = {0, 1};
  graph.values[0].role = ir::Role::Parameter;
  graph.nodes.push_back(
      {"aten.add.Tensor", {{"self", ir::ValueRef{0}}, {"other", ir::ValueRef{1}}, {"alpha", int64_t{2}}}, {2}, {}});
  graph.outputs = {2};
  const Json request = requestOf(graph);
  CHECK(request["device"] == "cuda");
  CHECK(request["threads"] == 3);
  CHECK(request["outputs"] == Json::array({2}));
  CHECK(request["inputs"][0] ==
        Json::parse(R"({"value":0,"sizes":[2,3],"strides":[1,2],"dtype":"float16","device":"cuda","kept":true})"));
  CHECK(request["inputs"][1] ==
        Json::parse(R"({"value":1,"sizes":[],"strides":[],"dtype":"int64","device":"cpu","kept":false})"));
  CHECK(request["calls"] == Json::parse(R"([{"op":"aten.add.Tensor","outputs":[2],"backward":false,
                                             "arguments":{"self":{"value":0},"other":{"value":1},"alpha":2}}])"));
}

TEST_CASE("arguments keep their types; what JSON has no word for is an object") {
  CHECK(argumentOf(ir::None{}) == nullptr);
  CHECK(argumentOf(true) == true);
  CHECK(argumentOf(int64_t{3}).is_number_integer());
  CHECK(argumentOf(3.0).is_number_float());
  CHECK(argumentOf(std::numeric_limits<double>::infinity()) == Json{{"float", "inf"}});
  CHECK(argumentOf(-std::numeric_limits<double>::infinity()) == Json{{"float", "-inf"}});
  CHECK(argumentOf(std::numeric_limits<double>::quiet_NaN()) == Json{{"float", "nan"}});
  CHECK(argumentOf(std::complex<double>(1, 2)) == Json{{"complex", {1.0, 2.0}}});
  CHECK(argumentOf(std::string("none")) == "none");
  CHECK(argumentOf(ir::DType::BF16) == Json{{"dtype", "bfloat16"}});
  CHECK(argumentOf(ir::DeviceName{"cuda:1"}) == Json{{"device", nullptr}});
  CHECK(argumentOf(ir::Symbol{"channels_last"}) == Json{{"symbol", "channels_last"}});
  CHECK(argumentOf(ir::List{{int64_t{1}, ir::None{}}}) == Json::parse("[1,null]"));
  CHECK(tests::refusal(ir::ErrorKind::Unsupported, [] { argumentOf(ir::SparseTensor{"ST(2)"}); }) ==
        "Inductor is not asked for calls with ST(2) among their arguments");
}

TEST_CASE("calls of the backward pass and the optimizer are told from those of forward") {
  ir::Graph graph = callWith(true);
  graph.nodes.resize(3, graph.nodes.front());
  graph.nodes[1].scope.phase = ir::Phase::Backward;
  graph.nodes[2].scope.phase = ir::Phase::Optimizer;
  const Json calls = requestOf(graph)["calls"];
  CHECK(calls[0]["backward"] == false);
  CHECK(calls[1]["backward"] == true);
  CHECK(calls[2]["backward"] == true);
}

TEST_CASE("a call that only tells the host a number is left out") {
  ir::Graph graph = callWith(true);
  graph.nodes[0].outputs.clear();
  CHECK(requestOf(graph)["calls"].empty());
  graph.nodes[0].writes = {0};
  CHECK(requestOf(graph)["calls"].size() == 1);
}

TEST_CASE("settings are numbers and truth values where they read so, else text") {
  const Json settings = requestOf({}, {"max_autotune=1", "triton.cudagraphs=true", "cpp.cxx=g++-13"})["settings"];
  CHECK(settings == Json::parse(R"({"max_autotune":1,"triton.cudagraphs":true,"cpp.cxx":"g++-13"})"));
}
