#include "opbench/results/timing.h"

#include "opbench/text/names.h"

namespace opbench {

constexpr auto stops = namesOfEnum<Stop>(
    {{Stop::Precision, "precision"}, {Stop::MaxTime, "max-time"}, {Stop::Repeats, "repeats"}, {Stop::Runs, "runs"}});

std::string_view name(Stop stop) { return stops.of(stop); }

std::optional<Stop> stopFromName(std::string_view text) { return stops.from(text); }

}  // namespace opbench
