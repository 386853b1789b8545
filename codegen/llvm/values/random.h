#pragma once

#include "codegen/llvm/values/vec.h"

namespace codegen {

/// Random words at indices of 64 bits (ops.def's Philox), each lane's computed by itself.
Vec randomWord(Vec seed, Vec draw, Vec index);
/// `count` random words, a multiple of 4, from index `first` on, which is a scalar and one too: each four are computed once.
Vec randomWords(Vec seed, Vec draw, Vec first, int count);

}  // namespace codegen
