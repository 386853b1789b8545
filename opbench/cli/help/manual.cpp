#include "opbench/cli/help/manual.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <sstream>

namespace opbench {
namespace {

/// A text as roff takes it: dashes that can be copied, and no line that begins a request.
std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '\\')
      result += "\\e";
    else if (c == '-')
      result += "\\-";
    else
      result += c;
  }
  return result.starts_with('.') || result.starts_with('\'') ? "\\&" + result : result;
}

std::string roffEntry(const std::string& term, const std::string& value, const std::string& text) {
  const std::string form = value.empty() ? "" : fmt::format(" \\fI{}\\fR", escaped(value));
  return fmt::format(".TP\n\\fB{}\\fR{}\n{}\n", escaped(term), form, escaped(text));
}

std::string roffEntries(const std::vector<DeclaredOption>& options) {
  std::string text;
  for (const DeclaredOption& option : options)
    text += roffEntry(fmt::format("{}", fmt::join(option.names, ", ")), option.value, option.description);
  return text;
}

/// Paragraphs, entries of lists (`  term  text`), bullets (`  - text`) and examples (`  command`).
std::string roffParagraphs(const std::string& details) {
  std::istringstream lines(details);
  std::string text;
  for (std::string line; std::getline(lines, line);) {
    const size_t begin = line.find_first_not_of(' '), gap = begin == 0 ? std::string::npos : line.find("  ", begin);
    if (begin == std::string::npos) continue;
    if (begin == 0)
      text += ".PP\n" + escaped(line) + "\n";
    else if (line.compare(begin, 2, "- ") == 0)
      text += ".IP \\(bu 2\n" + escaped(line.substr(begin + 2)) + "\n";
    else if (gap != std::string::npos)
      text += roffEntry(line.substr(begin, gap - begin), "", line.substr(line.find_first_not_of(' ', gap)));
    else
      text += ".PP\n.EX\n  " + escaped(line.substr(begin)) + "\n.EE\n";
  }
  return text;
}

std::string argumentsOf(const DeclaredCommand& command) {
  std::string text;
  for (const DeclaredOption& positional : command.positionals)
    text += fmt::format(" \\fI{}\\fR", escaped(positional.names.front()));
  return text;
}

std::string section(const DeclaredCommand& command) {
  const std::string before = command.path.substr(0, command.path.rfind(' ') + 1);
  std::string text =
      fmt::format(".SS \"{}{} [OPTIONS]{}\"\n{}\n", escaped(before), escaped(fmt::format("{}", fmt::join(command.names, ", "))),
                  argumentsOf(command), escaped(command.summary));
  text += roffEntries(command.positionals);
  for (const DeclaredGroup& group : command.groups) text += roffEntries(group.options);
  text += roffParagraphs(command.details);
  for (const DeclaredCommand& inner : command.commands) text += section(inner);
  return text;
}

}  // namespace

std::string manualPage(const DeclaredCommand& program, const std::string& version) {
  std::string text = fmt::format(".TH OPBENCH 1 \"\" \"{}\" \"User Commands\"\n.nh\n.ad l\n", escaped(version));
  text += ".SH NAME\nopbench \\- " + escaped("race generated kernels for PyTorch's operators against eager ATen") + "\n";
  text += ".SH SYNOPSIS\n\\fBopbench\\fR [\\fIOPTIONS\\fR]\n.br\n\\fBopbench\\fR \\fICOMMAND\\fR [\\fIOPTIONS\\fR]\n";
  text += ".SH DESCRIPTION\n" + roffParagraphs(program.summary) + roffParagraphs(program.details) + ".SH OPTIONS\n";
  for (const DeclaredGroup& group : program.groups)
    text += fmt::format(".SS {}\n", escaped(group.name)) + roffEntries(group.options);
  text += ".SH COMMANDS\n";
  for (const DeclaredCommand& command : program.commands) text += section(command);
  return text;
}

}  // namespace opbench
