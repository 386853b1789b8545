#pragma once

#include "lowering/tensor/lowering.h"

namespace lowering {

// Reductions of lazy tensors over dimensions. The dimensions stay, with extent 1, so that a result broadcasts against what it
// is made of; squeeze() drops them. Over no elements a result is the operation's identity. The same element is the same
// expression, by which loops know what they have computed already.

/// Combines by an operation that isReduction, in the tensor's own dtype.
Tensor reduce(Context& c, ir::Op op, const Tensor& tensor, const Dims& dims);

/// In opmath; integers and Bool in i64.
Tensor sum(Context& c, const Tensor& tensor, const Dims& dims);
/// The sum by the number of elements; of floating point.
Tensor mean(Context& c, const Tensor& tensor, const Dims& dims);
/// In opmath, integers in i64, of Bool as Bool: NaN if there is one.
Tensor amax(Context& c, const Tensor& tensor, const Dims& dims);
Tensor amin(Context& c, const Tensor& tensor, const Dims& dims);

/// A mean, and the sum of squared differences from it.
struct Moments {
  Tensor mean;
  Tensor squares;
};
/// In two traversals, the second one around the mean: for rows, which are held between the two. The second one also corrects the
/// mean by what rounding left of it, unless elements of f16 or bf16 have less to say.
Moments moments(Context& c, const Tensor& tensor, const Dims& dims);
/// In one traversal around an element, for what is too large to be held. Where the mean is large the differences from an element
/// are not. On a CPU it is the median of three, as an outlier costs digits of all differences; on a GPU it is the first one,
/// because kernels start 3 % later with three.
Moments momentsAroundElement(Context& c, const Tensor& tensor, const Dims& dims);

/// Exponentials of differences from the largest element, and their sums: of rows whose elements are all -infinity, masked as a
/// whole, 0.
struct Exponentials {
  Tensor top, powers, total;
};
Exponentials maskedExponentials(Context& c, const Tensor& tensor, const Dims& dims);

/// Combines along a dimension, up to and including each element, by an operation that isReduction, in the tensor's own dtype.
/// Error: Unsupported where an element is asked for at a place along it that is no loop variable.
Tensor scan(Context& c, ir::Op op, const Tensor& tensor, int64_t dim);

/// The elements times each other.
Tensor product(const Tensor& a, const Tensor& b);
/// The dtype that values are summed in: opmath, integers and Bool in i64.
ir::DType accumulator(ir::DType dtype);

/// The elements by a number.
Tensor dividedBy(const Tensor& tensor, ir::Number auto number) {
  return map([number](Value x) { return x / number; }, tensor);
}

/// The tensor, stored where its elements take reductions to compute: for what reads each of them often.
Tensor computedOnce(const Context& c, const Tensor& tensor);
/// The first element of each result.
Tensor firstOf(Context& c, const Tensor& tensor, const Dims& dims);
/// How many elements each result is made of.
int64_t countOf(const Tensor& tensor, const Dims& dims);
/// Every dimension of a tensor.
Dims everyDim(const Tensor& tensor);
/// Every dimension but one.
Dims allBut(int64_t dim, const Tensor& tensor);
/// The tensor without these dimensions, which have extent 1.
Tensor squeeze(Context& c, const Tensor& tensor, const Dims& dims);
/// The results as the outputs of the call: rounded to the dtypes of eager's. What follows these is left as it is.
Tensors asOutputs(const Context& c, Tensors tensors);

}  // namespace lowering
