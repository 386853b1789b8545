#include "lowering/layout/layout.h"

#include <algorithm>
#include <utility>

#include "ir/index/ceil_div.h"

namespace lowering {

const Part* Layout::outermost(std::size_t dim) const {
  const auto part = std::find_if(parts.begin(), parts.end(), [&](const Part& one) { return one.dim == dim; });
  return part == parts.end() ? nullptr : &*part;
}

const Part* Layout::innermost(Bind bind) const {
  const auto part = std::find_if(parts.rbegin(), parts.rend(), [&](const Part& one) { return one.bind == bind; });
  return part == parts.rend() ? nullptr : &*part;
}

int64_t Layout::extent(std::size_t dim, Bind bind) const {
  int64_t values = 1;
  for (const Part& part : parts)
    if (part.dim == dim && part.bind == bind) values *= part.extent;
  return values;
}

int64_t Layout::extent(Bind bind) const {
  if (bind == Bind::Thread && block > 0) return block;
  int64_t values = 1;
  for (auto part = parts.rbegin(); part != parts.rend(); ++part) {
    if (part->bind != bind) continue;
    values = part->extent * (part->threads > 0 ? part->threads : values);
  }
  return values;
}

int64_t Layout::covered(std::size_t dim) const {
  int64_t values = 1;
  for (const Part& part : parts)
    if (part.dim == dim && part.block == 0) values *= part.extent;
  return values;
}

int64_t Layout::steps(std::size_t dim) const {
  int64_t others = 1, loops = 1, vectors = dims[dim].extent;
  bool areLoopsOutside = true;
  for (const Part& part : parts) {
    if (part.dim != dim) continue;
    if (part.block > 0) {
      vectors = part.block;
    } else if (isLoop(part.bind)) {
      areLoopsOutside = areLoopsOutside && (part.extent == 1 || others == 1);
      loops *= part.extent;
    } else {
      others *= part.extent;
    }
  }
  // The outermost digits do not reach all of their values where the last ones are beyond the end.
  return areLoopsOutside ? std::min(loops, ceilDiv(vectors, others)) : loops;
}

bool Layout::isInOrder(const std::vector<std::pair<std::size_t, Bind>>& wanted) const {
  const auto rank = [&](const Part& part) { return std::find(wanted.begin(), wanted.end(), std::pair(part.dim, part.bind)); };
  for (auto inner = parts.begin(); inner != parts.end(); ++inner)
    for (auto outer = parts.begin(); outer != inner; ++outer)
      if ((outer->dim == inner->dim || outer->bind == inner->bind) && rank(*outer) != wanted.end() && rank(*inner) < rank(*outer))
        return false;
  return true;
}

int Layout::group() const {
  for (auto part = parts.rbegin(); part != parts.rend(); ++part)
    if (part->threads > 0) return part->threads;
  return static_cast<int>(extent(Bind::Thread));
}

Layout simplified(Layout layout, bool keepsGroup) {
  if (const int block = std::exchange(layout.block, 0); layout.extent(Bind::Thread) != block) layout.block = block;
  const auto threads = [&](std::size_t begin, std::size_t end) {
    int64_t count = 1;
    for (std::size_t i = begin; i < end; ++i) count *= layout.parts[i].bind == Bind::Thread ? layout.parts[i].extent : 1;
    return count;
  };
  const auto saysNothing = [&](std::size_t i) {
    const Part& part = layout.parts[i];
    const Layout::Dim& dim = layout.dims[part.dim];
    if (part.extent > 1 || part.block > 0) return false;
    if (part.bind != Bind::Thread || dim.begin == dim.end) return true;
    return !keepsGroup && layout.block == 0 && part.threads == threads(i + 1, layout.parts.size()) && threads(0, i) == 1;
  };
  for (std::size_t i = layout.parts.size(); i-- > 0;)
    if (saysNothing(i)) layout.parts.erase(layout.parts.begin() + static_cast<std::ptrdiff_t>(i));
  return layout;
}

}  // namespace lowering
