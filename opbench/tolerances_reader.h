#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "opbench/tolerances.h"

namespace YAML {
class Node;
}

namespace opbench {

/// Reads one YAML text into a table. Whatever is not understood is an Input error `file:line: ...`, unknown words with the
/// nearest known ones.
class TolerancesReader {
 public:
  TolerancesReader(Tolerances& table, std::string file) : table_(table), file_(std::move(file)) {}

  void readFile();
  void read(const std::string& text);

 private:
  using Words = std::vector<std::string>;

  void readDTypes(const YAML::Node& node);
  void readOperators(const YAML::Node& node);
  void readEntry(const YAML::Node& node);
  void readPlaces(const YAML::Node& node, Tolerances::Entry& entry);
  void readTrivial(const YAML::Node& node, Tolerances::Entry& entry);

  void readCopies(const YAML::Node& node, Tolerances::Entry& entry);

  /// The name of operators, which may be a glob.
  std::string operatorName(const YAML::Node& node) const;
  /// The number of an output.
  int output(const YAML::Node& node) const;
  /// A number that is not negative.
  double number(const YAML::Node& node) const;
  /// A scalar's place among `known`, which are said to be `what`s.
  size_t wordOf(const YAML::Node& node, std::string_view what, const Words& known) const;
  void expectMap(const YAML::Node& node, std::string_view what) const;
  void expectList(const YAML::Node& node, std::string_view what) const;
  [[noreturn]] void fail(const YAML::Node& node, const std::string& message) const;

  Tolerances& table_;
  std::string file_;
};

}  // namespace opbench
