#pragma once

#include "codegen/cuda/scope.h"

namespace codegen {

/// Names the random words of a statement's lanes that lie one after another: each four are computed once, before the lanes. The
/// lanes' axis has its name already.
void nameRandomWords(const ir::Kernel& kernel, const ir::Lanes& lanes, CudaScope& scope);

}  // namespace codegen
