#include "opbench/cases/case.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <sstream>

#include "inputs/data/stored.h"
#include "opbench/cli/options.h"
#include "opbench/run/outcome.h"
#include "opbench/settings/arguments.h"
#include "tests/opbench/repro/repro_bed.h"

using namespace opbench;

namespace fs = std::filesystem;
using tests::resultLine;
using Bed = tests::ReproBed;

TEST_CASE("a line of results: the sample, and the options it was raced with") {
  Bed bed;
  const Case wanted = readCase(bed.at("results.jsonl:1"));
  CHECK(wanted.sample.op == "aten.add.Tensor");
  CHECK(inputs::toText(wanted.sample) == "((T([3, 4], f16), T([4], f16, stride=(2,))), {'alpha': 2})");
  REQUIRE(wanted.record);
  const RaceSettings run = raceSettings(wanted, {});
  CHECK(run.dtype == ir::DType::F16);
  CHECK(run.device == "cpu");
  CHECK(run.seed == 7);
  CHECK(run.threads == 1);
  CHECK((run.contenders == std::vector{Contender::Eager, Contender::Opbench}));
  CHECK(commandLine(run) == "--dtype float16 --device cpu --seed 7 --threads 1");
  Options elsewhere;
  elsewhere.device = "cuda:1";
  CHECK(raceSettings(wanted, elsewhere).device == "cuda:1");
}

TEST_CASE("a case keeps the user's kernels only where its contender is one of them") {
  Bed bed;
  Options given;
  given.kernels = {"mine.cu"};
  Case wanted = readCase(bed.at("results.jsonl:1"));
  CHECK(raceSettings(wanted, given).kernels.empty());
  wanted.record->contender = "kernel::mine";
  CHECK(raceSettings(wanted, given).kernels == given.kernels);
}

TEST_CASE("a case finds the files of a run from wherever it is run") {
  Options options;
  options.libraries = {"mine.so"};
  options.kernels = {"mine.cu"};
  const std::vector<std::string> words = runWords(options);
  for (const char* file : {"mine.so", "mine.cu"})
    CHECK(std::find(words.begin(), words.end(), (fs::current_path() / file).string()) != words.end());
}

TEST_CASE("a line of samples, or a file with a single one: the options are those given") {
  Bed bed;
  CHECK(readCase(bed.at("samples.txt:3")).sample.op == "aten.add.Tensor");
  CHECK(readCase(bed.at("one.txt")).sample.op == "aten.neg.default");
  Options given;
  given.dtype = ir::DType::BF16;
  given.channelsLast = true;
  given.contenders = {Contender::Eager, Contender::Torchscript};
  CHECK(commandLine(raceSettings(readCase(bed.at("one.txt")), given)) ==
        "--dtype bfloat16 --contenders eager,torchscript --channels-last");
}

TEST_CASE("what is no case is refused") {
  Bed bed;
  CHECK(bed.refusal("samples.txt") == "samples.txt has 2 samples; choose a line, as in " + bed.at("samples.txt:2"));
  CHECK(bed.refusal("samples.txt:1") == "samples.txt:1: expected a sample or a line of --json results");
  CHECK(bed.refusal("samples.txt:9") == "samples.txt has no line 9");
  CHECK(bed.refusal("results.jsonl") == "results.jsonl holds results; choose a line, as in " + bed.at("results.jsonl:2"));
  CHECK(bed.refusal("absent.txt") == "cannot read " + bed.at("absent.txt") + ": No such file or directory");
  fs::create_directory(bed.at("empty"));
  CHECK(bed.refusal("empty") == "empty is not a --dump folder of one sample: it has no 00-sample.txt");
  std::ofstream(bed.at("results.jsonl")) << resultLine("../../etc.passwd", "((1,), {})", R"("status":"ok")");
  CHECK(bed.refusal("results.jsonl:1") == "results.jsonl:1: '../../etc.passwd' is not an operator name such as aten.add.Tensor");
  std::ofstream(bed.at("results.jsonl")) << resultLine("aten.from_file.default", "(('a', True, 9), {})", R"("status":"ok")");
  CHECK(bed.refusal("results.jsonl:1") == "results.jsonl:1: aten.from_file.default is refused: it maps a file");
  std::ofstream(bed.at("one.txt")) << "Operator: aten.from_file.default\ncnt: 1, (('a', True, 9), {})\n";
  CHECK(bed.refusal("one.txt") == "one.txt:1:11: aten.from_file.default is refused: it maps a file");
}

TEST_CASE("values of a line of results that are none are refused, and nothing is written") {
  Bed bed;
  const auto refusal = [&](const std::string& fields) {
    bed.write("results.jsonl", resultLine("aten.neg.default", "((T([8], f16),), {})", R"("status":"ok",)" + fields));
    return bed.reproRefusal("results.jsonl:1");
  };
  CHECK(refusal(R"("count":1000000001)") == "results.jsonl:1: \"count\" must be at most 1000000000");
  CHECK(refusal(R"("threads":1025)") == "the results have 1025 threads, more than 1024");
  CHECK(refusal(R"("seed":-1)") == "results.jsonl:1: \"seed\" must be a whole number from 0");
  CHECK(refusal(R"("dtype":"float16\nx")") == "unknown dtype 'float16\\x0ax' in the results");
  CHECK(refusal(R"("device":"cuda:0 --fault zeros")") ==
        "unknown device 'cuda:0 --fault zeros' in the results; choose one with --device");
  CHECK(refusal(R"-("sample":"((1,), {'x=y': 1})")-") == "results.jsonl:1:9: expected a keyword's name, found 'x=y'");
  CHECK_FALSE(fs::exists(bed.at("case")));
  bed.write("results.jsonl", resultLine("aten.neg", "((T([8], f16),), {})", R"("status":"ok","seed":18446744073709551615)"));
  CHECK(raceSettings(readCase(bed.at("results.jsonl:1")), {}).seed == ~uint64_t{0});
  for (const char* name : {"aten", "aten.add.Tensor.x", "aten.add.", ".aten.add", "aten..add", "aten.add Tensor"}) {
    bed.write("results.jsonl", resultLine(name, "((T([8], f16),), {})", R"("status":"ok")"));
    CHECK(bed.refusal("results.jsonl:1") ==
          "results.jsonl:1: '" + std::string(name) + "' is not an operator name such as aten.add.Tensor");
  }
}

TEST_CASE("a line of results of an operator that was renamed is read as today's") {
  Bed bed;
  bed.write("results.jsonl", resultLine("aten.sum.SymInt", "((T([8, 4], f16), [0]), {})", R"("status":"ok")"));
  CHECK(readCase(bed.at("results.jsonl:1")).sample.op == "aten.sum.dim_IntList");
  bed.write("results.jsonl", resultLine("aten.upsample_nearest1d_backward.vec", "((1,), {})", R"("status":"ok")"));
  CHECK(bed.refusal("results.jsonl:1").starts_with("results.jsonl:1: expected (grad_output, "));
}

TEST_CASE("a case reproduces: the same verdict from the files that were written") {
  Bed bed;
  CHECK(bed.reproduces("results.jsonl:1"));
  CHECK(bed.out.str().ends_with("reproduced: opbench is ok again\n"));
  CHECK(bed.content("sample.txt") ==
        "# aten.add.Tensor: opbench was ok\nOperator: aten.add.Tensor\n"
        "cnt: 1, ((T([3, 4], f16), T([4], f16, stride=(2,))), {'alpha': 2})\n");
  CHECK(bed.content("run.words") ==
        "/opt/opbench/bin/opbench\n--inp-file\nsample.txt\n--max-samples\n0\n--dtype\nfloat16\n--device\ncpu\n--seed\n7\n"
        "--threads\n1\n--repeats\n1\n--no-cases\n--dump\nstages\n--json\nresult.jsonl\n");
  CHECK((fs::status(bed.folder.path / "case" / "run.sh").permissions() & fs::perms::owner_exec) != fs::perms::none);
  CHECK(fs::file_size(bed.folder.path / "case/inputs/0.bin") == 24);
  CHECK(fs::file_size(bed.folder.path / "case/inputs/1.bin") == 14);
  CHECK(bed.content("stages/1-aten.add.Tensor/40-kernel.ll").find("define") != std::string::npos);
  CHECK(bed.content("result.jsonl").find("\"seed\":7") != std::string::npos);

  CHECK(bed.reproduces("case/stages/1-aten.add.Tensor"));
  CHECK(bed.reproduces("case/sample.txt"));
}

TEST_CASE("an error is reproduced as such; what is now otherwise is not reproduced") {
  Bed bed;
  CHECK(bed.reproduces("results.jsonl:2"));
  CHECK(bed.out.str().ends_with("reproduced: opbench is error again\n"));
  CHECK(bed.content("sample.txt").starts_with("# aten.no_such_operator.default: opbench was error: no such operator\n"));
  std::ofstream(bed.at("results.jsonl")) << resultLine("aten.neg.default", "((T([8], f16),), {})", R"("status":"wrong")");
  CHECK_FALSE(bed.reproduces("results.jsonl:1"));
  CHECK(bed.out.str().ends_with("not reproduced: opbench was wrong, now it is ok\n"));
}

TEST_CASE("run.sh's options are understood as they were meant") {
  Options options;
  options.dtype = ir::DType::F64;
  options.device = "cuda:1";
  options.seed = 11;
  options.threads = 3;
  options.channelsLast = options.tune = true;
  options.flush = runtime::Flush::Read;
  options.contenders = {Contender::Opbench, Contender::Eager};
  std::istringstream words(commandLine(options));
  const std::vector<std::string> arguments{std::istream_iterator<std::string>(words), {}};
  const Options again = parseOptions(arguments, {});
  CHECK(commandLine(again) == commandLine(options));
  CHECK(again.seed == 11);
  CHECK(again.tune);
}

TEST_CASE("the data of a line of results are drawn again, for the race and for the driver") {
  Bed bed;
  const auto wanted = [&](const std::string& data) {
    std::ofstream(bed.at("results.jsonl")) << resultLine("aten.neg.default", "((T([8], f32),), {})",
                                                         R"("status":"ok","data":")" + data + "\"");
    return readCase(bed.at("results.jsonl:1"));
  };
  CHECK(raceSettings(wanted("small-int"), {}).data == inputs::Distribution::SmallInt);
  CHECK(commandLine(raceSettings(wanted("small-int"), {})).find("--data small-int") != std::string::npos);
  const Case scaled = wanted("normal x 16");
  CHECK(raceSettings(scaled, {}).data == inputs::Distribution::Normal);
  CHECK(dataOf(scaled, {}).scale == 16);
  CHECK_THROWS_WITH_AS(raceSettings(wanted("gaussian"), {}), "unknown data 'gaussian' in the results", ir::Error);
  CHECK_THROWS_WITH_AS(raceSettings(wanted("normal x inf"), {}), "unknown data 'normal x inf' in the results", ir::Error);
}

TEST_CASE("stored data: what the storage repeats is written once") {
  inputs::Sample sample;
  sample.op = "aten.embedding.default";
  inputs::parseCall("((T([600, 1000], f32), T([4], i64)), {})", {"s", 1}, 1, sample);
  const auto tensors = inputs::storedTensors(sample, 1);
  REQUIRE(tensors.size() == 2);
  CHECK(tensors[0].bytes.size() == size_t{262'139} * 4);
  CHECK(tensors[1].bytes.size() == 4 * 8);
  CHECK(inputs::storedTensors(sample, 1)[0].bytes == tensors[0].bytes);
  CHECK(inputs::storedTensors(sample, 2)[0].bytes != tensors[0].bytes);
  CHECK(inputs::storedTensors(sample, 1, {inputs::Distribution::Positive})[0].bytes != tensors[0].bytes);
}

TEST_CASE("a wrong result names the command that writes its case") {
  inputs::Sample sample;
  sample.op = "aten.add.Tensor";
  sample.where = {"my logs/bert.txt", 14};
  Options options;
  options.dtype = ir::DType::F16;
  options.seed = 7;
  Row row = rowOf(sample, 1, options.contenders);
  row.outcomes[1].status = Status::Wrong;
  row.outcomes[1].reason = "output 0 is wrong";
  addReproCommand(row.outcomes[1], row, options);
  CHECK(row.outcomes[1].reason ==
        "output 0 is wrong; `opbench repro 'my logs/bert.txt:14' --dtype float16 --seed 7` writes the case");
}
