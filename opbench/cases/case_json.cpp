#include "opbench/cases/case_json.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "inputs/convert.h"
#include "ir/error.h"

namespace opbench {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* markName = "format";
constexpr std::string_view mark = "opbench case 1";

/// JSON has no infinities and no NaN: they are strings that Python's float() reads.
Json numberOf(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  return value;
}

/// Arguments as objects of one field; tensors are numbered one after another.
class Arguments {
 public:
  explicit Arguments(std::string device) : device_(std::move(device)) {}

  Json operator()(const ir::Argument& argument) {
    return std::visit([this](const auto& value) { return this->tagged(value); }, argument.data);
  }
  Json operator()(const std::vector<ir::Argument>& arguments) {
    Json items = Json::array();
    for (const ir::Argument& argument : arguments) items.push_back((*this)(argument));
    return items;
  }

 private:
  static Json tag(const char* name, Json content) {
    Json object = Json::object();
    object[name] = std::move(content);
    return object;
  }
  static Json tagged(const ir::None&) { return tag("none", nullptr); }
  static Json tagged(bool value) { return tag("bool", value); }
  static Json tagged(int64_t value) { return tag("int", value); }
  static Json tagged(double value) { return tag("float", numberOf(value)); }
  static Json tagged(std::complex<double> value) {
    return tag("complex", Json::array({numberOf(value.real()), numberOf(value.imag())}));
  }
  static Json tagged(const std::string& value) { return tag("string", value); }
  static Json tagged(ir::DType value) { return tag("dtype", ir::torchName(value)); }
  static Json tagged(const ir::Symbol& value) { return tag("torch", value.text); }
  static Json tagged(const ir::SparseTensor& value) { return tag("sparse", value.text); }
  static Json tagged(const ir::ValueRef& value) { return tag("value", value.index); }
  Json tagged(const ir::DeviceName&) const { return tag("device", device_); }
  Json tagged(const ir::List& list) { return tag(list.isTuple ? "tuple" : "list", (*this)(list.items)); }
  Json tagged(const ir::TensorType& type) {
    return tag("tensor", {{"file", std::to_string(tensor_++) + ".bin"},
                          {"dtype", ir::torchName(type.dtype)},
                          {"sizes", type.sizes},
                          {"strides", type.strides},
                          {"elements", type.storageElements()}});
  }

  std::string device_;
  int tensor_ = 0;
};

}  // namespace

std::string caseJson(const Case& wanted, const RaceSettings& run) {
  const inputs::Sample sample = inputs::convert(wanted.sample, run.dtype, run.channelsLast);
  const std::string device = run.device.empty() ? "cpu" : run.device;
  Arguments arguments(device);
  Json json;
  json[markName] = mark;
  json["about"] = aboutCase(wanted);
  json["operator"] = sample.op;
  json["device"] = device;
  json["data"] = inputs::toText(dataOf(wanted, run));
  json["seed"] = run.seed;
  json["arguments"] = arguments(sample.args);
  json["keywords"] = Json::object();
  for (const ir::NamedArgument& named : sample.kwargs) json["keywords"][named.name] = arguments(named.value);
  try {
    return json.dump(1, ' ', true) + "\n";
  } catch (const Json::type_error&) {
    ir::fail(ir::ErrorKind::Input, "{}: a string among its arguments is no UTF-8, which case.json cannot hold", sample.op);
  }
}

bool isCaseJson(std::string_view text) {
  const Json json = Json::parse(text, nullptr, false);
  return json.is_object() && json.contains(markName) && json[markName] == mark;
}

}  // namespace opbench
