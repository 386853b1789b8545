#pragma once

/// The program with these arguments, its name first; ends with its exit status. Whoever loads it as a library may call it again.
extern "C" int opbench_run(int argc, const char* const* argv);
