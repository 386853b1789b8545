#include "opbench/repro/folder.h"

#include <fmt/format.h>

#include "inputs/convert.h"
#include "inputs/files.h"
#include "inputs/stored.h"
#include "ir/error.h"
#include "opbench/arguments.h"
#include "opbench/repro/driver.h"

namespace opbench {
namespace {

namespace fs = std::filesystem;

using results::Record;

void makeFolder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) ir::fail(ir::ErrorKind::Input, "cannot make {}: {}", folder.string(), error.message());
}

/// Text as comment lines of a script.
std::string comment(const std::string& text) {
  std::string result = "# ";
  for (char c : text) result += c == '\n' ? std::string("\n# ") : std::string(1, c);
  return result;
}

/// `opbench was wrong: ...`
std::string about(const Case& wanted) {
  if (!wanted.record) return wanted.sample.op;
  const Record& record = *wanted.record;
  return fmt::format("{}: {} was {}{}{}", record.op, record.contender, record.status, record.reason.empty() ? "" : ": ",
                     record.reason);
}

/// The program as one starts it: a bundle's is started by the launcher in the folder above.
std::string launcherOf(const fs::path& program) {
  const fs::path launcher = program.parent_path().parent_path() / program.filename();
  return (fs::is_regular_file(launcher) ? launcher : program).string();
}

/// The script works in its own folder.
std::string runScript(const Case& wanted, Options run) {
  if (!run.config.empty()) run.config = fs::absolute(run.config).string();
  if (!run.tolerances.empty()) run.tolerances = fs::absolute(run.tolerances).string();
  return fmt::format(
      "#!/bin/sh\n{}\n# Races the sample of this folder as it was raced; OPBENCH names another opbench.\n"
      "cd \"$(dirname \"$0\")\" || exit\n"
      "exec \"${{OPBENCH:-{}}}\" --inp-file sample.txt --max-samples 0 {} --no-cases --dump stages --json result.jsonl \"$@\"\n",
      comment(about(wanted)), launcherOf(run.program), commandLine(run));
}

std::string deviceOf(const Options& run) { return run.device.empty() ? "cpu" : run.device; }

void writeDriver(const Case& wanted, const Options& run, const fs::path& folder) {
  const inputs::Sample sample = inputs::convert(wanted.sample, run.dtype, run.channelsLast);
  const auto tensors = inputs::storedTensors(sample, run.seed, dataOf(wanted, run));
  makeFolder(folder / "inputs");
  for (size_t i = 0; i < tensors.size(); ++i) inputs::writeFile(folder / "inputs" / fmt::format("{}.bin", i), tensors[i].bytes);
  const std::string head =
      fmt::format("{}\n# Eager ATen alone, on the inputs that opbench drew from seed {}.", comment(about(wanted)), run.seed);
  inputs::writeFile(folder / "driver.py", driverText(sample, deviceOf(run), head));
}

}  // namespace

void writeCase(const Case& wanted, const Options& run, const fs::path& folder) {
  makeFolder(folder);
  inputs::writeFile(folder / "sample.txt", fmt::format("{}\nOperator: {}\ncnt: {}, {}\n", comment(about(wanted)),
                                                       wanted.sample.op, wanted.sample.count, inputs::toText(wanted.sample)));
  inputs::writeFile(folder / "run.sh", runScript(wanted, run));
  fs::permissions(folder / "run.sh", fs::perms::owner_exec | fs::perms::group_exec | fs::perms::others_exec,
                  fs::perm_options::add);
  writeDriver(wanted, run, folder);
}

}  // namespace opbench
