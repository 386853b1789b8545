#include "opbench/show/models.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <sstream>

#include "inputs/files.h"
#include "opbench/front/show.h"
#include "tests/opbench/temporary_folder.h"

using namespace opbench;

namespace {

/// A line of results; `rest` are further fields.
std::string line(const std::string& op, const std::string& sample, const std::string& contender, double us,
                 const std::string& rest = R"("kind":"generated")") {
  return fmt::format(R"-({{"op":"{}","sample":"{}","brief":"x","contender":"{}","status":"ok","median_us":{},"device":"cuda:0",)-"
                     R"-("dtype":"float16",{}}})-",
                     op, sample, contender, us, rest) +
         "\n";
}

constexpr const char* network = "((T([2], i64),), {'dtype': 'float16'})";

/// Two networks that share a region, and their results.
struct NetworksBed {
  NetworksBed() {
    const auto region = [&](const std::string& name, const std::vector<inputs::RegionUse>& uses) {
      inputs::writeFile(folder.path / "regions" / (name + ".txt"), toText(inputs::RegionFile{uses, "\ncnt: 1, ((), {})\n"}));
    };
    inputs::makeFolder(folder.path / "regions");
    region("aa", {{10, "model.one.training", network}, {2, "model.two.training", network}});
    region("bb", {{1, "model.one.training", network}});
  }

  std::string show(const std::string& results, int64_t limit = 0) const {
    inputs::writeFile(folder.path / "r.jsonl", results);
    ShowOptions options;
    options.files = {folder.path / "r.jsonl"};
    options.models = folder.path / "regions";
    options.format = "csv";
    options.limit = limit;
    std::ostringstream out, err;
    showResults(options, "", out, err, false);
    return out.str() + err.str();
  }

  tests::TemporaryFolder folder;
};

const std::string regions =
    line("region.aa", "a", "eager", 100) + line("region.aa", "a", "opbench", 50, R"("kind":"generated","copy_us":20)") +
    line("region.bb", "b", "eager", 900) + line("region.bb", "b", "opbench", 800, R"("kind":"generated","copy_us":200)");

}  // namespace

TEST_CASE("a step's regions are added up as often as it has them, for each contender") {
  const std::string text = NetworksBed().show(regions);
  CHECK(
      text.starts_with("network,contender,regions,regions_ms,calls_ms,sum_ms,step_ms\n"
                       "model.one.training,eager,2 of 2,1.9,,,\n"
                       "model.one.training,opbench,2 of 2,1.3,,,\n"
                       "model.two.training,eager,1 of 1,0.2,,,\n"
                       "model.two.training,opbench,1 of 1,0.1,,,\n"));
}

TEST_CASE("the calls that opbench leaves to ATen come from the suite's file of the step, and the step's own time stands beside") {
  const auto call = [](const std::string& op, const std::string& file, const std::string& kind, double us) {
    const std::string rest = fmt::format(R"-("file":"suite/{}.txt","count":3,"kind":"{}")-", file, kind);
    return line(op, "s", "eager", us, R"("kind":"fallback",)" + rest.substr(0, rest.rfind(','))) +
           line(op, "s", "opbench", us, rest);
  };
  const std::string text = NetworksBed().show(
      regions + call("aten.mm.default", "one_float16", "fallback", 1000) +
      call("aten.add.Tensor", "one_float16", "generated", 7) + call("aten.bmm.default", "one_amp", "fallback", 9) +
      line("model.one.training", network, "eager", 6000) + line("model.one.training", network, "opbench", 5000));
  CHECK(text.find("model.one.training,eager,2 of 2,1.9,3,4.9,6\n") != std::string::npos);
  CHECK(text.find("model.one.training,opbench,2 of 2,1.3,3,4.3,5\n") != std::string::npos);
  CHECK(text.find("model.two.training,eager,1 of 1,0.2,,,\n") != std::string::npos);
}

TEST_CASE("regions come by what opbench may gain in all steps: its time beyond a copy, as often as they have the region") {
  const std::string text = NetworksBed().show(regions);
  CHECK(text.find("\nregion,gain_ms,count,copy_us,eager_us,opbench_us,networks\n"
                  "region.bb,0.6,1,200,900,800,one.training\n"
                  "region.aa,0.36,12,20,100,50,one.training two.training\n") != std::string::npos);
  CHECK(NetworksBed().show(regions, 1).find("region.aa") == std::string::npos);
}

TEST_CASE("a region without a time of a contender is told, and counts nothing") {
  const std::string text = NetworksBed().show(line("region.bb", "b", "eager", 900) + line("region.bb", "b", "opbench", 800));
  CHECK(text.find("model.one.training,eager,1 of 2,0.9,,,\n") != std::string::npos);
  CHECK(text.find("model.two.training") == std::string::npos);
  CHECK(NetworksBed().show(line("aten.neg.default", "n", "eager", 1)).find("no line of results is of a network or region") !=
        std::string::npos);
}
