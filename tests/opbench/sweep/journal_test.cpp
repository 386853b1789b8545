#include "opbench/sweep/journal.h"

#include <doctest/doctest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "ir/error.h"
#include "opbench/results/write.h"
#include "opbench/settings/arguments.h"
#include "opbench/sweep/shard.h"
#include "opbench/text/version.h"
#include "tests/golden.h"
#include "tests/opbench/rows.h"
#include "tests/opbench/sweep/journal_bed.h"

using namespace opbench;
using results::SampleResult;
using tests::JournalBed;

TEST_CASE("what was appended is in the file, and a resumed run finds it") {
  JournalBed bed;
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
  JournalBed bed;
  const std::string first = bed.lines(1), second = bed.lines(2);
  for (size_t cut = 1; cut < second.size(); cut += 97) {
    bed.write(first + second.substr(0, cut));
    CHECK(bed.resumed() == std::vector{1});
    CHECK(bed.note == bed.options.json + ":3: the file ends within this sample, which is left out");
    CHECK(bed.content() == first);
  }
  bed.write(first.substr(0, 100));
  CHECK(bed.resumed().empty());
  CHECK(bed.content() == "");
}

TEST_CASE("a file that is not there yet, or is empty, has nothing to resume; without --resume it is begun anew") {
  JournalBed bed;
  CHECK(bed.resumed().empty());
  bed.write(bed.lines(1));
  bed.options.resume = false;
  Journal journal(bed.options, bed.out, bed.samples.size());
  journal.append(bed.lines(2));
  CHECK(bed.content() == bed.lines(2));
}

TEST_CASE("a resumed run appends to what is there") {
  JournalBed bed;
  bed.write(bed.lines(1) + "{\"schema\":2,\"torn");
  bed.options.resume = true;
  Journal journal(bed.options, bed.out, bed.samples.size());
  journal.resume(bed.samples, samplesOf({}, bed.samples), [](const SampleResult&) {});
  journal.append(bed.lines(2));
  CHECK(bed.content() == bed.lines(1) + bed.lines(2));
}

TEST_CASE("what an earlier run left stays until there is something to replace it") {
  JournalBed bed;
  bed.write(bed.lines(1));
  {
    const Journal journal(bed.options, bed.out, bed.samples.size());
  }
  CHECK(bed.content() == bed.lines(1));
  Journal journal(bed.options, bed.out, bed.samples.size());
  CHECK(bed.content() == bed.lines(1));
  journal.append(bed.lines(2));
  CHECK(bed.content() == bed.lines(2));
  CHECK_THROWS_AS(Journal(bed.options, bed.out, 1), ir::Error);  // the new file is locked as the old one was
}

TEST_CASE("a run that has no results makes no file") {
  JournalBed bed;
  {
    const Journal journal(bed.options, bed.out, bed.samples.size());
  }
  CHECK(!std::filesystem::exists(bed.options.json));
}

TEST_CASE("a file that somebody removes is put back, and the run is told") {
  JournalBed bed;
  Journal journal(bed.options, bed.out, bed.samples.size());
  journal.append(bed.lines(1));
  std::filesystem::remove(bed.options.json);
  const std::string removed = "cannot write " + bed.options.json + ": it was removed or replaced while this run wrote it; ";
  CHECK_THROWS_WITH_AS(journal.append(bed.lines(2)), (removed + bed.options.json + " has its results so far").c_str(), ir::Error);
  CHECK(bed.content() == bed.lines(1));
}

TEST_CASE("a file that somebody replaces stays theirs; ours is put beside it") {
  JournalBed bed;
  Journal journal(bed.options, bed.out, bed.samples.size());
  journal.append(bed.lines(1));
  std::filesystem::remove(bed.options.json);
  bed.write("theirs");
  CHECK_THROWS_AS(journal.check(), ir::Error);
  CHECK(bed.content() == "theirs");
  CHECK(tests::contentOf(bed.options.json + "." + std::to_string(::getpid())) == bed.lines(1));
}

TEST_CASE("a file that somebody empties is not written as if nothing had happened") {
  JournalBed bed;
  Journal journal(bed.options, bed.out, bed.samples.size());
  journal.append(bed.lines(1));
  bed.write("");
  CHECK_THROWS_WITH_AS(journal.append(bed.lines(2)),
                       ("cannot write " + bed.options.json + ": it was emptied while this run wrote it").c_str(), ir::Error);
}

TEST_CASE("empty lines between samples are passed over") {
  JournalBed bed;
  bed.write("\n" + bed.lines(1) + "\n \n" + bed.lines(2));
  CHECK(bed.resumed() == std::vector{1, 2});
  CHECK(bed.note == "");
}

TEST_CASE("a file of something else is refused and left as it is, also without a line's end") {
  JournalBed bed;
  for (const std::string text : {"my thesis", "{\"title\": \"my thesis\"}", "my thesis\n"}) {
    bed.write(text);
    CHECK(bed.refusal().starts_with(bed.options.json + ":1: "));
    CHECK(bed.content() == text);
  }
  bed.write(bed.lines(1) + "my thesis");
  CHECK(bed.refusal() == bed.options.json + ":3: expected a line of --json results");
}

TEST_CASE("zeros at the end, as a power failure leaves them, are half a line") {
  JournalBed bed;
  bed.write(bed.lines(1) + "{\"sch" + std::string(100, '\0'));
  CHECK(bed.resumed() == std::vector{1});
  CHECK(bed.content() == bed.lines(1));
}

TEST_CASE("a line that was edited is refused, and one that lost its sum") {
  JournalBed bed;
  const std::string lines = bed.lines(1);
  std::string edited = lines, bare = lines;
  edited.replace(edited.find("\"median_us\":"), 13, "\"median_us\":9");
  bed.write(edited);
  CHECK(bed.refusal() == bed.options.json + ":1: the line was edited: its checksum does not match");
  for (size_t at = 0; (at = bare.find(",\"sum\":\"")) != std::string::npos;) bare.erase(at, bare.find('}', at) - at);
  bed.write(bare);
  CHECK(bed.refusal().starts_with(bed.options.json + ":1: cannot resume: a line has no checksum"));
}

TEST_CASE("a file of another shard is refused") {
  JournalBed bed;
  bed.run.shard = "4/8";
  bed.write(bed.lines(1));
  CHECK(bed.refusal().starts_with(bed.options.json + ":1: cannot resume: shards differ (file: 4/8; now: 1/1)"));
}

TEST_CASE("a file of schema 1 is not resumed, and stays as it is, however much of it there is") {
  JournalBed bed;
  const std::string old = tests::contentOf(tests::settings().golden / "report-schema-1.jsonl");
  const size_t line = old.find('\n') + 1, sample = old.find('\n', line) + 1;
  for (const size_t cut : {size_t{12}, size_t{100}, line, line + 50, sample, sample + 50, old.size()}) {
    bed.write(old.substr(0, cut));
    CHECK(bed.refusal() ==
          "cannot resume: " + bed.options.json +
              " was written with schema 1, this opbench writes schema 2; start a new file, or compare and convert it "
              "as it is");
    CHECK(bed.content() == old.substr(0, cut));
  }
}

TEST_CASE("lines of other contenders, or in another order, are refused") {
  JournalBed bed;
  const std::string lines = bed.lines(1), first = lines.substr(0, lines.find('\n') + 1), second = lines.substr(first.size());
  bed.write(first + first);
  CHECK(bed.refusal().starts_with(bed.options.json +
                                  ":1: cannot resume: contenders differ (file: eager, eager; now: eager, opbench)"));
  bed.write(second + first);
  CHECK(bed.refusal().starts_with(bed.options.json +
                                  ":1: cannot resume: contenders differ (file: opbench, eager; now: eager, opbench)"));
}

TEST_CASE("a pipe or a device cannot be resumed") {
  JournalBed bed;
  bed.options.json = "/dev/null";
  CHECK(bed.refusal() == "cannot write /dev/null: --resume needs a regular file");
}

TEST_CASE("a device that is full is an error of the first line") {
  JournalBed bed;
  bed.options.json = "/dev/full";
  Journal journal(bed.options, bed.out, 1);
  CHECK_THROWS_WITH_AS(journal.append(bed.lines(1)), "cannot write /dev/full: No space left on device", ir::Error);
}

TEST_CASE("a file of other options, another build or other samples is refused, and left as it is") {
  JournalBed bed;
  const std::string at = bed.options.json + ":1: cannot resume: ";
  bed.write(bed.lines(1));
  bed.options.seed = 8;
  CHECK(bed.refusal() == at + "--seed differs (file: not given; now: 8)");
  bed.options.seed = 0;
  std::swap(bed.samples[0], bed.samples[1]);
  CHECK(bed.refusal() == at + "the selected samples differ");
  bed.samples.pop_back();
  CHECK(bed.refusal() == at + "the selected samples differ");
  bed.options.recorded = {8, 100};
  CHECK(bed.refusal() == at + "the selected samples differ");
  bed.run.version = "opbench 0.0.9";
  bed.write(bed.lines(1));
  CHECK(bed.refusal() == at + "builds differ (file: opbench 0.0.9; now: " + versionText() + "); use --force to continue anyway");
  CHECK(bed.content() == bed.lines(1));
}

TEST_CASE("a file is refused where the configuration or the tolerances say something else, though they are called the same") {
  JournalBed bed;
  for (std::string RaceSettings::* file :
       std::initializer_list<std::string RaceSettings::*>{&Options::config, &Options::tolerances}) {
    const std::string path = bed.folder.path / "rules.yaml";
    bed.options.*file = path;
    std::ofstream(path) << "# nothing\n";
    bed.run.options = quoted(raceArguments(bed.options));
    bed.run.rules = rulesDigest(bed.options);
    bed.write(bed.lines(1));
    CHECK(bed.resumed() == std::vector{1});
    std::ofstream(path) << "# nothing else\n";
    CHECK(bed.refusal() ==
          bed.options.json + ":1: cannot resume: the contents of --config, --tolerances, --program or --kernel have changed");
    CHECK(bed.content() == bed.lines(1));
    (bed.options.*file).clear();
  }
}

TEST_CASE("lines that no run can have left are refused with their place") {
  JournalBed bed;
  bed.write(bed.lines(1) + bed.lines(1));
  CHECK(bed.refusal().starts_with(bed.options.json + ":3: cannot resume: sample 1 is duplicated or belongs to another shard"));
  bed.write("{\"torn\n" + bed.lines(1));
  CHECK(bed.refusal().starts_with(bed.options.json + ":1: not JSON from column"));
  const std::string half = bed.lines(1).substr(0, bed.lines(1).find('\n') + 1);
  bed.write(half + bed.lines(2));
  CHECK(bed.refusal() == bed.options.json + ":2: sample 1 comes after 1 lines of the sample before it, expected 2");
}

TEST_CASE("a disk that fills up is an error, and what was written before stays whole") {
  JournalBed bed;
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
  JournalBed bed;
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
  JournalBed bed;
  bed.options.json = "-";
  Journal(bed.options, bed.out, 1).append("{}\n");
  CHECK(bed.out.str() == "{}\n");
}
