#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "opbench/results/fields.h"
#include "runtime/environment.h"

namespace opbench::results {

/// The field `environment` of a line: releases, the GPU's UUID, its limits, the machine. What is not known is null.
nlohmann::ordered_json toJson(const runtime::Environment& environment);
/// The environment in a line's fields, toJson()'s inverse; empty for a line of an older program. Errors: Input.
runtime::Environment environmentOf(const Fields& line);

/// The field `gpu` of a line: temperature, power, what held the clock down and for how long, and other processes.
nlohmann::ordered_json toJson(const runtime::GpuState& state);
/// The state in a line's fields, toJson()'s inverse; nothing where the line has none. Errors: Input.
std::optional<runtime::GpuState> gpuStateOf(const Fields& line);

/// A part of an environment that two runs may differ in.
struct EnvironmentPart {
  std::string_view name;                             ///< `torch`, `GPU UUID`
  std::string (*text)(const runtime::Environment&);  ///< its value; empty where it is not known
  bool isDecisive = false;                           ///< whether times are not comparable where it differs
};
std::span<const EnvironmentPart> environmentParts();

}  // namespace opbench::results
