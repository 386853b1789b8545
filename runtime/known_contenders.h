#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/contender.h"

namespace runtime {

/// A contender that opbench brings, and what it computes. A contender of two rows is made in two ways.
struct KnownContender {
  std::string_view name;   ///< `jit_premul`
  std::string_view kinds;  ///< what it computes: `call region model`, or recurrent networks by name, `lstm gru`
  std::string_view about;  ///< in a few words
  bool isDefault = false;  ///< whether a run that names none takes it
};

/// All of them. Creators, which compute recurrent networks by the names that fastrnns gives them, come last; one whose name ends
/// in
/// `_graph` is a whole step, forward and backward, in one CUDA graph.
std::span<const KnownContender> knownContenders();
std::span<const KnownContender> creators();
/// The creator of a name; null where there is none.
const KnownContender* creatorOf(std::string_view name);
/// Whether a contender computes what a word of `kinds` stands for: `lstm`.
bool computes(const KnownContender& contender, std::string_view kind);

/// The contenders of an operator, `rnn.lstm.training`: all, or the contenders of a run that names none.
std::vector<Contender> contendersOf(std::string_view op, bool defaultsAlone);

}  // namespace runtime
