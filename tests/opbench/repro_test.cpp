#include "opbench/repro/reproduce.h"

#include <doctest/doctest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "inputs/stored.h"
#include "ir/error.h"
#include "opbench/arguments.h"
#include "opbench/outcome.h"
#include "opbench/repro/case.h"
#include "opbench/repro/driver.h"
#include "tests/opbench/temporary_folder.h"

using namespace opbench;

namespace {

namespace fs = std::filesystem;

const std::string samples =
    "# two calls\n"
    "Operator: aten.add.Tensor\n"
    "cnt: 3, ((T([3, 4], f16), T([4], f16, stride=(2,))), {'alpha': 2})\n"
    "Operator: aten.no_such_operator.default\n"
    "cnt: 1, ((T([3], f16),), {})\n";

/// A line of results for a sample, as a run on the CPU with seed 7 would write it.
std::string resultLine(const std::string& op, const std::string& sample, const std::string& outcome) {
  return R"({"op":")" + op + R"(","sample":")" + sample +
         R"-(","device":"cpu","threads":1,"seed":7,"dtype":"float16","contender":"opbench",)-" + outcome + "}\n";
}

const std::string addLine =
    resultLine("aten.add.Tensor", "((T([3, 4], f16), T([4], f16, stride=(2,))), {'alpha': 2})", R"("status":"ok","median_us":1)");
const std::string errorLine =
    resultLine("aten.no_such_operator.default", "((T([3], f16),), {})", R"("status":"error","reason":"no such operator")");

/// A folder with files of samples and results, and what the verb does there.
struct Bed {
  Bed() {
    std::ofstream(folder.path / "samples.txt") << samples;
    std::ofstream(folder.path / "one.txt") << "Operator: aten.neg.default\ncnt: 1, ((T([8], f16),), {})\n";
    std::ofstream(folder.path / "results.jsonl") << addLine << errorLine;
  }
  std::string at(const std::string& name) const { return (folder.path / name).string(); }

  /// Whether the case is reproduced into the folder `case`.
  bool reproduces(const std::string& what, Options options = {}) {
    options.verb = Verb::Repro;
    options.reproCase = at(what);
    options.output = at("case");
    options.program = "/opt/opbench/bin/opbench";
    options.repeats = 1;
    options.inProcess = true;
    return reproduce(options, Streams{out, err});
  }
  std::string content(const std::string& name) const { return tests::contentOf(folder.path / "case" / name); }

  std::string refusal(const std::string& what) {
    try {
      readCase(at(what));
    } catch (const ir::Error& error) {
      CHECK(error.kind() == ir::ErrorKind::Input);
      const std::string text = error.what();
      return text.substr(text.find(folder.path.string()) == 0 ? folder.path.string().size() + 1 : 0);
    }
    return "accepted";
  }

  tests::TemporaryFolder folder;
  std::ostringstream out, err;
};

}  // namespace

TEST_CASE("a line of results: the sample, and the options it was raced with") {
  Bed bed;
  const Case wanted = readCase(bed.at("results.jsonl:1"));
  CHECK(wanted.sample.op == "aten.add.Tensor");
  CHECK(inputs::toText(wanted.sample) == "((T([3, 4], f16), T([4], f16, stride=(2,))), {'alpha': 2})");
  REQUIRE(wanted.record);
  const Options run = raceOptions(wanted, {});
  CHECK(run.dtype == ir::DType::F16);
  CHECK(run.device == "cpu");
  CHECK(run.seed == 7);
  CHECK(run.threads == 1);
  CHECK(run.contenders == std::vector{Contender::Eager, Contender::Opbench});
  CHECK(commandLine(run) == "--dtype float16 --device cpu --seed 7 --threads 1");
  Options elsewhere;
  elsewhere.device = "cuda:1";
  CHECK(raceOptions(wanted, elsewhere).device == "cuda:1");
}

TEST_CASE("a line of samples, or a file with a single one: the options are those given") {
  Bed bed;
  CHECK(readCase(bed.at("samples.txt:3")).sample.op == "aten.add.Tensor");
  CHECK(readCase(bed.at("one.txt")).sample.op == "aten.neg.default");
  Options given;
  given.dtype = ir::DType::BF16;
  given.channelsLast = true;
  given.contenders = {Contender::Eager, Contender::Torchscript};
  CHECK(commandLine(raceOptions(readCase(bed.at("one.txt")), given)) ==
        "--dtype bfloat16 --channels-last --contenders eager,torchscript");
}

TEST_CASE("what is no case is refused") {
  Bed bed;
  CHECK(bed.refusal("samples.txt") == "samples.txt has 2 samples: name a line, as in " + bed.at("samples.txt:2"));
  CHECK(bed.refusal("samples.txt:1") == "samples.txt:1: there is neither a sample nor a line of results");
  CHECK(bed.refusal("samples.txt:9") == "samples.txt has no line 9");
  CHECK(bed.refusal("results.jsonl") == "results.jsonl holds results: name a line, as in " + bed.at("results.jsonl:2"));
  CHECK(bed.refusal("absent.txt") == "cannot read " + bed.at("absent.txt") + ": No such file or directory");
  fs::create_directory(bed.at("empty"));
  CHECK(bed.refusal("empty") == "empty is no folder of a sample's stages: there is no 00-sample.txt");
  std::ofstream(bed.at("results.jsonl")) << resultLine("../../etc.passwd", "((1,), {})", R"("status":"ok")");
  CHECK(bed.refusal("results.jsonl:1") == "'../../etc.passwd' is no operator");
}

TEST_CASE("a case reproduces: the same verdict from the files that were written") {
  Bed bed;
  CHECK(bed.reproduces("results.jsonl:1"));
  CHECK(bed.out.str().ends_with("reproduced: opbench is ok again\n"));
  CHECK(bed.content("sample.txt") ==
        "# aten.add.Tensor: opbench was ok\nOperator: aten.add.Tensor\n"
        "cnt: 1, ((T([3, 4], f16), T([4], f16, stride=(2,))), {'alpha': 2})\n");
  CHECK(bed.content("run.sh").find(
            "exec \"${OPBENCH:-/opt/opbench/bin/opbench}\" --inp-file sample.txt --max-samples 0 --dtype "
            "float16 --device cpu --seed 7 --threads 1 --repeats 1 --no-cases --dump stages --json result.jsonl \"$@\"\n") !=
        std::string::npos);
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

TEST_CASE("the driver: the operator in eager ATen, tensors in the order of their files") {
  inputs::Sample sample;
  sample.op = "aten.index_put.default";
  inputs::parseCall(
      "((T([5, 2], f16, stride=(1, 5)), [None, T([2], i64)], T([], f16)), {'accumulate': True, 'd': 'cuda', 't': f32})", {"s", 1},
      1, sample);
  const std::string text = driverText(sample, "cuda:0", "# about");
  CHECK(text.starts_with("# about\nimport pathlib, torch\n"));
  CHECK(text.find("repeated.to(\"cuda:0\")") != std::string::npos);
  CHECK(
      text.ends_with("print(torch.ops.aten.index_put.default(T(\"0.bin\", torch.float16, (5, 2), (1, 5), 10), "
                     "[None, T(\"1.bin\", torch.int64, (2,), (1,), 2)], T(\"2.bin\", torch.float16, (), (), 1), "
                     "accumulate=True, d=torch.device(\"cuda:0\"), t=torch.float32))\n"));
}

TEST_CASE("the data of a line of results are drawn again, for the race and for the driver") {
  Bed bed;
  const auto wanted = [&](const std::string& data) {
    std::ofstream(bed.at("results.jsonl")) << resultLine("aten.neg.default", "((T([8], f32),), {})",
                                                         R"("status":"ok","data":")" + data + "\"");
    return readCase(bed.at("results.jsonl:1"));
  };
  CHECK(raceOptions(wanted("small-int"), {}).data == inputs::Distribution::SmallInt);
  CHECK(commandLine(raceOptions(wanted("small-int"), {})).find("--data small-int") != std::string::npos);
  const Case scaled = wanted("normal x 16");
  CHECK(raceOptions(scaled, {}).data == inputs::Distribution::Normal);
  CHECK(dataOf(scaled, {}).scale == 16);
  CHECK_THROWS_WITH_AS(raceOptions(wanted("gaussian"), {}), "the results' data 'gaussian' are unknown", ir::Error);
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
