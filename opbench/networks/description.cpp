#include "opbench/networks/description.h"

#include "inputs/data/materialize.h"
#include "ir/error.h"
#include "runtime/torch/types.h"

namespace opbench {

using Json = nlohmann::json;
using runtime::Dimension;
using runtime::ProgramInput;

Description describe(const std::string& file, const std::vector<ProgramInput>& scriptInputs) {
  return {runtime::isTorchScript(file), runtime::openProgram(file, scriptInputs)->inputs()};
}

Json toJson(const std::vector<ProgramInput>& inputs) {
  Json list = Json::array();
  for (const ProgramInput& input : inputs) {
    Json dimensions = Json::array();
    for (const Dimension& each : input.dimensions) dimensions.push_back({each.extent, each.symbol, each.least, each.most});
    list.push_back({{"name", input.name}, {"dtype", ir::name(runtime::dtypeOf(input.dtype))}, {"dimensions", dimensions}});
    if (input.bound) list.back()["bound"] = *input.bound;
    if (input.least != 0) list.back()["least"] = input.least;
  }
  return list;
}

std::vector<ProgramInput> inputsOf(const Json& json) {
  try {
    std::vector<ProgramInput> inputs;
    for (const Json& entry : json) {
      const auto dtype = ir::dtypeFromName(entry.at("dtype").get<std::string>());
      if (!dtype) ir::fail(ir::ErrorKind::Input, "there is no dtype {}", entry.at("dtype").dump());
      ProgramInput& input = inputs.emplace_back(entry.at("name").get<std::string>(), inputs::scalarType(*dtype));
      for (const Json& each : entry.at("dimensions"))
        input.dimensions.push_back(
            {each.at(0).get<int64_t>(), each.at(1).get<int>(), each.at(2).get<int64_t>(), each.at(3).get<int64_t>()});
      if (entry.contains("bound")) input.bound = entry["bound"].get<int64_t>();
      if (entry.contains("least")) input.least = entry["least"].get<int64_t>();
    }
    return inputs;
  } catch (const Json::exception& error) {
    ir::fail(ir::ErrorKind::Input, "inputs are not described so: {}", error.what());
  }
}

}  // namespace opbench
