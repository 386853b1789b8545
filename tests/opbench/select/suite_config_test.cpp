#include "opbench/select/suite_config.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "ir/error.h"
#include "opbench/run/pipeline.h"
#include "opbench/select/select.h"
#include "runtime/devices/open.h"
#include "tests/opbench/temporary_folder.h"

using namespace opbench;

namespace {

/// A user's file, and what it says.
struct UsersFile : tests::UsersFile {
  explicit UsersFile(const std::string& text) : tests::UsersFile(text), config(path, tolerances) {}

  Tolerances tolerances;
  SuiteConfig config;
};

/// What is said about a file that cannot be understood, from its line on.
std::string refusal(const std::string& text) {
  const tests::UsersFile file(text);
  Tolerances tolerances;
  try {
    SuiteConfig(file.path, tolerances);
  } catch (const ir::Error& error) {
    CHECK(error.kind() == ir::ErrorKind::Input);
    const std::string message = error.what();
    REQUIRE(message.starts_with(file.path + ":"));
    return message.substr(file.path.size() + 1);
  }
  return "accepted";
}

inputs::Sample sampleOf(const std::string& op) {
  return inputs::parseFile("Operator: " + op + "\ncnt: 3, ((T([16, 8], f32),), {})\n", "a.txt", "a").samples.at(0);
}

/// What becomes of a small sample on the CPU.
Outcome raced(const std::string& op, const UsersFile& file, RaceSettings options = {}) {
  options.repeats = 1;
  options.contenders = {Contender::Eager};
  const auto device = runtime::openDevice("cpu", 1);
  const runtime::Cache cache;
  Run run;
  run.contenders = options.contenders;
  run.device = "cpu";
  return raceSample(sampleOf(op), 1, Bench{options, run, *device, cache, nullptr, file.tolerances, file.config}).outcomes.at(0);
}

}  // namespace

TEST_CASE("operators are skipped everywhere, or by type of device") {
  const UsersFile file(
      "skip:\n"
      "  all: [embedding_bag, '*_dropout*']\n"
      "  device:\n"
      "    cpu: [aten.addmm]\n"
      "    cuda:\n"
      "    - sort\n");
  const SuiteConfig& config = file.config;
  CHECK(config.whySkipped("aten.embedding_bag.default", "cuda:1", false) == file.path + ":2 skips it");
  CHECK(config.whySkipped("aten.native_dropout.default", "cpu", true) == file.path + ":2 skips it");
  CHECK(config.whySkipped("aten.addmm.default", "cpu", false) == file.path + ":4 skips it on cpu");
  CHECK(config.whySkipped("aten.addmm.default", "cuda:0", false) == "");
  CHECK(config.whySkipped("aten.sort.stable", "cuda:3", false) == file.path + ":6 skips it on cuda");
  CHECK(config.whySkipped("aten.add.Tensor", "cpu", false) == "");
}

TEST_CASE("what is slow is raced where that is asked for") {
  const UsersFile file("slow:\n  - '*_cdist*'\n  - sort\n");
  CHECK(file.config.whySkipped("aten.sort.default", "cpu", false) == file.path + ":3 lists it as slow; use --slow to race it");
  CHECK(file.config.whySkipped("aten.sort.default", "cpu", true) == "");
  CHECK(file.config.whySkipped("aten.add.Tensor", "cpu", false) == "");
}

TEST_CASE("of several caps on an operator the least counts") {
  const UsersFile file("max_samples: {all: 9, add: 2, aten.add.Tensor: 5}\nmax_bytes:\n  add: 1e9\n");
  CHECK(file.config.maxSamples("aten.add.Tensor")->most == 2);
  CHECK(file.config.maxSamples("aten.mul.Tensor")->most == 9);
  CHECK(file.config.maxBytes("aten.add.Tensor")->most == 1000000000);
  CHECK(file.config.maxBytes("aten.add.Tensor")->place == file.path + ":3");
  CHECK_FALSE(file.config.maxBytes("aten.mul.Tensor"));
}

TEST_CASE("caps on samples hold beside --max-samples, in every mode") {
  const UsersFile file("max_samples: {neg: 2}\n");
  const std::vector<inputs::Sample> samples{sampleOf("aten.neg.default"), sampleOf("aten.neg.default"),
                                            sampleOf("aten.neg.default"), sampleOf("aten.abs.default")};
  SelectionSettings options;
  CHECK(select(samples, options, file.config).samples.size() == 3);
  CHECK(select(samples, options, file.config).recorded.samples == 4);
  options.sampleMode = SampleMode::All;
  CHECK(select(samples, options, file.config).samples.size() == 3);
  options.maxSamples = 1;
  options.sampleMode = SampleMode::First;
  CHECK(select(samples, options, file.config).samples.size() == 2);
}

TEST_CASE("tolerance has the form of --tolerances, and non_deterministic names what may differ from run to run") {
  const UsersFile file(
      "tolerance:\n  dtypes: {f16: 0.5}\n  operators:\n  - {names: [gelu], tolerance: 0.25}\n"
      "non_deterministic: [index_put]\n");
  CHECK(file.tolerances.limit({}, ir::DType::F16, true).element == 0.5);
  CHECK(file.tolerances.criterionFor("aten.gelu.default").tolerance == 0.25);
  CHECK(file.tolerances.criterionFor("aten.index_put_.default").mayVary);
  CHECK_FALSE(file.tolerances.criterionFor("aten.index_add.default").mayVary);
}

TEST_CASE("what is left out is skipped, with the reason") {
  const UsersFile file("skip: {device: {cpu: [neg], cuda: [abs]}}\nslow: [exp]\nmax_bytes: {sin: 511, abs: 512}\n");
  const auto reasonOf = [&](const std::string& op) {
    const Outcome outcome = raced(op, file);
    CHECK(outcome.status == Status::Skipped);
    CHECK_FALSE(outcome.timing);
    return outcome.reason;
  };
  CHECK(reasonOf("aten.neg.default") == file.path + ":1 skips it on cpu");
  CHECK(reasonOf("aten.exp.default") == file.path + ":2 lists it as slow; use --slow to race it");
  CHECK(reasonOf("aten.sin.default") == "arguments take 512 bytes, more than max_bytes 511 of " + file.path + ":3");
  CHECK(raced("aten.abs.default", file).status == Status::Ok);
  RaceSettings options;
  options.slow = true;
  CHECK(raced("aten.exp.default", file, options).status == Status::Ok);
}

TEST_CASE("two runs of what may differ are not compared") {
  const UsersFile file("non_deterministic: [neg]\n");
  CHECK_FALSE(raced("aten.neg.default", file).determinism);
  CHECK(raced("aten.abs.default", file).determinism == Determinism::Bitwise);
}

TEST_CASE("every key of torchbench's runner, with anchors and nested lists") {
  const UsersFile file(
      "very_slow: &VERY_SLOW\n  - glacier\n"
      "slow:\n  - *VERY_SLOW\n  - [tortoise, [snail]]\n"
      "canary_models: &CANARY [bird, [wren]]\n"
      "only_training: [*CANARY, trainee]\n"
      "batch_size:\n  training: {alpha: 4}\n  inference: {alpha: 32, beta: 2}\n"
      "tolerance:\n  higher: [*CANARY, gamma]\n  even_higher: [[delta]]\n  higher_fp16: [*CANARY]\n"
      "  higher_bf16: [[wren]]\n  cosine: [*VERY_SLOW]\n  freezing: {even_higher: []}\n"
      "non_deterministic: [*CANARY]\n"
      "skip:\n  all: [*VERY_SLOW, [epsilon]]\n  device: {cpu: [[cpuless]], cuda: [*CANARY]}\n"
      "  test: {training: [*CANARY, untrained]}\n  freezing: {cuda: [*CANARY]}\n  multiprocess: []\n"
      "  control_flow: [*CANARY]\n"
      "accuracy:\n  skip:\n    large_models: [*CANARY, [giant]]\n    eager_not_deterministic: [[dice]]\n"
      "dtype:\n  force_amp_for_fp16_bf16_models: [*CANARY, [mixed]]\n  force_fp16_for_bf16_models: [[half]]\n"
      "trt_not_yet_working: [*CANARY]\n"
      "require_larger_multiplier_for_smaller_tensor: [yolov3]\n");
  const SuiteConfig& config = file.config;
  const auto skipped = [&](const std::string& op, const char* device) { return config.whySkipped(op, device, false); };

  CHECK(skipped("model.snail.inference", "cpu") == file.path + ":5 lists it as slow; use --slow to race it");
  CHECK(config.whySkipped("model.tortoise.training", "cpu", true) == "");
  CHECK(config.whySkipped("model.glacier.training", "cpu", true) == file.path + ":2 skips it");  // where its name stands
  CHECK(skipped("model.epsilon.inference", "cpu").ends_with("skips it"));
  CHECK(skipped("model.cpuless.inference", "cpu").ends_with("skips it on cpu"));
  CHECK(skipped("model.cpuless.inference", "cuda:0") == "");
  CHECK(skipped("model.untrained.training", "cpu").ends_with("skips it in training"));
  CHECK(skipped("model.untrained.inference", "cpu") == "");
  CHECK(skipped("model.trainee.inference", "cpu").ends_with("skips it in inference"));
  CHECK(skipped("model.alpha.inference", "cpu") == "");
  CHECK(skipped("aten.alpha.default", "cpu") == "");

  CHECK(config.batchSize("model.alpha.training") == 4);
  CHECK(config.batchSize("model.alpha.inference") == 32);
  CHECK_FALSE(config.batchSize("model.beta.training"));

  CHECK(config.whyNotChecked("model.giant.inference", true).ends_with("too large to be checked"));
  CHECK(config.whyNotChecked("model.dice.training", false).ends_with("eager is not deterministic"));
  CHECK(config.whyNotChecked("model.dice.training", true) == "");
  CHECK(config.whyNotChecked("model.dice.inference", false) == "");

  CHECK(config.forcesAutocast("model.mixed.inference"));
  CHECK(config.forcesAutocast("model.wren.training"));
  CHECK_FALSE(config.forcesAutocast("model.half.training"));
  CHECK(config.forcesFloat16("model.half.training"));

  const auto criterion = [&](const char* op, const NetworkRun& run) { return file.tolerances.criterionFor(op, run); };
  const NetworkRun onGpu{ir::DType::F32, false, true};
  CHECK(criterion("model.gamma.training", onGpu).leastTolerance == 1e-3);
  CHECK(criterion("model.gamma.training", {}).leastTolerance == 0);
  CHECK(criterion("model.gamma.inference", onGpu).leastTolerance == 0);
  CHECK(criterion("model.delta.training", onGpu).leastTolerance == 8e-2);
  CHECK(criterion("model.wren.inference", {ir::DType::F16}).leastTolerance == 1e-2);
  CHECK(criterion("model.wren.inference", {ir::DType::F32, true}).leastTolerance == 1e-2);
  CHECK(criterion("model.wren.inference", {ir::DType::BF16}).leastTolerance == 1e-2);
  CHECK(criterion("model.bird.inference", {ir::DType::BF16}).leastTolerance == 0);
  CHECK(criterion("model.glacier.training", onGpu).byCosine);
  CHECK_FALSE(criterion("model.glacier.training", {}).byCosine);
  CHECK(criterion("model.wren.training", {}).mayVary);
  CHECK_FALSE(criterion("model.gamma.training", {}).mayVary);

  CHECK(config.withoutEffect() == file.path +
                                      ": canary_models, tolerance: freezing, skip: freezing, skip: multiprocess, "
                                      "skip: control_flow, trt_not_yet_working, require_larger_multiplier_for_smaller_tensor");
}

TEST_CASE("keys without values, and aliases of them, name nothing") {
  const UsersFile file(
      "very_slow: &VERY_SLOW\n\n\n# more than a minute\nslow:\n  - *VERY_SLOW\n  # 137 s\n  - snail\n"
      "skip:\n  all:\n  device:\n    cuda: []\n  test:\ntolerance:\n  cosine:\ndtype:\naccuracy:\n  skip:\nbatch_size:\n  "
      "training:\n");
  CHECK(file.config.whySkipped("model.snail.training", "cpu", false).ends_with(":8 lists it as slow; use --slow to race it"));
  CHECK(file.config.whySkipped("model.other.training", "cpu", false) == "");
}

TEST_CASE("the higher tolerance of a network is where its error may lie") {
  const UsersFile file("tolerance: {even_higher: [net]}\n");
  const auto share = [&](const char* op) {
    return file.tolerances.limit(file.tolerances.criterionFor(op, {ir::DType::F32, false, true}), ir::DType::F32, true).share;
  };
  CHECK(share("model.net.training") == doctest::Approx(8e-3));
  CHECK(share("model.other.training") == doctest::Approx(1e-5));
}

TEST_CASE("lists that stand for more than a file can hold are refused") {
  std::string bomb = "canary_models:\n- &a0 [x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 10; ++i)
    bomb += fmt::format("- &a{0} [*a{1}, *a{1}, *a{1}, *a{1}, *a{1}, *a{1}, *a{1}, *a{1}]\n", i, i - 1);
  CHECK(refusal(bomb + "slow: *a9\n").find("more than 100000 names in a list") != std::string::npos);
  CHECK(refusal("slow: &loop [a, *loop]\n") != "accepted");
  CHECK(refusal("slow: " + std::string(20, '[') + "a" + std::string(20, ']') + "\n") == "1: lists are nested more than 16 deep");
}

TEST_CASE("what cannot be understood in a suite's configuration is refused with its line and the nearest known word") {
  CHECK(refusal("skip: {all: []}\nsolw: [add]\n") == "2: unknown key 'solw'; did you mean slow?");
  CHECK(refusal("skip:\n  devices: {}\n") == "2: unknown key of skip 'devices'; did you mean device?");
  CHECK(refusal("skip:\n  device:\n    cdua: []\n") == "3: unknown key of skip: device 'cdua'; did you mean cuda?");
  CHECK(refusal("skip: [add]\n") == "1: skip must be a map: `key: value`");
  CHECK(refusal("slow: add\n") == "1: slow must be a list: `[a, b]`");
  CHECK(refusal("slow: [{add: 1}]\n") == "1: expected an operator name");
  CHECK(refusal("slow: [*backward]\n").ends_with("; a pattern that begins with * needs quotes: '*backward*'"));
  CHECK(refusal("slow: [**]\n").ends_with("; a pattern that begins with * needs quotes: '*backward*'"));
  CHECK(refusal("skip: {test: {evaluation: []}}\n").starts_with("1: unknown key of skip: test 'evaluation'"));
  CHECK(refusal("accuracy: {skip: {large_model: []}}\n") ==
        "1: unknown key of accuracy: skip 'large_model'; did you mean large_models?");
  CHECK(refusal("dtype: {force_amp: []}\n").starts_with("1: unknown key of dtype 'force_amp'"));
  CHECK(refusal("batch_size:\n  training: {a: 0}\n").starts_with("2: expected a whole number"));
  CHECK(refusal("tolerance: {highr: []}\n") == "1: unknown key 'highr'; did you mean higher?");
  CHECK(refusal("slow: [cdist]\nslow: ['*']\n") == "2: duplicate key 'slow'");
  CHECK(refusal("max_bytes: {add: 1e9,\n  add: 1}\n") == "2: duplicate key 'add'");
  CHECK(refusal("slow: [cdist]\n---\nslow: ['*']\n") == "2: expected one YAML document, found a second");
  CHECK(refusal("\n,") == "2: expected one YAML document, found a second");  // in which yaml-cpp finds documents without end
  CHECK(refusal("max_bytes: {add: 9e16}\n").starts_with("1: expected a whole number"));
  CHECK(refusal("max_samples: {add: 0}\n") == "1: expected a whole number from 1 to 9000000000000000, found '0'");
  CHECK(refusal("max_samples: {add: 1.5}\n") == "1: expected a whole number from 1 to 9000000000000000, found '1.5'");
  CHECK(refusal("max_bytes: {add: much}\n") == "1: expected a whole number from 1 to 9000000000000000, found 'much'");
  CHECK(refusal("tolerance:\n  dtypes:\n    f15: 1\n") == "3: unknown floating dtype 'f15'; did you mean f16?");
  CHECK(refusal("tolerance: [gelu]\n") == "1: a table of tolerances must be a map: `key: value`");
  CHECK(refusal("slow: [*_backward]\n").starts_with("1: "));
  CHECK(refusal("") == "accepted");
  Tolerances tolerances;
  CHECK_THROWS_WITH_AS(SuiteConfig("/no/such/file.yaml", tolerances), "cannot read /no/such/file.yaml: No such file or directory",
                       ir::Error);
}
