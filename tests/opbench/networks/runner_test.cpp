#include "opbench/networks/runner.h"
#include "opbench/cli/options.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "inputs/files.h"
#include "opbench/networks/description.h"
#include "opbench/report/networks/runner.h"
#include "opbench/report/networks/words.h"
#include "opbench/results/sample_result.h"
#include "opbench/results/write.h"
#include "opbench/select/suite_config.h"
#include "opbench/settings/options.h"
#include "runtime/program/programs.h"
#include "tests/opbench/temporary_folder.h"
#include "tests/refusal.h"
#include "tests/runtime/program/models.h"

using namespace opbench;

namespace {

using Words = std::vector<std::string>;

/// The options of `opbench model` with these words, on the CPU unless they say otherwise.
Options runnerOptions(Words words) {
  words.insert(words.begin(), "model");
  if (std::find(words.begin(), words.end(), "--device") == words.end()) words.insert(words.end(), {"--device", "cpu"});
  return parseOptions(words, {});
}

std::string refused(const Words& words) {
  return tests::refusal(ir::ErrorKind::Input, [&] { runnerOptions(words); });
}

runtime::Programs builtIn() { return {tests::modelFolder(), {}}; }

std::vector<std::string> modelsLeft(Words words) {
  words.emplace_back("--accuracy");
  return modelsOf(runnerOptions(words).model, builtIn());
}

std::vector<inputs::Sample> samplesFor(const Words& words, const SuiteConfig& config) {
  return samplesOf(runnerOptions(words).model, builtIn(), config, describe);
}

Row runnerRow(const std::string& name = "net") {
  Row row;
  row.index = 1;
  row.op = "model." + name + ".training";
  row.sample = "((T([4, 8], f32),), {})";
  row.outcomes.resize(2);
  row.outcomes[1].contender = Contender("graph");
  for (Outcome& outcome : row.outcomes) outcome.determinism = Determinism::Bitwise;
  return row;
}

/// A row whose contender takes half of eager's memory.
Row timedRow(const std::string& name, double speedup) {
  Row row = runnerRow(name);
  for (Outcome& outcome : row.outcomes) {
    const bool isEager = outcome.contender == Contender::Eager;
    outcome.timing.emplace().median = isEager ? 4e-3 : 4e-3 / speedup;
    outcome.timing->interval = Interval{outcome.timing->median, outcome.timing->median};
    outcome.firstSeconds = isEager ? 0.5 : 2.0;
    outcome.memory.emplace().allocated = isEager ? 2'000'000'000 : 1'000'000'000;
  }
  row.outcomes[1].speedup = speedup;
  return row;
}

std::string wordFor(Status eager, Status contender) {
  Row row = runnerRow();
  row.outcomes[0].status = eager;
  row.outcomes[1].status = contender;
  return std::string(report::accuracyWord(row));
}

}  // namespace

TEST_SUITE("torchbench runner") {
  TEST_CASE("with one of its modes opbench model is the runner: training alone, one contender beside eager") {
    const Options accuracy = runnerOptions({"--accuracy", "--training"});
    CHECK(accuracy.model.runner.isOn);
    CHECK(accuracy.model.noInference);
    CHECK_FALSE(accuracy.timing);
    CHECK(accuracy.noMemory);
    CHECK((accuracy.contenders == std::vector{Contender::Eager, Contender::Opbench}));
    CHECK((runnerOptions({"--accuracy", "--torchscript"}).contenders == std::vector{Contender::Eager, Contender::Torchscript}));
    const Options performance = runnerOptions({"--performance"});
    CHECK(performance.timing);
    CHECK_FALSE(performance.model.noInference);
    CHECK_FALSE(performance.model.isTraining);
    CHECK(runnerOptions({"--dashboard", "records.json"}).model.runner.isOn);
    CHECK_FALSE(runnerOptions({"alexnet", "--training"}).model.noInference);
  }

  TEST_CASE("dtypes have their names, and autocast a dtype of its own") {
    CHECK(runnerOptions({"--accuracy", "--float16"}).dtype == ir::DType::F16);
    CHECK(runnerOptions({"--accuracy", "--bfloat16"}).dtype == ir::DType::BF16);
    CHECK(runnerOptions({"--accuracy", "--float32"}).dtype == ir::DType::F32);
    CHECK(runnerOptions({"--accuracy", "--amp"}).model.amp == "bfloat16");
    CHECK(runnerOptions({"--accuracy", "--amp", "--device", "cuda:0"}).model.amp == "float16");
    CHECK(runnerOptions({"--accuracy", "--amp", "--amp-dtype", "float16"}).model.amp == "float16");
    CHECK(runnerOptions({"--accuracy", "--amp", "float16"}).model.amp == "float16");
    CHECK(refused({"--accuracy", "--float16", "--bfloat16"}) ==
          "model: --float16, --bfloat16 and --float32 contradict each other");
    CHECK(refused({"--accuracy", "--amp-dtype", "float16"}) == "--amp-dtype needs --amp");
    CHECK(refused({"--accuracy", "--amp", "int8"}) == "--amp must be one of float16, bfloat16, got 'int8'");
  }

  TEST_CASE("what needs the runner is refused without it, and what contradicts itself with it") {
    for (const Words& words :
         {Words{"--filter", "a"}, Words{"--exclude", "a"}, Words{"--exclude-exact", "a"}, Words{"--only", "a"},
          Words{"--batch-size-file", "f"}, Words{"--inference"}, Words{"--output", "f.csv"}})
      CHECK(refused(words) == "model: " + words[0] + " needs --accuracy, --performance or --dashboard");
    CHECK(refused({"--accuracy", "--performance"}) == "--accuracy and --performance contradict each other");
    CHECK(refused({"--accuracy", "--inference", "--training"}) == "model: --inference and --training contradict each other");
    CHECK(refused({"--accuracy", "--only", "a", "b"}) == "model: --only and names of models contradict each other");
    CHECK(refused({"alexnet", "--verbose"}) == "model: --verbose needs --trace-memory");
    CHECK(tests::refusal(ir::ErrorKind::Input, [] { parseOptions({"merge", "a.jsonl", "--output", "a.csv"}, {}); }) ==
          "--output needs --accuracy or --performance");
    CHECK(refused({"--accuracy", "--contenders", "eager"}).ends_with("use --contenders eager,NAME"));
  }

  TEST_CASE("models are all, or those whose names match regular expressions in any case") {
    const std::vector<std::string> all = modelsLeft({});
    CHECK(std::count(all.begin(), all.end(), "bert_base") == 1);
    CHECK(std::count(all.begin(), all.end(), "vit_base") == 1);
    CHECK(std::count(all.begin(), all.end(), "bert_base_base") == 0);
    CHECK(modelsLeft({"--filter", "^RESNET", "--filter", "gpt2"}) == Words{"gpt2", "resnet18", "resnet50"});
    CHECK(modelsLeft({"--filter", "resnet", "--exclude", "50$"}) == Words{"resnet18"});
    CHECK(modelsLeft({"--filter", "res(ne|nex)t[0-9]{2,3}", "--exclude-exact", "resnet50"}) == Words{"resnet18", "resnext50"});
    CHECK(modelsLeft({"--only", "alexnet"}) == Words{"alexnet"});
    const auto why = [](const Words& words) { return tests::refusal(ir::ErrorKind::Input, [&] { modelsLeft(words); }); };
    CHECK(why({"--filter", "("}) == "--filter '(' is no regular expression");
    CHECK(why({"--filter", "nothing"}) == "model: --filter, --exclude and --exclude-exact leave no model");
    CHECK(why({"--exclude-exact", "resnet81"}).find("did you mean") != std::string::npos);
  }

  TEST_CASE("batches are the file's, the option's, the configuration's, or the archive's, in this order") {
    const tests::TemporaryFolder folder;
    Tolerances tolerances;
    const SuiteConfig config =
        SuiteConfig::parse("batch_size: {inference: {alexnet: 3}, training: {alexnet: 5}}\n", "c.yaml", tolerances);
    const auto batchOf = [&](Words words) {
      words.insert(words.end(), {"--performance", "--only", "alexnet"});
      return samplesFor(words, config).at(0).recorded.substr(0, 6);
    };
    CHECK(batchOf({}) == "((T([3");
    CHECK(batchOf({"--training"}) == "((T([5");
    CHECK(batchOf({"--batch-size", "7"}) == "((T([7");
    const std::string file = folder.path / "batches.csv";
    inputs::writeFile(file, "resnet18, 2\n\nalexnet,9\n");
    CHECK(batchOf({"--batch-size", "7", "--batch-size-file", file}) == "((T([9");
    inputs::writeFile(file,
                      "\xef\xbb\xbf"
                      "alexnet,2\nalexnut,9\n");  // a byte order mark
    CHECK(batchOf({"--batch-size", "7", "--batch-size-file", file}) == "((T([2");
    CHECK(unknownBatches(runnerOptions({"--accuracy", "--batch-size-file", file}).model.runner, builtIn()) ==
          file + ": there is no model alexnut; did you mean alexnet?");
    inputs::writeFile(file, "alexnet,9\nresnet18 many\n");
    CHECK(refused({"--accuracy", "--batch-size-file", file}) == file + ":2: expected NAME,BATCH, found 'resnet18 many'");
  }

  TEST_CASE("the configuration says which models run under autocast, or in float16") {
    Tolerances tolerances;
    const SuiteConfig config =
        SuiteConfig::parse("dtype:\n  force_amp_for_fp16_bf16_models: [[alexnet]]\n  force_fp16_for_bf16_models: [resnet18]\n",
                           "c.yaml", tolerances);
    const auto keywords = [&](const char* name, const Words& dtype) {
      Words words{"--accuracy", "--only", name, "--batch-size", "2"};
      words.insert(words.end(), dtype.begin(), dtype.end());
      const std::string text = samplesFor(words, config).at(0).recorded;
      return text.substr(text.rfind('{'));
    };
    CHECK(keywords("alexnet", {}) == "{})");
    CHECK(keywords("alexnet", {"--float16"}) == "{'dtype': 'float32', 'amp': 'float16'})");
    CHECK(keywords("alexnet", {"--bfloat16"}) == "{'dtype': 'float32', 'amp': 'bfloat16'})");
    CHECK(keywords("resnet18", {"--bfloat16"}) == "{'dtype': 'float16'})");
    CHECK(keywords("resnet18", {"--float16"}) == "{'dtype': 'float16'})");
    CHECK(keywords("squeezenet1_1", {"--bfloat16"}) == "{})");
  }

  TEST_CASE("words say what became of a model, and are made of its row") {
    CHECK(wordFor(Status::Ok, Status::Ok) == "pass");
    CHECK(wordFor(Status::Ok, Status::Wrong) == "fail_accuracy");
    CHECK(wordFor(Status::Error, Status::Error) == "eager_1st_run_fail");
    CHECK(wordFor(Status::Unsupported, Status::Unsupported) == "eager_1st_run_fail");
    CHECK(wordFor(Status::Oom, Status::Oom) == "eager_1st_run_OOM");
    CHECK(wordFor(Status::Ok, Status::Error) == "fail_to_run");
    CHECK(wordFor(Status::Ok, Status::Unsupported) == "fail_to_run");
    CHECK(wordFor(Status::Ok, Status::Oom) == "OOM");
    CHECK(wordFor(Status::Timeout, Status::Timeout) == "timeout");
    CHECK(wordFor(Status::Crash, Status::Crash) == "infra_error");
    CHECK(wordFor(Status::Ok, Status::Crash) == "fail_to_run");
    CHECK(wordFor(Status::Skipped, Status::Skipped) == "");
    Row row = runnerRow();
    row.outcomes[0].determinism = Determinism::WithinTolerance;
    CHECK(report::accuracyWord(row) == "eager_two_runs_differ");
    row.outcomes[0].determinism.reset();  // of what may differ it is not asked
    CHECK(report::accuracyWord(row) == "pass");
    row.notChecked = "c.yaml:3 lists it as too large to be checked";
    CHECK(report::accuracyWord(row) == "pass_due_to_skip");
    for (Outcome& outcome : row.outcomes) outcome.status = Status::Skipped;
    CHECK(report::accuracyWord(row) == "pass_due_to_skip");
    const std::string lines = results::jsonLines(row, Run());
    CHECK(lines.find("pass_due_to_skip") == std::string::npos);
    CHECK(report::accuracyWord(results::sampleResultOf(lines, "r.jsonl", 1).row) == "pass_due_to_skip");
  }

  TEST_CASE("Dynamo's CSV has its columns, and 0 for the figures of what failed") {
    Run run;
    run.device = "cuda:0";
    Row failed = timedRow("bad", 3);
    failed.outcomes[1].status = Status::Wrong;
    Row skipped = runnerRow("out");
    for (Outcome& outcome : skipped.outcomes) outcome.status = Status::Skipped;
    const std::vector<Row> rows{timedRow("net", 2), failed, skipped};
    CHECK(report::runnerCsv(rows, run, report::RunnerMode::Performance) ==
          "dev,name,batch_size,speedup,abs_latency,compilation_latency,compression_ratio,eager_peak_mem,dynamo_peak_mem\n"
          "cuda,net,4,2.000000,2.000000,1.500000,2.000000,2.000000,1.000000\n"
          "cuda,bad,4,0.000000,0.000000,0.000000,0.000000,0.000000,0.000000\n");
    CHECK(report::runnerCsv(rows, run, report::RunnerMode::Accuracy) ==
          "dev,name,batch_size,accuracy\ncuda,net,4,pass\ncuda,bad,4,fail_accuracy\n");
  }

  TEST_CASE("the last lines are the pass rate, and means over what passes") {
    Row failed = timedRow("bad", 100);
    failed.outcomes[1].status = Status::Wrong;
    failed.outcomes[1].reason = "the loss is wrong";
    const std::vector<Row> rows{timedRow("net", 2), timedRow("nets", 8), failed};
    const std::string text = report::runnerTable(rows, Run(), report::RunnerMode::Performance, {});
    CHECK(text.find("the loss is wrong") != std::string::npos);
    CHECK(
        text.ends_with("\npass rate: 2 of 3 models, 67% (1 fail_accuracy, 2 pass)\n"
                       "geometric mean of speedups: 4.000x, 2 models\n"
                       "mean compilation latency: 1.500 s, 2 models\n"
                       "geometric mean of compression ratios: 2.000x, 2 models\n"));
    CHECK(report::runnerTable(rows, Run(), report::RunnerMode::Accuracy, {}).find("speedup") == std::string::npos);
  }
}
