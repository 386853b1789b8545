#include <doctest/doctest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "opbench/results/sample_result.h"
#include "opbench/sweep/sweep.h"
#include "tests/cache_settings.h"
#include "tests/opbench/known_ceilings.h"
#include "tests/opbench/temporary_folder.h"

using namespace opbench;

namespace {

/// Sweeps of small samples on the CPU, in this process.
struct RnnSweepBed {
  RnnSweepBed() {
    options.device = "cpu";
    options.threads = 1;
    options.inProcess = true;
    options.repeats = 1;
    options.warmups = 1;
    options.runs = 3;
    options.cache = tests::cacheIn(folder.path);
    tests::putCeilings(options.cache);
    options.json = folder.path / "r.jsonl";
  }

  /// Ends after so many samples.
  Summary run(std::vector<inputs::Sample> samples, int most = 1000) {
    int done = 0;
    out.str("");
    err.str("");
    return sweep(std::move(samples), options, Streams{out, err}, [&] { return done++ == most; });
  }
  /// The contenders of each sample in the file that were timed.
  std::vector<std::string> timed() const {
    std::vector<std::string> samples;
    std::ifstream file(options.json);
    results::readSampleResults(file, options.json, 0, [&](const results::SampleResult& result) {
      std::string names = result.row.op + ":";
      for (const Outcome& outcome : result.row.outcomes)
        if (outcome.timing) names += " " + outcome.contender.name();
      samples.push_back(names);
    });
    return samples;
  }

  tests::TemporaryFolder folder;
  Options options;
  std::ostringstream out, err;
};

std::vector<inputs::Sample> mixedSamples() {
  return inputs::parseFile(
             "Operator: aten.neg.default\ncnt: 1, ((T([4, 64], f32),), {})\n"
             "Operator: rnn.lstm.training\ncnt: 1, ((T([5, 3, 4], f32),), {'hidden': 6})\n"
             "Operator: aten.exp.default\ncnt: 1, ((T([4, 64], f32),), {})\n",
             "mixed.txt", "mixed")
      .samples;
}

}  // namespace

TEST_CASE("a sweep of operators and networks that was interrupted goes on where it was") {
  RnnSweepBed bed;
  bed.options.contenders = {Contender::Eager, Contender("aten"), Contender("py")};
  bed.run(mixedSamples(), 2);
  const std::vector<std::string> first{"aten.neg.default: eager", "rnn.lstm.training: aten py"};
  CHECK(bed.timed() == first);
  bed.options.resume = true;
  const Summary summary = bed.run(mixedSamples());
  CHECK(bed.timed() == std::vector{first[0], first[1], std::string("aten.exp.default: eager")});
  CHECK_FALSE(hasFailed(summary));
  CHECK(summary.operators.size() == 2);
  CHECK(bed.out.str().find("rnn.lstm.training of f32[5,3,4], hidden=6") != std::string::npos);
}

TEST_CASE("a network of which no contender is named has those that it has by default") {
  RnnSweepBed bed;
  bed.run({mixedSamples()[1]});
  CHECK(bed.timed() == std::vector<std::string>{
                           "rnn.lstm.training: cudnn aten jit jit_premul jit_premul_bias jit_simple jit_multilayer py opbench"});
}

TEST_CASE("what fails for one reason says so once, and is no total of operators") {
  RnnSweepBed bed;
  std::vector<inputs::Sample> samples = mixedSamples();
  samples[1].kwargs[0].name = "hiden";
  const Summary summary = bed.run(samples);
  CHECK(hasFailed(summary));
  const std::string text = bed.out.str();
  const std::string why = "    error: rnn.lstm.training: it has no keyword 'hiden'\n";
  const size_t at = text.find(why);
  CHECK(at != std::string::npos);
  CHECK(text.find("hiden'", at + why.size()) == std::string::npos);
  CHECK(text.find("\nopbench: 2 samples") != std::string::npos);
  CHECK(text.find("cudnn:") == std::string::npos);
}

TEST_CASE("opbench rnn prints fastrnns' table, then its own; or JSON alone") {
  RnnSweepBed bed;
  bed.options.verb = Verb::Rnn;
  bed.options.contenders = {Contender("aten"), Contender("py"), Contender("cudnn_graph")};
  bed.run({mixedSamples()[1]});
  const std::string text = bed.out.str(), fastrnns = bed.err.str();
  CHECK(fastrnns.starts_with("Benchmarking LSTMs...\n            name          avg_fwd "));
  CHECK(fastrnns.find("\n            aten ") != std::string::npos);
  CHECK(text.find("avg_fwd") == std::string::npos);
  CHECK(text.find("a CUDA graph needs a GPU") != std::string::npos);

  bed.options.rnn.printJson = "oss";
  bed.run({mixedSamples()[1]});
  const auto json = nlohmann::json::parse(bed.out.str());
  CHECK(json["lstm"].size() == 2);
  CHECK(json["lstm-backward"]["py"].get<double>() > 0);
  CHECK(bed.err.str() == "opbench: cudnn_graph: unsupported: a CUDA graph needs a GPU\n");

  bed.options.rnn.printJson = "pep";
  bed.run({mixedSamples()[1]});
  std::istringstream lines(bed.out.str());
  int count = 0;
  for (std::string line; std::getline(lines, line); ++count) CHECK(line.starts_with("Caffe2Observer {"));
  CHECK(count == 2 * 2 * 3);
}
