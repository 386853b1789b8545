#include "opbench/results/environment.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

namespace opbench::results {
namespace {

using OrderedJson = nlohmann::ordered_json;
using runtime::Environment;
using runtime::GpuState;

constexpr double megahertz = 1e6, millisecond = 1e-3;

/// The texts of an environment, by their names in a line.
struct TextField {
  const char* name;
  std::string Environment::* text;
};
constexpr TextField textFields[] = {
    {"torch", &Environment::torch}, {"cuda", &Environment::cuda}, {"driver", &Environment::driver},
    {"nvrtc", &Environment::nvrtc}, {"llvm", &Environment::llvm}, {"gpu_uuid", &Environment::gpu},
    {"host", &Environment::host},   {"cpu", &Environment::cpu},   {"kernel", &Environment::kernel}};

OrderedJson orNull(std::optional<double> value, double unit) {
  return value ? OrderedJson(std::round(*value / unit * 1e3) / 1e3) : OrderedJson(nullptr);
}

std::optional<double> scaledNumber(const Fields& fields, const char* name, double unit) {
  const auto value = fields.number(name);
  return value ? std::optional(*value * unit) : std::nullopt;
}

template <std::string Environment::* text>
std::string textOf(const Environment& environment) {
  return environment.*text;
}

constexpr EnvironmentPart parts[] = {
    {"torch", textOf<&Environment::torch>, true},
    {"CUDA", textOf<&Environment::cuda>, true},
    {"driver", textOf<&Environment::driver>, true},
    {"NVRTC", textOf<&Environment::nvrtc>},
    {"LLVM", textOf<&Environment::llvm>},
    {"GPU UUID", textOf<&Environment::gpu>},
    {"power limit", [](const Environment& e) { return e.powerLimit ? fmt::format("{:.0f} W", *e.powerLimit) : std::string(); }},
    {"ECC", [](const Environment& e) { return e.ecc ? std::string(*e.ecc ? "on" : "off") : std::string(); }},
    {"host", textOf<&Environment::host>}};

}  // namespace

OrderedJson toJson(const Environment& environment) {
  OrderedJson object;
  for (const TextField& field : textFields)
    object[field.name] = (environment.*field.text).empty() ? OrderedJson(nullptr) : OrderedJson(environment.*field.text);
  object["power_limit_w"] = orNull(environment.powerLimit, 1);
  object["most_clock_mhz"] = orNull(environment.mostClock, megahertz);
  object["ecc"] = environment.ecc ? OrderedJson(*environment.ecc) : OrderedJson(nullptr);
  return object;
}

Environment environmentOf(const Fields& line) {
  Environment environment;
  const auto object = line.object("environment");
  if (!object) return environment;
  for (const TextField& field : textFields) environment.*field.text = object->text(field.name);
  environment.powerLimit = object->number("power_limit_w");
  environment.mostClock = scaledNumber(*object, "most_clock_mhz", megahertz);
  if (object->has("ecc")) environment.ecc = object->flag("ecc");
  return environment;
}

OrderedJson toJson(const GpuState& state) {
  return {{"temperature_c", orNull(state.temperature, 1)},
          {"power_w", orNull(state.power, 1)},
          {"clock_events", state.clockEvents},
          {"power_cap_ms", orNull(state.powerCapSeconds, millisecond)},
          {"heat_cap_ms", orNull(state.heatCapSeconds, millisecond)},
          {"other_processes", state.otherProcesses ? OrderedJson(*state.otherProcesses) : OrderedJson(nullptr)}};
}

std::optional<GpuState> gpuStateOf(const Fields& line) {
  const auto object = line.object("gpu");
  if (!object) return std::nullopt;
  GpuState state;
  state.temperature = object->number("temperature_c");
  state.power = object->number("power_w");
  state.clockEvents = object->texts("clock_events");
  state.powerCapSeconds = scaledNumber(*object, "power_cap_ms", millisecond);
  state.heatCapSeconds = scaledNumber(*object, "heat_cap_ms", millisecond);
  if (const auto others = object->integer("other_processes", std::numeric_limits<int>::max()))
    state.otherProcesses = static_cast<int>(*others);
  return state;
}

std::span<const EnvironmentPart> environmentParts() { return parts; }

}  // namespace opbench::results
