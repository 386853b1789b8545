#include "opbench/cases/files.h"

#include <fmt/format.h>

#include <filesystem>

#include "inputs/files.h"
#include "inputs/operator_name.h"
#include "inputs/print.h"
#include "inputs/text/scanner.h"
#include "ir/error.h"
#include "opbench/cases/case_json.h"
#include "opbench/cases/scripts.h"
#include "opbench/settings/arguments.h"

namespace opbench {
namespace {

namespace fs = std::filesystem;

using ir::ErrorKind;
using ir::fail;

std::string sampleText(const Case& wanted) {
  const inputs::Sample& sample = wanted.sample;
  const std::string call = fmt::format("cnt: {}, {}\n", sample.count, inputs::toText(sample));
  constexpr size_t longest = inputs::FileLimits{}.line;
  if (call.size() > longest) fail(ErrorKind::Input, "the sample is a line of {} bytes, more than {}", call.size(), longest);
  return fmt::format("{}\nOperator: {}\n{}", inputs::commentText(aboutCase(wanted)), sample.op, call);
}

/// Words as the lines of a file.
std::string wordLines(const std::vector<std::string>& words) {
  std::string lines;
  for (const std::string& word : words) {
    if (word.find_first_of(std::string_view("\n\0", 2)) != std::string::npos)
      fail(ErrorKind::Input, "run.words cannot hold a word with a line break or a zero byte: {}", inputs::shown(word));
    lines += word + "\n";
  }
  return lines;
}

}  // namespace

std::vector<std::string> runWords(const RaceSettings& run) {
  RaceSettings options = run;
  if (!options.config.empty()) options.config = fs::absolute(options.config).string();
  if (!options.tolerances.empty()) options.tolerances = fs::absolute(options.tolerances).string();
  for (auto* files : {&options.libraries, &options.kernels})
    for (std::string& file : *files) file = fs::absolute(file).string();
  std::vector<std::string> words{launcherOf(options.program), "--inp-file", "sample.txt", "--max-samples", "0"};
  const std::vector<std::string> race = commandWords(options);
  words.insert(words.end(), race.begin(), race.end());
  words.insert(words.end(), {"--no-cases", "--dump", "stages", "--json", "result.jsonl"});
  return words;
}

std::vector<CaseFile> caseTexts(const Case& wanted, const RaceSettings& run) {
  std::vector<CaseFile> files{{"case.json", caseJson(wanted, run)},
                              {"sample.txt", sampleText(wanted)},
                              {"run.words", wordLines(runWords(run))},
                              {"run.sh", std::string(runScript())}};
  if (inputs::isCall(wanted.sample.op)) files.push_back({"driver.py", std::string(driverScript())});
  return files;
}

}  // namespace opbench
