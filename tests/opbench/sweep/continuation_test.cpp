#include "opbench/sweep/continuation.h"

#include <doctest/doctest.h>

#include "tests/opbench/sweep/journal_bed.h"

using namespace opbench;
using tests::JournalBed;

TEST_CASE("a file of another build is resumed with --force") {
  JournalBed bed;
  bed.run.version = "opbench 0.0.9";
  bed.write(bed.lines(1));
  bed.options.force = true;
  CHECK(bed.resumed() == std::vector{1});
}

TEST_CASE("a build is the same whichever commit its sources became") {
  JournalBed bed;
  bed.run.version = "opbench 0.1.0 (0000000+" + std::string(buildOf(versionText())) + ")";
  bed.write(bed.lines(1));
  CHECK(bed.resumed() == std::vector{1});
}

namespace {

/// The samples of a bed, with the places where they stand, as a selection of files has them.
void place(JournalBed& bed) {
  const std::vector<Row> rows = tests::exampleRows();
  for (size_t i = 0; i < rows.size(); ++i) bed.samples[i].where = {rows[i].file, rows[i].line};
}

}  // namespace

TEST_CASE("a run of more samples goes on with a file of fewer, whose lines get the new numbers and nothing else") {
  JournalBed bed;
  place(bed);
  bed.write(bed.lines(1) + bed.lines(2) + bed.lines(3).substr(0, 99));  // 1, 2 of 7
  inputs::Sample more = bed.samples[1];
  more.recorded = "((T([5], f16), T([5], f16)), {})";
  bed.samples.insert(bed.samples.begin() + 1, more);
  bed.options.recorded = {30, 400};
  CHECK(bed.resumed() == std::vector{1, 3});
  CHECK(bed.note.starts_with(bed.options.json + " is of a run of 7 samples, and goes on as one of 8; "));
  Row row = tests::exampleRows()[1];
  row.index = 3;
  Run run = bed.run;
  run.samples = 8;
  run.recorded = {30, 400};
  run.selection = quoted(selectionArguments(bed.options));
  const std::string content = bed.content();
  CHECK(content.substr(content.find("{\"schema\":2,\"index\":3")) == results::jsonLines(row, run));
  CHECK(bed.resumed() == std::vector{1, 3});
  CHECK(bed.note == "");
  CHECK(bed.content() == content);
}

TEST_CASE("a file with a sample that is not selected now is refused, and the options say why") {
  JournalBed bed;
  place(bed);
  bed.run.selection = "--op all --max-samples 20 --sample-mode top --start-idx 0";
  bed.write(bed.lines(1) + bed.lines(7));
  bed.samples.pop_back();
  CHECK(bed.refusal() == bed.options.json +
                             ":3: cannot resume: the selected samples differ, sample 7 is not among them now: --max-samples "
                             "differs (file: 20; now: 15)");
}
