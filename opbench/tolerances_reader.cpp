#include "opbench/tolerances_reader.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>
#include <fstream>
#include <iterator>

#include "ir/error.h"
#include "opbench/nearest.h"

namespace opbench {

void TolerancesReader::readFile() {
  std::ifstream file(file_, std::ios::binary);
  if (!file) ir::fail(ir::ErrorKind::Input, "cannot read {}: {}", file_, std::strerror(errno));
  read({std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()});
}

void TolerancesReader::read(const std::string& text) {
  YAML::Node root;
  try {
    root = YAML::Load(text);
  } catch (const YAML::ParserException& error) {
    ir::fail(ir::ErrorKind::Input, "{}:{}: {}", file_, error.mark.line + 1, error.msg);
  }
  if (root.IsNull()) return;
  expectMap(root, "the file");
  for (const auto& item : root) {
    switch (wordOf(item.first, "key",
                   {"dtypes", "accumulation", "eager_errors", "eager_errors_low_precision", "without_reference", "operators"})) {
      case 0: readDTypes(item.second); break;
      case 1: table_.accumulation_ = number(item.second); break;
      case 2: table_.eagerErrors_ = number(item.second); break;
      case 3: table_.eagerErrorsLow_ = number(item.second); break;
      case 4: table_.withoutReference_ = number(item.second); break;
      default: readOperators(item.second);
    }
  }
}

void TolerancesReader::readDTypes(const YAML::Node& node) {
  Words known;
  std::vector<ir::DType> dtypes;
  for (int i = 0; i < ir::dtypeCount; ++i) {
    const auto dtype = static_cast<ir::DType>(i);
    if (!ir::isFloating(dtype) && !ir::isComplex(dtype)) continue;
    known.emplace_back(ir::name(dtype));
    dtypes.push_back(dtype);
  }
  expectMap(node, "dtypes");
  for (const auto& item : node) {
    const ir::DType dtype = dtypes[wordOf(item.first, "floating dtype", known)];
    table_.ofDType_[static_cast<size_t>(dtype)] = number(item.second);
  }
}

void TolerancesReader::readOperators(const YAML::Node& node) {
  expectList(node, "operators");
  for (const YAML::Node& entry : node) readEntry(entry);
}

void TolerancesReader::readEntry(const YAML::Node& node) {
  Tolerances::Entry entry;
  expectMap(node, "an entry of operators");
  for (const auto& item : node) {
    switch (wordOf(item.first, "key", {"names", "rule", "tolerance", "places", "combines", "trivial", "copies"})) {
      case 0:
        expectList(item.second, "names");
        for (const YAML::Node& name : item.second) entry.names.push_back(operatorName(name));
        break;
      case 1: entry.rule = static_cast<Rule>(wordOf(item.second, "rule", {"close", "exact", "type-only"})); break;
      case 2: entry.tolerance = number(item.second); break;
      case 3: readPlaces(item.second, entry); break;
      case 4: entry.isCumulative = wordOf(item.second, "way of combining", {"arguments", "before"}) == 1; break;
      case 5: readTrivial(item.second, entry); break;
      default: readCopies(item.second, entry);
    }
  }
  if (entry.names.empty()) fail(node, "an entry of operators has no names");
  table_.entries_.push_back(std::move(entry));
}

void TolerancesReader::readPlaces(const YAML::Node& node, Tolerances::Entry& entry) {
  entry.places.emplace();
  expectMap(node, "places");
  for (const auto& item : node) {
    const size_t kind = wordOf(item.second, "kind of place", {"dim", "distinct", "plane"});
    entry.places->emplace(output(item.first), static_cast<runtime::Places>(kind));
  }
}

void TolerancesReader::readTrivial(const YAML::Node& node, Tolerances::Entry& entry) {
  entry.mayCopy = entry.mayBeConstant = false;
  expectList(node, "trivial");
  for (const YAML::Node& item : node)
    (wordOf(item, "trivial result", {"copy", "constant"}) == 0 ? entry.mayCopy : entry.mayBeConstant) = true;
}

void TolerancesReader::readCopies(const YAML::Node& node, Tolerances::Entry& entry) {
  entry.copies.emplace();
  expectList(node, "copies");
  for (const YAML::Node& item : node) entry.copies->insert(output(item));
}

std::string TolerancesReader::operatorName(const YAML::Node& node) const {
  if (!node.IsScalar() || node.Scalar().empty()) fail(node, "an operator's name is due");
  return node.Scalar();
}

int TolerancesReader::output(const YAML::Node& node) const {
  constexpr double most = 1000;
  const double value = number(node);
  if (value > most || value != std::floor(value)) fail(node, fmt::format("{} is no output's number", node.Scalar()));
  return static_cast<int>(value);
}

double TolerancesReader::number(const YAML::Node& node) const {
  double value = 0;
  const std::string text = node.IsScalar() ? node.Scalar() : "";
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !(value >= 0) || std::isinf(value))
    fail(node, fmt::format("expected a number that is not negative, found '{}'", text));
  return value;
}

size_t TolerancesReader::wordOf(const YAML::Node& node, std::string_view what, const Words& known) const {
  const std::string word = node.IsScalar() ? node.Scalar() : "";
  const auto found = std::find(known.begin(), known.end(), word);
  if (found != known.end()) return static_cast<size_t>(found - known.begin());
  const std::string meant = suggestion(nearest(word, known));
  fail(node,
       fmt::format("no {} '{}'{}", what, word, meant.empty() ? fmt::format("; there are {}", fmt::join(known, ", ")) : meant));
}

void TolerancesReader::expectMap(const YAML::Node& node, std::string_view what) const {
  if (!node.IsMap()) fail(node, fmt::format("{} must be a map: `key: value`", what));
}

void TolerancesReader::expectList(const YAML::Node& node, std::string_view what) const {
  if (!node.IsSequence()) fail(node, fmt::format("{} must be a list: `[a, b]`", what));
}

void TolerancesReader::fail(const YAML::Node& node, const std::string& message) const {
  ir::fail(ir::ErrorKind::Input, "{}:{}: {}", file_, node.Mark().line + 1, message);
}

}  // namespace opbench
