#include "opbench/show/lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "inputs/files.h"
#include "ir/error.h"
#include "opbench/cli/nearest.h"
#include "opbench/results/read.h"

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

/// The lines of a text by number, from 1.
std::vector<std::string_view> linesOf(std::string_view text) {
  std::vector<std::string_view> lines{""};
  for (size_t from = 0; from < text.size();) {
    const size_t end = std::min(text.find('\n', from), text.size());
    lines.push_back(text.substr(from, end - from));
    from = end + 1;
  }
  return lines;
}

void addFile(const std::string& file, Lines& all) {
  requireFile(file);
  const std::string text = inputs::readFile(file);
  const results::Results results = results::read(text, file);
  all.complaints.insert(all.complaints.end(), results.complaints.begin(), results.complaints.end());
  const std::vector<std::string_view> lines = linesOf(text);
  for (const results::Record& record : results.records) {
    const auto place = static_cast<size_t>(record.place);
    Line line;
    line.isBaseline = record.isBaseline;
    line.fields = results::Fields::ofLine(lines[place], fmt::format("{}:{}", file, place)).scalars();
    line.fields[fileField] = file;
    all.lines.push_back(std::move(line));
  }
}

}  // namespace

const Value& Line::operator[](const std::string& field) const {
  static const Value absent;
  const auto found = fields.find(field);
  return found == fields.end() ? absent : found->second;
}

Lines readLines(const std::vector<std::string>& files) {
  Lines all;
  for (const std::string& file : files) addFile(file, all);
  std::set<std::string> fields;
  for (const Line& line : all.lines)
    for (const auto& [name, _] : line.fields) fields.insert(name);
  all.fields.assign(fields.begin(), fields.end());
  return all;
}

std::optional<std::string> findField(const std::string& name, const Lines& lines) {
  const auto* other =
      std::find_if(std::begin(shortNames), std::end(shortNames), [&](const auto& names) { return names.first == name; });
  const std::string field(other == std::end(shortNames) ? name : other->second);
  return std::binary_search(lines.fields.begin(), lines.fields.end(), field) ? std::optional(field) : std::nullopt;
}

std::string fieldNamed(const std::string& name, const Lines& lines, const std::string& where) {
  if (const auto field = findField(name, lines)) return *field;
  std::vector<std::string> known = lines.fields;
  for (const auto& names : shortNames) known.emplace_back(names.first);
  fail(ErrorKind::Input, "{}: no line has a field '{}'{}", where, name, suggestion(nearest(name, known)));
}

bool isNumeric(const std::string& field, const Lines& lines) {
  return std::any_of(lines.lines.begin(), lines.lines.end(),
                     [&](const Line& line) { return std::holds_alternative<double>(line[field]); });
}

}  // namespace opbench::show
