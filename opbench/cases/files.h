#pragma once

#include <string>
#include <vector>

#include "opbench/cases/case.h"

namespace opbench {

/// A file of a case: its name in the case's folder, and what it holds.
struct CaseFile {
  std::string name;
  std::string content;
};

/// The texts of a case that is raced as `run` says, case.json first, which marks the folder as a case's:
///  - sample.txt, the sample; run.sh, which races it again as it was raced, with the words of run.words;
///  - driver.py, which calls eager ATen alone, with what case.json says (case_json.h).
/// The scripts are the same for every case. Errors: Input, for what the files cannot hold.
std::vector<CaseFile> caseTexts(const Case& wanted, const RaceSettings& run);

/// The command that races the sample of a case's folder in that folder: the program and its arguments.
std::vector<std::string> runWords(const RaceSettings& run);

}  // namespace opbench
