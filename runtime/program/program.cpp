#include "runtime/program/program.h"

#include "inputs/archive/zip.h"
#include "ir/error.h"
#include "runtime/program/exported.h"
#include "runtime/program/script.h"

namespace runtime {

std::unique_ptr<Program> openProgram(const std::string& path, const std::vector<std::string>& scriptInputs) {
  const inputs::Archive archive = inputs::Archive::open(path);
  const std::vector<std::string> records = archive.names();
  const bool hasCode =
      std::any_of(records.begin(), records.end(), [](const std::string& name) { return name.starts_with("code/"); });
  if (hasCode && archive.has("constants.pkl")) {
    if (scriptInputs.empty())
      ir::fail(ir::ErrorKind::Input,
               "{} is TorchScript, which does not describe its inputs: give each of them as f32:2,3,224,224", path);
    return openScript(path, scriptInputs);
  }
  if (!scriptInputs.empty()) ir::fail(ir::ErrorKind::Input, "{} describes its inputs itself", path);
  return openExported(archive);
}

}  // namespace runtime
