#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "ir/error.h"
#include "opbench/report/html/page.h"
#include "opbench/report/html/race.h"
#include "opbench/report/html/rows.h"
#include "opbench/results/write.h"
#include "tests/opbench/rows.h"
#include "tests/opbench/temporary_folder.h"
#include "tests/refusal.h"

using namespace opbench;
using nlohmann::json;
using report::html::Rows;

namespace {

/// The rows of these objects, as a page has them.
json rowsOf(const std::vector<json>& objects) {
  Rows rows;
  for (const json& object : objects) rows.add(object);
  return json::parse(rows.text());
}

json columnOf(const std::string& name, const std::vector<json>& objects) { return rowsOf(objects)["columns"][name]; }

/// The data of a page.
json dataOf(const std::string& page) {
  const std::string open = R"(<script type="application/json" id="data">)";
  const size_t from = page.find(open) + open.size();
  return json::parse(page.substr(from, page.find("</script>", from) - from));
}

}  // namespace

TEST_CASE("a column: a value of all rows, of each sample's, of each row, or by its place among a few") {
  CHECK(columnOf("a", {{{"a", 7}}, {{"a", 7}}, {{"a", 7}}}) == json::parse(R"({"each":3,"values":[7]})"));
  CHECK(columnOf("a", {{{"a", 1}}, {{"a", 1}}, {{"a", 2}}, {{"a", 2}}}) == json::parse(R"({"each":2,"values":[1,2]})"));
  CHECK(columnOf("a", {{{"a", 1}}, {{"a", 2}}, {{"a", 3}}}) == json::parse(R"({"each":1,"values":[1,2,3]})"));
  CHECK(columnOf("a", {{{"a", "a long text"}}, {{"a", "another text"}}, {{"a", "a long text"}}, {{"a", "another text"}}}) ==
        json::parse(R"({"each":1,"values":[null,"a long text","another text"],"at":[1,2,1,2]})"));
}

TEST_CASE("a row without a field has null there, before and after the rows that have it") {
  CHECK(columnOf("b", {{{"a", 1}}, {{"b", 5}}, {{"a", 1}}}) == json::parse(R"({"each":1,"values":[null,5,null]})"));
  CHECK(rowsOf({}) == json::parse(R"({"rows":0,"columns":{}})"));
}

TEST_CASE("fields of objects are columns of their own, and fractions have six digits") {
  const json rows = rowsOf({{{"accuracy", {{"rmse", 0.000123456789}, {"at", {3, 17}}}}}});
  CHECK(rows["columns"]["accuracy.rmse"]["values"][0] == 0.000123457);
  CHECK(rows["columns"]["accuracy.at"]["values"][0] == json{3, 17});
}

TEST_CASE("a row of anybody: no text ends the script element, what is too deep is null, what is too much is left out") {
  Rows rows;
  rows.add({{"</script>", "<!-- </script>"}});
  CHECK(rows.text().find('<') == std::string::npos);
  CHECK(json::parse(rows.text())["columns"]["</script>"]["values"][0] == "<!-- </script>");

  const std::string open(300'000, '['), close(300'000, ']');
  rows.add(json::parse(R"({"a":)" + open + close + "}"));
  CHECK(json::parse(rows.text())["columns"]["a"] == json::parse(R"({"each":2,"values":[null]})"));
  json wide;
  for (int i = 0; i < 1000; ++i) wide["field " + std::to_string(i)] = i;
  CHECK(rowsOf({wide})["columns"].size() == 400);
}

TEST_CASE("a page is one file, and its policy names its scripts and its style alone") {
  const std::string page = report::html::page(R"({"complete":true})");
  CHECK(page.starts_with("<!doctype html>\n"));
  CHECK(page.ends_with("</html>\n"));
  CHECK(page.find("default-src 'none'; script-src 'sha256-") != std::string::npos);
  CHECK(page.find("unsafe-") == std::string::npos);
  CHECK(page.find("src=\"") == std::string::npos);
  CHECK(page.find("{{") == page.find("{{", page.find("<script>")));  // none is left of the frame's own
  CHECK(dataOf(page)["complete"] == true);
}

TEST_CASE("a race's page: written with the first sample, complete at the end; it has the lines' fields and where they stand") {
  tests::TemporaryFolder folder;
  const std::string file = folder.path / "out.html";
  const Run run = tests::exampleRun();
  const std::vector<Row> rows = tests::exampleRows();
  report::html::Race race(file);
  race.begin(static_cast<int>(rows.size()), "");
  CHECK_FALSE(std::filesystem::exists(file));

  race.add(results::jsonLines(rows[0], run), "r.jsonl", 1);
  CHECK(race.follow() == "");
  json data = dataOf(tests::contentOf(file));
  CHECK(data["complete"] == false);
  CHECK(data["samples"] == rows.size());
  CHECK(data["lines"]["rows"] == 2);

  race.add(results::jsonLines(rows[1], run), "r.jsonl", 3);
  CHECK(race.follow() == "");
  CHECK(dataOf(tests::contentOf(file))["lines"]["rows"] == 2);  // it was written a moment ago
  race.finish();
  data = dataOf(tests::contentOf(file));
  CHECK(data["complete"] == true);
  const json& columns = data["lines"]["columns"];
  CHECK(columns["op"]["values"] == json{"aten._unsafe_view.default", "aten.add.Tensor"});
  CHECK(columns["results_line"]["values"] == json{1, 2, 3, 4});
  CHECK_FALSE(columns.contains("rounds_us"));
}

TEST_CASE("a page that cannot be written is refused at once; one that cannot be replaced on the way ends no race") {
  CHECK(tests::refusal(ir::ErrorKind::Input, [] { report::html::Race("/nonexistent/out.html"); }) ==
        "cannot write /nonexistent/out.html: No such file or directory");
  tests::TemporaryFolder folder;
  report::html::Race race(folder.path / "out.html");
  race.add(results::jsonLines(tests::exampleRows()[0], tests::exampleRun()), "", 1);
  std::filesystem::remove_all(folder.path);
  CHECK(race.follow() == "cannot write " + (folder.path / "out.html").string() + ": No such file or directory");
}
