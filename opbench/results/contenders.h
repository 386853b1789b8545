#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/contender.h"

namespace opbench {

using runtime::Contender;

/// The name on the command line and in reports: `eager`, `opbench`, `torchscript`.
inline std::string_view name(const Contender& contender) { return contender.name(); }
/// The names of several contenders.
std::vector<std::string_view> namesOf(const std::vector<Contender>& contenders);

/// The contender of a name; nothing where the text is none, whatever contenders there are.
std::optional<Contender> contenderFromName(std::string_view text);
/// The names of the contenders of a call.
std::vector<std::string> contenderNames();
/// Whether anything has a contender of that name.
bool isKnown(const Contender& contender);
/// Whether it is a namespace of operators, as in `--contenders eager,my`: a name that is nobody else's. It computes each call by
/// the operator of the call's name.
bool isNamespace(const Contender& contender);

/// Whether a contender, as it is asked for, may compute samples of an operator, a call's or a network's.
bool computes(const Contender& contender, std::string_view op);
/// The contenders of an operator among the contenders asked for, without their targets, in their order. Where none of these can
/// compute it, they are the contenders that it has by default.
std::vector<Contender> contendersOf(std::string_view op, const std::vector<Contender>& asked);
/// The contenders of a run, whatever samples of calls and regions it has.
std::vector<Contender> contendersOfCalls(const std::vector<Contender>& asked);

}  // namespace opbench
