#pragma once

#include <cstdint>
#include <optional>

#include "lowering/graph/relayout.h"

namespace lowering {

/// Rows of `old` elements that become the beginnings of rows of `now`.
class Rows : public MemoryLayout {
 public:
  Rows(int64_t old, int64_t now) : old_(old), now_(now) {}

  /// Nothing where a step leaves a row in its middle.
  std::optional<ir::GraphValue> place(const ir::GraphValue& value) const override;

 private:
  int64_t moved(int64_t place) const { return place / old_ * now_ + place % old_; }

  int64_t old_;
  int64_t now_;
};

}  // namespace lowering
