#include "opbench/sweep/messages.h"

#include <doctest/doctest.h>

#include "opbench/report/json.h"
#include "tests/opbench/rows.h"

using namespace opbench;

TEST_CASE("a job is what it was on the other side") {
  const inputs::Sample sample =
      inputs::parseFile("Operator: aten.add.Tensor\ncnt: 12, ((T([2, 3], f16, stride=(1, 2)), 'it\\'s'), {'alpha': 2})\n",
                        "a.txt", "s")
          .samples.at(0);
  const std::string line = toLine(Job{7, sample});
  CHECK(line.find('\n') == line.size() - 1);
  const Job job = jobOf(line);
  CHECK(job.index == 7);
  CHECK(job.sample.op == sample.op);
  CHECK(job.sample.recorded == sample.recorded);
  CHECK(job.sample.args == sample.args);
  CHECK(job.sample.kwargs == sample.kwargs);
  CHECK(job.sample.count == 12);
  CHECK(job.sample.suite == "s");
  CHECK(job.sample.where.file == "a.txt");
  CHECK(job.sample.where.line == 2);
}

TEST_CASE("replies are what they were on the other side") {
  Run run = tests::exampleRun();
  const auto ready = std::get<Ready>(replyOf(toLine(Ready{run, "a complaint"})));
  CHECK(report::runJson(ready.run) == report::runJson(run));
  CHECK(ready.complaint == "a complaint");
  const auto refused = std::get<Refused>(replyOf(toLine(Refused{"no \"GPU\"", true, false})));
  CHECK(refused.message == "no \"GPU\"");
  CHECK(refused.lacksDevice);
  CHECK_FALSE(refused.isUsers);
  const std::string lines = report::jsonLines(tests::exampleRows()[1], run);
  const auto finished = std::get<Finished>(replyOf(toLine(Finished{lines, "the device\tis gone"})));
  CHECK(finished.lines == lines);
  CHECK(finished.lost == "the device\tis gone");
}
