#pragma once

#include <string_view>

namespace opbench {

/// The programs that race a solution in Python: opbench/challenge/judge.py, and the module of the wheel that races functions.
std::string_view judgeScript();
std::string_view racingScript();

}  // namespace opbench
