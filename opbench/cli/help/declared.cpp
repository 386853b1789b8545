#include "opbench/cli/help/declared.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "inputs/text/words.h"
#include "opbench/settings/groups.h"

namespace opbench {
namespace {

/// The long names, without names that differ from another one only by underscores in place of its dashes.
std::vector<std::string> namesOf(const CLI::Option& option) {
  std::vector<std::string> names;
  for (const std::string& name : option.get_snames()) names.push_back("-" + name);
  for (const std::string& name : option.get_lnames())
    if (name.find('_') == std::string::npos) names.push_back("--" + name);
  return names;
}

DeclaredOption declared(const CLI::Option& option) {
  DeclaredOption result{namesOf(option), "", option.get_description(), option.get_required(),
                        option.get_multi_option_policy() == CLI::MultiOptionPolicy::TakeAll};
  if (option.get_expected_max() > 0) result.value = option.get_type_name();
  if (const std::string otherwise = option.get_default_str(); !otherwise.empty())
    result.description += fmt::format(" (default: {})", otherwise);
  return result;
}

}  // namespace

std::string pathOf(const CLI::App& app) {
  return app.get_parent() == nullptr ? app.get_name() : pathOf(*app.get_parent()) + " " + app.get_name();
}

DeclaredCommand declared(const CLI::App& app) {
  DeclaredCommand command{pathOf(app), {app.get_name()},     app.get_description(), app.get_footer(), {}, {},
                          {},          app.get_fallthrough()};
  for (const std::string& alias : app.get_aliases()) command.names.push_back(alias);
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_group().empty()) continue;
    if (option->get_positional()) {
      DeclaredOption positional = declared(*option);
      positional.isRepeatable = option->get_items_expected_max() > 1;
      positional.names = {option->get_name(true)};
      positional.names.front() = positional.names.front().substr(0, positional.names.front().find(','));
      command.positionals.push_back(std::move(positional));
    }
    if (!option->nonpositional()) continue;
    const auto isItsGroup = [&](const DeclaredGroup& group) { return group.name == option->get_group(); };
    auto group = std::find_if(command.groups.begin(), command.groups.end(), isItsGroup);
    if (group == command.groups.end()) group = command.groups.insert(group, DeclaredGroup{option->get_group(), {}});
    group->options.push_back(declared(*option));
  }
  for (const CLI::App* verb : app.get_subcommands([](const CLI::App*) { return true; }))
    command.commands.push_back(declared(*verb));
  return command;
}

std::vector<std::string> wordsOfValue(const std::string& value) {
  std::string_view words = value;
  if (words.ends_with(",..")) words.remove_suffix(3);
  std::vector<std::string> result;
  if (words.find('|') == std::string_view::npos) return result;
  for (const std::string_view word : inputs::split(words, "|")) result.emplace_back(word);
  return result;
}

bool isProgram(const DeclaredCommand& command) { return command.path == command.names.front(); }

bool isBasic(const DeclaredGroup& group) {
  return std::find(basicGroups.begin(), basicGroups.end(), group.name) != basicGroups.end();
}

}  // namespace opbench
