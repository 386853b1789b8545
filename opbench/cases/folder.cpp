#include "opbench/cases/folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "inputs/convert.h"
#include "inputs/data/stored.h"
#include "inputs/files.h"
#include "inputs/operator_name.h"
#include "ir/error.h"
#include "opbench/cases/case_json.h"

namespace opbench {
namespace {

namespace fs = std::filesystem;

using ir::ErrorKind;
using ir::fail;

constexpr std::string_view markFile = "case.json";
/// The entries of a case's folder: its own files, and the files that a race adds.
constexpr std::array<std::string_view, 8> entries{markFile,    "sample.txt", "run.words", "run.sh",
                                                  "driver.py", "inputs",     "stages",    "result.jsonl"};

bool isCase(const fs::path& folder) {
  const fs::path file = folder / markFile;
  return fs::is_regular_file(file) && isCaseJson(inputs::readFile(file));
}

/// Whether a path leads to the folder or into it.
bool isWithin(const fs::path& path, const fs::path& folder) {
  std::error_code error;
  const fs::path inner = fs::canonical(path, error), outer = fs::canonical(folder, error);
  return !error && std::mismatch(outer.begin(), outer.end(), inner.begin(), inner.end()).first == outer.end();
}

}  // namespace

std::vector<CaseFile> caseFiles(const Case& wanted, const RaceSettings& run) {
  std::vector<CaseFile> files = caseTexts(wanted, run);
  if (!inputs::isCall(wanted.sample.op)) return files;  // it draws its operands from the seed
  const inputs::Sample sample = inputs::convert(wanted.sample, run.dtype, run.channelsLast);
  int number = 0;
  for (inputs::StoredTensor& tensor : inputs::storedTensors(sample, run.seed, dataOf(wanted, run)))
    files.push_back({fmt::format("inputs/{}.bin", number++), std::move(tensor.bytes)});
  return files;
}

void writeFiles(const std::vector<CaseFile>& files, const fs::path& folder) {
  inputs::makeFolder(folder / "inputs");
  for (const CaseFile& file : files) inputs::writeFile(folder / file.name, file.content);
  std::error_code error;
  fs::permissions(folder / "run.sh", fs::perms::owner_exec | fs::perms::group_exec | fs::perms::others_exec,
                  fs::perm_options::add, error);
  if (error) fail(ErrorKind::Input, "cannot make {} executable: {}", (folder / "run.sh").string(), error.message());
}

fs::path makeFreeFolder(const fs::path& parent, const std::string& name) {
  inputs::makeFolder(parent);
  for (int number = 1;; ++number) {
    const fs::path folder = parent / (number == 1 ? name : fmt::format("{}-{}", name, number));
    std::error_code error;
    if (fs::create_directory(folder, error)) return folder;
    if (error && error != std::errc::file_exists) fail(ErrorKind::Input, "cannot make {}: {}", folder.string(), error.message());
  }
}

void checkFolder(const fs::path& folder) {
  try {
    if (!fs::is_directory(folder) || fs::is_empty(folder)) return;
    if (!isCase(folder))
      fail(ErrorKind::Input, "{} is not empty and not a reproducer; choose another folder with --output", folder.string());
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder))
      if (entry.is_symlink()) fail(ErrorKind::Input, "{} is a link; choose another folder with --output", entry.path().string());
  } catch (const fs::filesystem_error& error) {
    fail(ErrorKind::Input, "cannot read {}: {}", folder.string(), error.code().message());
  }
}

bool isOverwritten(const fs::path& path, const fs::path& folder) {
  return isWithin(path, folder) || std::any_of(entries.begin(), entries.end(),
                                               [&](std::string_view entry) { return inputs::isSameFile(path, folder / entry); });
}

fs::path putAside(const fs::path& folder) {
  const fs::path aside = makeFreeFolder(folder, "earlier");
  std::error_code error;
  // The mark stays until the new one takes its place.
  fs::copy_file(folder / markFile, aside / markFile, error);
  for (std::string_view entry : entries)
    if (!error && entry != markFile && fs::exists(folder / entry)) fs::rename(folder / entry, aside / entry, error);
  if (error) fail(ErrorKind::Input, "cannot move {} to {}: {}", folder.string(), aside.string(), error.message());
  return aside;
}

}  // namespace opbench
