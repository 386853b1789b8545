#include "inputs/archive/exported.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "inputs/archive/index_bound.h"
#include "tests/inputs/archive/zip_writer.h"
#include "tests/refusal.h"

using inputs::Archive;
using inputs::ExportedProgram;
using enum ir::ErrorKind;

namespace {

using Records = std::vector<std::pair<std::string, std::string>>;

/// The text with every `from` replaced.
std::string replaced(std::string text, const std::string& from, const std::string& to) {
  REQUIRE(text.find(from) != std::string::npos);
  for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
  return text;
}

/// An embedding of ids [s0, 4] in a table of 10 rows.
const std::string program = R"json({
  "schema_version": {"major": 8, "minor": 17},
  "range_constraints": {"s0": {"min_val": 2, "max_val": null}},
  "guards_code": ["__import__('os').abort()"],
  "graph_module": {
    "signature": {
      "input_specs": [{"parameter": {"arg": {"name": "p_w"}, "parameter_name": "m.w"}},
                      {"user_input": {"arg": {"as_tensor": {"name": "ids"}}}}],
      "output_specs": [{"user_output": {"arg": {"as_tensor": {"name": "embedding"}}}}]},
    "graph": {
      "tensor_values": {
        "p_w": {"dtype": 7, "layout": 7, "sizes": [{"as_int": 10}, {"as_int": 3}]},
        "ids": {"dtype": 5, "layout": 7, "sizes": [
          {"as_expr": {"expr_str": "Symbol('s0', positive=True, integer=True)", "hint": {"as_int": 3}}}, {"as_int": 4}]}},
      "nodes": [{
        "target": "torch.ops.aten.embedding.default", "name": "embedding",
        "metadata": {"nn_module_stack": "a,,Net;b,m.table,Embedding"},
        "inputs": [{"name": "weight", "arg": {"as_tensor": {"name": "p_w"}}},
                   {"name": "indices", "arg": {"as_tensor": {"name": "ids"}}}],
        "outputs": [{"as_tensor": {"name": "embedding"}}]}]}}})json";
const std::string weights = R"json({"config": {"m.w": {"path_name": "weight_0", "is_param": true, "use_pickle": false,
  "tensor_meta": {"dtype": 7, "layout": 7, "requires_grad": true, "sizes": [{"as_int": 10}, {"as_int": 3}],
                  "strides": [{"as_int": 3}, {"as_int": 1}], "storage_offset": {"as_int": 0}}}}})json";

Records records() {
  return {{"models/model.json", program},
          {"data/weights/model_weights_config.json", weights},
          {"data/constants/model_constants_config.json", "{\"config\": {}}"},
          {"data/weights/weight_0", ""}};
}

ExportedProgram read(const Records& all) { return readExported(Archive::of("net.pt2", tests::zipOf(all))); }

std::string refused(ir::ErrorKind kind, const Records& all) {
  return tests::refusal(kind, [&] { read(all); });
}

/// The refusal of the program, or of its weights, with a text replaced by another one.
std::string refusedProgram(ir::ErrorKind kind, const std::string& from, const std::string& to) {
  Records all = records();
  all[0].second = replaced(program, from, to);
  return refused(kind, all);
}
std::string refusedWeights(ir::ErrorKind kind, const std::string& from, const std::string& to) {
  Records all = records();
  all[1].second = replaced(weights, from, to);
  return refused(kind, all);
}

}  // namespace

TEST_SUITE("archives of torch.export") {
  TEST_CASE("an archive is read into values, state and nodes") {
    const ExportedProgram net = read(records());
    REQUIRE(net.values.size() == 3);
    CHECK(net.values[1].name == "ids");
    REQUIRE(net.symbols.size() == 1);
    CHECK(net.symbols[0].least == 2);
    REQUIRE(net.state.size() == 1);
    CHECK(net.state[0].requiresGrad);
    REQUIRE(net.nodes.size() == 1);
    CHECK(net.nodes[0].module == "m.table");
    CHECK(indexBound(net, 1).value_or(0) == 10);
    CHECK(!indexBound(net, 0));
  }

  TEST_CASE("a module's path may stand alone, as in archives that are cut to what a race needs") {
    Records all = records();
    all[0].second = replaced(program, "a,,Net;b,m.table,Embedding", "m.table");
    CHECK(read(all).nodes[0].module == "m.table");
  }

  TEST_CASE("archives that are damaged are refused by what is wrong") {
    const std::string whole = tests::zipOf(records());
    const auto open = [](std::string bytes) {
      return tests::refusal(Input, [&] { readExported(Archive::of("net.pt2", std::move(bytes))); });
    };
    CHECK(open("") == "net.pt2 is no archive: it is too short");
    CHECK(open(whole.substr(0, whole.size() / 2)) == "net.pt2 is no archive: it has no directory, as of a file that was cut off");
    CHECK(open(replaced(whole, "guards_code", "Guards_code")) ==
          "net.pt2 is no archive: 'models/model.json' is damaged: its sum is another");
    CHECK(open(replaced(whole, "archive/data", "another/data")) ==
          "net.pt2 is no archive: its records do not lie in one folder, as torch writes them");
    for (size_t size = 0; size < whole.size(); size += 7)  // wherever it is cut off
      CHECK(open(whole.substr(0, size)).starts_with("net.pt2 is no archive: "));
    Records twice = records();
    twice.push_back(twice[3]);
    CHECK(refused(Input, twice) == "net.pt2 is no archive: it has 'data/weights/weight_0' twice");
    CHECK(refused(Input, {{"version", "3"}}) == "net.pt2 holds no program: it has no models/NAME.json");
    CHECK(refused(Unsupported, {{"data.pkl", ""}}) ==
          "net.pt2 is a pickle (torch.save or TorchScript), not a program of torch.export");
  }

  TEST_CASE("an archive that claims to inflate beyond its means is refused before it is inflated") {
    std::string bomb = tests::zipOf(records());
    const size_t entry = bomb.rfind("PK\x01\x02");
    bomb.replace(entry + 24, 4, "\xf0\xff\xff\xff");  // 4 GiB
    const uint64_t most = (64 << 20) + 100 * bomb.size();
    CHECK(tests::refusal(Input, [&] { Archive::of("net.pt2", bomb); }) ==
          fmt::format("net.pt2 is no archive: inflated it has more than {} bytes, for {} of its own", most, bomb.size()));
  }

  TEST_CASE("JSON of strangers is bounded, and errors name the place") {
    const std::string deep(100000, '[');
    CHECK(refusedProgram(Input, "[\"__import__('os').abort()\"]", deep) ==
          "net.pt2: models/model.json nests deeper than 64 levels");
    CHECK(refusedProgram(Input, "\"schema_version\"", "schema_version") ==
          "net.pt2: models/model.json is no JSON: it ends or breaks at byte 5");
    CHECK(refusedProgram(Input, "\"target\": \"torch.ops.aten.embedding.default\", ", "") ==
          "net.pt2: models/model.json: graph_module.graph.nodes[0] has no target");
    CHECK(refusedProgram(Input, "\"min_val\": 2", "\"min_val\": 99999999999999999999") ==
          "net.pt2: models/model.json: range_constraints.s0.min_val is '1e+20', not an integer");
    CHECK(refusedProgram(Input, "\"min_val\": 2", "\"min_val\": 1e999") ==
          "net.pt2: models/model.json has a number that is larger than any double");
    CHECK(refusedProgram(Input, "{\"as_int\": 4}", "{\"as_int\": -4}") ==
          "net.pt2: models/model.json: graph_module.graph.tensor_values.ids.sizes[1].as_int is '-4', not an integer from 0 to "
          "9223372036854775807");
  }

  TEST_CASE("what is not run is named") {
    CHECK(refusedProgram(Unsupported, "\"major\": 8", "\"major\": 9") ==
          "net.pt2 has version 9 of torch.export's schema, 8 is read: export it with torch 2.11 to 2.15");
    const std::string node = "net.pt2: models/model.json: graph_module.graph.nodes[0] ",
                      target = "torch.ops.aten.embedding.default";
    CHECK(refusedProgram(Unsupported, target, "torch.ops.higher_order.cond") ==
          node + "is the higher-order operator 'higher_order.cond'");
    CHECK(refusedProgram(Unsupported, target, "torch.ops.fbgemm.nms.default") ==
          node + "cannot run: fbgemm.nms.default is refused: only operators of the namespace aten are called");
    CHECK(refusedProgram(Unsupported, target, "torch.ops.aten.from_file.default") ==
          node + "cannot run: aten.from_file.default is refused: it maps a file");
    CHECK(refusedProgram(Unsupported, "\"weight\", \"arg\": {\"as_tensor\"", "\"weight\", \"arg\": {\"as_custom_obj\"") ==
          "net.pt2: models/model.json: graph_module.graph.nodes[0].inputs[0].arg.as_custom_obj is a custom object");
    CHECK(refusedProgram(Unsupported, "\"output_specs\": [", "\"output_specs\": [{\"token\": {\"arg\": {\"name\": \"t\"}}}, ") ==
          "net.pt2: models/model.json: graph_module.signature.output_specs[0].token is a token that orders side effects");
    CHECK(refusedWeights(Unsupported, "\"use_pickle\": false", "\"use_pickle\": true") ==
          "net.pt2: data/weights/model_weights_config.json: config.m.w is pickled: pickles are not read");
  }

  TEST_CASE("a block under a setting is its calls, which have the block's number; its names are its own") {
    const std::string block = R"json({"target": "torch.ops.higher_order.wrap_with_set_grad_enabled", "name": "block",
      "inputs": [{"name": "", "arg": {"as_bool": false}},
                 {"name": "", "arg": {"as_graph": {"name": "submod_1", "graph": {
                   "inputs": [{"as_tensor": {"name": "arg0"}}], "outputs": [{"as_tensor": {"name": "twice"}}], "tensor_values": {},
                   "nodes": [{"target": "torch.ops.aten.neg.default", "inputs": [{"name": "self", "arg": {"as_tensor": {"name": "arg0"}}}],
                              "outputs": [{"as_tensor": {"name": "embedding"}}]},
                             {"target": "torch.ops.aten.neg.default", "inputs": [{"name": "self", "arg": {"as_tensor": {"name": "embedding"}}}],
                              "outputs": [{"as_tensor": {"name": "twice"}}]}]}}}},
                 {"name": "", "arg": {"as_tensor": {"name": "p_w"}}}],
      "outputs": [{"as_tensor": {"name": "twice"}}]},)json";
    Records all = records();
    all[0].second = replaced(replaced(program, "\"nodes\": [{", "\"nodes\": [" + block + "{"),
                             "\"weight\", \"arg\": {\"as_tensor\": {\"name\": \"p_w\"}}",
                             "\"weight\", \"arg\": {\"as_tensor\": {\"name\": \"twice\"}}");
    const ExportedProgram net = read(all);
    REQUIRE(net.nodes.size() == 3);
    CHECK(net.nodes[0].target == "torch.ops.aten.neg.default");
    CHECK((net.nodes[0].block == 1 && net.nodes[1].block == 1 && net.nodes[2].block == 0));
    CHECK(net.blocks[1].computesGradients == false);
    CHECK_FALSE(net.blocks[1].isAutocast.has_value());
    CHECK(net.nodes[2].arguments[0].value.integer == net.nodes[1].outputs[0].integer);

    const auto broken = [&](const std::string& from, const std::string& to) {
      Records other = all;
      other[0].second = replaced(other[0].second, from, to);
      return refused(Input, other);
    };
    const std::string place = "net.pt2: models/model.json: graph_module.graph.nodes[0]";
    CHECK(broken("\"inputs\": [{\"as_tensor\": {\"name\": \"arg0\"}}]", "\"inputs\": []") ==
          place + " gives 1 values to a graph of 0");
    CHECK(broken("\"outputs\": [{\"as_tensor\": {\"name\": \"twice\"}}], \"tensor_values\"",
                 "\"outputs\": [], \"tensor_values\"") == place + " has 1 results of a graph of 0");
  }

  TEST_CASE("operators of decomposed graphs are ATen's") {
    Records all = records();
    const std::string convert = R"json({"target": "torch.ops.prims.convert_element_type.default", "name": "half",
      "inputs": [{"name": "a", "arg": {"as_tensor": {"name": "p_w"}}}, {"name": "dtype", "arg": {"as_scalar_type": 6}}],
      "outputs": [{"as_tensor": {"name": "half"}}]},)json";
    const std::string iota = R"json({"target": "torch.ops.prims.iota.default", "name": "iota",
      "inputs": [{"name": "length", "arg": {"as_int": 4}}, {"name": "start", "arg": {"as_int": 3}}, {"name": "step", "arg": {"as_int": 2}},
                 {"name": "dtype", "arg": {"as_scalar_type": 5}}, {"name": "requires_grad", "arg": {"as_bool": false}}],
      "outputs": [{"as_tensor": {"name": "iota"}}]},)json";
    all[0].second = replaced(program, "\"nodes\": [{", "\"nodes\": [" + convert + iota + "{");
    const ExportedProgram net = read(all);
    CHECK(net.nodes[0].target == "torch.ops.aten._to_copy.default");
    CHECK((net.nodes[0].arguments[0].name == "self" && net.nodes[0].arguments[1].name == "dtype"));
    CHECK(net.nodes[1].target == "torch.ops.aten.arange.start_step");
    CHECK((net.nodes[1].arguments[0].value.integer == 3 && net.nodes[1].arguments[1].value.integer == 11));
    all[0].second = replaced(all[0].second, "prims.iota", "prims.rev");
    CHECK(refused(Unsupported, all) ==
          "net.pt2: models/model.json: graph_module.graph.nodes[1] cannot run: prims.rev.default is refused: "
          "only operators of the namespace aten are called");
  }

  TEST_CASE("values are made once, before they are used") {
    const std::string inputs = "net.pt2: models/model.json: graph_module.graph.nodes[0].inputs[1].arg.as_tensor.name ";
    CHECK(refusedProgram(Input, "\"indices\", \"arg\": {\"as_tensor\": {\"name\": \"ids\"",
                         "\"indices\", \"arg\": {\"as_tensor\": {\"name\": \"idx\"") ==
          inputs + "uses 'idx', which nothing before it makes");
    CHECK(refusedProgram(Input, "\"outputs\": [{\"as_tensor\": {\"name\": \"embedding\"",
                         "\"outputs\": [{\"as_tensor\": {\"name\": \"ids\"") ==
          "net.pt2: models/model.json: graph_module.graph.nodes[0].outputs[0].as_tensor makes 'ids' a second time");
  }

  TEST_CASE("tensors fit their records and memory") {
    const std::string config = "net.pt2: data/weights/model_weights_config.json: config.m.w", meta = config + ".tensor_meta ";
    Records torn = records();
    torn[3].second = std::string(100, '\0');
    CHECK(refused(Input, torn) == meta + "needs 120 bytes, its record 'data/weights/weight_0' has 100");
    CHECK(refusedWeights(Input, "{\"as_int\": 10}", "{\"as_int\": 4611686018427387904}") == meta + "is larger than any memory");
    CHECK(refusedWeights(Input, "\"storage_offset\": {\"as_int\": 0}", "\"storage_offset\": {\"as_int\": 9223372036854775807}") ==
          meta + "is larger than any memory");
    CHECK(refusedWeights(Unsupported, "\"strides\": [{\"as_int\": 3}", "\"strides\": [{\"as_int\": 1}") ==
          meta + "overlaps itself");
    CHECK(refusedWeights(Input, "weight_0", "../../../etc/passwd") == "net.pt2 has no record 'data/weights/../../../etc/passwd'");
    CHECK(refusedWeights(Input, "\"m.w\"", "\"m.v\"") ==
          "tensor 'm.w' of the program is neither among its weights nor its constants");
  }
}
