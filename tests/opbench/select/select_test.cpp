#include "opbench/select/select.h"

#include <doctest/doctest.h>

#include "ir/error.h"
#include "opbench/text/patterns.h"
#include "tests/refusal.h"

using namespace opbench;
using inputs::Sample;

namespace {

Sample sample(std::string op, int64_t count, std::string recorded = "") {
  Sample s;
  s.op = std::move(op);
  s.count = count;
  s.recorded = std::move(recorded);
  return s;
}

std::vector<Sample> recorded() {
  return {sample("aten.mul.Tensor", 3, "a"),
          sample("aten.add.Tensor", 1, "b"),
          sample("aten.add.Tensor", 7, "c"),
          sample("aten.add_.Tensor", 2, "d"),
          sample("aten.add.Tensor", 7, "e"),
          sample("aten.add.Scalar", 5, "f"),
          sample("aten._softmax_backward_data.default", 4, "g")};
}

/// What the recorded texts of the selected samples spell.
std::string selected(const SelectionSettings& options) {
  std::string text;
  for (const Sample& s : select(recorded(), options).samples) text += s.recorded;
  return text;
}

std::string selected(std::vector<std::string> ops) {
  SelectionSettings options;
  options.ops = std::move(ops);
  return selected(options);
}

}  // namespace

TEST_CASE("an operator is named by overload, packet, glob, or all; with and without its namespace") {
  CHECK(matches("aten.add.Tensor", "aten.add.Tensor"));
  CHECK(matches("aten.add.Tensor", "aten.add"));
  CHECK(matches("aten.add.Tensor", "add"));
  CHECK(matches("aten.add.Tensor", "add.Tensor"));
  CHECK(matches("aten.add.Tensor", "torch.ops.aten.add.Tensor"));
  CHECK(matches("aten.add.Tensor", "aten::add"));
  CHECK(matches("aten.add.Tensor", "aten.add*"));
  CHECK(matches("aten.add.Tensor", "*.Tensor"));
  CHECK(matches("aten.add.Tensor", "all"));
  CHECK_FALSE(matches("aten.add_.Tensor", "aten.add"));
  CHECK_FALSE(matches("aten.addmm.default", "add"));
  CHECK_FALSE(matches("aten.add.Tensor", "add.Scalar"));
}

TEST_CASE("operators stand in alphabetical order, their most frequent samples first, equal counts in file order") {
  CHECK(selected({"all"}) == "gfcebda");
  CHECK(selected({"aten.add"}) == "fceb");
  CHECK(selected({"mul", "add_"}) == "da");
  CHECK(selected({"*backward*"}) == "g");
}

TEST_CASE("of each operator --start-idx samples are passed over and --max-samples taken") {
  SelectionSettings options;
  options.ops = {"aten.add.Tensor", "mul"};
  options.maxSamples = 2;
  CHECK(selected(options) == "cea");
  options.startIdx = 1;
  CHECK(selected(options) == "eb");
  options.startIdx = 9;
  CHECK(selected(options) == "");
  options.startIdx = 0;
  options.maxSamples = 0;
  CHECK(selected(options) == "ceba");
}

TEST_CASE("--filter keeps operators that match it as well as --op, --exclude leaves out what matches it and wins") {
  SelectionSettings options;
  options.filters = {"add", "*backward*"};
  CHECK(selected(options) == "gfceb");
  options.excludes = {"*.Scalar", "aten._softmax*"};
  CHECK(selected(options) == "ceb");
  options.ops = {"add_", "mul", "add.Scalar"};
  CHECK(selected(options) == "");
  options.filters.clear();
  CHECK(selected(options) == "da");
}

TEST_CASE("what was selected from is all that was recorded of the operators that are meant") {
  SelectionSettings options;
  options.ops = {"aten.add"};
  options.maxSamples = 1;
  const Selection selection = select(recorded(), options);
  CHECK(selection.samples.size() == 2);
  CHECK(selection.recorded == Recorded{4, 1 + 7 + 7 + 5});
}

TEST_CASE("--sample-mode says which samples of an operator are taken") {
  SelectionSettings options;
  options.ops = {"aten.add.Tensor"};
  options.maxSamples = 2;
  options.sampleMode = SampleMode::First;
  CHECK(selected(options) == "bc");
  options.sampleMode = SampleMode::Top;
  CHECK(selected(options) == "ce");
  options.sampleMode = SampleMode::All;
  CHECK(selected(options) == "ceb");
  options.startIdx = 1;
  CHECK(selected(options) == "eb");
}

TEST_CASE("stratified samples are by turns of all size classes and layouts, of each the most frequent first") {
  const auto sized = [](const char* name, int64_t count, ir::TensorType type) {
    Sample s = sample("aten.neg.default", count, name);
    s.args = {std::move(type)};
    return s;
  };
  const auto small = ir::TensorType::contiguous(ir::DType::F16, {64, 64});
  const auto large = ir::TensorType::contiguous(ir::DType::F32, {4096, 4096});
  const ir::TensorType strided{ir::DType::F16, {64, 64}, {1, 64}};
  const std::vector<Sample> samples = {sized("a", 1, large), sized("b", 9, small),   sized("c", 8, small),
                                       sized("d", 7, small), sized("e", 2, strided), sized("f", 3, strided)};
  SelectionSettings options;
  options.sampleMode = SampleMode::Stratified;
  std::string text;
  for (const Sample& s : select(samples, options).samples) text += s.recorded;
  CHECK(text == "bfaced");
  options.maxSamples = 3;
  text.clear();
  for (const Sample& s : select(samples, options).samples) text += s.recorded;
  CHECK(text == "bfa");
}

TEST_CASE("a pattern that matches nothing gets the nearest names") {
  const std::vector<std::string> aten = {"aten.add.Tensor", "aten.sub.Tensor", "aten.tanh.default"};
  CHECK(unmatched(recorded(), {"add", "sbu", "all"}) == std::vector<std::string>{"sbu"});
  CHECK(unknownOperator("aten.ad.Tensor", recorded(), aten) ==
        "unknown operator 'aten.ad.Tensor'; did you mean aten.add.Tensor, aten.add_.Tensor or aten.mul.Tensor?");
  CHECK(unknownOperator("aten.tnah.default", recorded(), aten) ==
        "unknown operator 'aten.tnah.default'; did you mean aten.tanh.default?");
  CHECK(unknownOperator("aten.sub.Tensor", recorded(), aten) ==
        "no sample of operator 'aten.sub.Tensor' in the files read; ATen has the operator, --inp-file reads samples of your own; "
        "did you mean aten.mul.Tensor, aten.add.Tensor or "
        "aten.add_.Tensor?");
  CHECK(unknownOperator("convolution_overrideable_thing", recorded(), aten) ==
        "unknown operator 'convolution_overrideable_thing'");
}

TEST_CASE("a sample's size is the storage of its tensor arguments, lists included") {
  Sample s;
  s.args = {ir::TensorType{ir::DType::F16, {4, 8}, {0, 1}},
            ir::List{{ir::TensorType::contiguous(ir::DType::F32, {10}), ir::TensorType::contiguous(ir::DType::I64, {2})}},
            int64_t{3}};
  CHECK(argumentBytes(s) == 8 * 2 + 10 * 4 + 2 * 8);
}

TEST_CASE(
    "patterns of a file that mean no operator are refused with their place; those that may name a network only if one is near") {
  const std::vector<std::string> aten{"aten.add.Tensor", "aten.silu.default"};
  const auto refusal = [&](const OperatorPattern& pattern) {
    return tests::refusal(ir::ErrorKind::Input, [&] { checkPatterns({pattern}, aten); });
  };
  CHECK_NOTHROW(checkPatterns({{"add", "t.yaml:1"}, {"*silu*", "t.yaml:1"}, {"all", "t.yaml:2"}}, aten));
  CHECK(refusal({"sillu", "t.yaml:3"}) == "t.yaml:3: unknown operator 'sillu'; did you mean aten.silu?");
  CHECK(refusal({"sillu", "t.yaml:3", true}) == "t.yaml:3: unknown operator 'sillu'; did you mean aten.silu?");
  CHECK(refusal({"resnet18", "t.yaml:4"}) == "t.yaml:4: unknown operator 'resnet18'");
  CHECK_NOTHROW(checkPatterns({{"resnet18", "t.yaml:4", true}}, aten));
  CHECK(refusal({"silu2", "t.yaml:5", true}) == "t.yaml:5: unknown operator 'silu2'; did you mean aten.silu?");
  CHECK_NOTHROW(checkPatterns({{"silu2", "t.yaml:5", true}}, aten, {"silu2"}));
}
