#include "opbench/front/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdlib>
#include <iostream>
#include <string>

#include "runtime/build/program_file.h"

namespace opbench {
namespace {

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

/// Whether the locale uses UTF-8. The first of LC_ALL, LC_CTYPE and LANG that is set decides.
bool isUtf8() {
  std::string locale;
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"})
    if (locale.empty()) locale = variable(name);
  std::transform(locale.begin(), locale.end(), locale.begin(), [](unsigned char c) { return std::tolower(c); });
  return locale.find("utf-8") != std::string::npos || locale.find("utf8") != std::string::npos;
}

/// NO_COLOR forbids colours, CLICOLOR_FORCE wants them in files and pipes as well, CLICOLOR=0 wants none.
bool hasColours(bool isTerminal) {
  if (!variable("NO_COLOR").empty()) return false;
  const std::string forced = variable("CLICOLOR_FORCE");
  return (!forced.empty() && forced != "0") || (isTerminal && variable("CLICOLOR") != "0");
}

/// The value of COLUMNS; nothing where it is no number from 1 on.
std::optional<int> columnsAsked() {
  const std::string text = variable("COLUMNS");
  int columns = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), columns);
  return error == std::errc() && end == text.data() + text.size() && columns > 0 ? std::optional(columns) : std::nullopt;
}

/// The width of the terminal behind a stream, or what COLUMNS says.
std::optional<int> columnsOf(int stream) {
  winsize size{};
  if (ioctl(stream, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  return columnsAsked();
}

}  // namespace

Environment readEnvironment() {
  return {runtime::starterFile(),
          variable("HOME"),
          variable("XDG_CACHE_HOME"),
          variable("XDG_STATE_HOME"),
          variable("OPBENCH_CACHE"),
          variable("OPBENCH_SHARED_CACHE"),
          variable("OPBENCH_SUITES"),
          variable("OPBENCH_PYTHON"),
          {variable("SLURM_ARRAY_TASK_ID"), variable("SLURM_ARRAY_TASK_COUNT"), variable("SLURM_ARRAY_TASK_MIN"),
           variable("SLURM_ARRAY_TASK_STEP"), variable("RANK"), variable("WORLD_SIZE")},
          columnsOf(STDOUT_FILENO).value_or(Environment().columns)};
}

Streams standardStreams() {
  Streams streams{std::cout, std::cerr};
  streams.colour = hasColours(isatty(STDOUT_FILENO));
  streams.blocks = isUtf8();
  streams.progress = isatty(STDERR_FILENO);
  streams.width = columnsOf(STDERR_FILENO).value_or(streams.width);
  streams.room = isatty(STDOUT_FILENO) ? columnsOf(STDOUT_FILENO).value_or(80) : columnsAsked().value_or(0);
  return streams;
}

std::string pager() {
  if (!isatty(STDOUT_FILENO)) return "";
  setenv("LESS", "FRSX", 0);
  const char* chosen = std::getenv("PAGER");
  return chosen ? chosen : "less";
}

}  // namespace opbench
