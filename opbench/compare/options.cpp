#include "opbench/compare/options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <sstream>

#include "ir/error.h"

namespace opbench {
namespace {

using compare::Verdict;

constexpr std::string_view description =
    "Compares two files that --json wrote, sample by sample: FAST, SLOW, same or ambiguous; newly WRONG, CRASH or IMPOSSIBLE.\n"
    "SLOW means: the 95 % interval of the time over eager's lies above the baseline's by more than the gap (0.5 %, the device's\n"
    "own spread, or what such ratios scatter from one file to the other, whichever is most), and the time grew by more than the\n"
    "machine drifted; where the intervals touch, it is enough that the other measure is likely to have moved, too. Without "
    "eager\n"
    "the time itself is judged, in cycles as well. FAST is the mirror image. What cannot be told is ambiguous:\n"
    "  gap    the intervals are apart, but by less than the gap\n"
    "  noise  the intervals overlap though the medians differ, or are too wide to tell\n"
    "  drift  the machine changed as much as the time did, or eager did on this very sample\n"
    "  clock  the clock changed, and the cycles did not";

constexpr std::string_view footer =
    "Exit status: 0 nothing that --fail-on names; 1 something of it; 2 usage, unreadable files, or files that had better not be\n"
    "compared (see --force). Being faster never fails.";

struct Row {
  std::string_view name;
  Verdict verdict;
};

constexpr Row rows[] = {{"slow", Verdict::Slow},
                        {"wrong", Verdict::Wrong},
                        {"crash", Verdict::Crash},
                        {"impossible", Verdict::Impossible},
                        {"gone", Verdict::Gone}};

Verdict verdictFrom(const std::string& text) {
  for (const Row& row : rows)
    if (row.name == text) return row.verdict;
  ir::fail(ir::ErrorKind::Input, "--fail-on names slow, wrong, crash, impossible, gone or none, not '{}'", text);
}

}  // namespace

void declareCompare(CLI::App& app, CompareOptions& options) {
  CLI::App* verb = app.add_subcommand("compare", "Compare two files of results: what became faster, slower or wrong");
  verb->description(std::string(description));
  verb->footer(std::string(footer));
  verb->add_option("BASE", options.base, "Results before, as --json writes them")->required();
  verb->add_option("CANDIDATE", options.candidate, "Results after")->required();
  verb->add_option("--markdown", options.markdown, "Write the comparison as markdown to this file")->type_name("FILE");
  verb->add_option("--junit", options.junit, "Write a JUnit test case for each sample to this file")->type_name("FILE");
  verb->add_option("--fail-on", options.failOn, "What exits with status 1: slow, wrong, crash, impossible, gone, or none")
      ->type_name("NAMES")
      ->capture_default_str();
  verb->add_flag("--force", options.force,
                 "Compare files of different devices, dtypes, data, seeds, threads, flushes, strides or clocks");
  verb->add_flag("--all", options.all, "List every sample, not only those that changed");
}

std::set<Verdict> failingVerdicts(const CompareOptions& options) {
  std::set<Verdict> verdicts;
  if (options.failOn == "none") return verdicts;
  std::istringstream names(options.failOn);
  for (std::string name; std::getline(names, name, ',');) verdicts.insert(verdictFrom(name));
  return verdicts;
}

}  // namespace opbench
