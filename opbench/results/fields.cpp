#include "opbench/results/fields.h"

#include <fmt/format.h>

#include <cmath>

#include "inputs/operator_name.h"
#include "inputs/text/printable.h"
#include "ir/error.h"
#include "opbench/results/schema.h"

namespace opbench::results {
namespace {

using Json = nlohmann::json;

/// `a string`, `an array`: what was found where something else is due.
std::string_view typeName(const Json& value) {
  switch (value.type()) {
    case Json::value_t::null: return "null";
    case Json::value_t::object: return "an object";
    case Json::value_t::array: return "an array";
    case Json::value_t::string: return "a string";
    case Json::value_t::boolean: return "a boolean";
    case Json::value_t::number_integer:
    case Json::value_t::number_unsigned:
    case Json::value_t::number_float: return "a number";
    case Json::value_t::binary:
    case Json::value_t::discarded: return "nothing";
  }
  return "nothing";
}

Scalar scalarOf(const Json& value) {
  if (value.is_number()) return value.get<double>();
  if (value.is_boolean()) return value.get<bool>() ? "true" : "false";
  if (value.is_string()) return inputs::printable(value.get_ref<const std::string&>());
  return std::monostate();
}

void addScalars(const Json& object, const std::string& before, const std::function<bool(const std::string&)>& isWanted,
                std::map<std::string, Scalar>& scalars) {
  for (const auto& [foreign, value] : object.items()) {
    const std::string name = before + inputs::printable(foreign);
    if (value.is_object())
      addScalars(value, name + ".", isWanted, scalars);
    else if (!value.is_array() && isWanted(name))
      scalars[name] = scalarOf(value);
  }
}

}  // namespace

Fields::Fields(std::string_view text, std::string where) : where_(std::move(where)) {
  try {
    object_ = Json::parse(text);
  } catch (const Json::parse_error& error) {
    refuse(fmt::format("not JSON from column {} on", error.byte));
  } catch (const Json::exception&) {
    refuse("a number that is too large");
  }
  requireObject();
}

Fields Fields::ofLine(std::string_view text, std::string where) {
  Fields line(text, std::move(where));
  line.schema_ = schemaOf(line.object_);
  if (line.schema_ == 0) line.refuse("\"schema\" must be a whole number from 1");
  if (line.schema_ > currentSchema)
    line.refuse(fmt::format("results of schema {}; this opbench reads 1 and {}", line.schema_, currentSchema));
  translate(line.object_);
  return line;
}

void Fields::requireObject() const {
  if (!object_.is_object()) refuse(fmt::format("expected an object, got {}", typeName(object_)));
}

std::string Fields::requiredText(const char* name) const {
  if (!find(name)) refuse(fmt::format("no \"{}\"; expected a line of --json results", name));
  return text(name);
}

std::string Fields::operatorName(const char* name) const {
  std::string op = requiredText(name);
  if (const auto refusal = inputs::refusalOf(op); refusal && !inputs::isOfLibrary(op)) refuse(*refusal);
  return op;
}

std::string Fields::text(const char* name) const {
  const Json* value = find(name);
  if (!value) return "";
  if (!value->is_string()) refuse(fmt::format("\"{}\" must be a string, got {}", name, typeName(*value)));
  return inputs::printable(value->get<std::string>());
}

std::optional<double> Fields::number(const char* name) const {
  const Json* value = find(name);
  return value ? std::optional(positive(name, *value)) : std::nullopt;
}

std::optional<double> Fields::signedNumber(const char* name) const {
  const Json* value = find(name);
  return value ? std::optional(finite(name, *value)) : std::nullopt;
}

std::optional<Interval> Fields::interval(const char* low, const char* high) const {
  return ordered(low, number(low), high, number(high));
}

std::optional<Interval> Fields::signedInterval(const char* low, const char* high) const {
  return ordered(low, signedNumber(low), high, signedNumber(high));
}

std::optional<Interval> Fields::ordered(const char* low, std::optional<double> from, const char* high,
                                        std::optional<double> to) const {
  if (!from || !to) return std::nullopt;
  if (*from > *to) refuse(fmt::format("\"{}\" must be at most \"{}\"", low, high));
  return Interval{*from, *to};
}

AANoise Fields::aaNoise() const {
  AANoise noise;
  if (!has("aa_noises")) {
    noise.shares.fill(number("aa_noise"));
    return noise;
  }
  const Json& shares = items("aa_noises");
  if (shares.size() != durationClasses) refuse(fmt::format("\"aa_noises\" must have {} items", durationClasses));
  for (size_t i = 0; i < durationClasses; ++i)
    if (!shares[i].is_null()) noise.shares[i] = positive("aa_noises", shares[i]);
  return noise;
}

std::optional<Interval> Fields::confidence(const char* low, const char* high) const {
  const auto found = interval(low, high);
  return found && found->low == found->high && integer("runs") == 1 ? std::nullopt : found;
}

const Json& Fields::items(const char* name) const {
  static const Json none = Json::array();
  const Json* value = find(name);
  if (value && !value->is_array()) refuse(fmt::format("\"{}\" must be an array, got {}", name, typeName(*value)));
  return value ? *value : none;
}

std::vector<double> Fields::numbers(const char* name) const {
  std::vector<double> result;
  for (const Json& item : items(name)) result.push_back(positive(name, item));
  return result;
}

std::vector<std::string> Fields::texts(const char* name) const {
  std::vector<std::string> result;
  for (const Json& item : items(name)) {
    if (!item.is_string()) refuse(fmt::format("\"{}\" must hold strings, got {}", name, typeName(item)));
    result.push_back(inputs::printable(item.get<std::string>()));
  }
  return result;
}

std::optional<int64_t> Fields::integer(const char* name, int64_t most) const {
  const auto value = natural(name);
  if (value && *value > static_cast<uint64_t>(most)) refuse(fmt::format("\"{}\" must be at most {}", name, most));
  return value ? std::optional(static_cast<int64_t>(*value)) : std::nullopt;
}

std::optional<uint64_t> Fields::natural(const char* name) const {
  const Json* value = find(name);
  if (!value) return std::nullopt;
  if (!value->is_number_unsigned()) refuse(fmt::format("\"{}\" must be a whole number from 0", name));
  return value->get<uint64_t>();
}

bool Fields::flag(const char* name) const {
  const Json* value = find(name);
  if (!value) return false;
  if (!value->is_boolean()) refuse(fmt::format("\"{}\" must be a boolean, got {}", name, typeName(*value)));
  return value->get<bool>();
}

Fields Fields::part(const char* name, const Json& value) const {
  Fields part;
  part.object_ = value;
  part.where_ = fmt::format("{}: \"{}\"", where_, name);
  part.requireObject();
  return part;
}

std::optional<Fields> Fields::object(const char* name) const {
  const Json* value = find(name);
  return value ? std::optional(part(name, *value)) : std::nullopt;
}

std::vector<Fields> Fields::objects(const char* name) const {
  std::vector<Fields> result;
  for (const Json& item : items(name)) result.push_back(part(name, item));
  return result;
}

void Fields::refuse(const std::string& what) const { ir::fail(ir::ErrorKind::Input, "{}: {}", where_, what); }

const Json* Fields::find(const char* name) const {
  const auto found = object_.find(name);
  return found == object_.end() || found->is_null() ? nullptr : &*found;
}

double Fields::finite(const char* name, const Json& value) const {
  if (!value.is_number()) refuse(fmt::format("\"{}\" must be a number, got {}", name, typeName(value)));
  const double number = value.get<double>();
  if (!std::isfinite(number)) refuse(fmt::format("\"{}\" must be finite, got {}", name, number));
  return number;
}

double Fields::positive(const char* name, const Json& value) const {
  const double number = finite(name, value);
  if (number < 0) refuse(fmt::format("\"{}\" must not be negative, got {}", name, number));
  return number;
}

std::map<std::string, Scalar> Fields::scalars() const {
  return scalars([](const std::string&) { return true; });
}

std::map<std::string, Scalar> Fields::scalars(const std::function<bool(const std::string&)>& isWanted) const {
  std::map<std::string, Scalar> scalars;
  addScalars(object_, "", isWanted, scalars);
  return scalars;
}

}  // namespace opbench::results
