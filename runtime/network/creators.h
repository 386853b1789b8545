#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/contender.h"

namespace runtime {

/// A way of computing recurrent networks, by the name that fastrnns gives it. Creators of one network compute the same function,
/// and race each other.
struct Creator {
  std::string_view name;   ///< `jit_premul`
  std::string_view kinds;  ///< the networks that it computes: `lstm gru`
  std::string_view about;  ///< in a few words
  bool isDefault = false;  ///< whether a run that names none takes it
};

/// All of them. One whose name ends in `_graph` is a whole step, forward and backward, in one CUDA graph.
std::span<const Creator> creators();
/// The creator of a name; null where there is none.
const Creator* creatorOf(std::string_view name);
/// Whether a creator computes the network of a name: `lstm`.
bool computes(const Creator& creator, std::string_view kind);

/// The contenders of the operator of a network, `rnn.lstm.training`: all, or the contenders of a run that names none.
std::vector<Contender> contendersOf(std::string_view op, bool defaultsAlone);

}  // namespace runtime
