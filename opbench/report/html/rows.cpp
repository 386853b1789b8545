#include "opbench/report/html/rows.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "inputs/text/printable.h"

namespace opbench::report::html {
namespace {

using nlohmann::json;

constexpr int mostDepth = 5;
constexpr size_t mostColumns = 400;

/// The list of these texts, which are JSON already.
template <typename Texts>
std::string listOf(const Texts& texts) {
  return fmt::format("[{}]", fmt::join(texts, ","));
}

bool isDeeper(const json& value, int depth) {
  return value.is_structured() &&
         (depth == 0 || std::any_of(value.begin(), value.end(), [&](const json& each) { return isDeeper(each, depth - 1); }));
}

/// The value with printable texts and names.
json printable(const json& value) {
  if (value.is_string()) return inputs::printable(value.get_ref<const std::string&>());
  if (!value.is_structured()) return value;
  json result = value.is_array() ? json::array() : json::object();
  for (const auto& [name, each] : value.items())
    value.is_array() ? result.push_back(printable(each)) : void(result[inputs::printable(name)] = printable(each));
  return result;
}

/// Whether from the first on so many neighbours are always alike.
bool areAlikeEach(const std::vector<size_t>& places, size_t each) {
  for (size_t i = 0; i < places.size(); ++i)
    if (places[i] != places[i - i % each]) return false;
  return true;
}

}  // namespace

std::string scriptJson(const json& value) {
  std::string text = printable(value).dump(-1, ' ', false, json::error_handler_t::replace);
  for (size_t at = text.find('<'); at != std::string::npos; at = text.find('<', at)) text.replace(at, 1, "\\u003c");
  return text;
}

void Rows::add(const json& object) {
  for (const auto& [name, value] : object.items()) set(name, value, mostDepth);
  ++size_;
}

void Rows::set(const std::string& name, const json& value, int depth) {
  if (value.is_object() && depth > 0) {
    for (const auto& [field, each] : value.items()) set(fmt::format("{}.{}", name, field), each, depth - 1);
    return;
  }
  if (columns_.size() >= mostColumns && !columns_.contains(name)) return;
  if (isDeeper(value, depth)) return set(name, nullptr, depth);
  Column& column = columns_[name];
  if (column.at.empty() || column.last != value) {
    column.last = value;
    std::string text = value.is_number_float() ? fmt::format("{:.6g}", value.get<double>()) : scriptJson(value);
    const auto [entry, isNew] = column.places.try_emplace(std::move(text), column.values.size());
    if (isNew) column.values.push_back(entry->first);
    column.lastPlace = entry->second;
  }
  column.at.resize(size_, 0);
  column.at.push_back(column.lastPlace);
}

std::string Rows::text() const {
  std::string columns;
  for (const auto& [name, column] : columns_)
    columns += fmt::format("{}{}:{}", columns.empty() ? "" : ",", scriptJson(name), text(column));
  return fmt::format(R"({{"rows":{},"columns":{{{}}}}})", size_, columns);
}

/// The text of each row, or of as many rows as say the same: of all, or of the contenders of each sample.
std::string Rows::text(const Column& column) const {
  std::vector<size_t> at = column.at;
  at.resize(size_, 0);
  size_t each = 1;
  for (const size_t rows : {at.size(), size_t{4}, size_t{3}, size_t{2}})
    if (each == 1 && rows > 1 && areAlikeEach(at, rows)) each = rows;
  std::vector<size_t> places;
  for (size_t i = 0; i < at.size(); i += each) places.push_back(at[i]);
  std::vector<std::string_view> plain;
  for (const size_t place : places) plain.push_back(column.values[place]);
  const std::string byRow = listOf(plain), byPlace = fmt::format(R"({},"at":{})", listOf(column.values), listOf(places));
  return fmt::format(R"({{"each":{},"values":{}}})", each, byRow.size() < byPlace.size() ? byRow : byPlace);
}

}  // namespace opbench::report::html
