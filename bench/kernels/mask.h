#pragma once

#include <string>
#include <string_view>

namespace kernels {

/// CUDA C++ without comments and line breaks.
std::string withoutComments(std::string_view source);

/// CUDA C++ without comments and line breaks, in which the names that it declares (variables, parameters and the kernel) are
/// `$0`, `$1`, ... in the order of their declarations: texts that differ in names alone come out the same. Types, keywords,
/// numbers and the names of functions that are called stay. `kernel` is the kernel's name.
std::string maskedCuda(std::string_view source, std::string_view kernel);

/// The same of LLVM assembly: local values and blocks, and what the module itself defines. Intrinsics and attributes stay.
std::string maskedLlvm(std::string_view source);

}  // namespace kernels
