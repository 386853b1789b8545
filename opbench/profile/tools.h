#pragma once

#include <optional>
#include <string>
#include <vector>

namespace opbench::profile {

/// The profilers that --with names.
const std::vector<std::string>& toolNames();

/// The words of a command that runs `command` under a tool, which writes its report to `output`: `ncu`, `nsys`.
std::vector<std::string> underTool(const std::string& tool, const std::string& output, const std::vector<std::string>& command);

/// The words of a command that runs `command` under a tool of compute-sanitizer (--sanitize); its exit status is 1 where that
/// finds anything.
std::vector<std::string> underSanitizer(const std::string& name, const std::vector<std::string>& command);

/// Runs a program that PATH has, with these words as its arguments and without a shell, and waits. Returns its exit status, or
/// nothing where there is no such program. Error: Input where it cannot be started, or is ended by a signal.
std::optional<int> runWords(const std::vector<std::string>& words);

}  // namespace opbench::profile
