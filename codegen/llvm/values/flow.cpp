#include "codegen/llvm/values/flow.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/MDBuilder.h>

namespace codegen {

llvm::Value* stackArray(llvm::IRBuilderBase& builder, llvm::Type* element, int count) {
  llvm::BasicBlock& entry = builder.GetInsertBlock()->getParent()->getEntryBlock();
  llvm::IRBuilder<> atEntry(&entry, entry.begin());
  llvm::AllocaInst* array = atEntry.CreateAlloca(llvm::ArrayType::get(element, static_cast<uint64_t>(count)));
  array->setAlignment(llvm::Align(64));
  return array;
}

void countedLoop(llvm::IRBuilderBase& builder, llvm::Value* begin, llvm::Value* end, bool entered,
                 const std::function<void(llvm::Value*)>& body) {
  llvm::Function* function = builder.GetInsertBlock()->getParent();
  llvm::BasicBlock* before = builder.GetInsertBlock();
  llvm::BasicBlock* loop = llvm::BasicBlock::Create(builder.getContext(), "loop", function);
  llvm::BasicBlock* after = llvm::BasicBlock::Create(builder.getContext(), "done", function);
  if (entered) {
    builder.CreateBr(loop);
  } else {
    builder.CreateCondBr(builder.CreateICmpSLT(begin, end), loop, after);
  }
  builder.SetInsertPoint(loop);
  llvm::PHINode* counter = builder.CreatePHI(begin->getType(), 2, "i");
  counter->addIncoming(begin, before);
  body(counter);
  llvm::Value* next =
      builder.CreateAdd(counter, llvm::ConstantInt::get(begin->getType(), 1), "", /*HasNUW=*/true, /*HasNSW=*/true);
  counter->addIncoming(next, builder.GetInsertBlock());
  builder.CreateCondBr(builder.CreateICmpSLT(next, end), loop, after);
  after->moveAfter(builder.GetInsertBlock());
  builder.SetInsertPoint(after);
}

void branch(llvm::IRBuilderBase& builder, llvm::Value* condition, const std::function<void()>& then,
            const std::function<void()>& otherwise, bool isRare) {
  llvm::Function* function = builder.GetInsertBlock()->getParent();
  llvm::BasicBlock* yes = llvm::BasicBlock::Create(builder.getContext(), "then", function);
  llvm::BasicBlock* no = otherwise ? llvm::BasicBlock::Create(builder.getContext(), "else", function) : nullptr;
  llvm::BasicBlock* after = llvm::BasicBlock::Create(builder.getContext(), "endif", function);
  llvm::MDNode* weights = isRare ? llvm::MDBuilder(builder.getContext()).createUnlikelyBranchWeights() : nullptr;
  builder.CreateCondBr(condition, yes, no == nullptr ? after : no, weights);
  builder.SetInsertPoint(yes);
  then();
  builder.CreateBr(after);
  if (no != nullptr) {
    no->moveAfter(builder.GetInsertBlock());
    builder.SetInsertPoint(no);
    otherwise();
    builder.CreateBr(after);
  }
  after->moveAfter(builder.GetInsertBlock());
  builder.SetInsertPoint(after);
}

Vec unless(Vec condition, Vec usual, const std::function<Vec()>& otherwise, bool isRare) {
  llvm::IRBuilderBase& builder = *usual.builder;
  llvm::BasicBlock* before = builder.GetInsertBlock();
  llvm::Value* other = nullptr;
  llvm::BasicBlock* otherEnd = nullptr;
  branch(
      builder, condition.value,
      [&] {
        other = otherwise().value;
        otherEnd = builder.GetInsertBlock();
      },
      nullptr, isRare);
  llvm::PHINode* result = builder.CreatePHI(usual.value->getType(), 2);
  result->addIncoming(usual.value, before);
  result->addIncoming(other, otherEnd);
  return {&builder, result};
}

Vec unlessAny(Vec rare, Vec usual, const std::function<Vec()>& otherwise) {
  return unless(any(rare), usual, otherwise, /*isRare=*/true);
}

}  // namespace codegen
