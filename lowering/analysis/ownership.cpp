#include "lowering/analysis/ownership.h"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <numeric>

namespace lowering {
namespace {

constexpr int64_t far = std::numeric_limits<int32_t>::max() * int64_t{1 << 16};  ///< sums of a few such numbers are numbers

/// Finds which dims of one store lead to different elements.
class OwnedDims {
 public:
  OwnedDims(const IterationDomain& domain, const Access& store) : owned_(domain.dims().size()) {
    for (std::size_t d = 0; store.linear() != nullptr && d < owned_.size(); ++d) {
      const int64_t step = std::abs(domain.stride(store, d)), last = domain.dims()[d].extent - 1;
      if (step > 0) dims_.push_back({d, step, last > far / step ? far : last * step});
    }
    std::sort(dims_.begin(), dims_.end(), [](const Of& a, const Of& b) { return a.step < b.step; });
    if (!store.form) rest_ = store.mixed ? rest(*store.mixed) : Rest{1, far};
  }

  /// The dims of small steps, whose offset is the remainder of a division by a divisor of all else; and the dims of steps larger
  /// than all else reaches.
  std::vector<bool> find() {
    const std::size_t inner = innerDims(), outer = outerDims();
    for (std::size_t i = 0; i < dims_.size(); ++i) owned_[dims_[i].dim] = i < inner || i >= outer;
    return owned_;
  }

 private:
  struct Of {
    std::size_t dim;
    int64_t step, reach;
  };
  /// Of what is not affine: what it is a multiple of, 0 where there is nothing, and how far it reaches.
  struct Rest {
    int64_t step = 0, reach = 0;
  };

  static Rest rest(const MixedOffset& mixed) {
    const bool isFar = mixed.range.least < -far / 2 || mixed.range.most > far / 2;
    return {std::abs(mixed.step), isFar ? far : mixed.range.most - mixed.range.least};
  }
  /// How many dims, the ones of the smallest steps, stay within a block of elements: the other dims' steps, and the rest, are
  /// multiples of the block's size.
  std::size_t innerDims() const {
    std::size_t best = 0;
    int64_t reach = 0;
    for (std::size_t i = 0; i < dims_.size() && dims_[i].step > reach; ++i) {
      reach = std::min(far, reach + dims_[i].reach);
      int64_t multiple = rest_.step;
      for (std::size_t j = i + 1; j < dims_.size(); ++j) multiple = std::gcd(multiple, dims_[j].step);
      if (multiple == 0 || reach < multiple) best = i + 1;
    }
    return best;
  }
  /// The first dim from which on every step is larger than all smaller ones and the rest reach together.
  std::size_t outerDims() const {
    std::size_t first = 0;
    int64_t reach = rest_.reach;
    for (std::size_t i = 0; i < dims_.size(); ++i) {
      if (dims_[i].step <= reach) first = i + 1;
      reach = std::min(far, reach + dims_[i].reach);
    }
    return reach < far ? first : dims_.size();
  }

  std::vector<bool> owned_;
  std::vector<Of> dims_;  ///< the dims that move, by step
  Rest rest_;
};

}  // namespace

std::vector<bool> ownedDims(const IterationDomain& domain) {
  std::vector<bool> owned(domain.dims().size(), true);
  for (const Access& store : domain.stores()) {
    if (!store.accumulate) continue;
    const std::vector<bool> ofStore = OwnedDims(domain, store).find();
    for (std::size_t d = 0; d < owned.size(); ++d) owned[d] = owned[d] && (ofStore[d] || domain.dims()[d].extent == 1);
  }
  return owned;
}

std::size_t firstShared(const std::vector<bool>& owned) {
  return static_cast<std::size_t>(std::find(owned.begin(), owned.end(), false) - owned.begin());
}

bool pointsMeet(const IterationDomain& domain) { return firstShared(ownedDims(domain)) < domain.dims().size(); }

}  // namespace lowering
