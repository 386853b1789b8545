#include <doctest/doctest.h>
#include <fmt/format.h>

#include <sstream>

#include "inputs/files.h"
#include "opbench/front/show.h"
#include "opbench/show/filter.h"
#include "opbench/show/options.h"
#include "opbench/show/pager.h"
#include "opbench/show/view.h"
#include "tests/opbench/temporary_folder.h"
#include "tests/refusal.h"

using namespace opbench;

namespace {

std::string line(const std::string& op, const std::string& contender, const std::string& rest) {
  return fmt::format(R"-({{"op":"{}","sample":"((T([2], f32),), {{}})","brief":"f32[2]","contender":"{}",)-"
                     R"-("device":"cpu","dtype":"float32","environment":{{"torch":"2.11.0"}},{}}})-",
                     op, contender, rest) +
         "\n";
}

/// A file of three samples, of which the last is wrong.
const std::string linesOfResults = line("aten.add.Tensor", "eager", R"("status":"ok","median_us":10)") +
                                   line("aten.add.Tensor", "opbench", R"("status":"ok","median_us":5.25,"speedup":1.904762)") +
                                   line("aten._softmax.default", "eager", R"("status":"ok","median_us":20)") +
                                   line("aten._softmax.default", "opbench", R"("status":"ok","median_us":25,"speedup":0.8)") +
                                   line("aten.gelu.default", "eager", R"("status":"ok","median_us":7)") +
                                   line("aten.gelu.default", "opbench", R"("status":"wrong","reason":"a|b, 3 & 4")");

/// A folder with these results in `out.jsonl`.
struct Bed {
  Bed() { inputs::writeFile(file(), linesOfResults); }
  std::string file() const { return folder.path / "out.jsonl"; }

  std::string show(ShowOptions options) const {
    options.files = {file()};
    check(options);
    std::ostringstream out, err;
    showResults(options, "", out, err, false);
    return out.str() + err.str();
  }
  std::string refusal(const ShowOptions& options) const {
    return tests::refusal(ir::ErrorKind::Input, [&] { show(options); });
  }

  tests::TemporaryFolder folder;
};

ShowOptions ofFiles(std::vector<std::string> files) {
  ShowOptions options;
  options.files = std::move(files);
  return options;
}

ShowOptions asked(std::vector<std::string> filters, std::vector<std::string> columns = {"op"}, std::string sort = "") {
  ShowOptions options;
  options.filters = std::move(filters);
  options.columns = std::move(columns);
  options.sort = std::move(sort);
  return options;
}

}  // namespace

TEST_CASE("show: a line a sample, with the columns that tell the lines apart; eager's are left out") {
  CHECK(Bed().show({}) == R"(op                      time  speedup  status  brief
aten.add.Tensor         5.25     1.90  ok      f32[2]
aten._softmax.default  25.00     0.80  ok      f32[2]
aten.gelu.default          -        -  wrong   f32[2]
)");
}

TEST_CASE("show: a filter on the contender shows eager's lines, and columns are the fields of the file, nested ones too") {
  CHECK(Bed().show(asked({"contender=eager", "median_us<15"}, {"op", "median_us", "environment.torch"})) ==
        "op                 median_us  environment.torch\n"
        "aten.add.Tensor           10  2.11.0\n"
        "aten.gelu.default          7  2.11.0\n");
}

TEST_CASE("show: filters on texts are patterns, and all of them must hold") {
  const Bed bed;
  CHECK(bed.show(asked({"op=aten._soft*"})) == "op\naten._softmax.default\n");
  CHECK(bed.show(asked({"brief=f32[?]", "status!=ok"})) == "op\naten.gelu.default\n");
  CHECK(bed.show(asked({"speedup>=0.8", "speedup<=1"})) == "op\naten._softmax.default\n");
  CHECK(bed.show(asked({"speedup!=0.8"})) == "op\naten.add.Tensor\naten.gelu.default\n");
  CHECK(bed.show(asked({"op=nothing"})) == "op\nopbench: no line of results passes the filters\n");
}

TEST_CASE("show: sorted by a field, the smallest or the largest first, and those without it last") {
  const Bed bed;
  CHECK(bed.show(asked({}, {"op"}, "speedup")) == "op\naten._softmax.default\naten.add.Tensor\naten.gelu.default\n");
  ShowOptions slowest = asked({}, {"op"}, "-time");
  slowest.limit = 1;
  CHECK(bed.show(slowest) == "op\naten._softmax.default\n");
  CHECK(bed.show(asked({}, {"op"}, "-time")).ends_with("aten.gelu.default\n"));
}

TEST_CASE("show: markdown, LaTeX and CSV keep foreign texts in their cells; CSV has all digits") {
  const Bed bed;
  ShowOptions options = asked({"op!=aten._softmax.default"}, {"op", "speedup", "reason"});
  options.format = "markdown";
  CHECK(bed.show(options) ==
        "| op | speedup | reason |\n| --- | ---: | --- |\n"
        "| aten.add.Tensor | 1.90 | - |\n| aten.gelu.default | - | a\\|b, 3 & 4 |\n");
  options.format = "csv";
  CHECK(bed.show(options) == "op,speedup,reason\naten.add.Tensor,1.904762,\naten.gelu.default,,\"a|b, 3 & 4\"\n");
  options.format = "latex";
  CHECK(bed.show(options).find("aten.gelu.default & - & a|b, 3 \\& 4 \\\\\n") != std::string::npos);
  CHECK(bed.show(options).starts_with("\\begin{tabular}{lrl}\n\\toprule\nop & speedup & reason \\\\\n\\midrule\n"));
}

TEST_CASE("show: what cannot be meant is refused in one line, with the nearest name") {
  const Bed bed;
  CHECK(bed.refusal(asked({}, {"op", "speedpu"})) == "--columns: no line has a field 'speedpu'; did you mean speedup?");
  const std::string all = bed.refusal(asked({}, {"op", "foo"}));
  CHECK(all.starts_with("--columns: no line has a field 'foo'; there are "));
  CHECK(all.find("contender, ") != std::string::npos);
  CHECK(bed.refusal(asked({}, {"op"}, "-tiem")) == "--sort: no line has a field 'tiem'; did you mean time?");
  CHECK(bed.refusal(asked({"statsu=wrong"})) == "--filter 'statsu=wrong': no line has a field 'statsu'; did you mean status?");
  CHECK(bed.refusal(asked({"speedup<fast"})) == "--filter 'speedup<fast': speedup is a number, got 'fast'");
  CHECK(bed.refusal(asked({"op<aten"})) == "--filter 'op<aten': op is a text, which is compared by = and != alone");
  for (const char* text : {"speedup", "=3", "speedup!3", ""})
    CHECK_MESSAGE(bed.refusal(asked({text})).find("expected a field, one of = != < <= > >=, and a value") != std::string::npos,
                  text);
  ShowOptions options;
  options.format = "html";
  CHECK(bed.refusal(options) == "--format must be one of table, markdown, latex, csv, got 'html'");
}

TEST_CASE("show: a file that is not there leads to the one that was meant") {
  const Bed bed;
  const std::string missing = bed.folder.path / "ou.jsonl";
  CHECK(tests::refusal(ir::ErrorKind::Input, [&] { show::readLines(ofFiles({missing})); }) ==
        fmt::format("no file '{}'; did you mean {}?", missing, bed.file()));
}

TEST_CASE("show: of several files each line tells which it is from") {
  const Bed bed;
  const std::string other = bed.folder.path / "other.jsonl";
  inputs::writeFile(other, linesOfResults);
  const show::Table table = show::view(show::readLines(ofFiles({bed.file(), other})), asked({"op=*add*"}, {}));
  REQUIRE(table.rows.size() == 2);
  CHECK(table.columns.front().heading == "results");
  CHECK(std::get<std::string>(table.rows[1][0]) == other);
}

TEST_CASE("show: the pager takes the text; where it cannot be run the text goes out as it is") {
  const tests::TemporaryFolder folder;
  std::ostringstream out;
  show::page("a table\n", "cat >" + (folder.path / "paged").string(), out);
  CHECK(tests::contentOf(folder.path / "paged") == "a table\n");
  CHECK(out.str().empty());
  show::page("a table\n", "no-such-pager 2>&-", out);
  CHECK(out.str() == "a table\n");
  show::page(std::string(1 << 20, 'x'), "true", out);
  CHECK(out.str() == "a table\n");
}
