#pragma once

#include <string>

namespace runtime {

/// Remembers the state of the code that is loaded into this process, the first time that it is called: before any library of the
/// user's is loaded.
void rememberCode();
/// Says whose code was changed in memory since, or replaced: `the code of libcudart.so.13 was changed in memory`. Nothing where
/// none was, or none was remembered. A library that opens later, or is closed, has not changed.
std::string changedCode();

}  // namespace runtime
