#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "opbench/settings/options.h"

namespace opbench {

enum ExitStatus { Fine = 0, Failed = 1, Usage = 2, NoSuchDevice = 3, EndedBySignal = 128 };

/// Says on standard error why the program ends, and returns the status that it ends with.
int refuse(const std::string& message, ExitStatus status);

/// The exit status of the program, whose work ends with a status of its own or an error, which is said. A report that nobody
/// could read is none.
int endOf(const std::function<int()>& work);

/// A verb's work, which ends with an exit status.
using Action = int (*)(const Options&);

/// The work of a verb that reads results, or prints what the command line declares; null for a verb that needs torch.
Action actionWithoutTorch(Verb verb);

/// Does what the arguments after the program's name say, and returns its exit status; nothing, and nothing is done, where that
/// needs torch.
std::optional<int> runWithoutTorch(const std::vector<std::string>& arguments);

}  // namespace opbench
