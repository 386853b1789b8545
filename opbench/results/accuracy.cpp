#include "opbench/results/accuracy.h"

#include "opbench/text/names.h"

namespace opbench {

constexpr auto determinisms = namesOfEnum<Determinism>(
    {{Determinism::Bitwise, "bitwise"}, {Determinism::WithinTolerance, "within-tolerance"}, {Determinism::Neither, "neither"}});

std::string_view name(Determinism determinism) { return determinisms.of(determinism); }

std::optional<Determinism> determinismFromName(std::string_view text) { return determinisms.from(text); }

}  // namespace opbench
