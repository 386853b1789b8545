#include "opbench/cli/help/help.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <sstream>

namespace opbench {
namespace {

constexpr size_t nameWidth = 28;  // of the column with the names, the blanks before and behind them included
constexpr size_t leastText = 8;   // characters of a line behind its indent: there is no room for fewer

/// The column where the text of a line begins: behind a bullet, or behind a term and two blanks.
size_t indentOf(const std::string& line) {
  const size_t begin = std::min(line.find_first_not_of(' '), line.size());
  if (line.compare(begin, 2, "- ") == 0) return begin + 2;
  const size_t gap = begin > 0 ? line.find("  ", begin) : std::string::npos;
  return gap == std::string::npos ? begin : std::min(line.find_first_not_of(' ', gap), line.size());
}

std::string entry(const std::string& term, const std::string& text, int width) {
  const std::string head = "  " + term;
  const bool fits = head.size() + 2 <= nameWidth;
  const std::string body = filled(std::string(nameWidth, ' ') + text, width);
  if (text.empty()) return head + "\n";
  return fits ? head + body.substr(head.size()) + "\n" : head + "\n" + body + "\n";
}

std::string termOf(const DeclaredOption& option) {
  return fmt::format("{}{}", fmt::join(option.names, ", "), option.value.empty() ? "" : " " + option.value);
}

std::string groupText(const std::string& name, const std::vector<DeclaredOption>& options, int width) {
  std::string text = "\n" + name + ":\n";
  for (const DeclaredOption& option : options) text += entry(termOf(option), option.description, width);
  return text;
}

std::string usageOf(const DeclaredCommand& command) {
  std::string text = "Usage: " + command.path;
  if (!command.commands.empty()) text += " [COMMAND]";
  text += " [OPTIONS]";
  for (const DeclaredOption& positional : command.positionals) {
    const std::string name = positional.names.front() + (positional.isRepeatable ? ".." : "");
    text += positional.isRequired ? " " + name : " [" + name + "]";
  }
  return text + "\n";
}

/// The lines of a text, each filled.
std::string paragraphs(const std::string& text, int width) {
  std::istringstream lines(text);
  std::string result;
  for (std::string line; std::getline(lines, line);) result += filled(line, width) + "\n";
  return result;
}

}  // namespace

std::string filled(const std::string& line, int width) {
  const size_t indent = indentOf(line), most = static_cast<size_t>(width);
  if (width <= 0 || indent + leastText > most) return line;
  std::string result, rest = line;
  while (rest.size() > most) {
    size_t end = rest.rfind(' ', most);
    if (end == std::string::npos || end <= indent) end = rest.find(' ', most);
    if (end == std::string::npos) break;
    result += rest.substr(0, end) + "\n";
    rest = std::string(indent, ' ') + rest.substr(end + 1);
  }
  return result + rest;
}

std::string helpText(const DeclaredCommand& command, bool hasAll, int width) {
  std::string text = paragraphs(command.summary, width) + "\n" + usageOf(command);
  if (!command.positionals.empty()) text += groupText("Arguments", command.positionals, width);
  size_t leftOut = 0;
  for (const DeclaredGroup& group : command.groups) {
    const bool isShown = hasAll || !isProgram(command) || isBasic(group);
    if (isShown) text += groupText(group.name, group.options, width);
    if (!isShown) leftOut += group.options.size();
  }
  if (!command.commands.empty()) text += fmt::format("\nCommands ({} COMMAND --help says more of each):\n", command.path);
  for (const DeclaredCommand& verb : command.commands)
    text += entry(fmt::format("{}", fmt::join(verb.names, ", ")), verb.summary, width);
  if (leftOut > 0) text += fmt::format("\nopbench --help-all shows {} more options.\n", leftOut);
  return command.details.empty() ? text : text + "\n" + paragraphs(command.details, width);
}

}  // namespace opbench
