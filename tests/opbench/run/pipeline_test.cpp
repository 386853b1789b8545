#include "opbench/run/pipeline.h"
#include "opbench/cases/case_writer.h"

#include <ATen/ops/addbmm.h>
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>

#include "ir/text/text.h"
#include "runtime/contenders/library/candidate.h"
#include "runtime/devices/open.h"
#include "tests/opbench/temporary_folder.h"

using namespace opbench;
using runtime::Kind;

namespace {

inputs::Sample sampleOf(const std::string& op, const std::string& call) {
  const inputs::Samples read = inputs::parseFile("Operator: " + op + "\ncnt: 3, " + call + "\n", "example.txt", "example");
  REQUIRE(read.errors.empty());
  return read.samples.at(0);
}

/// Races one sample on the CPU, as briefly as possible.
Row raced(const std::string& op, const std::string& call, RaceSettings options = {}) {
  options.repeats = 1;
  const auto device = runtime::openDevice("cpu", 1);
  const runtime::Cache cache;
  Run run;
  run.contenders = options.contenders;
  run.device = "cpu";
  run.dtype = ir::torchName(options.dtype);
  runtime::Tunings tunings;
  const inputs::Sample sample = sampleOf(op, call);
  const Bench bench{options, run, *device, cache, options.tune ? &tunings : nullptr};
  Row row = raceSample(sample, 1, bench);
  writeCases(row, sample, bench);
  return row;
}

/// A library that is fast, as it remembers the first results that it computed, and so is wrong on any other data.
const runtime::library::Candidate remembering{"remembering", {"aten::addbmm"}, [](const runtime::library::Arguments&) {
                                                return [](const runtime::library::Arguments& a) {
                                                  static const at::Tensor first =
                                                      at::addbmm(a.tensor("self"), a.tensor("batch1"), a.tensor("batch2"));
                                                  return runtime::library::Results{first.clone()};
                                                };
                                              }};

const Outcome& opbenchOf(const Row& row) { return row.outcomes.at(1); }

}  // namespace

TEST_CASE("a pointwise sample is generated, right, and timed against eager") {
  const Row row = raced("aten.add.Tensor", "((T([16, 128], f32), T([128], f32)), {'alpha': 2})");
  CHECK(row.op == "aten.add.Tensor");
  CHECK(row.sample == "((T([16, 128], f32), T([128], f32)), {'alpha': 2})");
  CHECK(row.brief == "f32[16,128], f32[128], alpha=2");
  CHECK(row.suite == "example");
  CHECK(row.count == 3);
  CHECK(row.bytes() == (2 * 16 * 128 + 128) * 4);
  const Outcome& outcome = opbenchOf(row);
  CHECK_MESSAGE(outcome.status == Status::Ok, outcome.reason);
  CHECK(outcome.kind == Kind::Generated);
  CHECK(outcome.kernels == 1);
  CHECK(outcome.speedup.has_value());
  CHECK(row.outcomes[0].timing.has_value());
}

TEST_CASE("a library that is wrong on harder data is refused, and ATen's own call takes its place") {
  const Row row = raced("aten.addbmm.default", "((T([128, 128], f32), T([16, 128, 128], f32), T([16, 128, 128], f32)), {})");
  const Outcome& outcome = opbenchOf(row);
  CHECK_MESSAGE(outcome.status == Status::Ok, outcome.reason);
  CHECK(outcome.kind == Kind::Fallback);
  REQUIRE(outcome.libraryTrial);
  CHECK(outcome.libraryTrial->tried.size() == 2);
  CHECK(outcome.libraryTrial->library.empty());
  CHECK(outcome.libraryTrial->gain == 1);
  REQUIRE(outcome.libraryTrial->refused.size() == 1);
  CHECK_MESSAGE(outcome.libraryTrial->refused[0].starts_with("remembering: output 0 is wrong at "),
                outcome.libraryTrial->refused[0]);
  CHECK(outcome.timing.has_value());
}

TEST_CASE("--no-timing checks, and times nothing") {
  RaceSettings options;
  options.timing = false;
  const std::string op = "aten.add.Tensor", call = "((T([16, 128], f32), T([128], f32)), {})";
  const Row row = raced(op, call, options);
  CHECK_MESSAGE(opbenchOf(row).status == Status::Ok, opbenchOf(row).reason);
  CHECK(opbenchOf(row).kind == Kind::Generated);
  CHECK(opbenchOf(row).accuracy.has_value());
  CHECK_FALSE(opbenchOf(row).speedup);
  for (const Outcome& outcome : row.outcomes) CHECK_FALSE(outcome.timing);
  options.fault = Fault::OffByOne;
  CHECK(opbenchOf(raced(op, call, options)).status == Status::Wrong);
}

TEST_CASE("in place, and in the dtype asked for") {
  RaceSettings options;
  options.dtype = ir::DType::BF16;
  const Row row = raced("aten.add_.Tensor", "((T([16, 128], f16), T([16, 128], f16)), {})", options);
  CHECK(row.brief == "bf16[16,128], bf16[16,128]");
  CHECK_MESSAGE(opbenchOf(row).status == Status::Ok, opbenchOf(row).reason);
}

TEST_CASE("the schedule is in the row; --tune says how many it tried") {
  const std::string op = "aten.add.Tensor", call = "((T([16, 128], f32), T([128], f32)), {})";
  const Row untuned = raced(op, call);
  CHECK(untuned.outcomes[0].schedule == "");
  CHECK(opbenchOf(untuned).schedule.starts_with("tasks: lanes "));
  CHECK_FALSE(opbenchOf(untuned).tuning);
  RaceSettings options;
  options.tune = true;
  const Row tuned = raced(op, call, options);
  CHECK_MESSAGE(opbenchOf(tuned).status == Status::Ok, opbenchOf(tuned).reason);
  CHECK(opbenchOf(tuned).schedule.starts_with("tasks: lanes "));
  REQUIRE(opbenchOf(tuned).tuning);
  CHECK(opbenchOf(tuned).tuning->candidates > 1);
  CHECK(opbenchOf(tuned).tuning->gain >= 1);
  CHECK_FALSE(opbenchOf(raced("aten.mm.default", "((T([8, 8], f32), T([8, 8], f32)), {})", options)).tuning);
}

TEST_CASE("a library call tries its candidates; the row says which one computes it") {
  const std::string pointwise = "[1, 1], [0, 0], [1, 1], False, [0, 0], 1), {})";
  const Row row = raced("aten.convolution.default", "((T([2, 8, 6, 6], f32), T([4, 8, 1, 1], f32), None, " + pointwise);
  const Outcome& outcome = opbenchOf(row);
  CHECK_MESSAGE(outcome.status == Status::Ok, outcome.reason);
  CHECK(outcome.kind == Kind::Fallback);
  CHECK(outcome.reason == "no lowering for aten.convolution.default");
  REQUIRE(outcome.libraryTrial);
  // On a busy machine one may take several times as long as the first, and is left out; nothing else keeps one from being tried.
  CHECK(outcome.libraryTrial->tried.size() + outcome.libraryTrial->refused.size() == 5);
  for (const std::string& why : outcome.libraryTrial->refused) CHECK_MESSAGE(why.ends_with(" times as long"), why);
  CHECK(outcome.library == outcome.libraryTrial->library);
  CHECK_FALSE(row.outcomes[0].libraryTrial);
  CHECK_FALSE(opbenchOf(raced("aten.mm.default", "((T([8, 8], f32), T([8, 8], f32)), {})")).libraryTrial);
  RaceSettings twice;
  twice.isAA = true;
  const Row aa = raced("aten.convolution.default", "((T([2, 8, 6, 6], f32), T([4, 8, 1, 1], f32), None, " + pointwise, twice);
  CHECK_MESSAGE(opbenchOf(aa).status == Status::Ok, opbenchOf(aa).reason);
}

TEST_CASE("operators whose results have as many elements as the data say are raced") {
  for (const auto& [op, call] : std::vector<std::pair<std::string, std::string>>{
           {"aten.nonzero.default", "((T([16, 33], f32),), {})"},
           {"aten.nonzero.default", "((T([16, 33], b8),), {})"},
           {"aten.masked_select.default", "((T([16, 33], f32), T([16, 33], b8)), {})"},
           {"aten._unique2.default", "((T([500], i64), True, True, True), {})"},
           {"aten.unique_consecutive.default", "((T([500], i64), True, True), {})"},
           {"aten.unique_dim.default", "((T([50, 3], i64), 0, True, True, True), {})"}}) {
    CAPTURE(op);
    const Row row = raced(op, call);
    CHECK_MESSAGE(opbenchOf(row).status == Status::Ok, opbenchOf(row).reason);
    CHECK(opbenchOf(row).kind == Kind::Fallback);
    CHECK(opbenchOf(row).timing.has_value());
  }
}

TEST_CASE("a schedule that is typed in is raced, or the row says why not") {
  const auto sumBy = [](const std::string& schedule) {
    RaceSettings options;
    options.schedules = {schedule};
    return opbenchOf(raced("aten.sum.dim_IntList", "((T([4000, 64], f32), [0]), {})", options));
  };
  const Outcome typed = sumBy("tasks: lanes 16, tile 4, splits 2, shared");
  CHECK(typed.status == Status::Ok);
  CHECK(typed.schedule == "tasks: lanes 16, tile 4, splits 2, shared");
  CHECK(sumBy("").schedule.starts_with("tasks: lanes "));
  CHECK(sumBy("tasks: tile 4, splits 99999").reason == "schedule: there are no 99999 splits of 4000");
  CHECK(sumBy("a b*8: grid a 64").status == Status::Error);
}

TEST_CASE("what has no lowering is run by ATen and says so") {
  const Row matmul = raced("aten.mm.default", "((T([8, 8], f32), T([8, 8], f32)), {})");
  CHECK(opbenchOf(matmul).status == Status::Ok);
  CHECK(opbenchOf(matmul).kind == Kind::Fallback);
  CHECK(opbenchOf(matmul).reason == "products of matrices are not lowered for CPUs");
}

TEST_CASE("a view runs nothing: it has no reason and no traffic, also where its operator has a lowering") {
  for (const auto& [op, call] :
       std::vector<std::pair<std::string, std::string>>{{"aten.view.default", "((T([8, 8], f32), [64]), {})"},
                                                        {"aten._unsafe_view.default", "((T([8, 8], f32), [64]), {})"},
                                                        {"aten.positive.default", "((T([8, 8], f32),), {})"}}) {
    CAPTURE(op);
    const Row row = raced(op, call);
    CHECK_MESSAGE(opbenchOf(row).status == Status::Ok, opbenchOf(row).reason);
    CHECK(opbenchOf(row).kind == Kind::View);
    CHECK(opbenchOf(row).reason == "");
    CHECK(opbenchOf(row).kernels == 0);
    CHECK(row.family == "view");
    CHECK(row.bytes() == 0);
  }
}

TEST_CASE("what cannot run is a row with its reason, for every contender") {
  const Row sparse = raced("aten.add.Tensor", "((ST([8], f32), 2), {})");
  for (const Outcome& outcome : sparse.outcomes) {
    CHECK(outcome.status == Status::Unsupported);
    CHECK(outcome.reason != "");
    CHECK_FALSE(outcome.timing);
  }
  CHECK(opbenchOf(raced("aten.no_such_operator.default", "((1,), {})")).status == Status::Error);
}

TEST_CASE("samples above --max-bytes are skipped before anything is allocated") {
  RaceSettings options;
  options.maxBytes = 1000;
  const Row row = raced("aten.neg.default", "((T([1000000, 1000000], f32),), {})", options);
  CHECK(opbenchOf(row).status == Status::Skipped);
  CHECK(opbenchOf(row).reason == "arguments take 4000000000000 bytes, more than --max-bytes 1000");
}

TEST_CASE("--dump writes every stage, and the first three can be read back") {
  tests::TemporaryFolder folder;
  RaceSettings options;
  options.dump = folder.path;
  raced("aten.mul.Tensor", "((T([16, 128], f32), 0.5), {})", options);
  const auto content = [&](const char* file) { return tests::contentOf(folder.path / "1-aten.mul.Tensor" / file); };
  CHECK(content("00-sample.txt").find("cnt: 3, ((T([16, 128], f32), 0.5), {})") != std::string::npos);
  CHECK(ir::toText(ir::parseGraph(content("10-graph.txt"))) == content("10-graph.txt"));
  CHECK(ir::toText(ir::parseLoops(content("20-loops.txt"))) == content("20-loops.txt"));
  CHECK(content("25-schedule.txt").starts_with("tasks: lanes "));
  CHECK(ir::toText(ir::parseKernel(content("30-kernel.txt"))) == content("30-kernel.txt"));
  CHECK(content("40-kernel.ll").find("define") != std::string::npos);
  CHECK(content("50-kernel.s") != "");
  CHECK(content("60-race.jsonl").find("\"contender\":\"opbench\"") != std::string::npos);
}

TEST_CASE("--dump of a network says what its plan's groups are and where they are carried out, and each has its stages") {
  tests::TemporaryFolder folder;
  RaceSettings options;
  options.dump = folder.path;
  options.contenders = {runtime::Contender("aten"), runtime::Contender::Opbench};
  raced("rnn.lstm.inference", "((T([3, 3, 4], f32),), {'hidden': 6})", options);
  const auto content = [&](const char* file) { return tests::contentOf(folder.path / "1-rnn.lstm.inference" / file); };
  const std::string groups = content("12-groups.txt"), steps = content("27-steps.txt");
  CHECK(groups.starts_with("group 1: "));
  const std::string name = groups.substr(0, groups.find('\n'));
  CHECK(steps.find("launch " + name + " (") != std::string::npos);
  CHECK(groups.find(" times, 1 kernels, steps ") != std::string::npos);
  CHECK(std::filesystem::exists(folder.path / "1-rnn.lstm.inference" / "1-group" / "20-loops.txt"));
}

TEST_CASE("--check-groups names the group of a plan that is wrong, and --dump has it as a region that is wrong alone") {
  constexpr const char* lstm = "((T([3, 3, 4], f32),), {'hidden': 6})";
  tests::TemporaryFolder folder;
  RaceSettings options;
  options.contenders = {runtime::Contender("aten"), runtime::Contender::Opbench};
  options.checksGroups = true;
  CHECK(opbenchOf(raced("rnn.lstm.training", lstm, options)).status == Status::Ok);

  options.dump = folder.path;
  options.fault = Fault::OffByOne;
  const Row row = raced("rnn.lstm.training", lstm, options);
  CHECK(opbenchOf(row).status == Status::Wrong);
  const std::string groups = tests::contentOf(folder.path / "1-rnn.lstm.training" / "12-groups.txt");
  const std::string name = groups.substr(0, groups.find('\n'));  // faults are planted in the first that has a place
  CHECK(opbenchOf(row).reason.starts_with(name + ", time 1 of "));
  CHECK(opbenchOf(row).reason.find(": output ") != std::string::npos);

  const std::string text = tests::contentOf(folder.path / "1-rnn.lstm.training" / "wrong-group.txt");
  const inputs::Samples read = inputs::parseFile(text, "wrong-group.txt", "");
  REQUIRE(read.errors.empty());
  REQUIRE(read.samples.size() == 1);
  const std::string call = inputs::toText(read.samples[0]);
  RaceSettings alone;
  CHECK(opbenchOf(raced(read.samples[0].op, call, alone)).status == Status::Ok);
  alone.fault = Fault::OffByOne;
  CHECK(opbenchOf(raced(read.samples[0].op, call, alone)).status == Status::Wrong);
}

TEST_CASE("a wrong network says which group of its plan is wrong, or that none is by itself") {
  constexpr const char* lstm = "((T([3, 3, 4], f32),), {'hidden': 6})";
  RaceSettings options;
  options.contenders = {runtime::Contender("aten"), runtime::Contender::Opbench};
  const auto reasonWith = [&](Fault fault) {
    options.fault = fault;
    return opbenchOf(raced("rnn.lstm.training", lstm, options)).reason;
  };
  CHECK(reasonWith(Fault::OffByOne).find("; wrong by itself: group ") != std::string::npos);
  CHECK(reasonWith(Fault::SwappedSteps).find("; each of its groups is right by itself") != std::string::npos);
}

TEST_CASE("a fault makes a wrong row without a speedup") {
  for (Fault fault : {Fault::UnwrittenTail, Fault::OffByOne, Fault::StaleOutput, Fault::Zeros}) {
    RaceSettings options;
    options.fault = fault;
    const Row row = raced("aten.exp.default", "((T([16, 129], f32),), {})", options);
    CAPTURE(name(fault));
    CHECK(opbenchOf(row).status == Status::Wrong);
    CHECK(opbenchOf(row).reason.find("output 0") != std::string::npos);
    CHECK_FALSE(opbenchOf(row).speedup);
    CHECK_FALSE(opbenchOf(row).timing);
  }
  RaceSettings unchecked;
  unchecked.fault = Fault::Zeros;
  unchecked.accuracyChecking = false;
  CHECK(opbenchOf(raced("aten.exp.default", "((T([16, 129], f32),), {})", unchecked)).status == Status::Ok);
}

TEST_CASE("whoever hands out again what it computed before is found, as nothing is left there") {
  RaceSettings options;
  options.fault = Fault::CachedResult;
  const Row row = raced("aten.exp.default", "((T([16, 129], f32),), {})", options);
  CHECK(opbenchOf(row).status == Status::Wrong);
  CHECK(opbenchOf(row).reason.find("NaN or infinite on one side only") != std::string::npos);
  CHECK_FALSE(opbenchOf(row).timing);
}

TEST_CASE("a wrong result writes its case, which is wrong again") {
  const tests::TemporaryFolder folder;
  RaceSettings options;
  options.fault = Fault::Zeros;
  options.device = "cpu";
  options.cases = folder.path.string();
  const Row row = raced("aten.add.Tensor", "((T([16, 128], f32), T([128], f32)), {})", options);
  REQUIRE(opbenchOf(row).status == Status::Wrong);
  const std::filesystem::path written = folder.path / "1-aten.add.Tensor";
  CHECK(opbenchOf(row).reason.ends_with("; its case is in " + written.string()));
  CHECK(opbenchOf(row).caseFolder == written.string());
  CHECK(tests::contentOf(written / "run.words").find("--dtype\nfloat32\n--device\ncpu\n") != std::string::npos);
  CHECK(tests::contentOf(written / "case.json").find("\"operator\": \"aten.add.Tensor\"") != std::string::npos);
  CHECK(std::filesystem::file_size(written / "inputs" / "0.bin") == 16 * 128 * 4);
  CHECK(tests::contentOf(written / "stages" / "1-aten.add.Tensor" / "40-kernel.ll").find("define") != std::string::npos);
  CHECK(tests::contentOf(written / "result.jsonl").find("\"status\":\"wrong\"") != std::string::npos);
}

TEST_CASE("a case that cannot be written leaves the command that writes it") {
  const tests::TemporaryFolder folder;
  std::ofstream(folder.path / "file") << "no folder";
  RaceSettings options;
  options.fault = Fault::Zeros;
  options.cases = (folder.path / "file").string();
  const Row row = raced("aten.add.Tensor", "((T([16, 128], f32), T([128], f32)), {})", options);
  CHECK(opbenchOf(row).reason.find("; its case is not written: cannot make ") != std::string::npos);
  CHECK(opbenchOf(row).reason.ends_with("writes the case"));
}

TEST_CASE("a row says what was compared: the data, determinism, and how far off the results are") {
  RaceSettings options;
  options.data = inputs::Distribution::Uniform;
  const Row row = raced("aten.exp.default", "((T([16, 129], f32),), {})", options);
  CHECK(row.data == "uniform");
  CHECK(row.trivialSolution == "");
  CHECK(row.outcomes[0].determinism == Determinism::Bitwise);
  CHECK_FALSE(row.outcomes[0].accuracy);
  CHECK(opbenchOf(row).determinism == Determinism::Bitwise);
  REQUIRE(opbenchOf(row).accuracy);
  CHECK(opbenchOf(row).accuracy->maxUlp < 4);
  CHECK(opbenchOf(row).accuracy->cosine == doctest::Approx(1));
}

TEST_CASE("a check that says nothing is a right row that says so") {
  const Row row = raced("aten.mul.Tensor", "((T([16, 128], f32), 1), {})");
  CHECK(opbenchOf(row).status == Status::Ok);
  CHECK(row.trivialSolution == "a copy of argument 0 would pass for output 0");
}
