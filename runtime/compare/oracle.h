#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "inputs/operators/judgement.h"
#include "runtime/torch/tensor_list.h"
#include "runtime/workload.h"

namespace runtime {

struct AtenCall;

using inputs::IndexKind;

/// The values at the indices that output `output` holds, or why they are no indices.
struct IndexedValues {
  TensorList values;  ///< nothing where there is an `error`
  std::string error;  ///< `has index 12 in a dimension of size 10`
};
IndexedValues valuesAt(AtenCall& call, const TensorList& outputs, int output, IndexKind kind);

/// Whether a call's flag of that name, `sorted` or `stable`, is set; true where the operator has no such argument.
bool asksFor(const AtenCall& call, const std::string& flag);
/// Values and their places along the call's `dim`, in the order of the values, laid out as they were.
TensorList inOrder(const AtenCall& call, const TensorList& outputs);

/// A result that takes no work: no check may let it pass.
struct Trivial {
  std::string name;                  ///< `zeros`, `the mean`, `a copy of argument 0`
  bool isCopy = false;               ///< of an argument
  TensorList found, eager, float64;  ///< of one output and one dimension: the result and what it is to be
};

/// Zeros, the mean of the expected values, and the arguments that have output `output`'s dtype and sizes; the first `elements` of
/// each.
std::vector<Trivial> trivialResults(const Workload& workload, const TensorList& eager, const TensorList& float64, int output,
                                    int64_t elements);

/// Why results can take no work whatever the data are: the arguments hold no elements, or one each, which their strides
/// repeat; or nothing.
std::string whyConstant(const Workload& workload);

/// Elements of the largest floating tensor argument, from which an output's elements have to be combined.
int64_t mostArgumentElements(const Workload& workload);

/// Whether an argument is a floating tensor of rank 0 of more bytes than `dtype`: eager rounds it to the dtype of the result on
/// CUDA, and not at all on some paths on the host.
bool hasWiderNumber(const Workload& workload, ir::DType dtype);

/// The sum of the bits of each tensor among the arguments that the operator only reads: where one is written all the same, its
/// sum is another one.
std::vector<int64_t> sumsOfRead(const Workload& workload);

/// The sum of each tensor's elements' bits: where one element is another, so is the sum.
std::vector<int64_t> sumsOf(const TensorList& tensors);

/// The numbers of the outputs that share no memory with operands.
std::vector<size_t> unshared(const TensorList& outputs, const TensorList& operands);

/// Poisons the outputs that share no memory with operands: whoever hands them out again without computing hands out no result.
void poisonOwned(const TensorList& outputs, const TensorList& operands);

/// Poisons or disguises (guard.h) them, so that the memory does not tell who is looked at; and poisons free memory that such
/// outputs would be given next, so that results of others that lie there are not found.
void disguiseOwned(const TensorList& outputs, const TensorList& operands);

/// Why results are none although their values may be right: `output 0 is the memory of an argument, which eager's is not`, or
/// `output 0 is a negation that is not computed`. Nothing where they are.
std::string borrowed(const TensorList& outputs, const TensorList& eager, const TensorList& operands);

/// Makes the numbers of each floating tensor larger, by about so many percent, and returns what puts them back. Their order and
/// signs stay as they were: what branches on them takes the branches that the processor has learnt. Of 8 bits they stay
/// themselves.
std::function<void()> disturb(const TensorList& tensors, int64_t number);

/// Inverts the bits of all elements, where they lie; done twice, they are as they were. Queued on the current stream.
void invert(const TensorList& tensors);

/// Poisons the outputs that lie between guards: nothing of them is left to be taken for what a later run computes.
void poisonGuarded(const TensorList& outputs);

}  // namespace runtime
