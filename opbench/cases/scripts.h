#pragma once

#include <string_view>

namespace opbench {

/// The two programs of a case, which are the same for every one: opbench/repro/driver.py and opbench/repro/run.sh. What differs
/// between cases they read as data, from case.json and run.words.
std::string_view driverScript();
std::string_view runScript();

}  // namespace opbench
