#include "opbench/verbs/profile.h"

#include <algorithm>
#include <filesystem>
#include <ostream>

#include "inputs/files.h"
#include "opbench/profile/report.h"
#include "opbench/profile/tools.h"
#include "opbench/settings/arguments.h"
#include "opbench/sweep/sweep.h"

namespace opbench {
namespace {

profile::Look lookOf(const Streams& streams) { return {streams.room, streams.colour}; }

/// The command line of this run without an option and its value, and with some words more, for a process that a tool watches.
std::vector<std::string> watchedWords(const Options& options, const std::string& without, const std::vector<std::string>& more) {
  std::vector<std::string> words{options.program};
  for (size_t i = 0; i < options.arguments.size(); ++i) {
    const std::string& word = options.arguments[i];
    if (word == without) ++i;
    if (word != without && !word.starts_with(without + "=")) words.push_back(word);
  }
  for (const std::string& word : more)
    if (std::find(words.begin(), words.end(), word) == words.end()) words.push_back(word);
  return words;
}

/// Prints a command and runs it; whether it ended well, or is not installed here.
bool runTool(const std::vector<std::string>& words, const Streams& streams) {
  streams.out << quoted(words) << std::endl;
  const std::optional<int> status = profile::runWords(words);
  if (!status) streams.err << "opbench: " << words[0] << " is not installed here; the command above runs it where it is\n";
  return status.value_or(0) == 0;
}

}  // namespace

void compareProfiles(const Options& options, const Streams& streams) {
  const auto& files = options.profiling.compared;
  streams.out << profile::reportMoves(profile::readTrace(files[0]), profile::readTrace(files[1]), lookOf(streams));
}

bool profileWith(const Options& options, const Streams& streams) {
  const ProfileSettings& settings = options.profiling.settings;
  const std::string output = settings.folder + "/prof_" + dateTag();
  inputs::makeFolder(settings.folder);
  return runTool(profile::underTool(options.profiling.tool, output, watchedWords(options, "--with", {"--watched"})), streams);
}

bool sanitize(const Options& options, const Streams& streams) {
  const std::vector<std::string> words = watchedWords(options, "--sanitize", {"--in-process", "--no-timing"});
  return runTool(profile::underSanitizer(options.sanitizer, words), streams);
}

Summary profileSamples(std::vector<inputs::Sample> samples, const Options& asked, Streams streams,
                       const std::function<bool()>& interrupted) {
  Options options = asked;
  options.timing = false;
  options.profile = options.profiling.settings;
  options.profile.date = dateTag();
  options.profile.traces = !options.profiling.isWatched;
  options.inProcess = options.inProcess || options.profiling.isWatched;
  inputs::makeFolder(options.profile.folder);
  std::vector<std::string> files;
  for (size_t i = 0; i < samples.size(); ++i) files.push_back(traceFile(options.profile, samples[i].op, static_cast<int>(i) + 1));
  for (const std::string& file : files) std::filesystem::remove(file);
  Summary summary = sweep(std::move(samples), options, streams, interrupted);
  for (const std::string& file : files)
    if (std::filesystem::exists(file)) streams.out << "\n" << profile::report(profile::readTrace(file), lookOf(streams));
  return summary;
}

}  // namespace opbench
