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

/// The modes of a GPU, by their names in a line.
struct ModeField {
  const char* name;
  std::optional<bool> Environment::* mode;
};
constexpr ModeField modeFields[] = {{"ecc", &Environment::ecc}, {"mig", &Environment::mig}};

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

template <std::optional<bool> Environment::* mode>
std::string modeOf(const Environment& environment) {
  return environment.*mode ? *(environment.*mode) ? "on" : "off" : "";
}

constexpr EnvironmentPart parts[] = {
    {"torch", textOf<&Environment::torch>, true},
    {"CUDA", textOf<&Environment::cuda>, true},
    {"driver", textOf<&Environment::driver>, true},
    {"NVRTC", textOf<&Environment::nvrtc>},
    {"LLVM", textOf<&Environment::llvm>},
    {"GPU UUID", textOf<&Environment::gpu>},
    {"power limit", [](const Environment& e) { return e.powerLimit ? fmt::format("{:.0f} W", *e.powerLimit) : std::string(); }},
    {"ECC", modeOf<&Environment::ecc>},
    {"MIG", modeOf<&Environment::mig>},
    {"host", textOf<&Environment::host>}};

}  // namespace

OrderedJson toJson(const Environment& environment) {
  OrderedJson object;
  for (const TextField& field : textFields)
    object[field.name] = (environment.*field.text).empty() ? OrderedJson(nullptr) : OrderedJson(environment.*field.text);
  object["power_limit_w"] = orNull(environment.powerLimit, 1);
  object["most_clock_mhz"] = orNull(environment.mostClock, megahertz);
  for (const ModeField& field : modeFields)
    object[field.name] = environment.*field.mode ? OrderedJson(*(environment.*field.mode)) : OrderedJson(nullptr);
  return object;
}

Environment environmentOf(const Fields& line) {
  Environment environment;
  const auto object = line.object("environment");
  if (!object) return environment;
  for (const TextField& field : textFields) environment.*field.text = object->text(field.name);
  environment.powerLimit = object->number("power_limit_w");
  environment.mostClock = scaledNumber(*object, "most_clock_mhz", megahertz);
  for (const ModeField& field : modeFields)
    if (object->has(field.name)) environment.*field.mode = object->flag(field.name);
  return environment;
}

OrderedJson toJson(const GpuState& state) {
  return {{"temperature_c", orNull(state.temperature, 1)},
          {"power_w", orNull(state.power, 1)},
          {"memory_mhz", orNull(state.memoryClock, megahertz)},
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
  state.memoryClock = scaledNumber(*object, "memory_mhz", megahertz);
  state.clockEvents = object->texts("clock_events");
  state.powerCapSeconds = scaledNumber(*object, "power_cap_ms", millisecond);
  state.heatCapSeconds = scaledNumber(*object, "heat_cap_ms", millisecond);
  if (const auto others = object->integer("other_processes", std::numeric_limits<int>::max()))
    state.otherProcesses = static_cast<int>(*others);
  return state;
}

std::span<const EnvironmentPart> environmentParts() { return parts; }

}  // namespace opbench::results
