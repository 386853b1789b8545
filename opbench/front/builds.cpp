#include "opbench/front/builds.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>

#include "inputs/files.h"
#include "inputs/temporary_folder.h"
#include "inputs/text/printable.h"
#include "inputs/text/words.h"
#include "ir/error.h"
#include "opbench/front/compare.h"
#include "opbench/front/endings.h"
#include "opbench/process/process.h"

namespace opbench {
namespace {

namespace fs = std::filesystem;
using results::Disposition;
using results::Record;
using results::Results;

template <typename... Values>
[[noreturn]] void refuse(fmt::format_string<Values...> text, Values&&... values) {
  ir::fail(ir::ErrorKind::Input, text, std::forward<Values>(values)...);
}

bool isProgram(const fs::path& file) { return !fs::is_directory(file) && ::access(file.c_str(), X_OK) == 0; }

/// Whether a folder of PATH has a program of this name.
bool isOnPath(const std::string& name) {
  const char* path = std::getenv("PATH");
  const auto folders = inputs::split(path == nullptr ? "" : path, ":");
  return std::any_of(folders.begin(), folders.end(), [&](std::string_view folder) { return isProgram(fs::path(folder) / name); });
}

/// Refuses what cannot be run: a file, or a name on PATH.
void requireProgram(const std::string& program) {
  if (program.find('/') == std::string::npos) {
    if (program.empty() || !isOnPath(program))
      refuse("--run: PATH has no program '{}'; a file is named as in ./{}", program, program);
  } else if (!isProgram(program)) {
    const std::string why = fs::is_directory(program) ? "it is a folder" : std::strerror(errno);
    refuse("--run: {} cannot be run: {}", program, why);
  }
}

/// The folder that the user keeps the runs' results in. Error: Input where it is not empty.
fs::path keptFolder(const std::string& folder) {
  inputs::makeWritableFolder(folder);
  if (!fs::is_empty(folder)) refuse("--keep: {} is not empty", folder);
  return folder;
}

/// Waits for a run; false where this program is told to end before.
bool hasEnded(Process& run) {
  constexpr int pause = 50;  // milliseconds
  while (!run.hasEnded()) {
    if (endedBy() != 0) return false;
    pollfd output{run.errors(), POLLIN, 0};
    ::poll(&output, 1, pause);
    run.hear();
  }
  return true;
}

/// Whether a run that ended so has raced its samples: with status 0, or with 1 where one of them failed.
bool hasRaced(int status, const Results& results) {
  const auto isBad = [](const Record& record) {
    return record.disposition != Disposition::Measured && record.disposition != Disposition::Unmeasured;
  };
  if (!WIFEXITED(status)) return false;
  return WEXITSTATUS(status) == 0 ||
         (WEXITSTATUS(status) == 1 && std::any_of(results.records.begin(), results.records.end(), isBad));
}

/// Runs both builds, and keeps what they leave.
class Runs {
 public:
  Runs(const CompareOptions& options, std::ostream& err) : options_(options), err_(err) {
    folder_ = options.keep.empty() ? temporary_.emplace("compare").path() : keptFolder(options.keep);
  }

  std::optional<BuildRuns> all() {
    BuildRuns runs;
    for (int repeat = 1; repeat <= options_.repeats; ++repeat) {
      const bool isBaseFirst = repeat % 2 == 1;
      for (const bool isBase : {isBaseFirst, !isBaseFirst}) {
        auto results = one(isBase, repeat);
        if (!results) return std::nullopt;
        (isBase ? runs.base : runs.candidate).push_back(std::move(*results));
      }
      if (!options_.force) refuseUnlike(runs.base.back(), runs.candidate.back());
    }
    return runs;
  }

 private:
  std::optional<Results> one(bool isBase, int repeat) {
    const std::string& program = options_.programs[isBase ? 0 : 1];
    const std::string build = isBase ? "baseline" : "candidate", file = folder_ / fmt::format("{}-{}.jsonl", build, repeat);
    const std::string name = fmt::format("run {} of {} ({} {})", ++begun_, 2 * options_.repeats, build, program);
    err_ << "opbench: " << inputs::printable(name) << left() << "\n" << std::flush;
    std::vector<std::string> words = options_.race;
    words.insert(words.end(), {"--json", file, "--no-cases"});
    Process run(program, words);
    if (!hasEnded(run)) return std::nullopt;
    return resultsOf(run, file, program, name);
  }

  /// `, about 3 minutes left`; empty where that is less than one, or not known yet.
  std::string left() const {
    const std::chrono::duration<double, std::ratio<60>> spent = std::chrono::steady_clock::now() - start_;
    const double done = begun_ - 1, minutes = done > 0 ? spent.count() / done * (2 * options_.repeats - done) : 0;
    return minutes < 1 ? "" : fmt::format(", about {:.0f} minutes left", std::ceil(minutes));
  }

  static Results resultsOf(Process& run, const std::string& file, const std::string& program, const std::string& name) {
    const std::optional<int> status = run.end();
    const std::string ending = run.ending();
    Results results;
    std::string lacks;
    try {
      results = results::readFile(file);
    } catch (const ir::Error& error) {
      lacks = error.what();
    }
    const bool isFine = status && WIFEXITED(*status) && WEXITSTATUS(*status) == 0;
    if (!lacks.empty() && isFine) refuse("{} left no results: {}; {}", name, lacks, ending);
    if (!lacks.empty() || !status || !hasRaced(*status, results)) refuse("{} failed: {}", name, ending);
    results.file = program;
    return results;
  }

  const CompareOptions& options_;
  std::ostream& err_;
  std::optional<inputs::TemporaryFolder> temporary_;  ///< where the user keeps nothing
  fs::path folder_;                                   ///< of the runs' results
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  int begun_ = 0;
};

}  // namespace

std::optional<BuildRuns> runBuilds(const CompareOptions& options, std::ostream& err) {
  for (const std::string& program : options.programs) requireProgram(program);
  for (const std::string* file : {&options.markdown, &options.junit, &options.html})
    if (!file->empty()) inputs::checkWritable(*file);
  return Runs(options, err).all();
}

}  // namespace opbench
