#include "opbench/presentation/reporter.h"

#include <doctest/doctest.h>

#include <sstream>

#include "ir/error.h"
#include "opbench/results/write.h"
#include "tests/opbench/rows.h"
#include "tests/opbench/temporary_folder.h"

using namespace opbench;

namespace {

/// What a run of the example rows writes to standard output and error.
struct Written {
  std::string out, err;
};

Written written(const Options& options, bool terminal = false) {
  std::ostringstream out, err;
  Streams streams{out, err};
  streams.progress = terminal;
  Reporter reporter(options, streams);
  const Run run = tests::exampleRun();
  const std::vector<Row> rows = tests::exampleRows();
  reporter.begin(run, static_cast<int>(rows.size()), 25);
  for (const Row& row : rows) {
    reporter.progress(row.op);
    reporter.row(results::sampleResultOf(results::jsonLines(row, run), "example", 1));
  }
  reporter.end(summarize(rows, run));
  return {out.str(), err.str()};
}

}  // namespace

TEST_CASE("by default the console's report alone") {
  const Written result = written({});
  CHECK(result.out.starts_with("opbench 0.1.0 on Example GPU"));
  CHECK(result.err == "");
}

TEST_CASE("with --json - standard output is left to the results") {
  Options options;
  options.json = "-";
  CHECK(written(options).out == "");
}

TEST_CASE("with --csv - nothing but the table goes to standard output") {
  Options options;
  options.csv = "-";
  CHECK(written(options).out.starts_with("Operator,opbench 20th"));
}

TEST_CASE("files are written beside the console's report") {
  tests::TemporaryFolder folder;
  Options options;
  options.csv = folder.path / "t.csv";
  CHECK(written(options).out == written({}).out);
  CHECK(tests::contentOf(folder.path / "t.csv").starts_with("Operator,"));
}

TEST_CASE("the dashboard's records and JUnit are written when the run ends") {
  tests::TemporaryFolder folder;
  Options options;
  options.dashboard = folder.path / "d.json";
  options.junit = folder.path / "j.xml";
  CHECK(written(options).out == written({}).out);
  CHECK(tests::contentOf(options.dashboard).starts_with("[\n"));
  CHECK(tests::contentOf(options.junit).starts_with("<?xml"));
  options.junit = "/nonexistent/j.xml";
  CHECK_THROWS_WITH_AS(written(options), "cannot write /nonexistent/j.xml: No such file or directory", ir::Error);
}

TEST_CASE("the page for a browser is there when the run has ended, and a sample says where its lines stand in the results") {
  tests::TemporaryFolder folder;
  Options options;
  options.json = "r.jsonl";
  options.html = folder.path / "p.html";
  CHECK(written(options).out == written({}).out);
  const std::string page = tests::contentOf(options.html);
  CHECK(page.find(R"("complete":true)") != std::string::npos);
  CHECK(page.find(R"("results":{"each":14,"values":["r.jsonl"]})") != std::string::npos);
}

TEST_CASE("operatorbench's lines stand in place of the report, and standard error says whose speedups they are") {
  tests::TemporaryFolder folder;
  Options options;
  options.compat = Compat::Operatorbench;
  options.ops = {"add", "mul", "_unsafe_view"};
  const Written result = written(options);
  CHECK(result.out.starts_with("Running aten._unsafe_view.default\nIter 0\n"));
  CHECK(result.out.find("\naten.add.Tensor:\nInductor Speedups : [1.") != std::string::npos);
  CHECK(result.out.find("Example GPU") == std::string::npos);
  CHECK(result.err == "opbench: Inductor Speedups are those of opbench's kernels, NVFUSER Speedups those of TorchScript\n");
}

TEST_CASE("complaints go to standard error") {
  std::ostringstream out, err;
  const Options options;
  Reporter(options, Streams{out, err}).complain("tuning.jsonl: 1 damaged line ignored");
  CHECK(out.str() == "");
  CHECK(err.str() == "opbench: tuning.jsonl: 1 damaged line ignored\n");
}

TEST_CASE("a file that cannot be written is refused before anything runs") {
  Options options;
  options.csv = "/nonexistent/t.csv";
  CHECK_THROWS_WITH_AS(written(options), "cannot write /nonexistent/t.csv: No such file or directory", ir::Error);
}

TEST_CASE("progress goes to a terminal's standard error, and is cleared before each line") {
  const Written result = written({}, true);
  CHECK(result.err.starts_with("\r\033[K[1/7] aten._unsafe_view.default\r\033[K"));
  CHECK(result.out == written({}).out);
}
