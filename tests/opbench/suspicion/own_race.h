#pragma once

#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "opbench/results/sample_result.h"
#include "tests/opbench/program_bed.h"

namespace tests {

/// A library of operators that lies beside the test.
inline std::string libraryBeside(const std::string& name) {
  return std::filesystem::read_symlink("/proc/self/exe").parent_path() / name;
}

/// Races operators of a library on samples by the program on one thread of the CPU, for a twentieth of a second and otherwise
/// with default options but for these words; returns the program's status.
inline int raceOwn(const ProgramBed& bed, const std::string& samples, const std::string& contenders, const std::string& library,
                   const std::vector<std::string>& extra = {}) {
  std::ofstream(bed.folder.path / "samples.txt") << samples;
  std::vector<std::string> words{
      "--inp-file", bed.folder.path / "samples.txt", "--device", "cpu",      "--threads", "1",     "--max-time",   "0.05",
      "--cache",    bed.cacheSettings().folder,      "--json",   bed.json(), "--load",    library, "--contenders", contenders,
      "--no-cases"};
  words.insert(words.end(), extra.begin(), extra.end());
  return bed.program(words);
}

/// The outcomes of the samples, by operator.
inline std::map<std::string, std::vector<opbench::Outcome>> allOutcomesOf(const ProgramBed& bed, size_t contenders) {
  std::map<std::string, std::vector<opbench::Outcome>> outcomes;
  std::ifstream file(bed.json());
  opbench::results::readSampleResults(file, bed.json(), contenders, [&](const opbench::results::SampleResult& result) {
    outcomes[result.row.op] = result.row.outcomes;
  });
  return outcomes;
}
/// Those of the only sample; none where the program wrote none.
inline std::vector<opbench::Outcome> outcomesOf(const ProgramBed& bed, size_t contenders = 2) {
  const auto outcomes = allOutcomesOf(bed, contenders);
  return outcomes.empty() ? std::vector<opbench::Outcome>() : outcomes.begin()->second;
}

}  // namespace tests
