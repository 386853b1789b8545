#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <iterator>
#include <optional>
#include <unordered_map>

#include "inputs/files.h"
#include "inputs/legacy.h"
#include "inputs/operator_name.h"
#include "inputs/region.h"
#include "inputs/sample.h"
#include "inputs/text/scanner.h"

namespace inputs {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view operatorMark = "Operator:";
constexpr std::string_view countMark = "cnt:";

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blanks = " \t\r";
  size_t first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

/// What stands before a comment.
std::string_view withoutComment(std::string_view text) { return text.substr(0, text.find('#')); }

/// Reads a file line by line; what a line needs to know of those before it is the operator alone.
class FileReader {
 public:
  FileReader(const std::string& file, const std::string& suite) : suite_(suite), where_{file, 0} {}

  Samples read(std::string_view text) {
    while (!text.empty()) {
      size_t end = std::min(text.find('\n'), text.size());
      ++where_.line;
      try {
        line(text.substr(0, end));
      } catch (const ir::Error& error) {
        result_.errors.push_back(error.what());
      }
      text.remove_prefix(std::min(end + 1, text.size()));
    }
    return std::move(result_);
  }

 private:
  void line(std::string_view text) {
    std::string_view content = trimmed(text);
    if (content.empty() || content.front() == '#') return;
    line_ = text;
    if (content.starts_with(operatorMark)) return operatorLine(trimmed(withoutComment(content.substr(operatorMark.size()))));
    if (content.starts_with(countMark)) return sampleLine(trimmed(content.substr(countMark.size())));
    refuse(content, "'Operator: NAME' or 'cnt: N, CALL'");
  }

  void operatorLine(std::string_view spelled) {
    op_.reset();
    isRefused_ = false;
    const std::string name = operatorName(spelled);
    if (!isOperatorName(name)) return refuse(spelled, "an operator name such as aten.add.Tensor");
    if (const auto refusal = refusalOf(name)) {
      isRefused_ = true;
      ir::fail(ir::ErrorKind::Input, "{}:{}:{}: {}", where_.file, where_.line, columnOf(spelled), *refusal);
    }
    op_ = name;
  }

  void sampleLine(std::string_view text) {
    if (isRefused_) return;  // which the operator's line has said
    if (!op_) return refuse(text, "'Operator: NAME' before the samples of an operator");
    Sample sample;
    auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), sample.count);
    if (error != std::errc() || sample.count < 0 || sample.count > largestCount)
      return refuse(text, fmt::format("a count from 0 to {}", largestCount));
    sample.count = std::max<int64_t>(sample.count, 1);  // 0 is of tools that did not count
    std::string_view rest = trimmed(text.substr(stop - text.data()));
    if (!rest.starts_with(',')) return refuse(rest, "',' after the count");
    rest = trimmed(rest.substr(1));
    sample.op = *op_;
    sample.suite = suite_;
    sample.where = where_;
    parseCall(rest, where_, columnOf(rest), sample);
    checkForm(sample, rest);
    result_.samples.push_back(std::move(sample));
  }

  /// Gives legacy operators today's form; what is a region has to be one.
  void checkForm(Sample& sample, std::string_view call) const {
    try {
      if (isRegion(sample.op)) return void(regionOf(sample));
      renameLegacy(sample);
    } catch (const ir::Error& error) {
      ir::fail(error.kind(), "{}:{}:{}: {}", where_.file, where_.line, columnOf(call), error.what());
    }
  }

  int columnOf(std::string_view part) const {
    return part.data() ? static_cast<int>(part.data() - line_.data()) + 1 : static_cast<int>(trimmed(line_).size()) + 1;
  }

  void refuse(std::string_view part, std::string_view what) {
    const std::string found = part.empty() ? "the end of the line" : shown(part);
    result_.errors.push_back(
        fmt::format("{}:{}:{}: expected {}, found {}", where_.file, where_.line, columnOf(part), what, found));
  }

  const std::string& suite_;
  Source where_;
  std::string_view line_;
  std::optional<std::string> op_;
  bool isRefused_ = false;  ///< whether the operator is one that no sample may call
  Samples result_;
};

struct SuiteFile {
  fs::path path;
  std::string suite;
  bool isNamed = false;  ///< itself, not its folder
};

/// `log.txt` of `log.txt.gz`.
fs::path unpackedName(const fs::path& file) { return file.extension() == ".gz" ? file.stem() : file.filename(); }

/// The file itself, or every `*.txt` and `*.txt.gz` below a folder.
void collect(const std::string& path, std::vector<SuiteFile>& files) {
  std::error_code error;
  if (!fs::is_directory(path, error)) {
    if (!fs::exists(path, error)) ir::fail(ir::ErrorKind::Input, "{}: no such file or folder", path);
    files.push_back({path, unpackedName(path).stem().string(), /*isNamed=*/true});
    return;
  }
  size_t before = files.size();
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(path, error))
    if (entry.is_regular_file() && unpackedName(entry.path()).extension() == ".txt")
      files.push_back({entry.path(), fs::canonical(entry.path()).parent_path().filename().string()});
  if (error) ir::fail(ir::ErrorKind::Input, "{}: {}", path, error.message());
  if (files.size() == before) ir::fail(ir::ErrorKind::Input, "{}: no *.txt file of samples in this folder", path);
}

/// Adds samples to those there are, equal calls of one operator to each other's count.
class Merger {
 public:
  void add(Samples more) {
    for (Sample& sample : more.samples) {
      auto [place, isNew] = index_.try_emplace(sample.op + toText(sample), all_.samples.size());
      if (isNew) {
        all_.samples.push_back(std::move(sample));
      } else {
        all_.samples[place->second].count += sample.count;
      }
    }
    std::move(more.errors.begin(), more.errors.end(), std::back_inserter(all_.errors));
  }

  Samples take() { return std::move(all_); }

 private:
  Samples all_;
  std::unordered_map<std::string, size_t> index_;
};

}  // namespace

Samples parseFile(std::string_view text, const std::string& file, const std::string& suite) {
  return FileReader(file, suite).read(text);
}

namespace {

std::vector<SuiteFile> suiteFiles(const std::vector<std::string>& paths) {
  std::vector<SuiteFile> files;
  for (const std::string& path : paths) collect(path, files);
  std::sort(files.begin(), files.end(), [](const SuiteFile& a, const SuiteFile& b) { return a.path < b.path; });
  files.erase(std::unique(files.begin(), files.end(), [](const SuiteFile& a, const SuiteFile& b) { return a.path == b.path; }),
              files.end());
  return files;
}

}  // namespace

std::vector<std::string> sampleFiles(const std::vector<std::string>& paths) {
  std::vector<std::string> names;
  for (const SuiteFile& file : suiteFiles(paths)) names.push_back(file.path.string());
  return names;
}

Samples readSamples(const std::vector<std::string>& paths, const FileFilter& isWanted) {
  Merger merger;
  for (const SuiteFile& file : suiteFiles(paths))
    if (file.isNamed || !isWanted || isWanted(file.path))
      merger.add(parseFile(readText(file.path), file.path.string(), file.suite));
  return merger.take();
}

}  // namespace inputs
