#include "opbench/challenge/solution.h"

#include <fmt/format.h>

#include <cstdlib>
#include <sstream>

#include "inputs/files.h"
#include "ir/error.h"
#include "opbench/challenge/scripts.h"
#include "opbench/process/process.h"
#include "opbench/settings/arguments.h"
#include "opbench/sweep/sweep.h"
#include "runtime/build/program_file.h"
#include "runtime/cpu/cpu_device.h"

namespace opbench {
namespace {

namespace fs = std::filesystem;

constexpr double buildSeconds = 600;

/// A kind of solution: its file, its contender, and what the file holds before it is filled in.
struct Kind {
  const char* file;
  const char* contender;
  std::string Statement::* text;
};

constexpr Kind kinds[] = {{"mine.py", "py::mine", &Statement::python},
                          {"mine.cu", "kernel::mine", &Statement::cuda},
                          {"mine.cpp", "challenge::mine", &Statement::cpp}};

/// Runs a program to its end; empty where it ends with 0, else what it said.
std::string whyFailed(const std::string& program, const std::vector<std::string>& arguments) {
  Process process(program, arguments);
  while (process.lineBefore(deadlineAfter(buildSeconds))) {
  }
  const auto status = process.end();
  return status == 0 ? "" : process.ending();
}

/// The library that a solution in C++ is compiled to.
std::string libraryOf(const fs::path& source, const fs::path& scratch) {
  const fs::path library = scratch / "mine.so", torch = fs::path(runtime::torchFolder()).parent_path() / "include";
  if (fs::exists(library)) return library;
  const char* named = std::getenv("CXX");
  const std::string compiler = named == nullptr || *named == '\0' ? "g++" : named;
  const std::vector<std::string> arguments{"-std=c++17",
                                           "-O3",
                                           "-march=native",
                                           "-shared",
                                           "-fPIC",
                                           source.string(),
                                           "-o",
                                           library.string(),
                                           "-I" + torch.string(),
                                           "-I" + (torch / "torch/csrc/api/include").string()};
  const std::string why = whyFailed(compiler, arguments);
  if (!why.empty()) ir::fail(ir::ErrorKind::Input, "it does not compile: {}", why);
  return library;
}

/// Races a function of Python in a process of its own.
void racePython(const fs::path& source, const fs::path& scratch, const std::string& json, const Options& options) {
  inputs::writeFile(scratch / "racing.py", racingScript());
  inputs::writeFile(scratch / "judge.py", judgeScript());
  std::vector<std::string> arguments{"-B", scratch / "judge.py", source, options.inputs.front(), json};
  RaceSettings race = options;
  race.contenders = RaceSettings().contenders;
  const std::vector<std::string> words = commandWords(race);
  arguments.insert(arguments.end(), words.begin(), words.end());
  arguments.emplace_back("--no-cases");  // as the other solutions race
  ::setenv("OPBENCH_LIBRARY", runtime::programFile().parent_path().c_str(), /*replace=*/1);
  if (const std::string why = whyFailed(options.python, arguments); !why.empty())
    ir::fail(ir::ErrorKind::Input, "it does not race: {}", why);
}

}  // namespace

std::vector<Solution> solutionsIn(const fs::path& folder, const Statement& statement, bool isGpu) {
  std::vector<Solution> solutions;
  for (const Kind& kind : kinds) {
    const fs::path file = folder / kind.file;
    if (!fs::is_regular_file(file) || inputs::readFile(file) == statement.*kind.text) continue;
    const Contender contender(kind.contender);
    if (contender.isKernel() && !isGpu) continue;
    solutions.push_back({kind.file, contender});
  }
  return solutions;
}

std::optional<std::string> raceSolution(const Solution& solution, const fs::path& folder, const fs::path& scratch,
                                        const std::string& json, const Options& options) {
  try {
    Options run = options;
    run.json = json;
    const fs::path source = folder / solution.file;
    if (solution.file == "mine.py") return racePython(source, scratch, json, run), std::nullopt;
    run.contenders.push_back(solution.contender);
    if (solution.contender.isKernel())
      run.kernels = {source};
    else
      run.libraries = {libraryOf(source, scratch)};
    std::ostringstream report;
    sweep(inputs::readSamples(run.inputs).samples, run, {report, report}, [] { return false; });
    return std::nullopt;
  } catch (const ir::Error& error) {
    return error.what();
  }
}

}  // namespace opbench
