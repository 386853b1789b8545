#include "lowering/layout/edit.h"

#include <tuple>
#include <utility>

#include "ir/index/ceil_div.h"

namespace lowering {
namespace {

auto at(LayoutSchedule& schedule, std::size_t part) { return schedule.layout.parts.begin() + static_cast<std::ptrdiff_t>(part); }

/// A factor of two moved from one part of a dim to another one; blocks stay as long as what is inside them.
LayoutSchedule moved(LayoutSchedule schedule, std::size_t from, std::size_t to) {
  std::vector<Part>& parts = schedule.layout.parts;
  parts[from].extent = ceilDiv(parts[from].extent, 2);
  parts[to].extent *= 2;
  for (Part& part : parts) {
    if (part.dim != parts[to].dim || part.block == 0) continue;
    if (&part == &parts[from]) part.block *= 2;
    if (&part == &parts[to]) part.block = ceilDiv(part.block, 2);
  }
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (parts[i].threads == 0) continue;
    if (from > i && parts[from].bind == Bind::Thread) parts[i].threads = static_cast<int>(ceilDiv(parts[i].threads, 2));
    if (to > i && parts[to].bind == Bind::Thread) parts[i].threads *= 2;
  }
  return schedule;
}

}  // namespace

LayoutSchedule unscheduled(const IterationDomain& domain, const std::vector<std::size_t>& ends, std::size_t laneDim, int lanes) {
  LayoutSchedule schedule;
  Layout& layout = schedule.layout;
  layout.laneDim = laneDim;
  std::size_t begin = 0;
  for (const std::size_t end : ends) {
    const int own = layout.dims.size() == laneDim ? lanes : 1;
    layout.dims.push_back({begin, end, ceilDiv(domain.numel(begin, end), own), own});
    layout.parts.push_back({layout.dims.size() - 1, Bind::Serial, layout.dims.back().extent});
    begin = end;
  }
  return schedule;
}

LayoutSchedule split(LayoutSchedule schedule, std::size_t part, int64_t factor) {
  Part inner = schedule.layout.parts.at(part);
  inner.extent = factor;
  inner.block = 0;
  Part& outer = schedule.layout.parts[part];
  outer.extent = ceilDiv(outer.extent, factor);
  outer.threads = 0;
  schedule.layout.parts.insert(at(schedule, part + 1), inner);
  return schedule;
}

LayoutSchedule bind(LayoutSchedule schedule, std::size_t part, Bind bind) {
  schedule.layout.parts.at(part).bind = bind;
  return schedule;
}

LayoutSchedule unroll(LayoutSchedule schedule, std::size_t part) { return bind(std::move(schedule), part, Bind::Unrolled); }

LayoutSchedule reorder(LayoutSchedule schedule, std::size_t from, std::size_t to) {
  const Part part = schedule.layout.parts.at(from);
  schedule.layout.parts.erase(at(schedule, from));
  schedule.layout.parts.insert(at(schedule, to), part);
  return schedule;
}

LayoutSchedule transposed(LayoutSchedule schedule) {
  Layout& layout = schedule.layout;
  std::swap(layout.dims.at(0), layout.dims.at(1));
  layout.laneDim = 1 - layout.laneDim;
  for (Part& part : layout.parts) part.dim = 1 - part.dim;
  return schedule;
}

LayoutSchedule inDims(LayoutSchedule schedule, const IterationDomain& domain) {
  if ((schedule.layout.laneDim == 1) != domain.runsAlongElements()) schedule = transposed(std::move(schedule));
  std::vector<Layout::Dim>& dims = schedule.layout.dims;
  std::tie(dims.at(0).begin, dims[0].end) = std::pair(std::size_t{0}, domain.elementDims());
  std::tie(dims.at(1).begin, dims[1].end) = std::pair(domain.elementDims(), domain.dims().size());
  return schedule;
}

LayoutSchedule hold(LayoutSchedule schedule, Hold where) {
  schedule.hold = where;
  if (where == Hold::Registers) return schedule;
  schedule.readsAhead = schedule.keepsFunctions = false;
  return schedule;
}

std::vector<LayoutSchedule> neighbours(const LayoutSchedule& schedule) {
  std::vector<LayoutSchedule> all;
  const std::vector<Part>& parts = schedule.layout.parts;
  for (std::size_t from = 0; from < parts.size(); ++from)
    for (std::size_t to = 0; to < parts.size(); ++to)
      if (from != to && parts[from].dim == parts[to].dim && parts[from].extent > 1) all.push_back(moved(schedule, from, to));
  for (const Hold where : {Hold::Nowhere, Hold::Registers, Hold::Shared})
    if (where != schedule.hold) all.push_back(hold(schedule, where));
  for (LayoutSchedule& one : all) one.layout = simplified(std::move(one.layout));
  return all;
}

}  // namespace lowering
