#include "opbench/measure/audit.h"

#include <algorithm>

namespace opbench {

AuditPlaces::AuditPlaces(int64_t first) : end_(std::max<int64_t>(1, first)) { draw(0); }

int64_t AuditPlaces::before(int64_t turns) const { return std::min(turns, place_ - turn_); }

void AuditPlaces::next() {
  const int64_t begin = end_;
  end_ *= 2;
  draw(begin);
}

void AuditPlaces::draw(int64_t begin) { place_ = std::uniform_int_distribution<int64_t>(begin, end_ - 1)(random_); }

}  // namespace opbench
