#include "opbench/results/environment.h"

#include <fmt/format.h>

#include "opbench/results/codec.h"

namespace opbench::results {
namespace {

using runtime::Environment;
using runtime::GpuState;

const std::vector<Field<Environment>>& environmentFields() {
  using E = Environment;
  static const std::vector<Field<E>> fields{textOrNull<E>("torch", OF(torch)),
                                            textOrNull<E>("cuda", OF(cuda)),
                                            textOrNull<E>("driver", OF(driver)),
                                            textOrNull<E>("nvrtc", OF(nvrtc)),
                                            textOrNull<E>("llvm", OF(llvm)),
                                            textOrNull<E>("gpu_uuid", OF(gpu)),
                                            textOrNull<E>("host", OF(host)),
                                            textOrNull<E>("cpu", OF(cpu)),
                                            textOrNull<E>("kernel", OF(kernel)),
                                            number<E>("power_limit_w", OF(powerLimit), one, 3),
                                            number<E>("most_clock_mhz", OF(mostClock), megahertz, 3),
                                            flagOrNull<E>("ecc", OF(ecc)),
                                            flagOrNull<E>("mig", OF(mig))};
  return fields;
}

const std::vector<Field<GpuState>>& gpuFields() {
  using G = GpuState;
  static const std::vector<Field<G>> fields{number<G>("temperature_c", OF(temperature), one, 3),
                                            number<G>("power_w", OF(power), one, 3),
                                            number<G>("memory_mhz", OF(memoryClock), megahertz, 3),
                                            texts<G>("clock_events", OF(clockEvents)),
                                            number<G>("power_cap_ms", OF(powerCapSeconds), milliseconds, 3),
                                            number<G>("heat_cap_ms", OF(heatCapSeconds), milliseconds, 3),
                                            wholeIfKnown<G>("other_processes", OF(otherProcesses))};
  return fields;
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

OrderedJson toJson(const Environment& environment) { return written<Environment>(environment, environmentFields()); }

Environment environmentOf(const Fields& line) {
  Environment environment;
  if (const auto object = line.object("environment")) readInto(environment, *object, environmentFields());
  return environment;
}

OrderedJson toJson(const GpuState& state) { return written<GpuState>(state, gpuFields()); }

std::optional<GpuState> gpuStateOf(const Fields& line) {
  const auto object = line.object("gpu");
  if (!object) return std::nullopt;
  GpuState state;
  readInto(state, *object, gpuFields());
  return state;
}

std::span<const EnvironmentPart> environmentParts() { return parts; }

}  // namespace opbench::results
