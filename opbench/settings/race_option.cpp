#include "opbench/settings/race_option.h"

#include <fmt/ranges.h>

#include "inputs/text/words.h"
#include "ir/error.h"
#include "opbench/settings/repeatable_option.h"

namespace opbench {
namespace {

using Adding = CLI::Option*(const std::string&, CLI::App&, Options&);

/// Adds an option whose words CLI11 only keeps.
std::function<Adding> keeping(const std::string& text) {
  return [text](const std::string& name, CLI::App& app, Options&) { return app.add_option(name, text); };
}

}  // namespace

RaceOption& RaceOption::form(std::string text) {
  shape.emplace_back([text](CLI::Option& option) { option.type_name(text); });
  return *this;
}

RaceOption& RaceOption::showsDefault() {
  shape.emplace_back([](CLI::Option& option) { option.capture_default_str(); });
  return *this;
}

RaceOption& RaceOption::showsDefault(std::string text) {
  shape.emplace_back([text](CLI::Option& option) { option.default_str(text); });
  return *this;
}

RaceOption& RaceOption::stays() {
  tell = nullptr;
  return *this;
}

RaceOption& RaceOption::takesBool() {
  shape.emplace_back([](CLI::Option& option) { option.expected(0, 1)->type_name("[BOOL]"); });
  return *this;
}

RaceOption& RaceOption::atLeast(int least, std::string_view unit) {
  check = [=, name = name(), number = number](const CLI::Option& given, const Options& options) {
    const std::optional<double> value = number(options);
    const bool isGiven = given.count() > 0 || value != number(kinds::defaults());
    if (isGiven && value && !(*value >= least))
      ir::fail(ir::ErrorKind::Input, "{} must be at least {}{}, got {}", name, least, unit, *value);
  };
  return *this;
}

RaceOption& RaceOption::checks(void (*function)(const Options&)) {
  check = [function](const CLI::Option&, const Options& options) { function(options); };
  return *this;
}

void RaceOption::declare(CLI::App& app, Options& options) const {
  CLI::Option* option = add(std::string(names), app, options);
  for (const auto& change : shape) change(*option);
  option->group(std::string(group));
}

void RaceOption::readGiven(const CLI::App& app, Options& options) const {
  const CLI::Option& option = *app.get_option(std::string(name()));
  if (read && option.count() > 0) read(option.results(), options);
}

void RaceOption::checkValue(const CLI::App& app, const Options& options) const {
  if (check) check(*app.get_option(std::string(name())), options);
}

namespace kinds {

const Options& defaults() {
  static const Options options;
  return options;
}

RaceOption output(std::string_view names, std::string Options::* member, const std::string& text) {
  RaceOption option = value(names, member, text).form("FILE");
  option.output = member;
  return option;
}

RaceOption input(std::string_view names, std::string RaceSettings::* member, const std::string& text) {
  RaceOption option = value(names, member, text).form("FILE");
  option.input = member;
  return option;
}

RaceOption word(std::string_view names, std::string text, Read read, Tell tell) {
  return {names, keeping(text), std::move(tell), std::move(read)};
}

RaceOption repeatable(std::string_view names, std::string text, Read read, Tell tell) {
  RaceOption option = word(names, text + "; repeatable", std::move(read), std::move(tell));
  option.shape.emplace_back([](CLI::Option& each) { repeated(&each); });
  return option;
}

std::string oneOf(std::span<const std::string> words) { return fmt::format("{}", fmt::join(words, "|")); }

Words splitAtCommas(const Words& texts) {
  Words parts;
  for (const std::string& text : texts)
    for (const std::string_view part : inputs::split(text, ",")) parts.emplace_back(part);
  return parts;
}

RaceOption wordOfRun(std::string_view names, std::string text) { return {names, keeping(text), nullptr}; }

RaceOption numberOfRun(std::string_view names, std::string text) {
  RaceOption option = wordOfRun(names, std::move(text)).form("N");
  option.shape.emplace_back([](CLI::Option& each) { each.transform(CLI::Validator(readWholeNumber, "", "")); });
  return option;
}

RaceOption flagOfRun(std::string_view names, std::string text) {
  return {names, [text](const std::string& name, CLI::App& app, Options&) { return app.add_flag(name, text); }, nullptr};
}

}  // namespace kinds
}  // namespace opbench
