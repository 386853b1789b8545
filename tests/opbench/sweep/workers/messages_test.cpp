#include "opbench/sweep/messages.h"

#include <doctest/doctest.h>

#include "opbench/results/write.h"
#include "tests/opbench/rows.h"
#include "tests/refusal.h"

using namespace opbench;

TEST_CASE("a job is what it was on the other side") {
  const inputs::Sample sample =
      inputs::parseFile("Operator: aten.add.Tensor\ncnt: 12, ((T([2, 3], f16, stride=(1, 2)), 'it\\'s'), {'alpha': 2})\n",
                        "a.txt", "s")
          .samples.at(0);
  const std::string line = toLine(
      Job{7, sample, {}, "crash: signal 9 (Killed)", Doubt{Contender::Opbench, "opbench was fast", Interval{7.25, 8.5}}, 3});
  CHECK(line.find('\n') == line.size() - 1);
  const Job job = jobOf(line);
  CHECK(job.index == 7);
  CHECK(job.casesLeft == 3);
  CHECK(job.retried == "crash: signal 9 (Killed)");
  REQUIRE(job.doubt.has_value());
  CHECK(job.doubt->contender == Contender::Opbench);
  CHECK((job.doubt->lead == Interval{7.25, 8.5}));
  CHECK(job.doubt->why == "opbench was fast");
  CHECK(job.sample.op == sample.op);
  CHECK(job.sample.recorded == sample.recorded);
  CHECK((job.sample.args == sample.args));
  CHECK((job.sample.kwargs == sample.kwargs));
  CHECK(job.sample.count == 12);
  CHECK(job.sample.suite == "s");
  CHECK(job.sample.where.file == "a.txt");
  CHECK(job.sample.where.line == 2);
  CHECK_FALSE(job.compilation.has_value());
}

TEST_CASE("a job of an operator that no sample may call is refused") {
  inputs::Sample sample =
      inputs::parseFile("Operator: aten.neg.default\ncnt: 1, ((T([2], f16),), {})\n", "a.txt", "s").samples.at(0);
  sample.op = "aten.from_file.default";
  CHECK(tests::refusal(ir::ErrorKind::Input, [&] { jobOf(toLine(Job{1, sample, {}, ""})); }) ==
        "job: aten.from_file.default is refused: it maps a file");
}

TEST_CASE("a job tells what compiling it ahead came to") {
  const inputs::Sample sample =
      inputs::parseFile("Operator: aten.neg.default\ncnt: 1, ((T([2], f16),), {})\n", "a.txt", "s").samples.at(0);
  Compilation compilation{12.5, true, "0123", "signal 11\nit said"};
  CHECK_FALSE(jobOf(toLine(Job{1, sample, compilation, ""})).compilation->inductor.has_value());
  compilation.inductor = {8000, true, "LoweringException: no", 2};
  const Job job = jobOf(toLine(Job{1, sample, compilation, ""}));
  REQUIRE(job.compilation.has_value());
  CHECK(job.compilation->ms == 12.5);
  CHECK(job.compilation->cached);
  CHECK(job.compilation->kernels == "0123");
  REQUIRE(job.compilation->inductor.has_value());
  CHECK(job.compilation->inductor->ms == 8000);
  CHECK(job.compilation->inductor->cached);
  CHECK(job.compilation->inductor->failure == "LoweringException: no");
  CHECK(job.compilation->inductor->onGpu == 2);
  CHECK(compiledOf(toLine(job.compilation))->ms == 12.5);
  CHECK_FALSE(compiledOf(toLine(Compiled())).has_value());
}

TEST_CASE("a target is what it was on the other side") {
  const ir::Target target{ir::Backend::Cuda, "sm_90", "none", 16, 132, int64_t{60} << 20, 8, 2048, 65536, 233472, 232448,
                          7 << 20,           {false}};
  CHECK(targetOf(toLine(target)) == target);
}

TEST_CASE("replies are what they were on the other side") {
  Run run = tests::exampleRun();
  const auto ready =
      std::get<Ready>(replyOf(toLine(Ready{run, {ir::Backend::Cpu, "skylake", "+avx2", 32, 4, 1}, {"a complaint", "another"}})));
  CHECK(results::runJson(ready.run) == results::runJson(run));
  CHECK(ready.target.arch == "skylake");
  CHECK(ready.complaints == std::vector<std::string>{"a complaint", "another"});
  const auto refused = std::get<Refused>(replyOf(toLine(Refused{"no \"GPU\"", true, false})));
  CHECK(refused.message == "no \"GPU\"");
  CHECK(refused.lacksDevice);
  CHECK_FALSE(refused.isUsers);
  const std::string lines = results::jsonLines(tests::exampleRows()[1], run);
  const auto finished = std::get<Finished>(replyOf(toLine(Finished{lines, "the device\tis gone"})));
  CHECK(finished.lines == lines);
  CHECK(finished.lost == "the device\tis gone");
}
