#pragma once

namespace opbench {

/// Calls opbench_run() (program.h) of this program where it has all in it, else of the library beside it, which is opened, and
/// torch with it; returns the exit status.
int runWholeProgram(int argc, const char* const* argv);

}  // namespace opbench
