#include "opbench/cli/outputs.h"

#include "inputs/files.h"
#include "ir/error.h"
#include "opbench/select/suites.h"
#include "opbench/settings/race_options.h"

namespace opbench {
namespace {

using ir::ErrorKind;
using ir::fail;

/// A file, and the option or argument that names it.
struct Named {
  std::string_view by;
  std::string path;
};

void add(std::vector<Named>& files, std::string_view by, const std::string& path) {
  if (!path.empty() && path != "-") files.push_back({by, path});
}

std::vector<Named> outputsOf(const Options& options) {
  std::vector<Named> files;
  for (const RaceOption& option : raceOptions())
    if (option.output != nullptr) add(files, option.name(), options.*option.output);
  add(files, "--markdown", options.compare.markdown);
  add(files, "--junit", options.compare.junit);
  add(files, "--html", options.compare.html);
  add(files, "--out", options.recording.out);
  add(files, "--output", options.model.runner.output);
  return files;
}

std::vector<Named> inputsOf(const Options& options) {
  std::vector<Named> files;
  for (const RaceOption& option : raceOptions())
    if (option.input != nullptr) add(files, option.name(), options.*option.input);
  add(files, "--batch-size-file", options.model.runner.batchSizeFile);
  add(files, "opbench convert", options.results);
  for (const std::string& file : options.compare.base) add(files, "opbench compare", file);
  for (const std::string& file : options.compare.candidate) add(files, "opbench compare", file);
  for (const std::string& file : options.compare.programs) add(files, "opbench compare", file);
  for (const std::string& file : options.merged) add(files, "opbench merge", file);
  for (const auto& [name, file] : options.programs) add(files, "this run", file);
  if (options.verb == Verb::Race || options.verb == Verb::List)
    for (const std::string& file : inputs::sampleFiles(samplePaths(options))) add(files, "this run", file);
  return files;
}

}  // namespace

void checkOutputs(const Options& options) {
  const std::vector<Named> outputs = outputsOf(options);
  if (outputs.empty()) return;
  for (size_t i = 0; i < outputs.size(); ++i)
    for (size_t k = 0; k < i; ++k)
      if (inputs::isSameFile(outputs[i].path, outputs[k].path))
        fail(ErrorKind::Input, "{} and {} would both write {}", outputs[k].by, outputs[i].by, outputs[i].path);
  for (const Named& input : inputsOf(options))
    for (const Named& output : outputs)
      if (inputs::isSameFile(input.path, output.path))
        fail(ErrorKind::Input, "{} would write {}, which {} reads", output.by, output.path, input.by);
}

}  // namespace opbench
