#include "inputs/archive/json.h"

#include <fmt/format.h>

#include <limits>

#include "inputs/text/scanner.h"
#include "ir/error.h"

namespace inputs {
namespace {

using nlohmann::json;

constexpr uint64_t longestDocument = uint64_t{128} << 20;
constexpr int deepest = 64;
constexpr int mostValues = 1 << 24;

/// The way from a value to one in it, by its address: `.nodes[3].target`; nothing where it is elsewhere.
std::optional<std::string> wayTo(const json& from, const json* value) {
  if (&from == value) return "";
  if (from.is_object()) {
    for (const auto& [key, member] : from.items())
      if (const auto way = wayTo(member, value)) return "." + key + *way;
  }
  for (size_t i = 0; from.is_array() && i < from.size(); ++i)
    if (const auto way = wayTo(from[i], value)) return fmt::format("[{}]{}", i, *way);
  return std::nullopt;
}

}  // namespace

JsonDocument::JsonDocument(const Archive& archive, const std::string& record) : place_(archive.path() + ": " + record) {
  const std::string text = archive.text(record, longestDocument);
  int values = 0;
  const auto within = [&](int depth, json::parse_event_t, json&) {
    if (depth > deepest) ir::fail(ir::ErrorKind::Input, "{} nests deeper than {} levels", place_, deepest);
    if (++values > mostValues) ir::fail(ir::ErrorKind::Input, "{} has more than {} values", place_, mostValues);
    return true;
  };
  try {
    root_ = json::parse(text, within);
  } catch (const json::parse_error& error) {
    ir::fail(ir::ErrorKind::Input, "{} is no JSON: it ends or breaks at byte {}", place_, error.byte);
  } catch (const json::out_of_range&) {
    ir::fail(ir::ErrorKind::Input, "{} has a number that is larger than any double", place_);
  }
}

std::string JsonView::where() const {
  const std::string way = wayTo(document_->root_, value_).value_or("");
  return document_->place_ + ": " + (way.empty() ? std::string("it") : way.front() == '.' ? way.substr(1) : way);
}

void JsonView::refuse(const std::string& why) const { ir::fail(ir::ErrorKind::Input, "{} {}", where(), why); }

void JsonView::unsupported(const std::string& why) const { ir::fail(ir::ErrorKind::Unsupported, "{} {}", where(), why); }

void JsonView::expected(std::string_view what) const {
  constexpr size_t longest = 40;
  const bool isShort = value_->is_primitive() && (!value_->is_string() || text().size() <= longest);
  const std::string found = isShort ? shown(value_->dump(-1, ' ', true, json::error_handler_t::replace)) : value_->type_name();
  refuse(fmt::format("is {}, not {}", found, what));
}

JsonView JsonView::at(const char* key) const {
  if (!value_->is_object()) expected("an object");
  if (!has(key)) refuse(fmt::format("has no {}", key));
  return {*document_, value_->at(key)};
}

int64_t JsonView::integer() const { return integer(std::numeric_limits<int64_t>::min(), std::numeric_limits<int64_t>::max()); }

int64_t JsonView::integer(int64_t least, int64_t most) const {
  if (!value_->is_number_integer()) expected("an integer");
  constexpr auto largest = static_cast<uint64_t>(std::numeric_limits<int64_t>::max());
  const bool isTooLarge = value_->is_number_unsigned() && value_->get<uint64_t>() > largest;
  if (isTooLarge || value_->get<int64_t>() < least || value_->get<int64_t>() > most)
    expected(fmt::format("an integer from {} to {}", least, most));
  return value_->get<int64_t>();
}

double JsonView::number() const {
  if (value_->is_number()) return value_->get<double>();
  const std::string word = value_->is_string() ? text() : "";
  if (word == "Infinity") return std::numeric_limits<double>::infinity();
  if (word == "-Infinity") return -std::numeric_limits<double>::infinity();
  if (word == "NaN") return std::numeric_limits<double>::quiet_NaN();
  expected("a number");
}

bool JsonView::boolean() const {
  if (!value_->is_boolean()) expected("true or false");
  return value_->get<bool>();
}

const std::string& JsonView::text() const {
  if (!value_->is_string()) expected("a string");
  return value_->get_ref<const std::string&>();
}

std::vector<JsonView> JsonView::items() const {
  if (!value_->is_array()) expected("a list");
  std::vector<JsonView> items;
  items.reserve(value_->size());
  for (const json& item : *value_) items.push_back({*document_, item});
  return items;
}

std::vector<std::pair<std::string, JsonView>> JsonView::members() const {
  if (!value_->is_object()) expected("an object");
  std::vector<std::pair<std::string, JsonView>> members;
  for (const auto& [key, member] : value_->items()) members.emplace_back(key, JsonView(*document_, member));
  return members;
}

std::pair<std::string, JsonView> JsonView::only() const {
  if (!value_->is_object()) expected("an object");
  const json* member = nullptr;
  std::string kind;
  for (const auto& [key, value] : value_->items()) {
    if (value.is_null()) continue;
    if (member != nullptr) refuse("is of two kinds at once");
    member = &value;
    kind = key;
  }
  if (member == nullptr) refuse("is of no kind");
  return {kind, JsonView(*document_, *member)};
}

}  // namespace inputs
