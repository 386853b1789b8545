#include "opbench/inductor/request.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "ir/error.h"

namespace opbench {
namespace {

using Json = nlohmann::json;

/// JSON has no infinities and no NaN.
Json toJson(double value) {
  if (std::isfinite(value)) return value;
  return {{"float", std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf"}};
}

/// What JSON has no type for is an object of one field, which names the type.
struct ArgumentJson {
  Json operator()(const ir::None&) const { return nullptr; }
  Json operator()(bool value) const { return value; }
  Json operator()(int64_t value) const { return value; }
  Json operator()(double value) const { return toJson(value); }
  Json operator()(std::complex<double> value) const {
    return {{"complex", Json::array({toJson(value.real()), toJson(value.imag())})}};
  }
  Json operator()(const std::string& value) const { return value; }
  Json operator()(ir::DType dtype) const { return {{"dtype", ir::torchName(dtype)}}; }
  Json operator()(const ir::DeviceName&) const { return {{"device", nullptr}}; }
  Json operator()(const ir::Symbol& symbol) const { return {{"symbol", symbol.text}}; }
  Json operator()(const ir::ValueRef& value) const { return {{"value", value.index}}; }
  Json operator()(const ir::List& list) const {
    Json items = Json::array();
    for (const ir::Argument& item : list.items) items.push_back(std::visit(*this, item.data));
    return items;
  }
  Json operator()(const ir::TensorType& type) const { return refuse(ir::toText(type)); }
  Json operator()(const ir::SparseTensor& tensor) const { return refuse(tensor.text); }

 private:
  [[noreturn]] static Json refuse(const std::string& text) {
    ir::fail(ir::ErrorKind::Unsupported, "Inductor is not asked for calls with {} among their arguments", text);
  }
};

Json toJson(const ir::Node& node) {
  Json arguments = Json::object();
  for (const ir::NamedArgument& argument : node.args) arguments[argument.name] = std::visit(ArgumentJson{}, argument.value.data);
  const bool isBackward = node.scope.phase != ir::Phase::Forward;
  return {{"op", node.op}, {"arguments", std::move(arguments)}, {"outputs", node.outputs}, {"backward", isBackward}};
}

Json toJson(const ir::TensorType& type) {
  return {{"sizes", type.sizes}, {"strides", type.strides}, {"dtype", ir::torchName(type.dtype)}};
}

/// A number or a truth value where the text is one.
Json settingOf(const std::string& text) {
  const Json value = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  return value.is_number() || value.is_boolean() ? value : Json(text);
}

}  // namespace

std::string inductorRequest(const ir::Graph& graph, const std::string& device, int threads,
                            const std::vector<std::string>& settings) {
  Json request{{"device", device}, {"threads", threads}, {"outputs", graph.outputs}};
  request["settings"] = Json::object();
  for (const std::string& setting : settings) {
    const size_t equals = setting.find('=');
    request["settings"][setting.substr(0, equals)] = settingOf(setting.substr(equals + 1));
  }
  request["inputs"] = Json::array();
  for (const int input : graph.inputs) {
    const ir::GraphValue& given = graph.values[static_cast<size_t>(input)];
    Json value = toJson(given.type);
    value["value"] = input;
    value["device"] = given.onHost ? "cpu" : device;
    value["kept"] = given.role == ir::Role::Parameter || given.role == ir::Role::Buffer;
    request["inputs"].push_back(std::move(value));
  }
  request["calls"] = Json::array();
  for (const ir::Node& node : graph.nodes)
    if (!node.outputs.empty() || !node.writes.empty()) request["calls"].push_back(toJson(node));
  return request.dump();
}

void checkInductorSettings(const std::vector<std::string>& settings) {
  constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.";
  for (const std::string& setting : settings) {
    const size_t equals = setting.find('=');
    const std::string name = setting.substr(0, equals);
    if (equals == std::string::npos || name.empty() || name.find_first_not_of(letters) != std::string::npos)
      ir::fail(ir::ErrorKind::Input, "--inductor-options must be like max_autotune=1, got '{}'", setting);
  }
}

}  // namespace opbench
