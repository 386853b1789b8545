#include "opbench/text/yaml_reader.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <set>
#include <sstream>

#include "inputs/files.h"
#include "ir/error.h"
#include "opbench/text/nearest.h"

namespace opbench {
namespace {

/// Keeps where a document begins, and passes over what is in it.
class DocumentStart final : public YAML::EventHandler {
 public:
  std::optional<YAML::Mark> mark;

  void OnDocumentStart(const YAML::Mark& start) override { mark = start; }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark&, YAML::anchor_t) override {}
  void OnAlias(const YAML::Mark&, YAML::anchor_t) override {}
  void OnScalar(const YAML::Mark&, const std::string&, YAML::anchor_t, const std::string&) override {}
  void OnSequenceStart(const YAML::Mark&, const std::string&, YAML::anchor_t, YAML::EmitterStyle::value) override {}
  void OnSequenceEnd() override {}
  void OnMapStart(const YAML::Mark&, const std::string&, YAML::anchor_t, YAML::EmitterStyle::value) override {}
  void OnMapEnd() override {}
};

/// Where a second document begins. Others are not asked for: after a stray `,` yaml-cpp finds documents without end.
std::optional<YAML::Mark> secondDocument(const std::string& text) {
  std::istringstream stream(text);
  YAML::Parser parser(stream);
  DocumentStart first, second;
  if (parser.HandleNextDocument(first)) parser.HandleNextDocument(second);
  return second.mark;
}

}  // namespace

std::string YamlReader::contentOf(const std::string& path) {
  constexpr size_t most = size_t{1} << 20;
  return inputs::readFile(path, {most, most});
}

YAML::Node YamlReader::load(const std::string& text) const {
  try {
    if (const auto second = secondDocument(text))
      ir::fail(ir::ErrorKind::Input, "{}:{}: expected one YAML document, found a second", file_, second->line + 1);
    return YAML::Load(text);
  } catch (const YAML::ParserException& error) {
    // A plain `*` begins an alias.
    const bool isOfAlias = error.msg.find("alias") != std::string::npos || error.msg.find("anchor") != std::string::npos;
    ir::fail(ir::ErrorKind::Input, "{}:{}: {}{}", file_, error.mark.line + 1, error.msg,
             isOfAlias ? "; a pattern that begins with * needs quotes: '*backward*'" : "");
  }
}

std::string YamlReader::operatorName(const YAML::Node& node) const {
  if (!node.IsScalar() || node.Scalar().empty()) fail(node, "expected an operator name");
  return node.Scalar();
}

std::vector<std::string> YamlReader::operatorNames(const YAML::Node& list, std::string_view what) const {
  std::vector<std::string> names;
  for (const YAML::Node& name : itemsOf(list, what)) names.push_back(operatorName(name));
  return names;
}

std::vector<YAML::Node> YamlReader::itemsOf(const YAML::Node& list, std::string_view what) const {
  std::vector<YAML::Node> items;
  if (list.IsNull()) return items;
  expectList(list, what);
  addItems(list, 0, items);
  return items;
}

/// Aliases of lists within lists of aliases stand for far more than a file can hold, and one of a list within itself for no end.
void YamlReader::addItems(const YAML::Node& list, int depth, std::vector<YAML::Node>& items) const {
  constexpr int deepest = 16;
  constexpr size_t most = 100'000;
  if (depth > deepest) fail(list, fmt::format("lists are nested more than {} deep", deepest));
  for (const YAML::Node& item : list) {
    if (items.size() == most) fail(list, fmt::format("more than {} names in a list", most));
    if (item.IsSequence())
      addItems(item, depth + 1, items);
    else if (!item.IsNull())  // the alias of an empty list
      items.push_back(item);
  }
}

double YamlReader::number(const YAML::Node& node, double most) const {
  double value = 0;
  const std::string text = node.IsScalar() ? node.Scalar() : "";
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !(value >= 0 && value <= most))
    fail(node, fmt::format("expected a number from 0 to {}, found '{}'", most, text));
  return value;
}

size_t YamlReader::wordOf(const YAML::Node& node, std::string_view what, const Words& known) const {
  const std::string word = node.IsScalar() ? node.Scalar() : "";
  const auto found = std::find(known.begin(), known.end(), word);
  if (found != known.end()) return static_cast<size_t>(found - known.begin());
  const std::string meant = suggestion(nearest(word, {known.begin(), known.end()}));
  fail(node, fmt::format("unknown {} '{}'{}", what, word,
                         meant.empty() ? fmt::format("; choose from {}", fmt::join(known, ", ")) : meant));
}

void YamlReader::expectMap(const YAML::Node& node, std::string_view what) const {
  if (!node.IsMap()) fail(node, fmt::format("{} must be a map: `key: value`", what));
  std::set<std::string> keys;
  for (const auto& item : node)
    if (item.first.IsScalar() && !keys.insert(item.first.Scalar()).second)
      fail(item.first, fmt::format("duplicate key '{}'", item.first.Scalar()));
}

void YamlReader::expectList(const YAML::Node& node, std::string_view what) const {
  if (!node.IsSequence()) fail(node, fmt::format("{} must be a list: `[a, b]`", what));
}

std::string YamlReader::placeOf(const YAML::Node& node) const { return fmt::format("{}:{}", file_, node.Mark().line + 1); }

void YamlReader::fail(const YAML::Node& node, const std::string& message) const {
  ir::fail(ir::ErrorKind::Input, "{}: {}", placeOf(node), message);
}

}  // namespace opbench
