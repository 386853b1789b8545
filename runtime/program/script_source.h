#pragma once

#include <string>

namespace runtime {

/// Refuses a TorchScript file whose sources or pickles would have torch run code while it loads them, or run code that cannot be
/// seen before: a class with `__setstate__`, an interface, a C++ class, a default value or a constant that is not written out.
/// Nothing of it is run, no object is made. Errors: Unsupported, with the place; torch's own (c10::Error) for what it cannot
/// read.
void checkSources(const std::string& path);

}  // namespace runtime
