#include "opbench/front/front.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <iostream>
#include <iterator>
#include <new>
#include <string_view>
#include <utility>

#include "inputs/text/printable.h"
#include "ir/error.h"
#include "opbench/cli/options.h"
#include "opbench/cli/outputs.h"
#include "opbench/front/builds.h"
#include "opbench/front/compare.h"
#include "opbench/front/endings.h"
#include "opbench/front/merge.h"
#include "opbench/front/show.h"
#include "opbench/front/terminal.h"
#include "opbench/report/formats.h"
#include "opbench/report/html/race.h"
#include "opbench/results/read.h"

namespace opbench {
namespace {

/// Has the program end in one line where memory does. What is thrown then would meet destructors that need some themselves.
void endWithMemory() {
  std::set_new_handler([] {
    constexpr std::string_view message = "opbench: error: there is not enough memory for these results\n";
    [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, message.data(), message.size());
    ::_exit(Usage);
  });
}

int printText(const Options& options) {
  std::cout << options.text;
  return Fine;
}

int compareBuilds(const Options& options) {
  handleEndings();
  const Streams streams = standardStreams();
  std::ostream silent(nullptr);
  auto runs = runBuilds(options.compare, options.quiet ? silent : streams.err);
  if (!runs) return EndedBySignal + endedBy();
  return compareRuns(options.compare, std::move(runs->base), std::move(runs->candidate), streams.out, streams.err, streams.colour,
                     streams.room)
             ? Fine
             : Failed;
}

int compareResults(const Options& options) {
  if (!options.compare.programs.empty()) return compareBuilds(options);
  endWithMemory();
  const Streams streams = standardStreams();
  return compareFiles(options.compare, streams.out, streams.err, streams.colour, streams.room) ? Fine : Failed;
}

int convertResults(const Options& options) {
  endWithMemory();
  const results::Results read = results::readFile(options.results);
  for (const std::string& complaint : read.complaints) std::cerr << "opbench: " << inputs::printable(complaint) << "\n";
  report::writeFormats(read.records, options);
  if (!options.html.empty()) report::html::writeResults(options.html, read);
  return Fine;
}

int mergeResults(const Options& options) { return merge(options, standardStreams()) ? Fine : Failed; }

int showTable(const Options& options) {
  endWithMemory();
  const Streams streams = standardStreams();
  showResults(options.show, pager(), streams.out, streams.err, streams.colour);
  return Fine;
}

constexpr std::pair<Verb, Action> actions[] = {{Verb::Print, printText},
                                               {Verb::Compare, compareResults},
                                               {Verb::Convert, convertResults},
                                               {Verb::Merge, mergeResults},
                                               {Verb::Show, showTable}};

int finish(int status) {
  errno = 0;
  if (std::cout.flush() || status > EndedBySignal) return status;
  return refuse(fmt::format("cannot write to standard output{}", errno == 0 ? "" : std::string(": ") + std::strerror(errno)),
                Usage);
}

}  // namespace

int refuse(const std::string& message, ExitStatus status) {
  std::cerr << "opbench: error: " << inputs::printable(message) << "\n";
  return status;
}

int endOf(const std::function<int()>& work) {
  std::signal(SIGXFSZ, SIG_IGN);  // a file that grows beyond its limit is an error where it is written
  try {
    return finish(work());
  } catch (const ir::Error& error) {
    return refuse(error.what(), error.kind() == ir::ErrorKind::Input ? Usage : Failed);
  } catch (const std::exception& error) {
    return refuse(error.what(), Failed);
  }
}

Action actionWithoutTorch(Verb verb) {
  const auto* found = std::find_if(std::begin(actions), std::end(actions), [&](const auto& row) { return row.first == verb; });
  return found == std::end(actions) ? nullptr : found->second;
}

std::optional<int> runWithoutTorch(const std::vector<std::string>& arguments) {
  bool needsTorch = false;
  const int status = endOf([&]() -> int {
    const auto options =
        parseOptions(arguments, readEnvironment(), [](Verb verb) { return actionWithoutTorch(verb) != nullptr; });
    needsTorch = !options;
    if (needsTorch) return Fine;
    checkOutputs(*options);
    return actionWithoutTorch(options->verb)(*options);
  });
  return needsTorch ? std::nullopt : std::optional(status);
}

}  // namespace opbench
