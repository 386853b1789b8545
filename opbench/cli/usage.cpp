#include "opbench/cli/usage.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>

#include "ir/error.h"
#include "opbench/cli/help/declared.h"
#include "opbench/text/nearest.h"

namespace opbench {
namespace {

using ir::ErrorKind;
using ir::fail;

/// Names that options had before: a suggestion of one is one of the option's name now.
constexpr std::pair<std::string_view, std::string_view> formerNames[] = {{"--self-test", "--aa"}};

/// Options of the programs that opbench stands for, and what says the same here.
constexpr std::pair<std::string_view, std::string_view> otherPrograms[] = {{"--inductor", "--contenders eager,inductor"},
                                                                           {"--backend", "--contenders eager,NAME"},
                                                                           {"--device_idx", "--device cuda:N"},
                                                                           {"--device-idx", "--device cuda:N"},
                                                                           {"-d", "--device"},
                                                                           {"-k", "--filter"},
                                                                           {"-x", "--exclude"}};

/// The rest of a text behind a beginning; nothing where it begins otherwise.
std::optional<std::string> behind(const std::string& text, std::string_view beginning) {
  return text.starts_with(beginning) ? std::optional(text.substr(beginning.size())) : std::nullopt;
}

/// The command that is asked for, of the first one where there are several.
const CLI::App& innermost(const CLI::App& app) {
  const auto chosen = app.get_subcommands();
  return chosen.empty() ? app : innermost(*chosen.front());
}

[[noreturn]] void refuseOption(const CLI::App& app, const std::string& word) {
  for (const auto& [name, here] : otherPrograms)
    if (word == name || word.starts_with(std::string(name) + "="))
      fail(ErrorKind::Input, "unknown option '{}'; use {}", word, here);
  std::vector<std::string> known;
  for (const CLI::App* owner = &app; owner != nullptr; owner = owner->get_fallthrough() ? owner->get_parent() : nullptr)
    for (const CLI::Option* option : owner->get_options())
      for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
  for (const auto& [former, name] : formerNames) known.emplace_back(former);
  std::vector<std::string> suggested = nearest(word, known);
  for (const auto& [former, name] : formerNames)
    std::replace(suggested.begin(), suggested.end(), std::string(former), std::string(name));
  fail(ErrorKind::Input, "unknown option '{}'{} ({} {} lists the options)", word, suggestion(suggested), pathOf(app),
       app.get_parent() == nullptr ? "--help-all" : "--help");
}

/// Refuses a second value behind an option whose values are separated by commas.
void refuseSecondValue(const CLI::App& app, const std::vector<std::string>& arguments, const std::string& word) {
  const auto at = std::find(arguments.begin(), arguments.end(), word);
  if (at - arguments.begin() < 2) return;
  const std::string &option = *(at - 2), &value = *(at - 1);
  const CLI::Option* found = option.starts_with("--") ? app.get_option_no_throw(option) : nullptr;
  if (found != nullptr && found->get_type_name().ends_with(",.."))
    fail(ErrorKind::Input, "unexpected '{2}' after {0} {1}; separate values with commas: {0} {1},{2}", option, value, word);
}

}  // namespace

void refuseUsage(const CLI::ParseError& error) {
  std::string message = error.what();
  constexpr std::string_view twice = ": At Most 1 required but received ";
  if (const size_t at = message.find(twice); at != std::string::npos) {
    const std::string times = message.substr(at + twice.size());
    message = fmt::format("{} is given {}", message.substr(0, at), times == "2" ? "twice" : times + " times");
  } else if (const auto flag = behind(message, "Could not convert: "); flag && flag->find(" = ") != std::string::npos) {
    const size_t equals = flag->find(" = ");
    message = fmt::format("{} must be true or false, got '{}'", flag->substr(0, equals), flag->substr(equals + 3));
  }
  // CLI11 begins with a capital, but for the names of options.
  const bool isWord = message.size() > 1 && std::islower(static_cast<unsigned char>(message[1])) != 0;
  if (isWord) message[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(message[0])));
  fail(ErrorKind::Input, "{} (opbench --help-all lists the options)", message);
}

void refuseExtras(const CLI::App& app, const std::vector<std::string>& arguments) {
  const std::string first = app.remaining(true).front();
  const CLI::App& asked = innermost(app);
  if (first.starts_with('-')) refuseOption(asked, first);
  refuseSecondValue(app, arguments, first);
  if (&asked != &app) fail(ErrorKind::Input, "{}: unexpected argument '{}'", pathOf(asked), first);
  std::vector<std::string> commands;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
    commands.push_back(command->get_name());
  if (const std::vector<std::string> meant = nearest(first, commands); !meant.empty())
    fail(ErrorKind::Input, "unknown command '{}'{}", first, suggestion(meant));
  fail(ErrorKind::Input, "unknown command '{}'; commands are {}; operators are given with --op, and one value follows an option",
       first, fmt::join(commands, ", "));
}

}  // namespace opbench
