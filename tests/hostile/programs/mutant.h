#pragma once

#include <string>
#include <vector>

#include "tests/random/dice.h"

namespace hostile {

/// A file that is taken for a model, with parts of it changed.
struct Mutant {
  bool isScript = false;  ///< TorchScript, as against an archive of torch.export
  std::string bytes;
};

/// A changed archive of torch.export: one of these, or in one of six cases a TorchScript file. `strings` are what may stand in it
/// for paths and commands.
Mutant drawMutant(tests::Dice& dice, const std::vector<std::string>& archives, const std::vector<std::string>& strings);

}  // namespace hostile
