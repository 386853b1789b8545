#include "runtime/workloads/model/memory_trace.h"

#include <algorithm>

namespace runtime {

MemoryTrace::MemoryTrace(MemoryWatch& watch, int64_t operands)
    : watch_(watch), operands_(operands), last_(watch.held().now), lines_{{"(operands)", operands, operands, operands}} {}

void MemoryTrace::end(const std::string& name) {
  const HeldMemory held = watch_.held();
  const auto [found, isNew] = lineOf_.emplace(name, lines_.size());
  if (isNew) lines_.push_back({name});
  MemoryLine& line = lines_[found->second];
  line.added += held.now - last_;
  line.current = operands_ + held.now;
  line.peak = std::max(line.peak, operands_ + held.most);
  last_ = held.now;
}

}  // namespace runtime
