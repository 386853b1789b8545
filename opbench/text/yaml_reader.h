#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace YAML {  // NOLINT(readability-identifier-naming): yaml-cpp's
class Node;
}

namespace opbench {

/// The common part of readers of YAML files. Whatever is not understood is an Input error `file:line: ...`, unknown words with
/// the nearest known ones.
class YamlReader {
 public:
  /// The text of a file of at most 1 MiB. Errors: as inputs::readFile().
  static std::string contentOf(const std::string& path);

 protected:
  using Words = std::vector<std::string_view>;

  /// `file` is for messages.
  explicit YamlReader(std::string file) : file_(std::move(file)) {}

  /// The only document of a file's text; null where there is none.
  YAML::Node load(const std::string& text) const;

  /// The name of operators, which may be a glob.
  std::string operatorName(const YAML::Node& node) const;
  std::vector<std::string> operatorNames(const YAML::Node& list, std::string_view what) const;
  /// The items of a list and of lists within it, as anchors bring them; none of an empty list.
  std::vector<YAML::Node> itemsOf(const YAML::Node& list, std::string_view what) const;
  /// A number from 0 to `most`.
  double number(const YAML::Node& node, double most) const;
  /// The index of a scalar among the `known` words, which messages call `what`s.
  size_t wordOf(const YAML::Node& node, std::string_view what, const Words& known) const;
  /// Also that no key stands twice.
  void expectMap(const YAML::Node& node, std::string_view what) const;
  void expectList(const YAML::Node& node, std::string_view what) const;
  /// `file:line` of a node.
  std::string placeOf(const YAML::Node& node) const;
  [[noreturn]] void fail(const YAML::Node& node, const std::string& message) const;

  const std::string& file() const { return file_; }

 private:
  void addItems(const YAML::Node& list, int depth, std::vector<YAML::Node>& items) const;

  std::string file_;
};

}  // namespace opbench
