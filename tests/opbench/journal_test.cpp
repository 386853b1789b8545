#include "opbench/sweep/journal.h"

#include <doctest/doctest.h>
#include <sys/resource.h>

#include <csignal>
#include <fstream>
#include <sstream>

#include "ir/error.h"
#include "opbench/arguments.h"
#include "opbench/report/json.h"
#include "opbench/sweep/shard.h"
#include "opbench/version.h"
#include "tests/opbench/rows.h"
#include "tests/opbench/temporary_folder.h"

using namespace opbench;
using results::Raced;

namespace {

/// A sweep of the example rows whose results go to a file.
class Bed {
 public:
  Bed() {
    options.json = folder.path / "r.jsonl";
    run.version = versionText();
    run.options = quoted(raceArguments(options));
    options.recorded = run.recorded;
    for (const Row& row : tests::exampleRows()) {
      inputs::Sample sample;
      sample.op = row.op;
      sample.recorded = row.sample;
      samples.push_back(sample);
    }
  }

  std::string lines(size_t index) const { return report::jsonLines(tests::exampleRows().at(index - 1), run); }
  std::string content() const { return tests::contentOf(options.json); }
  void write(const std::string& text) const { std::ofstream(options.json, std::ios::binary) << text; }

  /// The numbers of the samples that a resumed run finds in the file.
  std::vector<int> resumed() {
    options.resume = true;
    std::vector<int> found;
    Journal journal(options, out, samples.size());
    note = journal.resume(samples, samplesOf({}, samples), [&](const Raced& raced) { found.push_back(raced.row.index); });
    return found;
  }
  std::string refusal() {
    try {
      resumed();
    } catch (const ir::Error& error) {
      CHECK(error.kind() == ir::ErrorKind::Input);
      return error.what();
    }
    return "accepted";
  }

  tests::TemporaryFolder folder;
  Options options;
  Run run = tests::exampleRun();
  std::vector<inputs::Sample> samples;
  std::ostringstream out;
  std::string note;
};

}  // namespace

TEST_CASE("what was appended is in the file, and a resumed run finds it") {
  Bed bed;
  {
    Journal journal(bed.options, bed.out, bed.samples.size());
    journal.append(bed.lines(2));
    CHECK(bed.content() == bed.lines(2));
    journal.append(bed.lines(1));
  }
  CHECK(bed.resumed() == std::vector{2, 1});
  CHECK(bed.note == "");
  CHECK(bed.content() == bed.lines(2) + bed.lines(1));
}

TEST_CASE("wherever a file breaks off, what is whole stays and the rest is dropped with a note") {
  Bed bed;
  const std::string first = bed.lines(1), second = bed.lines(2);
  for (size_t cut = 1; cut < second.size(); cut += 97) {
    bed.write(first + second.substr(0, cut));
    CHECK(bed.resumed() == std::vector{1});
    CHECK(bed.note == bed.options.json + ":3: the file breaks off in this sample, which is left out");
    CHECK(bed.content() == first);
  }
  bed.write(first.substr(0, 100));
  CHECK(bed.resumed().empty());
  CHECK(bed.content() == "");
}

TEST_CASE("a file that is not there yet, or is empty, has nothing to resume; without --resume it is begun anew") {
  Bed bed;
  CHECK(bed.resumed().empty());
  bed.write(bed.lines(1));
  bed.options.resume = false;
  const Journal journal(bed.options, bed.out, bed.samples.size());
  CHECK(bed.content() == "");
}

TEST_CASE("a resumed run appends to what is there") {
  Bed bed;
  bed.write(bed.lines(1) + "{\"torn");
  bed.options.resume = true;
  Journal journal(bed.options, bed.out, bed.samples.size());
  journal.resume(bed.samples, samplesOf({}, bed.samples), [](const Raced&) {});
  journal.append(bed.lines(2));
  CHECK(bed.content() == bed.lines(1) + bed.lines(2));
}

TEST_CASE("a file of other options, another build or other samples is refused, and left as it is") {
  const std::string end = "; --resume continues a run of the same options, samples and build";
  Bed bed;
  const std::string at = bed.options.json + ":1: ";
  bed.write(bed.lines(1));
  bed.options.seed = 8;
  CHECK(bed.refusal() == at + "it was raced with '--dtype float32', not '--dtype float32 --seed 8'" + end);
  bed.options.seed = 0;
  std::swap(bed.samples[0], bed.samples[1]);
  CHECK(bed.refusal() == at + "its samples are not those that were selected now" + end);
  bed.samples.pop_back();
  CHECK(bed.refusal() == at + "its samples are not those that were selected now" + end);
  bed.options.recorded = {8, 100};
  CHECK(bed.refusal() == at + "its samples are not those that were selected now" + end);
  bed.run.version = "opbench 0.0.9";
  bed.write(bed.lines(1));
  CHECK(bed.refusal() == at + "opbench 0.0.9 wrote it, this is " + versionText() + end);
  CHECK(bed.content() == bed.lines(1));
}

TEST_CASE("a file is refused where the configuration or the tolerances say something else, though they are called the same") {
  Bed bed;
  for (std::string Options::* file : {&Options::config, &Options::tolerances}) {
    const std::string path = bed.folder.path / "rules.yaml";
    bed.options.*file = path;
    std::ofstream(path) << "# nothing\n";
    bed.run.options = quoted(raceArguments(bed.options));
    bed.run.rules = rulesDigest(bed.options);
    bed.write(bed.lines(1));
    CHECK(bed.resumed() == std::vector{1});
    std::ofstream(path) << "# nothing else\n";
    CHECK(bed.refusal() == bed.options.json +
                               ":1: the files of --config and --tolerances say something else than they did then; --resume "
                               "continues a run of the same options, samples and build");
    CHECK(bed.content() == bed.lines(1));
    (bed.options.*file).clear();
  }
}

TEST_CASE("lines that no run can have left are refused with their place") {
  Bed bed;
  bed.write(bed.lines(1) + bed.lines(1));
  CHECK(bed.refusal().starts_with(bed.options.json + ":3: sample 1 is there twice, or another shard's"));
  bed.write("{\"torn\n" + bed.lines(1));
  CHECK(bed.refusal().starts_with(bed.options.json + ":1: no JSON from column"));
  const std::string half = bed.lines(1).substr(0, bed.lines(1).find('\n') + 1);
  bed.write(half + bed.lines(2));
  CHECK(bed.refusal() == bed.options.json + ":2: sample 1 has 1 lines before it, not 2");
}

TEST_CASE("a disk that fills up is an error, and what was written before stays whole") {
  Bed bed;
  const std::string first = bed.lines(1);
  Journal journal(bed.options, bed.out, bed.samples.size());
  journal.append(first);
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit few{first.size() + 100, before.rlim_max};
  setrlimit(RLIMIT_FSIZE, &few);
  CHECK_THROWS_WITH_AS(journal.append(bed.lines(2)), ("cannot write " + bed.options.json + ": File too large").c_str(),
                       ir::Error);
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  CHECK(bed.content() == first);
  journal.append(bed.lines(2));
  CHECK(bed.content() == first + bed.lines(2));
}

TEST_CASE("what cannot be written is an error before anything is raced") {
  Bed bed;
  const auto refusal = [&](const std::string& path, size_t samples) -> std::string {
    bed.options.json = path;
    try {
      const Journal journal(bed.options, bed.out, samples);
    } catch (const ir::Error& error) {
      return error.what();
    }
    return "accepted";
  };
  const std::string path = bed.options.json;
  CHECK(refusal("/nonexistent/r.jsonl", 1) == "cannot write /nonexistent/r.jsonl: No such file or directory");
  CHECK(refusal(bed.folder.path, 1) == "cannot write " + bed.folder.path.string() + ": Is a directory");
  CHECK(refusal(path, size_t{1} << 40).starts_with("cannot write " + path + ": its disk has "));
  bed.options.json = path;
  const Journal journal(bed.options, bed.out, 1);
  CHECK(refusal(path, 1) == "cannot write " + path + ": another run is writing it");
}

TEST_CASE("- is standard output") {
  Bed bed;
  bed.options.json = "-";
  Journal(bed.options, bed.out, 1).append("{}\n");
  CHECK(bed.out.str() == "{}\n");
}
