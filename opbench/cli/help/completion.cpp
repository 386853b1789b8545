#include "opbench/cli/help/completion.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "opbench/settings/arguments.h"

namespace opbench {
namespace {

constexpr std::pair<std::string_view, Shell> shells[] = {{"bash", Shell::Bash}, {"zsh", Shell::Zsh}, {"fish", Shell::Fish}};

using DeclaredOptions = std::vector<DeclaredOption>;

DeclaredOptions optionsOf(const DeclaredCommand& command) {
  DeclaredOptions all;
  for (const DeclaredGroup& group : command.groups) all.insert(all.end(), group.options.begin(), group.options.end());
  return all;
}

/// The options that may follow a command: its own, and of its commands.
DeclaredOptions optionsBehind(const DeclaredCommand& command) {
  DeclaredOptions all = optionsOf(command);
  for (const DeclaredCommand& inner : command.commands)
    for (const DeclaredOption& option : optionsBehind(inner)) {
      const auto isSame = [&](const DeclaredOption& other) { return other.names == option.names; };
      if (std::none_of(all.begin(), all.end(), isSame)) all.push_back(option);
    }
  return all;
}

bool isList(const std::string& value) { return value.ends_with(",.."); }

/// The names of all commands, aliases among them.
std::vector<std::string> namesOf(const std::vector<DeclaredCommand>& commands) {
  std::vector<std::string> names;
  for (const DeclaredCommand& command : commands) names.insert(names.end(), command.names.begin(), command.names.end());
  return names;
}

// ---------------------------------------------------------------------------------------------------------------------
// bash

/// What a case of the script does for a value: it sets `words`, `files` or `folders`, or nothing.
std::string bashAction(const std::string& value) {
  if (const auto words = wordsOfValue(value); !words.empty())
    return fmt::format("{}words='{}'", isList(value) ? "list=1 " : "", fmt::join(words, " "));
  if (value == "FILE") return "files=1";
  return value == "DIR" ? "folders=1" : "";
}

/// The cases of a command's values; of the program's own they hold behind every command.
std::string bashCases(const std::string& command, const DeclaredOptions& options) {
  std::string text;
  for (const DeclaredOption& option : options) {
    if (option.value.empty()) continue;
    std::string pattern;
    for (const std::string& name : option.names) pattern += fmt::format("{}{}:{}", pattern.empty() ? "" : "|", command, name);
    text += fmt::format("    {}) {} value=1 ;;\n", pattern, bashAction(option.value));
  }
  return text;
}

std::vector<std::string> namesOf(const DeclaredOptions& options) {
  std::vector<std::string> names;
  for (const DeclaredOption& option : options) names.insert(names.end(), option.names.begin(), option.names.end());
  return names;
}

std::string bash(const DeclaredCommand& program) {
  std::string cases, options, arguments;
  const std::string commands = fmt::format("{}", fmt::join(namesOf(program.commands), "|"));
  for (const DeclaredCommand& command : program.commands) {
    const std::string name = fmt::format("{}", fmt::join(command.names, "|"));
    const DeclaredOptions own = optionsBehind(command);
    for (const std::string& each : command.names) cases += bashCases(each, own);
    options += fmt::format("    {}) options='{}'{} ;;\n", name, fmt::join(namesOf(own), " "),
                           command.takesRaceOptions ? "\" $options\"" : "");
    if (!command.commands.empty())
      arguments += fmt::format("    {}) words='{}' ;;\n", name, fmt::join(namesOf(command.commands), " "));
    if (!command.positionals.empty()) arguments += fmt::format("    {}) {} ;;\n", name, bashAction(command.positionals[0].value));
  }
  return fmt::format(R"sh(# Completions of opbench for bash: eval "$(opbench completion bash)"
_opbench() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD - 1]}} command= words= list= files= folders= value= i
  if [ "$current" = = ]; then
    current=
  elif [ "$previous" = = ]; then
    previous=${{COMP_WORDS[COMP_CWORD - 2]}}
  fi
  for ((i = 1; i < COMP_CWORD; i++)); do
    case ${{COMP_WORDS[i]}} in
    {0}) command=${{COMP_WORDS[i]}} && break ;;
    esac
  done
  local options='{1}'
  case $command in
{2}  esac
  case $command:$previous in
{3}{4}  esac
  if [ -z "$value" ] || [[ $current == -* ]]; then
    words= list= files= folders=
    if [[ $current == -* ]]; then
      words=$options
    elif [ -z "$command" ]; then
      words='{5}'
    else
      case $command in
{6}      esac
    fi
  fi
  local begin=
  if [ -n "$list" ] && [[ $current == *,* ]]; then
    begin=${{current%,*}}, current=${{current##*,}}
  fi
  COMPREPLY=()
  [ -z "$words" ] || COMPREPLY=($(compgen -P "$begin" -W "$words" -- "$current"))
  [ -z "$files$folders" ] || compopt -o filenames 2>/dev/null
  local IFS=$'\n'
  [ -z "$files" ] || COMPREPLY+=($(compgen -f -- "$current"))
  [ -z "$folders" ] || COMPREPLY+=($(compgen -d -- "$current"))
}}
complete -F _opbench opbench
)sh",
                     commands, fmt::join(namesOf(optionsOf(program)), " "), options, cases, bashCases("*", optionsOf(program)),
                     fmt::join(namesOf(program.commands), " "), arguments);
}

// ---------------------------------------------------------------------------------------------------------------------
// zsh

/// A text within the brackets of an option's specification.
std::string zshEscaped(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (std::string_view("[]:\\").find(c) != std::string_view::npos) result += '\\';
    result += c;
  }
  return result;
}

/// `:FILE:_files`
std::string zshValue(const std::string& value) {
  if (value.empty()) return "";
  const auto words = wordsOfValue(value);
  std::string action = value == "FILE" ? "_files" : value == "DIR" ? "_files -/" : " ";
  if (!words.empty()) action = fmt::format("({})", fmt::join(words, " "));
  if (!words.empty() && isList(value)) action = fmt::format("_values -s , value {}", fmt::join(words, " "));
  return fmt::format(":{}:{}", words.empty() ? zshEscaped(value) : "value", action);
}

/// The specifications of options for _arguments, a line each.
std::string zshOptions(const DeclaredOptions& options, const std::string& indent) {
  std::string text;
  for (const DeclaredOption& option : options)
    for (const std::string& name : option.names)
      text += indent +
              quoted(fmt::format("{}{}[{}]{}", option.isRepeatable ? "*" : "", name, zshEscaped(option.description),
                                 zshValue(option.value))) +
              "\n";
  return text;
}

std::string zsh(const DeclaredCommand& program) {
  std::string described, cases;
  for (const DeclaredCommand& command : program.commands) {
    for (const std::string& name : command.names)
      described += fmt::format("    {}\n", quoted(name + ":" + zshEscaped(command.summary)));
    std::string specifications = zshOptions(optionsBehind(command), "        ");
    if (command.takesRaceOptions) specifications += "        $race\n";
    if (!command.commands.empty())
      specifications +=
          fmt::format("        '1:command:({})'\n        '*:ARGUMENT: '\n", fmt::join(namesOf(command.commands), " "));
    for (const DeclaredOption& positional : command.positionals)
      specifications += "        " + quoted("*" + zshValue(positional.value.empty() ? "ARGUMENT" : positional.value)) + "\n";
    cases += fmt::format("    {})\n      own=(\n{}      )\n      ;;\n", fmt::join(command.names, "|"), specifications);
  }
  return fmt::format(R"sh(#compdef opbench
# Completions of opbench for zsh: opbench completion zsh >_opbench, in a folder of $fpath.
_opbench() {{
  local curcontext=$curcontext state line
  local -a race commands own
  commands=(
{0}  )
  race=(
{1}  )
  _arguments -C $race '1: :->command' '*:: :->argument' && return
  case $state in
  command) _describe command commands ;;
  argument)
    case $words[1] in
{2}    esac
    _arguments $own
    ;;
  esac
}}
if [ "$funcstack[1]" = _opbench ]; then
  _opbench "$@"
else
  compdef _opbench opbench
fi
)sh",
                     described, zshOptions(optionsOf(program), "    "), cases);
}

// ---------------------------------------------------------------------------------------------------------------------
// fish

std::string fishQuoted(const std::string& text) {
  std::string result = "'";
  for (const char c : text) result += c == '\'' || c == '\\' ? std::string("\\") + c : std::string(1, c);
  return result + "'";
}

/// `-x -a 'write read'`
std::string fishValue(const std::string& value) {
  if (value.empty()) return "";
  const auto words = wordsOfValue(value);
  if (isList(value) && !words.empty()) return fmt::format(" -x -a \"(__fish_append , {})\"", fmt::join(words, " "));
  if (!words.empty()) return fmt::format(" -x -a '{}'", fmt::join(words, " "));
  if (value == "FILE") return " -r -F";
  return value == "DIR" ? " -x -a '(__fish_complete_directories)'" : " -x";
}

std::string fishOptions(const DeclaredOptions& options, const std::string& condition) {
  std::string text;
  for (const DeclaredOption& option : options) {
    text += "complete -c opbench -n " + fishQuoted(condition);
    for (const std::string& name : option.names)
      text += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
    text += fishValue(option.value) + " -d " + fishQuoted(option.description) + "\n";
  }
  return text;
}

std::string fish(const DeclaredCommand& program) {
  std::string text = "# Completions of opbench for fish: opbench completion fish | source\ncomplete -c opbench -f\n", others;
  for (const DeclaredCommand& command : program.commands) {
    const std::string names = fmt::format("{}", fmt::join(command.names, " "));
    for (const std::string& name : command.names)
      text += fmt::format("complete -c opbench -n __fish_use_subcommand -a {} -d {}\n", name, fishQuoted(command.summary));
    const std::string condition = "__fish_seen_subcommand_from " + names;
    text += fishOptions(optionsOf(command), condition);
    for (const DeclaredCommand& inner : command.commands)
      for (const std::string& name : inner.names)
        text += fmt::format("complete -c opbench -n {} -a {} -d {}\n", fishQuoted(condition), name, fishQuoted(inner.summary));
    if (!command.positionals.empty() && command.positionals[0].value == "FILE")
      text += fmt::format("complete -c opbench -n {} -F\n", fishQuoted(condition));
    else if (!command.positionals.empty() && !wordsOfValue(command.positionals[0].value).empty())
      text += fmt::format("complete -c opbench -n {}{}\n", fishQuoted(condition), fishValue(command.positionals[0].value));
    if (!command.takesRaceOptions) others += " " + names;
  }
  return text + fishOptions(optionsOf(program), "not __fish_seen_subcommand_from" + others);
}

}  // namespace

std::vector<std::string> shellNames() {
  std::vector<std::string> names;
  for (const auto& [name, _] : shells) names.emplace_back(name);
  return names;
}

std::optional<Shell> shellFromName(std::string_view text) {
  for (const auto& [name, shell] : shells)
    if (name == text) return shell;
  return std::nullopt;
}

std::string completionScript(const DeclaredCommand& program, Shell shell) {
  switch (shell) {
    case Shell::Bash: return bash(program);
    case Shell::Zsh: return zsh(program);
    case Shell::Fish: return fish(program);
  }
  return "";
}

}  // namespace opbench
