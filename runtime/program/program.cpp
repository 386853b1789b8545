#include "runtime/program/program.h"

#include <algorithm>

#include "inputs/archive/zip.h"
#include "ir/error.h"
#include "runtime/program/exported.h"
#include "runtime/program/script.h"

namespace runtime {
namespace {

bool isScript(const inputs::Archive& archive) {
  const std::vector<std::string> records = archive.names();
  const bool hasCode =
      std::any_of(records.begin(), records.end(), [](const std::string& name) { return name.starts_with("code/"); });
  return hasCode && archive.has("constants.pkl");
}

}  // namespace

std::vector<int64_t> ProgramInput::sizes() const {
  std::vector<int64_t> sizes;
  for (const Dimension& dimension : dimensions) sizes.push_back(dimension.extent);
  return sizes;
}

bool isTorchScript(const std::string& path) { return isScript(inputs::Archive::open(path)); }

std::unique_ptr<Program> openProgram(const std::string& path, const std::vector<ProgramInput>& scriptInputs) {
  const inputs::Archive archive = inputs::Archive::open(path);
  if (!isScript(archive)) return openExported(archive);
  if (scriptInputs.empty())
    ir::fail(ir::ErrorKind::Input,
             "{} is TorchScript, which does not describe its inputs: give each of them, as in --input f32:2,3,224,224", path);
  return openScript(path, scriptInputs);
}

}  // namespace runtime
