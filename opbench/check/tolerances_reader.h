#pragma once

#include <string>
#include <string_view>

#include "opbench/check/tolerances.h"
#include "opbench/text/yaml_reader.h"

namespace opbench {

/// Reads YAML into a table of tolerances.
class TolerancesReader : private YamlReader {
 public:
  TolerancesReader(Tolerances& table, std::string file) : YamlReader(std::move(file)), table_(table) {}

  void read(const std::string& text);
  /// A table that is part of a larger file.
  void read(const YAML::Node& root);
  /// The list of operators whose results may differ from run to run.
  void readNonDeterministic(const YAML::Node& node);

 private:
  /// A list of networks whose results may differ more; `what` names it in messages.
  void readLenient(const YAML::Node& node, Leniency leniency, std::string_view what);
  /// A list of operators or networks, noted as a pattern of the user's.
  std::vector<std::string> notedNames(const YAML::Node& list, std::string_view what);
  void readDTypes(const YAML::Node& node);
  void readOperators(const YAML::Node& node);
  void readEntry(const YAML::Node& node);
  void readIndices(const YAML::Node& node, Tolerances::Entry& entry);
  void readTrivial(const YAML::Node& node, Tolerances::Entry& entry);
  std::set<int> outputs(const YAML::Node& node, const char* what) const;

  /// The number of an output.
  int output(const YAML::Node& node) const;

  Tolerances& table_;
};

}  // namespace opbench
