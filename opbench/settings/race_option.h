#pragma once

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <concepts>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "opbench/settings/number_option.h"
#include "opbench/settings/options.h"

namespace opbench {

/// An option of a race, said once: the command line, its help, its checks and the words that workers are told are made of it.
/// Workers are told what of RaceSettings differs from the default, unless the option stays with the run. What other settings
/// say stays: the layers of a race do not see it.
struct RaceOption {
  using Words = std::vector<std::string>;
  using Read = std::function<void(const Words& given, Options&)>;
  using Tell = std::function<void(std::string_view name, const RaceSettings&, Words&)>;

  std::string_view names;  ///< `--no-memory,--no_memory`; workers are told the first one
  std::function<CLI::Option*(const std::string& names, CLI::App&, Options&)> add;  ///< to a command line
  Tell tell;                                                                       ///< adds the words; none where it stays
  Read read = {};                                                                  ///< the words that wait for the whole line
  std::function<void(const CLI::Option&, const Options&)> check = {};
  std::function<std::optional<double>(const Options&)> number = {};  ///< where it has one
  std::vector<std::function<void(CLI::Option&)>> shape = {};
  std::string_view group = "Options";           ///< of the help; empty: help says nothing of it
  std::string Options::* output = nullptr;      ///< a file that is written
  std::string RaceSettings::* input = nullptr;  ///< a file that is read

  /// The first name.
  std::string_view name() const { return names.substr(0, names.find(',')); }

  /// The form of the value in help: `FILE`, `write|read`, `NAME,..`.
  RaceOption& form(std::string text);
  /// Shows the default in help: a member's own, or this text.
  RaceOption& showsDefault();
  RaceOption& showsDefault(std::string text);
  /// The `options` of results do not record it: workers are not told, or by supervisor.cpp itself.
  RaceOption& stays();
  /// Refuses a number that is less; messages have the unit behind it, ` (seconds)`.
  RaceOption& atLeast(int least, std::string_view unit = "");
  /// Refuses what the function does not take. It fails with the error.
  RaceOption& checks(void (*function)(const Options&));

  /// Takes a value as well, as operatorbench's flags do: `--flag`, `--flag False`, `--flag=no`.
  RaceOption& takesBool();

  /// Declares the option to a command line.
  void declare(CLI::App& app, Options& options) const;
  /// Reads the words that were given. Errors: Input.
  void readGiven(const CLI::App& app, Options& options) const;
  /// Errors: Input, for a value that is refused.
  void checkValue(const CLI::App& app, const Options& options) const;
};

/// The kinds of options. A member is a pointer to one of Options, or a function that returns one of them by reference.
namespace kinds {

using Words = RaceOption::Words;

/// The values of options that nobody gave.
const Options& defaults();

inline void addWords(std::string_view name, std::string value, Words& words) {
  words.insert(words.end(), {std::string(name), std::move(value)});
}

template <typename Value>
void addValue(std::string_view option, const Value& value, Words& words) {
  if constexpr (requires { value.has_value(); })
    addValue(option, *value, words);
  else if constexpr (std::same_as<Value, Words>)
    for (const std::string& one : value) addWords(option, one, words);
  else if constexpr (std::is_enum_v<Value>)
    addWords(option, std::string(name(value)), words);
  else
    addWords(option, fmt::format("{}", value), words);
}

/// Tells a member that is not as by default. None of the settings that are no race's.
template <typename Member>
RaceOption::Tell telling(Member member) {
  if constexpr (std::invocable<Member, const RaceSettings&>)
    return [member](std::string_view name, const RaceSettings& settings, Words& words) {
      const auto& value = std::invoke(member, settings);
      if (value == std::invoke(member, defaults())) return;
      if constexpr (std::same_as<std::remove_cvref_t<decltype(value)>, bool>)
        words.emplace_back(name);
      else
        addValue(name, value, words);
    };
  return nullptr;
}

/// An option that CLI11 reads into a member.
template <typename Member, typename Add>
RaceOption bound(std::string_view names, Member member, const std::string& text, Add add) {
  return {names,
          [=](const std::string& name, CLI::App& app, Options& options) {
            return add(app, name, std::invoke(member, options), text);
          },
          telling(member)};
}

/// `--name`: a bool that is then not as by default.
template <typename Member>
RaceOption flag(std::string_view names, Member member, const std::string& text) {
  const std::string sign = std::invoke(member, defaults()) ? "!" : "";
  return bound(names, member, text, [sign](CLI::App& app, const std::string& name, bool& value, const std::string& description) {
    return app.add_flag(sign + name, value, description);
  });
}

/// `--name TEXT`, a text or texts.
template <typename Member>
RaceOption value(std::string_view names, Member member, const std::string& text) {
  return bound(names, member, text, [](CLI::App& app, const std::string& name, auto& value, const std::string& description) {
    return app.add_option(name, value, description);
  });
}

/// An option whose value is a number.
template <typename Member, typename Add>
RaceOption numeric(std::string_view names, Member member, const std::string& text, Add add) {
  RaceOption option = bound(names, member, text, add);
  option.number = [member](const Options& options) { return std::optional<double>(std::invoke(member, options)); };
  return option;
}

/// `--name N`, `--name BYTES`, `--name 0.5`
constexpr auto number = [](std::string_view names, auto member, const std::string& text) {
  return numeric(names, member, text, [](auto&... all) { return addNumber(all...); });
};
constexpr auto size = [](std::string_view names, auto member, const std::string& text) {
  return numeric(names, member, text, [](auto&... all) { return addSize(all...); });
};
constexpr auto real = [](std::string_view names, auto member, const std::string& text) {
  return numeric(names, member, text, [](auto&... all) { return addReal(all...); });
};

/// `--name FILE`, which the run writes; `-` is standard output.
RaceOption output(std::string_view names, std::string Options::* member, const std::string& text);
/// `--name FILE`, which the run reads.
RaceOption input(std::string_view names, std::string RaceSettings::* member, const std::string& text);

using Read = RaceOption::Read;
using Tell = RaceOption::Tell;
/// What words of the run alone are told by.
constexpr std::nullptr_t untold = nullptr;

/// Words that `read` understands once CLI11 has split the whole line, and `tell` says again.
RaceOption word(std::string_view names, std::string text, Read read, Tell tell);
/// The same, given once for each of its values. It does not take the words behind its value as more of them: they may be a
/// command, or what a command is given.
RaceOption repeatable(std::string_view names, std::string text, Read read, Tell tell);

/// An option of several values, each given by itself.
template <typename Member>
RaceOption repeatable(std::string_view names, Member member, std::string text) {
  return repeatable(
      names, std::move(text), [member](const Words& given, Options& options) { std::invoke(member, options) = given; },
      telling(member));
}

/// `a|b`
std::string oneOf(std::span<const std::string> words);

/// The parts of texts between commas, without the empty ones.
Words splitAtCommas(const Words& texts);

/// An option of several values, which may also be in one, with commas between them.
template <typename Member>
RaceOption list(std::string_view names, Member member, std::string text) {
  RaceOption option = repeatable(names, member, std::move(text));
  option.read = [member](const Words& given, Options& options) { std::invoke(member, options) = splitAtCommas(given); };
  return option;
}

/// Options of the run that parseOptions() itself reads.
RaceOption wordOfRun(std::string_view names, std::string text);
RaceOption numberOfRun(std::string_view names, std::string text);
RaceOption flagOfRun(std::string_view names, std::string text);

}  // namespace kinds
}  // namespace opbench
