#include "opbench/timeline/timeline.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "ir/error.h"
#include "tests/opbench/process.h"
#include "tests/opbench/temporary_folder.h"

using namespace opbench;

TEST_CASE("a stage's time is its own, without the time of stages within it") {
  const std::vector<Span> spans{{"checking", 0, 10'000'000'000},
                                {"references", 1'000'000'000, 3'000'000'000},
                                {"data", 1'000'000'000, 1'500'000'000},
                                {"references", 4'000'000'000, 5'000'000'000},
                                {"racing", 10'000'000'000, 12'000'000'000}};
  const auto seconds = secondsOf(spans);
  CHECK(seconds.at("checking") == doctest::Approx(7));
  CHECK(seconds.at("references") == doctest::Approx(2.5));
  CHECK(seconds.at("data") == doctest::Approx(0.5));
  CHECK(seconds.at("racing") == doctest::Approx(2));
}

TEST_CASE("stages leave spans in the order in which they begin, until these are taken") {
  takeSpans();
  {
    const TimedStage outer("checking");
    {
      const TimedStage inner("references");
    }
  }
  const std::vector<Span> spans = takeSpans();
  REQUIRE(spans.size() == 2);
  CHECK(spans[0].name == "checking");
  CHECK(spans[1].name == "references");
  CHECK(spans[0].start <= spans[1].start);
  CHECK(spans[1].start <= spans[1].end);
  CHECK(spans[1].end <= spans[0].end);
  CHECK(takeSpans().empty());
}

TEST_CASE("processes add to one trace, which is whole once the run has ended") {
  const tests::TemporaryFolder folder;
  const std::string file = folder.path / "timeline.json";
  Timeline::begin(file);
  Timeline(file, "worker cuda:0").add({{"racing", 1000, 3000}}, "1: aten.neg.default f32[\"8\"]");
  Timeline(file, "compiler").add({{"compiling", 500, 900}});
  Timeline::end(file);
  const auto events = nlohmann::json::parse(tests::contentOf(file));
  const auto named = [&](const std::string& name) {
    return *std::find_if(events.begin(), events.end(), [&](const auto& event) { return event.at("name") == name; });
  };
  CHECK(named("racing").at("ts") == 1);
  CHECK(named("racing").at("dur") == 2);
  CHECK(named("1: aten.neg.default f32[\"8\"]").at("dur") == 2);
  CHECK(named("compiling").at("ts") == 0.5);
  CHECK(named("process_name").at("args").at("name") == "worker cuda:0");
}

TEST_CASE("a timeline that cannot be written is refused, and none is written where nobody asks for one") {
  CHECK_THROWS_WITH_AS(Timeline("/nonexistent/timeline.json", "worker cpu"),
                       "cannot write /nonexistent/timeline.json: No such file or directory", ir::Error);
  const Timeline none("", "worker cpu");
  none.add({{"racing", 0, 1}});
}
