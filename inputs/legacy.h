#pragma once

#include <span>
#include <string_view>

#include "inputs/sample.h"

namespace inputs {

/// An operator that ATen has renamed or dropped since it was recorded.
struct LegacyOperator {
  std::string_view recorded;          ///< the name in old files
  std::string_view current;           ///< the operator that does the same today
  void (*rewriteArguments)(Sample&);  ///< turns the old operator's arguments into today's; null where they are the same
};

/// Every legacy operator known, by its recorded name.
std::span<const LegacyOperator> legacyOperators();

/// Gives a sample of a legacy operator today's name and arguments and leaves any other alone; throws an Input error
/// (`expected ..., found ...`, without a position) if its arguments are not the old operator's.
void renameLegacy(Sample& sample);

}  // namespace inputs
