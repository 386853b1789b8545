#pragma once

#include <cstdint>

#include "inputs/data/distribution.h"
#include "inputs/operators/domain.h"

namespace inputs {

/// Magnitudes at the ends of a floating dtype, as far as f32 or, for f64, double can hold them.
struct Magnitudes {
  double subnormal;  ///< the smallest
  double normal;     ///< the smallest that is not subnormal
  double large;      ///< and its cube is finite, unless no large number has a finite one
};
Magnitudes magnitudesOf(ir::DType dtype);

/// The largest and the least number of an integral dtype; of bools 1 and 0. The largest of u64 has all bits set.
int64_t largestInteger(ir::DType dtype);
int64_t leastInteger(ir::DType dtype);

/// How many elements at the start of a tensor's storage are drawn; those after them repeat them. Drawing costs more than
/// copying, and so large a prime period hides no mistake of an index. Values that depend on their position do not repeat.
int64_t drawnElements(const ir::TensorType& type, const ValueRange& domain);

/// Draws the first drawnElements() elements of the storage of a tensor of `type`; `key` names the random stream. Element
/// is what they are drawn as, before they become the tensor's dtype: float or double for floating dtypes (two for one
/// complex number), int64_t for integers, bool. `data` says what Plain and Halves are, and Positive and NonZero where it is
/// Far or Specials.
template <typename Element>
void fillStorage(const ir::TensorType& type, const ValueRange& domain, uint64_t key, Element* storage, const Data& data = {});

extern template void fillStorage(const ir::TensorType&, const ValueRange&, uint64_t, float*, const Data&);
extern template void fillStorage(const ir::TensorType&, const ValueRange&, uint64_t, double*, const Data&);
extern template void fillStorage(const ir::TensorType&, const ValueRange&, uint64_t, int64_t*, const Data&);
extern template void fillStorage(const ir::TensorType&, const ValueRange&, uint64_t, bool*, const Data&);

}  // namespace inputs
