#include "runtime/program/programs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>

#include "ir/error.h"

namespace runtime {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view trainingForm = "_training", archiveEnding = ".pt2";
constexpr std::string_view dtypeForms[] = {".float16", ".bfloat16"};

/// Cuts an ending off, where it is there.
bool takeEnding(std::string& text, std::string_view ending) {
  const bool isThere = text.ends_with(ending);
  if (isThere) text.resize(text.size() - ending.size());
  return isThere;
}

}  // namespace

std::string programName(const std::string& stem) {
  std::string name = stem;
  for (char& letter : name)
    if (std::isalnum(static_cast<unsigned char>(letter)) == 0) letter = '_';
  return name;
}

Programs::Programs(std::string folder, std::map<std::string, std::string> files)
    : folder_(std::move(folder)), own_(std::move(files)) {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder_, error)) {
    std::string stem = entry.path().filename().string(), form;
    if (!takeEnding(stem, archiveEnding)) continue;
    for (const std::string_view dtype : dtypeForms)
      if (takeEnding(stem, dtype)) form = dtype;
    if (takeEnding(stem, trainingForm)) form.insert(0, trainingForm);
    built_[programName(stem)][form] = entry.path().string();
  }
}

std::string Programs::fileOf(const std::string& name, bool isTraining, const std::string& dtype) const {
  if (const auto own = own_.find(name); own != own_.end()) return own->second;
  const auto built = built_.find(name);
  if (built == built_.end())
    ir::fail(ir::ErrorKind::Input, "there is no network '{}'{}", name,
             own_.empty() && built_.empty() ? ", as no archives were found" : "");
  const std::string training(isTraining ? trainingForm : "");
  for (const std::string& form : {training + "." + dtype, training, std::string()})
    if (const auto file = built->second.find(form); file != built->second.end()) return file->second;
  ir::fail(ir::ErrorKind::Input, "there is no archive of '{}' for {} in {}", name, isTraining ? "training" : "inference", dtype);
}

std::vector<std::string> Programs::names() const {
  std::vector<std::string> names;
  for (const auto& [name, files] : built_) names.push_back(name);
  for (const auto& [name, file] : own_) names.push_back(name);
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

}  // namespace runtime
