#include "opbench/networks/rnn.h"
#include "opbench/cli/options.h"

#include <doctest/doctest.h>

#include "opbench/measure/race.h"
#include "opbench/settings/options.h"
#include "tests/opbench/fake_trial.h"
#include "tests/refusal.h"

using namespace opbench;

namespace {

Options parsed(std::vector<std::string> words) {
  words.insert(words.begin(), "rnn");
  return parseOptions(words, {});
}

std::string rnnRefusal(const std::vector<std::string>& words) {
  return tests::refusal(ir::ErrorKind::Input, [&] {
    const Options options = parsed(words);
    samplesOf(options.rnn, 0, 1e13);
  });
}

std::vector<std::string> namesIn(const Options& options) {
  std::vector<std::string> names;
  for (const Contender& contender : options.contenders) names.push_back(contender.name());
  return names;
}

using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("opbench rnn has fastrnns' defaults") {
  CHECK(namesIn(parsed({"--rnns"})) == namesIn(parsed({})));
  const Options options = parsed({});
  CHECK(options.verb == Verb::Rnn);
  CHECK(options.warmups == 10);
  CHECK(options.runs == 100);
  CHECK(namesIn(options) ==
        Names{"cudnn", "aten", "jit", "jit_premul", "jit_premul_bias", "jit_simple", "jit_multilayer", "py", "opbench"});
  const auto samples = samplesOf(options.rnn, 0, 1e13);
  REQUIRE(samples.size() == 1);
  CHECK(samples[0].op == "rnn.lstm.training");
  CHECK(samples[0].recorded == "((T([100, 64, 512], f32),), {'hidden': 512})");
}

TEST_CASE("its options are fastrnns' in their spelling, lists by blanks or commas") {
  const Options options = parsed({"--seqLength",
                                  "7",
                                  "--numLayers",
                                  "2",
                                  "--inputSize",
                                  "8",
                                  "--hiddenSize",
                                  "9",
                                  "--miniBatch",
                                  "3",
                                  "--rnns",
                                  "jit",
                                  "py,aten",
                                  "--device",
                                  "cpu",
                                  "--warmup",
                                  "1",
                                  "--nloops",
                                  "2",
                                  "--fuser",
                                  "old",
                                  "--executor",
                                  "legacy",
                                  "--sep",
                                  ",",
                                  "--cuda_pointwise_loop_level",
                                  "2",
                                  "--cuda-pointwise-block-count",
                                  "3",
                                  "--cuda-pointwise-block-size",
                                  "4",
                                  "--group",
                                  "rnns",
                                  "--cells",
                                  "lstm,gru"});
  CHECK(namesIn(options) == Names{"jit", "py", "aten"});
  CHECK(options.device == "cpu");
  CHECK(options.runs == 2);
  CHECK(options.rnn.sep == ",");
  const auto samples = samplesOf(options.rnn, 0, 1e13);
  REQUIRE(samples.size() == 2);
  CHECK(samples[1].op == "rnn.gru.training");
  CHECK(samples[1].recorded ==
        "((T([7, 3, 8], f32),), {'hidden': 9, 'layers': 2, 'fuser': 'old', 'executor': 'legacy', 'pointwise_loop_levels': 2, "
        "'pointwise_block_count': 3, 'pointwise_block_size': 4})");
}

TEST_CASE("creators of several networks make a sample each, those of several lengths first") {
  const auto opsOf = [](const std::vector<std::string>& words) {
    Names ops;
    for (const inputs::Sample& sample : samplesOf(parsed(words).rnn, 0, 1e13)) ops.push_back(sample.op);
    return ops;
  };
  CHECK(opsOf({"--rnns", "jit", "jit_layernorm", "cudnn_layernorm", "cudnn_dropout", "jit_layernorm_decom"}) ==
        Names{"rnn.lstm.training", "rnn.lstm_layernorm.training", "rnn.lstm_layernorm_bound.inference",
              "rnn.lstm_dropout.training"});
  CHECK(opsOf({"--variable-lstms"}) == Names{"rnn.vl_lstm.training", "rnn.lstm.training"});

  const auto lengths = [](uint64_t seed) {
    return samplesOf(parsed({"--variable_lstms", "--miniBatch", "4"}).rnn, seed, 1e13).front().recorded;
  };
  CHECK(lengths(1) == lengths(1));
  CHECK(lengths(1) != lengths(2));
}

TEST_CASE("JSON is asked for with or without its form") {
  CHECK(parsed({}).rnn.printJson.empty());
  CHECK(parsed({"--print-json"}).rnn.printJson == "oss");
  CHECK(parsed({"--print-json", "pep"}).rnn.printJson == "pep");
  CHECK(rnnRefusal({"--print-json", "xml"}) == "--print-json must be one of oss, pep, got 'xml'");
}

TEST_CASE("bad input to opbench rnn is one line that says what is wrong") {
  CHECK(rnnRefusal({"--seqLength", "0"}) == "--seqLength must be from 1 to 2147483648, got 0");
  CHECK(rnnRefusal({"--hiddenSize", "-4"}) == "--hiddenSize must be from 1 to 2147483648, got -4");
  CHECK(rnnRefusal({"--hiddenSize", "2000000000"}).find("more memory than there is") != std::string::npos);
  CHECK(rnnRefusal({"--fuser", "x"}) == "--fuser must be one of te, old, none, default, got 'x'");
  CHECK(rnnRefusal({"--rnns", "jit_premull"}).find("unknown creator 'jit_premull'; did you mean jit_premul") == 0);
  CHECK(rnnRefusal({"--group", "trees"}) == "--group must be one of rnns, cnns, got 'trees'");
  CHECK(rnnRefusal({"--nloops", "0"}) == "--nloops must be at least 1, got 0");
}

TEST_CASE("each contender runs exactly as often as asked, in turn, whatever interrupts it") {
  std::string journal;
  const auto always = [](int) { return 1e-3; };
  tests::FakeTrial a("a", always, &journal), b("b", always, &journal);
  tests::FakeGpu device;
  int64_t interruptions = 0;
  device.interruptionsSoFar = [&] { return ++interruptions; };
  const Measurement measurement = raceExactly({&a, &b}, runtime::Measure::Cold, device, 2, 5, 1);
  CHECK(journal.size() == 14);
  for (size_t i = 0; i < journal.size(); i += 2) CHECK(journal[i] != journal[i + 1]);
  CHECK(measurement.timings[0].runs == 5);
  CHECK(measurement.stopped == Stop::Runs);
  CHECK(measurement.interruptions == 10);
}

TEST_CASE("opbench cnn races networks of images, as they are, traced and as plans, a sample each") {
  const Options options = parseOptions({"cnn", "--cnns", "resnet18", "resnet18_jit", "resnet18_opbench", "alexnet"}, {});
  CHECK(options.verb == Verb::Rnn);
  CHECK(namesIn(options) == Names{"eager", "torchscript", "opbench"});
  const auto samples = samplesOf(options.rnn, 0, 1e13);
  REQUIRE(samples.size() == 2);
  CHECK(samples[0].op == "model.resnet18.training");
  CHECK(samples[0].recorded == "((T([32, 3, 224, 224], f32),), {'loss': 'gradient'})");
  CHECK(samples[1].op == "model.alexnet.training");
}

TEST_CASE("both groups are raced where both are named") {
  const Options options = parsed({"--group", "rnns", "cnns", "--rnns", "aten"});
  CHECK(namesIn(options) == Names{"eager", "torchscript", "opbench", "aten"});
  CHECK(samplesOf(options.rnn, 0, 1e13).size() == 3);
}
