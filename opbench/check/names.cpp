#include "opbench/check/accuracy.h"

namespace opbench {

std::string_view name(Determinism determinism) {
  switch (determinism) {
    case Determinism::Bitwise: return "bitwise";
    case Determinism::WithinTolerance: return "within-tolerance";
    case Determinism::Neither: return "neither";
  }
  return "";
}

std::optional<Determinism> determinismFromName(std::string_view text) {
  for (const Determinism each : {Determinism::Bitwise, Determinism::WithinTolerance, Determinism::Neither})
    if (name(each) == text) return each;
  return std::nullopt;
}

}  // namespace opbench
