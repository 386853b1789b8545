#include "opbench/check/tolerances_reader.h"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <cmath>

namespace opbench {
namespace {

// Beyond these nothing is judged any more.
constexpr double mostTolerance = 1, mostFactor = 1000;

}  // namespace

void TolerancesReader::read(const std::string& text) { read(load(text)); }

void TolerancesReader::read(const YAML::Node& root) {
  if (root.IsNull()) return;
  expectMap(root, "a table of tolerances");
  for (const auto& item : root) {
    switch (wordOf(item.first, "key",
                   {"dtypes", "accumulation", "eager_errors", "eager_errors_low_precision", "without_reference", "operators",
                    "non_deterministic", "higher", "even_higher", "higher_fp16", "higher_bf16", "cosine"})) {
      case 0: readDTypes(item.second); break;
      case 1: table_.accumulation_ = number(item.second, mostFactor); break;
      case 2: table_.eagerErrors_ = number(item.second, mostFactor); break;
      case 3: table_.eagerErrorsLow_ = number(item.second, mostFactor); break;
      case 4: table_.withoutReference_ = number(item.second, mostFactor); break;
      case 5: readOperators(item.second); break;
      case 6: readNonDeterministic(item.second); break;
      case 7: readLenient(item.second, Leniency::Higher, "higher"); break;
      case 8: readLenient(item.second, Leniency::EvenHigher, "even_higher"); break;
      case 9: readLenient(item.second, Leniency::HigherFp16, "higher_fp16"); break;
      case 10: readLenient(item.second, Leniency::HigherBf16, "higher_bf16"); break;
      default: readLenient(item.second, Leniency::Cosine, "cosine");
    }
  }
}

std::vector<std::string> TolerancesReader::notedNames(const YAML::Node& list, std::string_view what) {
  std::vector<std::string> names;
  for (const YAML::Node& item : itemsOf(list, what)) {
    names.push_back(operatorName(item));
    table_.patterns_.push_back({names.back(), placeOf(item), true});
  }
  return names;
}

void TolerancesReader::readNonDeterministic(const YAML::Node& node) {
  Tolerances::Entry entry;
  entry.names = notedNames(node, "non_deterministic");
  entry.isOfNetworks = true;
  entry.mayVary = true;
  table_.entries_.push_back(std::move(entry));
}

void TolerancesReader::readLenient(const YAML::Node& node, Leniency leniency, std::string_view what) {
  Tolerances::Entry entry;
  entry.names = notedNames(node, what);
  entry.isOfNetworks = true;
  entry.leniency = leniency;
  table_.entries_.push_back(std::move(entry));
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
    table_.ofDType_[static_cast<size_t>(dtype)] = number(item.second, mostTolerance);
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
    switch (wordOf(item.first, "key", {"names", "rule", "tolerance", "indices", "combines", "trivial", "copies", "workspaces"})) {
      case 0:
        entry.names = operatorNames(item.second, "names");
        for (const std::string& name : entry.names) table_.patterns_.push_back({name, placeOf(item.second)});
        break;
      case 1:
        entry.rule = static_cast<Rule>(wordOf(item.second, "rule", {"close", "exact", "type-only", "random", "network"}));
        break;
      case 2: entry.tolerance = number(item.second, mostTolerance); break;
      case 3: readIndices(item.second, entry); break;
      case 4: entry.isCumulative = wordOf(item.second, "way of combining", {"arguments", "before"}) == 1; break;
      case 5: readTrivial(item.second, entry); break;
      case 6: entry.copies = outputs(item.second, "copies"); break;
      default: entry.workspaces = outputs(item.second, "workspaces");
    }
  }
  if (entry.names.empty()) fail(node, "an entry of operators has no names");
  table_.entries_.push_back(std::move(entry));
}

void TolerancesReader::readIndices(const YAML::Node& node, Tolerances::Entry& entry) {
  entry.indices.emplace();
  expectMap(node, "indices");
  for (const auto& item : node) {
    const size_t kind = wordOf(item.second, "kind of index", {"dim", "distinct", "plane", "first"});
    entry.indices->emplace(output(item.first), static_cast<inputs::IndexKind>(kind));
  }
}

void TolerancesReader::readTrivial(const YAML::Node& node, Tolerances::Entry& entry) {
  entry.mayCopy = entry.mayBeConstant = false;
  expectList(node, "trivial");
  for (const YAML::Node& item : node)
    (wordOf(item, "trivial result", {"copy", "constant"}) == 0 ? entry.mayCopy : entry.mayBeConstant) = true;
}

std::set<int> TolerancesReader::outputs(const YAML::Node& node, const char* what) const {
  std::set<int> found;
  expectList(node, what);
  for (const YAML::Node& item : node) found.insert(output(item));
  return found;
}

int TolerancesReader::output(const YAML::Node& node) const {
  constexpr double most = 1000;
  const double value = number(node, most);
  if (value != std::floor(value)) fail(node, fmt::format("expected the number of an output, found {}", node.Scalar()));
  return static_cast<int>(value);
}

}  // namespace opbench
