#include "inputs/archive/exported.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "inputs/archive/exported_reader.h"
#include "inputs/archive/json.h"
#include "inputs/text/scanner.h"
#include "ir/error.h"

namespace inputs {
namespace {

constexpr int64_t major = 8;

/// The one model of an archive: `models/model.json`.
std::string modelOf(const Archive& archive) {
  std::string model;
  for (const std::string& name : archive.names()) {
    if (!name.starts_with("models/") || !name.ends_with(".json")) continue;
    if (!model.empty())
      ir::fail(ir::ErrorKind::Unsupported, "{} holds several programs: {} and {}", archive.path(), shown(model), shown(name));
    model = name;
  }
  if (!model.empty()) return model.substr(7, model.size() - 12);
  if (archive.has("serialized_exported_program.json"))
    ir::fail(ir::ErrorKind::Unsupported, "{} was written before torch 2.8, with pickled weights: export it again",
             archive.path());
  if (archive.has("data.pkl") || archive.has("constants.pkl"))
    ir::fail(ir::ErrorKind::Unsupported, "{} is a pickle (torch.save or TorchScript), not a program of torch.export",
             archive.path());
  ir::fail(ir::ErrorKind::Input, "{} holds no program: it has no models/NAME.json", archive.path());
}

void checkVersion(const Archive& archive, JsonView program) {
  const int64_t version = program.at("schema_version").at("major").integer();
  if (version != major)
    ir::fail(ir::ErrorKind::Unsupported,
             "{} has version {} of torch.export's schema, {} is read: export it with torch 2.11 to 2.15", archive.path(), version,
             major);
}

}  // namespace

ExportedProgram readExported(const Archive& archive) {
  const std::string model = modelOf(archive);
  const JsonDocument document(archive, "models/" + model + ".json");
  const JsonView program(document);
  checkVersion(archive, program);
  const JsonView module = program.at("graph_module"), graph = module.at("graph"), signature = module.at("signature");
  ExportedReader reader;
  if (program.has("range_constraints")) reader.readRanges(program.at("range_constraints"));
  reader.readMeta(graph.at("tensor_values"));
  reader.readInputs(signature.at("input_specs"));
  for (const char* folder : {"weights", "constants"}) {
    const JsonDocument config(archive, fmt::format("data/{0}/{1}_{0}_config.json", folder, model));
    reader.readTensors(archive, folder, JsonView(config).at("config"));
  }
  reader.shareState();
  for (const JsonView& node : graph.at("nodes").items()) reader.readNode(node);
  reader.readOutputs(signature.at("output_specs"));
  return reader.take();
}

}  // namespace inputs
