#pragma once

#include <functional>

#include "codegen/llvm/values/vec.h"

namespace codegen {

/// Memory of `count` elements on the stack.
llvm::Value* stackArray(llvm::IRBuilderBase& builder, llvm::Type* element, int count);
/// Appends `for (i64 i = begin; i < end; ++i) body(i)`; `entered` says that begin < end.
void countedLoop(llvm::IRBuilderBase& builder, llvm::Value* begin, llvm::Value* end, bool entered,
                 const std::function<void(llvm::Value*)>& body);
/// `usual`, or where a scalar condition, which may hardly ever be true, holds what `otherwise` appends.
Vec unless(Vec condition, Vec usual, const std::function<Vec()>& otherwise, bool isRare = false);
/// `usual`, or where any lane of `rare` holds what `otherwise` appends.
Vec unlessAny(Vec rare, Vec usual, const std::function<Vec()>& otherwise);
/// Appends `if (condition) then() else otherwise()`; a condition that is hardly ever true has `then` moved out of the way.
void branch(llvm::IRBuilderBase& builder, llvm::Value* condition, const std::function<void()>& then,
            const std::function<void()>& otherwise, bool isRare = false);

}  // namespace codegen
