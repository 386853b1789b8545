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

/// Says why a text is no number, or nothing.
std::string readReal(std::string& text);

/// An option whose value is any number.
template <typename Value>
CLI::Option* addReal(CLI::App& app, const std::string& name, Value& value, const std::string& description) {
  return app.add_option(name, value, description)->transform(CLI::Validator(readReal, "", ""));
}

/// Gives CLI11 a number of bytes in decimal digits: of `2000000000`, `2e9`, `2G`, `2 GB`, or `2Gi`, which is 2^31. Returns why
/// the text is none, or nothing.
std::string readSize(std::string& text);

/// An option whose value is a number of bytes.
template <typename Value>
CLI::Option* addSize(CLI::App& app, const std::string& name, Value& value, const std::string& description) {
  return app.add_option(name, value, description)->transform(CLI::Validator(readSize, "", ""))->type_name("BYTES");
}

}  // namespace opbench
