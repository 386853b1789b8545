#include "opbench/own/kernel_reader.h"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <utility>

#include "inputs/files.h"
#include "ir/error.h"
#include "opbench/results/contenders.h"
#include "opbench/text/yaml_reader.h"

namespace opbench {
namespace {

using runtime::Expression;
using runtime::KernelFile;
using runtime::LaunchRule;
using runtime::Place;
using runtime::PlacedText;

constexpr std::string_view blanks = " \t\r";

/// What comments `/* opbench` of a source say, on the lines on which they say it. Error: Input unless there is one.
std::string commentOf(const std::string& source, const std::string& path) {
  std::string found;
  for (size_t at = source.find("/*"); at != std::string::npos; at = source.find("/*", at + 2)) {
    constexpr std::string_view word = "opbench";
    const size_t name = std::min(source.find_first_not_of(blanks, at + 2), source.size());
    const size_t begin = std::min(source.find_first_not_of(blanks, name + word.size()), source.size());
    if (!std::string_view(source).substr(name).starts_with(word) || begin == source.size() || source[begin] != '\n') continue;
    const auto line = std::count(source.begin(), source.begin() + static_cast<std::ptrdiff_t>(begin), '\n') + 1;
    const size_t end = source.find("*/", begin);
    if (end == std::string::npos) ir::fail(ir::ErrorKind::Input, "{}:{}: this comment does not end", path, line);
    if (!found.empty()) ir::fail(ir::ErrorKind::Input, "{}:{}: a second comment /* opbench", path, line);
    found = std::string(static_cast<size_t>(line - 1), '\n') + source.substr(begin, end - begin);
  }
  if (found.empty())
    ir::fail(ir::ErrorKind::Input, "{}: no comment /* opbench says how its kernels are launched (docs/contenders.md)", path);
  return found;
}

class KernelReader : public YamlReader {
 public:
  KernelReader(const std::string& file, std::string text) : YamlReader(file), text_(std::move(text)) {}

  /// Reads the text into a file, whose contender has a name already.
  void read(KernelFile& file) const {
    const YAML::Node root = load(text_);
    if (root.IsNull())
      ir::fail(ir::ErrorKind::Input, "{}: {} is empty; it says how kernels are launched (docs/contenders.md)", this->file(),
               file.isCubin ? "the file" : "the comment /* opbench");
    expectMap(root, "what an opbench comment says");
    for (const auto& item : root) {
      switch (wordOf(item.first, "key", {"name", "requires", "scratch", "launches"})) {
        case 0: file.contender = runtime::Contender::kernelPrefix + identifier(item.second, "name"); break;
        case 1: file.conditions = expressions(item.second); break;
        case 2: file.scratch = expressions(item.second); break;
        default: file.launches = launches(item.second);
      }
    }
    if (file.launches.empty()) fail(root, "`launches` says which kernels are launched, and is missing or empty");
    const std::string name = file.contender.substr(std::string_view(runtime::Contender::kernelPrefix).size());
    if (!isIdentifier(name) || !contenderFromName(file.contender))
      fail(root, fmt::format("'{}' is no contender's name: `name` says another one, of letters, digits and _", name));
  }

 private:
  static bool isIdentifier(std::string_view word) {
    constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
    return !word.empty() && word.find_first_not_of(letters) == std::string_view::npos;
  }
  std::string identifier(const YAML::Node& node, std::string_view what) const {
    if (!node.IsScalar() || !isIdentifier(node.Scalar())) fail(node, fmt::format("{} must be letters, digits and _", what));
    return node.Scalar();
  }

  std::vector<LaunchRule> launches(const YAML::Node& list) const {
    constexpr size_t most = 64;
    std::vector<LaunchRule> made;
    if (list.IsNull()) return made;
    expectList(list, "launches");
    if (list.size() > most) fail(list, fmt::format("more than {} launches", most));
    for (const YAML::Node& item : list) made.push_back(launch(item));
    return made;
  }

  LaunchRule launch(const YAML::Node& node) const {
    LaunchRule rule;
    rule.place = begin(node);
    expectMap(node, "a launch");
    for (const auto& item : node) {
      switch (wordOf(item.first, "key of a launch", {"kernel", "grid", "block", "shared", "arguments"})) {
        case 0: rule.kernel = identifier(item.second, "kernel"); break;
        case 1: rule.grid = expressions(item.second, 3); break;
        case 2: rule.block = expressions(item.second, 3); break;
        case 3: rule.shared = expressions(item.second, 1); break;
        default: rule.arguments = expressions(item.second, mostExpressions, runtime::Typed::Yes);
      }
    }
    for (const auto& [name, isMissing] :
         {std::pair{"kernel", rule.kernel.empty()}, {"grid", rule.grid.empty()}, {"block", rule.block.empty()}})
      if (isMissing) fail(node, fmt::format("a launch needs `{}`", name));
    return rule;
  }

  /// The expressions of a text with commas between them, or of a list of such texts: YAML takes the commas of `[size(self, 0),
  /// 1]` for the list's.
  std::vector<Expression> expressions(const YAML::Node& node, size_t most = mostExpressions,
                                      runtime::Typed typed = runtime::Typed::No) const {
    constexpr size_t longest = size_t{1} << 16;
    PlacedText text;
    const auto append = [&](const YAML::Node& piece) {
      if (!piece.IsScalar()) fail(piece, "expected expressions: `a, b`");
      if (text.text().size() + piece.Scalar().size() > longest) fail(piece, fmt::format("more than {} characters", longest));
      if (!text.text().empty()) text.append(", ", begin(piece));
      text.append(piece.Scalar(), begin(piece));
    };
    if (node.IsSequence()) {
      for (const YAML::Node& piece : node) append(piece);
    } else if (!node.IsNull()) {
      append(node);
    }
    std::vector<Expression> found = runtime::parseExpressions(text, typed);
    if (found.size() > most) fail(node, fmt::format("at most {} expressions, not {}", most, found.size()));
    return found;
  }

  /// Where a node's text begins, behind a quotation mark.
  Place begin(const YAML::Node& node) const {
    const YAML::Mark mark = node.Mark();
    const auto at = static_cast<size_t>(std::max(mark.pos, 0));
    const bool isQuoted = node.IsScalar() && at < text_.size() && (text_[at] == '"' || text_[at] == '\'');
    return {file(), mark.line + 1, mark.column + 1 + (isQuoted ? 1 : 0)};
  }

  static constexpr size_t mostExpressions = 1024;
  const std::string text_;
};

/// A file whose contender has its name.
KernelFile named(const std::string& path) {
  KernelFile file;
  file.path = path;
  file.contender = runtime::Contender::kernelPrefix + std::filesystem::path(path).stem().string();
  return file;
}

}  // namespace

runtime::KernelFile readKernelSource(const std::string& source, const std::string& path) {
  KernelFile file = named(path);
  file.code = source;
  KernelReader(path, commentOf(source, path)).read(file);
  return file;
}

runtime::KernelFile readKernelFile(const std::string& path) {
  const std::filesystem::path given(path);
  if (given.extension() == ".cu") return readKernelSource(YamlReader::contentOf(path), path);
  if (given.extension() != ".cubin") ir::fail(ir::ErrorKind::Input, "{} is neither a .cu nor a .cubin file", path);
  constexpr size_t most = size_t{64} << 20;
  KernelFile file = named(path);
  file.isCubin = true;
  file.code = inputs::readFile(path, {most, most});
  if (!file.code.starts_with("\x7f"
                             "ELF"))
    ir::fail(ir::ErrorKind::Input, "{} is no cubin", path);
  const std::string yaml = std::filesystem::path(given).replace_extension(".yaml");
  KernelReader(yaml, YamlReader::contentOf(yaml)).read(file);
  return file;
}

}  // namespace opbench
