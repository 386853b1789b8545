#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>
#include <doctest/doctest.h>

#include "runtime/program/draw.h"
#include "runtime/program/exported.h"
#include "runtime/torch/translate.h"
#include "runtime/workloads/network/step.h"
#include "tests/inputs/archive/zip_writer.h"
#include "tests/refusal.h"
#include "tests/runtime/program/models.h"

using namespace runtime;
using enum ir::ErrorKind;

namespace {

/// A program of the input x [s0, 4] and the buffer m.total [4], whose nodes and results are given.
std::unique_ptr<Program> programOf(const std::string& nodes, const std::string& results) {
  const std::string program = R"json({
  "schema_version": {"major": 8},
  "range_constraints": {"s0": {"min_val": 2, "max_val": null}},
  "graph_module": {
    "signature": {
      "input_specs": [{"buffer": {"arg": {"name": "b"}, "buffer_name": "m.total"}}, {"user_input": {"arg": {"as_tensor": {"name": "x"}}}}],
      "output_specs": [)json" +
                              results + R"json(]},
    "graph": {
      "tensor_values": {
        "x": {"dtype": 7, "layout": 7, "sizes": [{"as_expr": {"expr_str": "Symbol('s0')"}}, {"as_int": 4}]},
        "ones": {"dtype": 7, "layout": 7, "sizes": [{"as_int": 4}]}},
      "nodes": [)json" + nodes +
                              "]}}}";
  const std::string constants =
      R"json({"config": {"m.total": {"path_name": "t", "is_param": false, "use_pickle": false, "tensor_meta": {
    "dtype": 7, "layout": 7, "requires_grad": false, "sizes": [{"as_int": 4}], "strides": [{"as_int": 1}], "storage_offset": {"as_int": 0}}}}})json";
  return openExported(inputs::Archive::of("net.pt2", tests::zipOf({{"models/model.json", program},
                                                                   {"data/weights/model_weights_config.json", "{\"config\": {}}"},
                                                                   {"data/constants/model_constants_config.json", constants},
                                                                   {"data/constants/t", std::string(16, '\0')}})));
}

std::string argument(const std::string& name, const std::string& kind, const std::string& value) {
  return "{\"name\": \"" + name + "\", \"arg\": {\"" + kind + "\": " + value + "}}";
}
std::string tensor(const std::string& name, const std::string& value) {
  return argument(name, "as_tensor", "{\"name\": \"" + value + "\"}");
}

std::string node(const std::string& target, const std::string& arguments, const std::string& output,
                 const std::string& kind = "as_tensor") {
  return "{\"target\": \"" + target + "\", \"inputs\": [" + arguments + "], \"outputs\": [{\"" + kind + "\": {\"" +
         (kind == "as_tensor" ? "name" : "as_name") + "\": \"" + output + "\"}}]}";
}

std::string result(const std::string& name) {
  return "{\"user_output\": {\"arg\": {\"as_tensor\": {\"name\": \"" + name + "\"}}}}";
}

std::string refusedNode(ir::ErrorKind kind, const std::string& target, const std::string& arguments) {
  return tests::refusal(kind, [&] { programOf(node(target, arguments, "y"), result("y")); });
}

at::Tensor runOn(const Program& program, const at::Tensor& x) { return program.run(drawState(program, 1, at::kCPU), {x})[0]; }

}  // namespace

TEST_SUITE("program's nodes") {
  TEST_CASE("numbers take the form that the schema declares") {
    const at::Tensor x = at::ones({2, 4}, at::kHalf);
    // A number beside a tensor does not widen its dtype.
    const auto add = programOf(
        node("torch.ops.aten.add.Tensor", tensor("self", "x") + ", " + argument("other", "as_float", "2.5"), "y"), result("y"));
    CHECK(runOn(*add, x).equal(at::full({2, 4}, 3.5, at::kHalf)));
    const auto infinite = programOf(
        node("torch.ops.aten.mul.Scalar", tensor("self", "x") + ", " + argument("other", "as_float", "\"-Infinity\""), "y"),
        result("y"));
    CHECK(runOn(*infinite, x).isinf().all().item().toBool());
    // One number for all dimensions.
    const auto pool = programOf(
        node("torch.ops.aten.avg_pool1d.default", tensor("self", "x") + ", " + argument("kernel_size", "as_int", "2"), "y"),
        result("y"));
    CHECK(runOn(*pool, at::ones({2, 4})).sizes() == at::IntArrayRef({2, 2}));
  }

  TEST_CASE("sizes are computed as Python does") {
    const auto folded = programOf(
        node("torch.ops.aten.sym_size.int", tensor("self", "x") + ", " + argument("dim", "as_int", "0"), "s", "as_sym_int") +
            ", " +
            node("_operator.floordiv", argument("a", "as_sym_int", "{\"as_name\": \"s\"}") + ", " + argument("b", "as_int", "2"),
                 "h", "as_sym_int") +
            ", " +
            node("torch.ops.aten.view.default",
                 tensor("self", "x") + ", " + argument("size", "as_sym_ints", "[{\"as_name\": \"h\"}, {\"as_int\": -1}]"), "y"),
        result("y"));
    CHECK(runOn(*folded, at::ones({6, 4})).sizes() == at::IntArrayRef({3, 8}));
  }

  TEST_CASE("a power of a size is that number, or too large, however often it is multiplied") {
    const auto raised = [](const char* base, const char* exponent) {
      return programOf(
          node("_operator.pow", argument("a", "as_int", base) + ", " + argument("b", "as_int", exponent), "p", "as_sym_int") +
              ", " +
              node("torch.ops.aten.view.default",
                   tensor("self", "x") + ", " + argument("size", "as_sym_ints", "[{\"as_name\": \"p\"}, {\"as_int\": -1}]"), "y"),
          result("y"));
    };
    const auto rowsOf = [&](const char* base, const char* exponent) {
      return runOn(*raised(base, exponent), at::ones({2, 4})).size(0);
    };
    CHECK(rowsOf("2", "3") == 8);
    CHECK(rowsOf("-2", "2") == 4);
    CHECK(rowsOf("2", "0") == 1);
    CHECK(rowsOf("-1", "4611686018427387904") == 1);
    CHECK(tests::refusal(Input, [&] { rowsOf("2", "4611686018427387904"); }).find("an extent is larger than 64 bits hold") !=
          std::string::npos);
    CHECK(tests::refusal(Input, [&] { rowsOf("-3", "41"); }).find("larger than 64 bits") != std::string::npos);
  }

  TEST_CASE("results that are buffers are written back after the run") {
    const auto counting =
        programOf(node("torch.ops.aten.add.Tensor", tensor("self", "b") + ", " + argument("other", "as_int", "1"), "t"),
                  result("t") + ", {\"buffer_mutation\": {\"arg\": {\"name\": \"t\"}, \"buffer_name\": \"m.total\"}}");
    const auto state = drawState(*counting, 1, at::kCPU);
    counting->run(state, {at::ones({2, 4})});
    counting->run(state, {at::ones({2, 4})});
    CHECK(state[0].equal(at::full({4}, 2.0)));
    CHECK(counting->outputNames().size() == 1);
  }

  TEST_CASE("a floating dtype that a node names, or torch's default one, is baked") {
    const auto cast = programOf(
        node("torch.ops.aten.to.dtype", tensor("self", "x") + ", " + argument("dtype", "as_scalar_type", "7"), "y"), result("y"));
    CHECK(cast->bakedDtype().value_or("") == "node y (aten.to.dtype)");
    CHECK((runOn(*cast->inFloat64(), at::ones({2, 4}, at::kDouble)).scalar_type() == at::kDouble));
    const auto ones = programOf(node("torch.ops.aten.ones.default", argument("size", "as_ints", "[4]"), "ones"), result("ones"));
    CHECK(ones->bakedDtype().value_or("") == "node ones (aten.ones.default)");
    CHECK((runOn(*ones->inFloat64(), at::ones({2, 4})).scalar_type() == at::kDouble));
    CHECK((runOn(*ones, at::ones({2, 4})).scalar_type() == at::kFloat));
    for (const char* name : {"gpt2", "t5_small", "debertav2", "bart_base"})
      CHECK(openProgram(tests::modelPath(name))->bakedDtype());
    for (const char* name : {"bert_base", "resnet18", "vit_base", "swin_base_training"})
      CHECK(!openProgram(tests::modelPath(name))->bakedDtype());
  }

  TEST_CASE("gradients flow to all parameters, and statistics are written") {
    const auto program = openProgram(tests::modelPath("resnet18_training"));
    const auto state = drawState(*program, 1, at::kCPU);
    program->run(state, {drawInputs(*program, {{2, 3, 224, 224}}, 1, at::kCPU)})[0].mean().backward();
    for (size_t i = 0; i < state.size(); ++i) {
      CAPTURE(program->state()[i].name);
      CHECK(state[i].grad().defined() == (program->state()[i].role == Role::Parameter));
      if (program->state()[i].name.ends_with("num_batches_tracked")) CHECK(state[i].item().toLong() == 1);
      if (program->state()[i].name.ends_with("running_var")) CHECK(!(state[i] == 1).all().item().toBool());
    }
  }

  TEST_CASE("nodes that do not fit their operator are one line") {
    const std::string self = tensor("self", "x");
    CHECK(refusedNode(Unsupported, "torch.ops.aten.nothing.default", self) ==
          "net.pt2: node y (aten.nothing.default) cannot run: ATen has no operator aten.nothing.default");
    CHECK(refusedNode(Unsupported, "subprocess.run", self) ==
          "net.pt2: node y (subprocess.run) cannot run: it is no operator of ATen");
    CHECK(refusedNode(Input, "torch.ops.aten.add.Tensor", self) ==
          "net.pt2: node y (aten.add.Tensor): argument 'other' is missing");
    CHECK(refusedNode(Input, "torch.ops.aten.relu.default", self + ", " + self) ==
          "net.pt2: node y (aten.relu.default) has twice the argument 'self'");
    CHECK(refusedNode(Input, "torch.ops.aten.relu.default", self + ", " + argument("mode", "as_int", "1")) ==
          "net.pt2: node y (aten.relu.default) has no argument 'mode'");
    CHECK(refusedNode(Input, "torch.ops.aten.view.default", self + ", " + argument("size", "as_string", "\"4\"")) ==
          "net.pt2: node y (aten.view.default): argument 'size' must be int, got a string");
    CHECK(refusedNode(Input, "_operator.mul", argument("a", "as_int", "1")) ==
          "net.pt2: node y (_operator.mul) has 1 arguments and 1 results");
  }

  TEST_CASE("errors of ATen and its kernels name the node, and what it is part of") {
    const auto product =
        programOf(node("torch.ops.aten.mm.default", tensor("self", "x") + ", " + tensor("mat2", "x"), "y"), result("y"));
    CHECK_THROWS_WITH_AS(runOn(*product, at::ones({2, 4})), doctest::Contains("in node y (aten.mm.default)"), c10::Error);
    const auto fill = programOf(
        node("torch.ops.aten.fill.Scalar", tensor("self", "x") + ", " + argument("value", "as_float", "1e6"), "y"), result("y"));
    const auto forward = [&] { return inPhase("forward", [] {}, [&] { return runOn(*fill, at::ones({2, 4}, at::kHalf)); }); };
    CHECK(
        tests::refusal(Unsupported, [&] { translateErrors("model.net", forward); }) ==
        "ATen refuses model.net: value cannot be converted to type c10::Half without overflow (in node y (aten.fill.Scalar), in "
        "forward)");
  }
}
