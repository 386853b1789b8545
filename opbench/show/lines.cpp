#include "opbench/show/lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <unordered_set>

#include "inputs/files.h"
#include "ir/error.h"
#include "opbench/results/read.h"
#include "opbench/text/nearest.h"

namespace opbench::show {
namespace {

using ir::ErrorKind;
using ir::fail;

/// Names of fields as the headings of a report have them.
constexpr std::pair<std::string_view, std::string_view> shortNames[] = {
    {"time", "median_us"}, {"SOL", "of_roofline"}, {"copy", "of_copy"}};

/// The field that is not of the line: the file it stands in.
constexpr const char* fileField = "results";

/// Refuses a file that does not exist.
void requireFile(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  if (fs::exists(path, ignored)) return;
  const fs::path folder = fs::path(path).parent_path();
  std::vector<std::string> others;
  for (const auto& entry : fs::directory_iterator(folder.empty() ? "." : folder, ignored))
    if (entry.is_regular_file(ignored)) others.push_back((folder / entry.path().filename()).string());
  fail(ErrorKind::Input, "no file '{}'{}", path, suggestion(nearest(path, others)));
}

/// The field that a user's name means, whether there is one or not.
std::string fieldOf(const std::string& name) {
  const auto* other =
      std::find_if(std::begin(shortNames), std::end(shortNames), [&](const auto& names) { return names.first == name; });
  return other == std::end(shortNames) ? name : std::string(other->second);
}

/// All fields that the options may ask a line for.
std::unordered_set<std::string> askedFields(const ShowOptions& options) {
  std::unordered_set<std::string> fields{fieldOf(options.sort.substr(options.sort.starts_with('-') ? 1 : 0))};
  for (const std::string& text : options.filters) fields.insert(fieldOf(text.substr(0, text.find_first_of("=<>!"))));
  for (const std::string& name : options.columns) fields.insert(fieldOf(name));
  for (const char* name : usualColumnNames) fields.insert(fieldOf(name));
  if (!options.models.empty()) fields.insert(std::begin(modelFields), std::end(modelFields));
  return fields;
}

}  // namespace

const Value& Line::operator[](const std::string& field) const {
  static const Value absent;
  const auto found = fields.find(field);
  return found == fields.end() ? absent : found->second;
}

Lines readLines(const ShowOptions& options) {
  const std::unordered_set<std::string> asked = askedFields(options);
  std::unordered_set<std::string> fields{fileField};
  const auto isAsked = [&](const std::string& name) {
    fields.insert(name);
    return asked.contains(name);
  };
  Lines all;
  for (const std::string& file : options.files) {
    requireFile(file);
    const size_t before = all.lines.size();
    const auto complaints = results::readLines(file, [&](size_t index, results::Record&& record, const results::Fields& line) {
      if (before + index == all.lines.size()) all.lines.emplace_back();
      Line& taken = all.lines[before + index];
      taken = {line.scalars(isAsked), record.isBaseline};
      taken.fields[fileField] = file;
    });
    all.complaints.insert(all.complaints.end(), complaints.begin(), complaints.end());
  }
  all.fields.assign(fields.begin(), fields.end());
  std::sort(all.fields.begin(), all.fields.end());
  return all;
}

std::optional<std::string> findField(const std::string& name, const Lines& lines) {
  const std::string field = fieldOf(name);
  return std::binary_search(lines.fields.begin(), lines.fields.end(), field) ? std::optional(field) : std::nullopt;
}

std::string fieldNamed(const std::string& name, const Lines& lines, const std::string& where) {
  if (const auto field = findField(name, lines)) return *field;
  std::vector<std::string> known = lines.fields;
  for (const auto& names : shortNames) known.emplace_back(names.first);
  const std::string meant = suggestion(nearest(name, known));
  fail(ErrorKind::Input, "{}: no line has a field '{}'{}", where, name,
       meant.empty() ? fmt::format("; there are {}", fmt::join(known, ", ")) : meant);
}

bool isNumeric(const std::string& field, const Lines& lines) {
  return std::any_of(lines.lines.begin(), lines.lines.end(),
                     [&](const Line& line) { return std::holds_alternative<double>(line[field]); });
}

}  // namespace opbench::show
