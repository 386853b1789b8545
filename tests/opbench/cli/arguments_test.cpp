#include "opbench/settings/arguments.h"

#include <doctest/doctest.h>

#include <fstream>

#include "opbench/cli/options.h"
#include "tests/opbench/temporary_folder.h"

using namespace opbench;

TEST_CASE("what is raced as by default needs only its dtype") {
  CHECK(quoted(raceArguments(Options())) == "--dtype float32");
  Options options;
  options.device = "cpu";
  options.json = "r.jsonl";
  CHECK(commandLine(options) == "--dtype float32 --device cpu");
}

TEST_CASE("another process of the run opens the cache as this one does") {
  const runtime::CacheSettings settings{"/x/kernels", "/s/cache.key", true, 12345};
  CHECK(parseOptions(cacheArguments(settings), {}).cache == settings);
  CHECK(cacheArguments({}) == std::vector<std::string>{"--no-cache"});
  Environment environment;
  environment.cache = "/c";
  CHECK(parseOptions(cacheArguments({}), environment).cache.folder.empty());
}

TEST_CASE("a bundle's program is started by the launcher in the folder above, and any other one by its own name") {
  const tests::TemporaryFolder bundle;
  const std::filesystem::path program = bundle.path / "bin/opbench";
  CHECK(launcherOf(program) == program);
  std::ofstream(bundle.path / "opbench") << "#!/bin/sh\n";
  CHECK(launcherOf(program) == bundle.path / "opbench");
}

TEST_CASE("the arguments are understood as they were meant") {
  Options options;
  options.dtype = ir::DType::F64;
  options.device = "cuda:1";
  options.seed = ~uint64_t{0};
  options.threads = 3;
  options.channelsLast = options.tune = options.kernelTime = options.counters = options.isAA = true;
  options.data = inputs::Distribution::SmallInt;
  options.maxBytes = 12345;
  options.flush = runtime::Flush::Read;
  options.contenders = {Contender::Opbench, Contender::Eager};
  options.inductorSettings = {"max_autotune=1", "cpp.cxx=g++"};
  options.kernels = {"my softmax.cu", "other.cubin"};
  options.repeats = 3;
  options.precision = 0.003;
  options.maxSeconds = 0.25;
  options.accuracyChecking = false;
  options.tolerances = "it's mine.yaml";
  options.config = "suite.yaml";
  options.slow = true;
  options.fault = Fault::Zeros;
  const std::vector<std::string> arguments = raceArguments(options);
  const Options again = parseOptions(arguments, {});
  CHECK(raceArguments(again) == arguments);
  CHECK(again.seed == options.seed);
  CHECK(again.maxBytes == 12345);
  CHECK(again.fault == Fault::Zeros);
  CHECK(again.config == "suite.yaml");
  CHECK(again.slow);
  CHECK(again.kernels == options.kernels);
  CHECK(again.tolerances == "it's mine.yaml");
  CHECK(quoted(arguments).ends_with("--tolerances 'it'\\''s mine.yaml' --fault zeros"));
}

TEST_CASE("workers are told how samples are raced, and not which, where, and where results go") {
  const Options options = parseOptions({"--no-timing", "--csv", "t", "--seed", "7", "--op", "add", "--nloops", "9", "--device",
                                        "cpu", "--siblings", "0", "--quiet", "--load", "x.so", "--shard", "1/2"},
                                       {});
  CHECK(quoted(raceArguments(options)) == "--dtype float32 --load x.so --no-timing --seed 7 --siblings 0 --nloops 9");
}

TEST_CASE("a line of quoted words is read back") {
  const std::vector<std::string> words{"--op", "*softmax*", "--schedule", "", "it's a 'b' \\ c", "--aa"};
  CHECK(unquoted(quoted(words)) == words);
  CHECK(unquoted("").empty());
  CHECK(unquoted("--open 'quote") == std::vector<std::string>{"--open", "quote"});
}

TEST_CASE("options of two runs are told apart one by one") {
  CHECK(optionDifferences("--dtype float32 --aa", "--dtype float32 --aa") == "");
  CHECK(optionDifferences("--dtype float32 --aa --seed 3", "--dtype float16 --seed 3 --op 'a b'") ==
        "--aa differs (file: given; now: not given), --dtype differs (file: float32; now: float16), "
        "--op differs (file: not given; now: 'a b')");
}

TEST_CASE("the selection of samples as arguments") {
  Options options;
  CHECK(quoted(selectionArguments(options)) == "--op all --max-samples 15 --sample-mode top --start-idx 0");
  options.suites = {"timm", "huggingface"};
  options.filters = {"*softmax*"};
  options.maxSamples = 2;
  CHECK(quoted(selectionArguments(options)) ==
        "--suite timm,huggingface --op all --filter '*softmax*' --max-samples 2 --sample-mode top --start-idx 0");
  options.source = Source::Rnn;
  CHECK(selectionArguments(options).empty());
}

TEST_CASE("schedules are texts, an empty one stands for the rules'") {
  Options options;
  options.schedules = {"", "a b*8: grid a 64, thread b 32; hold registers", "tasks"};
  CHECK(parseOptions(raceArguments(options), {}).schedules == options.schedules);
}
