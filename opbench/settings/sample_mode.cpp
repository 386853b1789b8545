#include "opbench/settings/sample_mode.h"

#include "opbench/text/names.h"

namespace opbench {

constexpr auto sampleModes = namesOfEnum<SampleMode>(
    {{SampleMode::First, "first"}, {SampleMode::Top, "top"}, {SampleMode::Stratified, "stratified"}, {SampleMode::All, "all"}});

std::string_view name(SampleMode mode) { return sampleModes.of(mode); }

std::optional<SampleMode> sampleModeFromName(std::string_view text) { return sampleModes.from(text); }

std::vector<std::string> sampleModeNames() { return sampleModes.all(); }

}  // namespace opbench
