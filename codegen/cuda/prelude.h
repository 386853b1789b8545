#pragma once

#include <string>
#include <string_view>

namespace codegen {

/// The device code that CUDA programs start with: types, conversions, vectors (prelude.cuh), scalar functions (math.cuh, and
/// what ops.def finds in CUDA's library or in ir/routines), combinations of lanes, threads and CTAs (combine.cuh), atomic
/// ones (atomics.cuh), random words (random.cuh).
std::string_view cudaPrelude();

/// The declarations of the prelude that a text uses, and that these use, in their order: NVRTC takes 3 ms for all of them.
std::string cudaPreludeFor(std::string_view text);

/// A program's source from the line break before its kernel on.
std::string_view withoutPrelude(std::string_view source);

}  // namespace codegen
