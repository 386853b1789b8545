// Torchbench's runner over small models on the CPU.
#include <doctest/doctest.h>

#include <algorithm>
#include <csignal>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "inputs/files.h"
#include "opbench/cli/options.h"
#include "opbench/networks/description.h"
#include "opbench/networks/model.h"
#include "opbench/select/suite_config.h"
#include "opbench/sweep/sweep.h"
#include "runtime/program/programs.h"
#include "tests/cache_settings.h"
#include "tests/opbench/known_ceilings.h"
#include "tests/opbench/program_bed.h"
#include "tests/runtime/program/models.h"

using namespace opbench;

namespace {

using Words = std::vector<std::string>;

std::string named(const std::string& name, const std::string& archive = "mlp") {
  return name + "=" + tests::smallModelPath(archive);
}

/// Runs of the runner in this process, with what they printed and wrote.
struct RunnerBed {
  void run(Words words) {
    words.insert(words.begin(), "model");
    words.insert(words.end(), {"--device", "cpu", "--threads", "1", "--in-process", "--batch-size", "4", "--repeat", "1",
                               "--output", csvFile()});
    options = parseOptions(words, {});
    options.cache = tests::cacheIn(folder.path);
    tests::putCeilings(options.cache);
    options.cases.clear();
    Tolerances tolerances;
    const SuiteConfig config(options.config, tolerances);
    out.str("");
    sweep(samplesOf(options.model, runtime::Programs("", options.programs), config, describe), options, Streams{out, err},
          [] { return false; });
  }
  std::string csvFile() const { return folder.path / "out.csv"; }
  std::string csv() const { return inputs::readFile(csvFile()); }
  /// The word of a model whose traced form is checked.
  std::string word(Words extra, const std::string& archive = "mlp", bool isTraining = true) {
    extra.insert(extra.begin(), {named("net", archive), "--accuracy"});
    if (isTraining) extra.emplace_back("--training");
    run(extra);
    const std::string text = csv();
    return text.substr(text.rfind(',') + 1, text.size() - text.rfind(',') - 2);
  }

  tests::TemporaryFolder folder;
  Options options;
  std::ostringstream out, err;
};

}  // namespace

TEST_SUITE("torchbench runner") {
  TEST_CASE("accuracy: a traced model passes, and each mistake in it fails, by word") {
    RunnerBed bed;
    CHECK(bed.word({}) == "pass");
    CHECK(bed.csv() == "dev,name,batch_size,accuracy\ncpu,net,4,pass\n");
    CHECK(bed.out.str().find("pass rate: 1 of 1 model, 100% (1 pass)\n") != std::string::npos);
    CHECK(bed.word({"--fault", "scaled-gradient"}) == "fail_accuracy");
    CHECK(bed.word({"--fault", "dropped-bias"}) == "fail_accuracy");
    CHECK(bed.word({"--fault", "dropped-bias"}, "mlp_with_weights", false) == "fail_accuracy");
    CHECK(bed.word({"--fault", "skipped-step", "--optimizer", "sgd"}) == "fail_accuracy");
    CHECK(bed.word({"--fault", "other-mask"}, "mlp_training") == "fail_accuracy");
    CHECK(bed.word({"--fault", "stale-statistic"}) == "fail_to_run");  // it keeps no statistics
    CHECK(bed.word({"--cosine", "--fault", "scaled-gradient"}) == "pass");
  }

  TEST_CASE("performance: its CSV and means, and records for the dashboard") {
    RunnerBed bed;
    const std::string records = bed.folder.path / "records.json";
    bed.run({named("net"), named("again"), "--performance", "--training", "--dashboard", records});
    std::istringstream lines(bed.csv());
    std::string heading, first, second, none;
    std::getline(lines, heading);
    std::getline(lines, first);
    std::getline(lines, second);
    CHECK_FALSE(std::getline(lines, none));
    CHECK(first.starts_with("cpu,net,4,"));
    CHECK(second.starts_with("cpu,again,4,"));
    CHECK(std::count(heading.begin(), heading.end(), ',') == std::count(first.begin(), first.end(), ','));
    CHECK(bed.out.str().find("geometric mean of compression ratios: ") != std::string::npos);
    std::set<std::string> metrics;
    for (const auto& record : nlohmann::json::parse(inputs::readFile(records))) {
      CHECK(record["benchmark"]["mode"] == "training");
      CHECK(record["model"]["type"] == "model");
      metrics.insert(record["model"]["name"].get<std::string>() + " " + record["model"]["backend"].get<std::string>() + " " +
                     record["metric"]["name"].get<std::string>());
    }
    for (const char* metric : {"net opbench speedup", "net opbench peak memory", "net eager first run", "again eager latency"})
      CHECK_MESSAGE(metrics.contains(metric), metric);
  }

  TEST_CASE("the configuration leaves models out, and passes what it has not checked") {
    RunnerBed bed;
    const std::string file = bed.folder.path / "torchbench.yaml";
    inputs::writeFile(file, "skip: {test: {training: [[out]]}}\naccuracy: {skip: {large_models: [[big]]}}\nslow: [tortoise]\n");
    Words words{named("net"), named("out"), named("big"), named("tortoise"), "--training", "--config", file, "--accuracy"};
    bed.run(words);
    CHECK(bed.csv() == "dev,name,batch_size,accuracy\ncpu,net,4,pass\ncpu,big,4,pass_due_to_skip\n");
    words.emplace_back("--slow");
    bed.run(words);
    CHECK(bed.csv().find("cpu,tortoise,4,pass\n") != std::string::npos);
    bed.run({named("big"), "--training", "--config", file, "--performance"});
    CHECK(bed.csv().find("cpu,big,4,0.000000") == std::string::npos);  // it is timed all the same
    CHECK(bed.out.str().find("pass_due_to_skip") != std::string::npos);
  }

  TEST_CASE("a partition that is killed is resumed, and the partitions together are the whole") {
    const tests::ProgramBed bed(0);
    Words words{"model"};
    for (const char* name : {"a", "b", "c", "d", "e"}) words.push_back(named(name));
    words.insert(words.end(), {"--accuracy", "--batch-size", "4", "--device", "cpu", "--threads", "1", "--no-multi-process",
                               "--cache", bed.cacheSettings().folder, "--total-partitions", "2", "--resume"});
    std::multiset<std::string> models;
    for (const std::string partition : {"0", "1"}) {
      const std::string json = bed.folder.path / (partition + ".jsonl"), csv = bed.folder.path / (partition + ".csv");
      Words part = words;
      part.insert(part.end(), {"--partition-id", partition, "--json", json, "--output", csv});
      const pid_t pid = bed.launch(part, {});
      tests::waitForBytes(json, pid, 1);
      kill(pid, SIGKILL);
      tests::ProgramBed::wait(pid);
      CHECK(bed.program(part) == 0);
      std::istringstream lines(inputs::readFile(csv));
      std::string line;
      std::getline(lines, line);
      while (std::getline(lines, line)) models.insert(line);
    }
    const std::string all = bed.folder.path / "all.csv";
    CHECK(bed.program({"merge", bed.folder.path / "0.jsonl", bed.folder.path / "1.jsonl", "--accuracy", "--output", all}) == 0);
    CHECK(inputs::readFile(all) ==
          "dev,name,batch_size,accuracy\ncpu,a,4,pass\ncpu,b,4,pass\ncpu,c,4,pass\ncpu,d,4,pass\ncpu,e,4,pass\n");
    CHECK(bed.out().find("pass rate: 5 of 5 models") != std::string::npos);
    CHECK(bed.program({"merge", bed.folder.path / "0.jsonl", bed.folder.path / "1.jsonl"}) == 0);
    CHECK(bed.out().find("samples/s") != std::string::npos);  // the models' own table
    CHECK(models == std::multiset<std::string>{"cpu,a,4,pass", "cpu,b,4,pass", "cpu,c,4,pass", "cpu,d,4,pass", "cpu,e,4,pass"});
  }
}
