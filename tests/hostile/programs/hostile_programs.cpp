// Files of models that are made to harm whoever races or records them: archives of torch.export and TorchScript with parts
// changed, with paths and commands among them. `opbench model` has to give each file a row and race the model beside them,
// `opbench record` to record or refuse it, and neither may write a file but its results; else the program ends with status 1.
//   hostile_programs [--seconds N | --runs N] [--seed S]
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <stdexcept>

#include "inputs/files.h"
#include "opbench/results/sample_result.h"
#include "tests/cache_settings.h"
#include "tests/hostile/programs/mutant.h"
#include "tests/hostile/sandbox.h"
#include "tests/opbench/known_ceilings.h"
#include "tests/opbench/temporary_folder.h"
#include "tests/random/seeded_runs.h"
#include "tests/runtime/program/models.h"

namespace {

using namespace hostile;
namespace fs = std::filesystem;

constexpr int filesOfRun = 12;
constexpr int recordedOfRun = 3;
constexpr const char* seconds = "30";  ///< that a file may take

struct Tally {
  int64_t files = 0, recorded = 0, refused = 0;
  std::map<std::string, int64_t> rows;  ///< by status
};

/// Where runs work, and what they use.
struct Bed {
  Bed() { tests::putCeilings(tests::cacheIn(folder.path)); }

  /// The exit status of opbench with these words, in the sandbox; less than 0 where a signal ended it.
  int run(std::vector<std::string> words) const {
    const fs::path program = fs::read_symlink("/proc/self/exe").parent_path() / "opbench";
    words.insert(words.begin(), "opbench");
    words.insert(words.end(), {"--device", "cpu", "--threads", "1", "--timeout", seconds});
    std::vector<char*> pointers;
    for (std::string& word : words) pointers.push_back(word.data());
    pointers.push_back(nullptr);
    const pid_t pid = ::fork();
    if (pid < 0) throw std::runtime_error("cannot start a process");
    if (pid == 0) {
      const int said = ::open((folder.path / "said").c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
      ::dup2(said, 1);
      ::dup2(said, 2);
      sandbox.enter();
      ::execv(program.c_str(), pointers.data());
      ::_exit(127);
    }
    int status = 0;
    while (::waitpid(pid, &status, 0) < 0) {
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  }
  std::string said() const { return tests::contentOf(folder.path / "said"); }
  std::string file(const std::string& name) const { return folder.path / name; }

  Sandbox sandbox;
  tests::TemporaryFolder folder;
};

/// Every model's statuses in a file of results, by name.
std::map<std::string, std::set<std::string>> rowsIn(const std::string& path) {
  std::map<std::string, std::set<std::string>> rows;
  std::ifstream file(path);
  opbench::results::readSampleResults(file, path, 2, [&](const opbench::results::SampleResult& result) {
    const std::string& op = result.row.op;  // model.NAME.inference
    const size_t begin = op.find('.') + 1;
    rows[op.substr(begin, op.rfind('.') - begin)].emplace(name(result.row.outcomes[0].status));
  });
  return rows;
}

std::vector<std::string> smallArchives() {
  std::vector<std::string> paths;
  for (const auto& entry : fs::directory_iterator(fs::path(tests::smallModelPath("mlp")).parent_path()))
    if (entry.path().extension() == ".pt2") paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  return paths;
}

/// What a race of these files did that it may not.
std::optional<std::string> race(const Bed& bed, const std::vector<std::string>& files, Tally& tally) {
  std::vector<std::string> words{"model", "ours=" + tests::smallModelPath("mlp")};
  for (size_t i = 0; i < files.size(); ++i) words.push_back(fmt::format("m{}={}", i, files[i]));
  const runtime::CacheSettings cache = tests::cacheIn(bed.folder.path);
  words.insert(words.end(), {"--batch-sizes", "4", "--sequence-lengths", "8", "--input", "f32:4,3", "--no-timing", "--no-memory",
                             "--no-multi-process", "--no-cases", "--quiet", "--json", bed.file("r.jsonl"), "--cache",
                             cache.folder, "--cache-key", cache.keyFile});
  fs::remove(bed.file("r.jsonl"));
  const int status = bed.run(words);
  if (const auto change = bed.sandbox.change()) return *change;
  if (status != 0 && status != 1) return fmt::format("`model` ended with {}:\n{}", status, bed.said());
  auto rows = rowsIn(bed.file("r.jsonl"));
  if (rows["ours"] != std::set<std::string>{"ok"}) return "the model beside them has no row `ok`";
  for (size_t i = 0; i < files.size(); ++i) {
    if (rows[fmt::format("m{}", i)].empty()) return fmt::format("{} has no row", files[i]);
    for (const std::string& word : rows[fmt::format("m{}", i)]) ++tally.rows[word];
  }
  tally.files += std::ssize(files);
  return std::nullopt;
}

std::optional<std::string> record(const Bed& bed, const std::string& file, Tally& tally) {
  fs::remove_all(bed.file("regions"));
  const int status = bed.run({"record", "net=" + file, "--out", bed.file("calls.txt"), "--regions", bed.file("regions")});
  if (const auto change = bed.sandbox.change()) return *change;
  if (status < 0 || status > 2) return fmt::format("`record` ended with {}:\n{}", status, bed.said());
  if (status != 0 && bed.said().find("opbench: error: ") == std::string::npos) return "`record` does not say what is wrong";
  ++(status == 0 ? tally.recorded : tally.refused);
  return std::nullopt;
}

std::string toText(const Tally& tally) {
  std::string rows;
  for (const auto& [word, count] : tally.rows) rows += fmt::format("{}{} {}", rows.empty() ? "" : ", ", count, word);
  return fmt::format("{} files, rows: {}; {} recorded, {} refused by `record`", tally.files, rows, tally.recorded, tally.refused);
}

int tryPrograms(tests::SeededRuns& runs) {
  const std::vector<std::string> archives = smallArchives();
  const Bed bed;
  Tally tally;
  for (uint64_t run = 0; runs.goOn(run); ++run) {
    tests::Dice dice(runs.seed(run));
    std::vector<std::string> files;
    for (int i = 0; i < filesOfRun; ++i) {
      const Mutant mutant = drawMutant(dice, archives, bed.sandbox.strings());
      files.push_back(bed.file(fmt::format("m{}.{}", i, mutant.isScript ? "pt" : "pt2")));
      inputs::writeFile(files.back(), mutant.bytes);
    }
    auto breach = race(bed, files, tally);
    for (int i = 0; i < recordedOfRun && !breach; ++i) breach = record(bed, files[static_cast<size_t>(i)], tally);
    if (!breach) continue;
    fmt::print("hostile_programs: --runs 1 --seed {}: {}\n", runs.seed(run), *breach);
    return 1;
  }
  fmt::print("hostile_programs: {}; nothing found\n", toText(tally));
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Files of models that are made to harm whoever races or records them.");
  tests::SeededRuns runs(app);
  CLI11_PARSE(app, argc, argv);
  try {
    return tryPrograms(runs);
  } catch (const std::exception& error) {
    fmt::print(stderr, "hostile_programs: {}\n", error.what());
    return 2;
  }
}
