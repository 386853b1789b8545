#include "opbench/sweep/sweep.h"

#include <doctest/doctest.h>

#include <fstream>
#include <sstream>

#include "ir/error.h"
#include "opbench/measure/device/ceilings.h"
#include "opbench/measure/device/copy_times.h"
#include "opbench/results/sum.h"
#include "runtime/devices/open.h"
#include "tests/cache_settings.h"
#include "tests/opbench/known_ceilings.h"
#include "tests/opbench/temporary_folder.h"

using namespace opbench;

namespace {

/// A sweep of a few small samples on the CPU, timed as briefly as possible.
class SweepBed {
 public:
  SweepBed() {
    std::string text = "Operator: aten.neg.default\n";
    for (int n = 1; n <= 6; ++n) text += "cnt: " + std::to_string(n) + ", ((T([" + std::to_string(n) + ", 64], f32),), {})\n";
    samples = inputs::parseFile(text, "example.txt", "example").samples;
    options.device = "cpu";
    options.threads = 1;
    options.inProcess = true;
    options.repeats = 1;
    options.cache = tests::cacheIn(folder.path);
    tests::putCeilings(options.cache);
    options.json = folder.path / "r.jsonl";
    options.junit = folder.path / "j.xml";
  }

  /// Ends after so many samples, as Ctrl-C does.
  Summary run(int most = 1000) {
    int done = 0;
    out.str("");
    return sweep(samples, options, Streams{out, err}, [&] { return done++ == most; });
  }
  std::vector<int> numbersInFile() const {
    std::vector<int> numbers;
    std::ifstream file(options.json);
    results::readSampleResults(file, options.json, 0,
                               [&](const results::SampleResult& result) { numbers.push_back(result.row.index); });
    return numbers;
  }

  tests::TemporaryFolder folder;
  std::vector<inputs::Sample> samples;
  Options options;
  std::ostringstream out, err;
};

}  // namespace

TEST_CASE(
    "an interrupted sweep reports what it did; resumed it races the rest and reports all, as if it had not been interrupted") {
  SweepBed bed;
  CHECK(bed.run(2).total.contenders[1].counts.samples == 2);
  CHECK(bed.numbersInFile() == std::vector{1, 2});
  const std::string before = tests::contentOf(bed.options.json);
  const std::string shown = bed.out.str().substr(bed.out.str().find('\n'), bed.out.str().find("\n\n") - bed.out.str().find('\n'));
  CHECK(tests::contentOf(bed.options.junit).find("tests=\"4\"") != std::string::npos);

  bed.options.resume = true;
  CHECK(bed.run().total.contenders[1].counts.samples == 6);
  CHECK(bed.numbersInFile() == std::vector{1, 2, 3, 4, 5, 6});
  CHECK(tests::contentOf(bed.options.json).starts_with(before));
  CHECK(bed.out.str().find(shown) != std::string::npos);
  CHECK(tests::contentOf(bed.options.junit).find("tests=\"12\"") != std::string::npos);

  // The heading's second line has what the device can do as it was known when the run began.
  const auto belowHeading = [&] { return bed.out.str().substr(bed.out.str().find('\n', bed.out.str().find('\n') + 1)); };
  const std::string whole = belowHeading();
  CHECK(bed.run(0).total.contenders[1].counts.samples == 6);
  CHECK(belowHeading() == whole);
}

TEST_CASE("a run that only checks measures nothing of the device") {
  SweepBed bed;
  bed.options.cache = tests::cacheIn(bed.folder.path / "another");
  bed.options.timing = false;
  CHECK(bed.run(1).total.contenders[1].counts.samples == 1);
  CHECK(bed.out.str().find("launch overhead") == std::string::npos);
  CHECK(tests::contentOf(bed.options.json).find("\"copy_gb_per_s\":null") != std::string::npos);
  const auto device = runtime::openDevice("cpu", 1);
  const runtime::Cache cache(bed.options.cache);
  CHECK_FALSE(cache.find(ceilingsKey(*device, runtime::Flush::Write)));
  CHECK_FALSE(cache.find(copyTimesKey(*device, runtime::Flush::Write)));
}

TEST_CASE("what breaks off is raced again, with a note") {
  SweepBed bed;
  bed.run(2);
  std::ofstream(bed.options.json, std::ios::app) << R"({"schema":2,"index":3,"op":"aten)";
  bed.options.resume = true;
  bed.run();
  CHECK(bed.numbersInFile() == std::vector{1, 2, 3, 4, 5, 6});
  CHECK(bed.err.str() == "opbench: " + bed.options.json + ":5: the file ends within this sample, which is left out\n");
}

TEST_CASE("results of another device are not resumed") {
  SweepBed bed;
  bed.run(1);
  std::istringstream lines(tests::contentOf(bed.options.json));
  std::ofstream file(bed.options.json);
  for (std::string line; std::getline(lines, line);) {
    line.erase(line.find(",\"sum\":")).append("}");
    const std::string_view before = "\"device_name\":\"";
    file << results::withSum(line.insert(line.find(before) + before.size(), "Other ")) << "\n";
  }
  file.close();
  bed.options.resume = true;
  try {
    bed.run();
    FAIL("accepted");
  } catch (const ir::Error& error) {
    CHECK(std::string(error.what()).starts_with(bed.options.json + ": cannot resume: device differs (file: Other "));
  }
}
