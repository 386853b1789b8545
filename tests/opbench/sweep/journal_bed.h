#pragma once

#include <doctest/doctest.h>

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "ir/error.h"
#include "opbench/results/write.h"
#include "opbench/settings/arguments.h"
#include "opbench/sweep/journal.h"
#include "opbench/sweep/shard.h"
#include "opbench/text/version.h"
#include "tests/golden.h"
#include "tests/opbench/rows.h"
#include "tests/opbench/temporary_folder.h"

namespace tests {

/// A sweep of the example rows whose results go to a file.
class JournalBed {
 public:
  JournalBed() {
    options.json = folder.path / "r.jsonl";
    run.version = opbench::versionText();
    run.options = opbench::quoted(opbench::raceArguments(options));
    options.recorded = run.recorded;
    for (const opbench::Row& row : exampleRows()) {
      inputs::Sample sample;
      sample.op = row.op;
      sample.recorded = row.sample;
      samples.push_back(sample);
    }
  }

  std::string lines(size_t index) const { return opbench::results::jsonLines(exampleRows().at(index - 1), run); }
  std::string content() const { return contentOf(options.json); }
  void write(const std::string& text) const { std::ofstream(options.json, std::ios::binary) << text; }

  /// The numbers of the samples that a resumed run finds in the file.
  std::vector<int> resumed() {
    options.resume = true;
    std::vector<int> found;
    opbench::Journal journal(options, out, samples.size());
    note = journal.resume(samples, opbench::samplesOf({}, samples),
                          [&](const opbench::results::SampleResult& result) { found.push_back(result.row.index); });
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

  TemporaryFolder folder;
  opbench::Options options;
  opbench::Run run = exampleRun();
  std::vector<inputs::Sample> samples;
  std::ostringstream out;
  std::string note;
};

}  // namespace tests
