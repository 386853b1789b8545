#include "opbench/compare/options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <sstream>

#include "ir/error.h"
#include "opbench/settings/number_option.h"

namespace opbench {
namespace {

constexpr std::string_view footer =
    "Samples become FAST, SLOW, same or ambiguous; newly WRONG, CRASH or IMPOSSIBLE.\n"
    "Several runs of each build (BASE.. -- CANDIDATE..) tell smaller changes from chance: each figure is the median of the "
    "runs.\n"
    "--run makes them: it races both builds in turn, and the options of the race follow.\n"
    "  opbench compare --run before/bin/opbench after/bin/opbench --repeats 5 --op gelu\n"
    "A sample is SLOW if both hold:\n"
    "  - The 95 % interval of its time over eager's lies above the baseline's by more than the gap. The gap is the largest of "
    "0.5 "
    "%, the device's A/A noise, and the scatter of these ratios between the two files; of several runs their scatter. If the "
    "intervals touch, the secondary measure decides.\n"
    "  - Its time grew by more than the machine drifted, and by more than half of what the same code scatters, as eager shows.\n"
    "Without eager the time itself is judged, in clock cycles too. FAST is the mirror image. Ambiguous samples have a reason:\n"
    "  gap    the intervals are apart, but by less than the gap\n"
    "  noise  the intervals overlap although the medians differ, or are too wide; other programs interrupted the runs; or "
    "eager's "
    "time, or that of single runs, differs by more than 10 %: a note names these samples\n"
    "  drift  the machine changed, or scatters, by as much as the time changed\n"
    "  clock  the clock changed, the cycles did not\n"
    "  few    on a CPU, of single runs: a change of less than 20 %, or of less than 10 % by the secondary measure, and fewer "
    "than "
    "9 samples with eager to tell what the same code scatters by\n"
    "Exit status: 0 none of the --fail-on verdicts; 1 at least one; 2 usage, unreadable files, or files that are not comparable "
    "(see --force), or a run that failed.";

/// The option that stands for `--` between the files of two builds: CLI11 drops it.
constexpr std::string_view separatorOption = "--candidates";

struct NamedVerdict {
  std::string_view name;
  compare::Verdict verdict;
};

constexpr NamedVerdict named[] = {{"slow", compare::Verdict::Slow},
                                  {"wrong", compare::Verdict::Wrong},
                                  {"crash", compare::Verdict::Crash},
                                  {"impossible", compare::Verdict::Impossible},
                                  {"gone", compare::Verdict::Gone}};

compare::Verdict verdictFrom(const std::string& text) {
  for (const NamedVerdict& row : named)
    if (row.name == text) return row.verdict;
  ir::fail(ir::ErrorKind::Input, "--fail-on must be a list of slow, wrong, crash, impossible and gone, or none; got '{}'", text);
}

}  // namespace

void declareCompare(CLI::App& app, CompareOptions& options) {
  CLI::App* verb = app.add_subcommand("compare", "Compare two builds: what became faster, slower or wrong");
  verb->fallthrough();
  verb->footer(std::string(footer));
  verb->add_option("FILES", options.base, "--json results before and after: BASE CANDIDATE, or BASE.. -- CANDIDATE..")
      ->type_name("FILE");
  verb->add_option(std::string(separatorOption), options.candidate)->expected(0, 1 << 20)->group("");
  CLI::Option* run = verb->add_option("--run", options.programs, "Race these two programs in turn, and compare their results")
                         ->expected(1, 2)
                         ->type_name("BASE CANDIDATE");
  addNumber(*verb, "--repeats", options.repeats, "Runs of each program")->needs(run)->capture_default_str();
  verb->add_option("--keep", options.keep, "Keep the results of the runs in this folder, new or empty")
      ->needs(run)
      ->type_name("DIR");
  verb->add_option("--markdown", options.markdown, "Write the comparison as markdown to this file")->type_name("FILE");
  verb->add_option("--junit", options.junit, "Write a JUnit test case for each sample to this file")->type_name("FILE");
  verb->add_option("--html", options.html, "Write the comparison as a page for a browser to this file")->type_name("FILE");
  verb->add_option("--fail-on", options.failOn, "Verdicts that give exit status 1: slow, wrong, crash, impossible, gone, or none")
      ->type_name("NAMES")
      ->capture_default_str();
  verb->add_flag(
      "--force", options.force,
      "Compare even if devices, torch, CUDA, drivers, dtypes, data, seeds, threads, flushes, strides or clocks differ");
  verb->add_flag("--all", options.all, "List every sample, not only those that changed");
}

std::vector<std::string> withSeparator(std::vector<std::string> arguments) {
  const auto has = [&](const char* word) { return std::find(arguments.begin(), arguments.end(), word) != arguments.end(); };
  if (has("compare") && has("--run"))
    std::erase(arguments, "--");
  else if (has("compare"))
    std::replace(arguments.begin(), arguments.end(), std::string("--"), std::string(separatorOption));
  return arguments;
}

void readCompare(CompareOptions& options) {
  failingVerdicts(options);
  const auto refuse = [](const std::string& why) { ir::fail(ir::ErrorKind::Input, "compare: {}", why); };
  if (!options.programs.empty()) {
    if (options.programs.size() != 2) refuse("--run takes two programs: BASE CANDIDATE");
    for (const auto* files : {&options.base, &options.candidate})
      if (!files->empty()) refuse(fmt::format("--run makes its own results and takes no file, got '{}'", files->front()));
    if (options.repeats < 1) refuse(fmt::format("--repeats must be at least 1, got {}", options.repeats));
    return;
  }
  if (options.candidate.empty() && options.base.size() == 2) {
    options.candidate.push_back(options.base.back());
    options.base.pop_back();
  }
  if (options.base.empty() || options.candidate.empty())
    ir::fail(ir::ErrorKind::Input, "compare takes two files of results, or several of each build: BASE.. -- CANDIDATE..");
}

std::vector<std::string> wordsBeside(const CLI::App& verb, const std::vector<std::string>& arguments) {
  std::vector<std::string> words;
  bool isBehindVerb = false;
  int values = 0;  // that an option of the verb may still have
  for (const std::string& word : arguments) {
    const bool isOption = word.starts_with("--");
    const size_t equals = word.find('=');
    const CLI::Option* own = isOption && isBehindVerb ? verb.get_option_no_throw(word.substr(0, equals)) : nullptr;
    if (own != nullptr)
      values = equals == std::string::npos ? own->get_items_expected_max() : 0;
    else if (!isOption && values > 0)
      --values;
    else if (!isBehindVerb && word == verb.get_name())
      isBehindVerb = true;
    else if (word != "--")
      words.push_back(word);
    if (isOption && own == nullptr) values = 0;
  }
  return words;
}

std::set<compare::Verdict> failingVerdicts(const CompareOptions& options) {
  std::set<compare::Verdict> verdicts;
  if (options.failOn == "none") return verdicts;
  std::istringstream names(options.failOn);
  for (std::string name; std::getline(names, name, ',');) verdicts.insert(verdictFrom(name));
  return verdicts;
}

}  // namespace opbench
