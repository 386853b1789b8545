#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace opbench {

/// Gives CLI11 a whole number in decimal digits, however it was written. Returns why it is none, or nothing.
std::string readWholeNumber(std::string& text);

/// An option whose values are whole numbers.
template <typename Value>
CLI::Option* addNumber(CLI::App& app, const std::string& name, Value& value, const std::string& description) {
  return app.add_option(name, value, description)->transform(CLI::Validator(readWholeNumber, "", ""))->type_name("N");
}

}  // namespace opbench
