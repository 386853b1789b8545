#include "ir/interpret/combine.h"

#include "ir/error.h"

namespace ir {

void Combiner::run(const Combine& combine) {
  const bool isCluster = combine.ctas > 1 && !kernel_.launch.isPersistent && combine.part == Combine::Part::Give;
  require(!isCluster || hasStarted, "partial results are given to blocks that may not have started");
  for (const Combine::Item& item : combine.items)
    for (const Group& group : groupsOf(combine))
      for (int64_t element = 0; element < array(item.local).elements(); ++element) switch (combine.part) {
          case Combine::Part::Whole: whole(item, group.threads, element); break;
          case Combine::Part::Give: give(combine, item, group, element); break;
          case Combine::Part::Take: take(combine, item, group, element); break;
        }
}

LocalArray& Combiner::array(int buffer) {
  LocalArray* found = machine_.local(buffer);
  require(found != nullptr, "a combination of parameter {}", buffer);
  return *found;
}

/// Of a combination over one CTA, that is the one at hand.
std::vector<Combiner::Group> Combiner::groupsOf(const Combine& combine) const {
  std::vector<Group> groups;
  const int span = combine.threads * combine.stride, firstRank = combine.ctas == 1 ? machine_.position.rank : 0;
  for (int thread = 0; thread < kernel_.launch.block; ++thread) {
    if (thread / combine.stride % combine.threads != 0) continue;  // not the first of a group
    Group& group = groups.emplace_back(static_cast<int>(groups.size()));
    for (int rank = firstRank; rank < firstRank + combine.ctas; ++rank)
      for (int member = thread; member < thread + span; member += combine.stride)
        group.threads.push_back({rank, member, machine_.position.iteration});
  }
  return groups;
}

Combiner::Result Combiner::combined(const Combine::Item& item, const Result& a, const Result& b) const {
  const DType dtype = kernel_.buffer(item.local).type.dtype;
  return a && b ? Result(convert(dtype, dtype, ir::combine(item.op, dtype, *a, *b))) : std::nullopt;
}

/// What no thread wrote, or only some did, is undefined in all of them.
Combiner::Result Combiner::whole(const Combine::Item& item, Threads threads, int64_t element) {
  LocalArray& values = array(item.local);
  Result result = values.get(threads.front(), element);
  for (const Position& thread : threads.subspan(1)) {
    if (item.before) {
      LocalArray& before = array(*item.before);
      before.set(thread, element, combined(item, before.get(thread, element), result));
    }
    result = combined(item, result, values.get(thread, element));
  }
  for (const Position& thread : threads) values.set(thread, element, result);
  return result;
}

/// The first thread of each unit gives what the unit holds to all CTAs. In a persistent cluster the threads of a CTA hold the
/// same.
void Combiner::give(const Combine& combine, const Combine::Item& item, const Group& group, int64_t element) {
  const Partials layout = partialsOf(kernel_.launch, combine);
  LocalArray& partials = array(*item.partials);
  const auto threads = static_cast<size_t>(combine.threads * combine.ctas / layout.count);
  for (int i = 0; i < layout.count; ++i) {
    const Threads unit = Threads(group.threads).subspan(static_cast<size_t>(i) * threads, threads);
    const Result result =
        isOfPersistentCluster(combine) ? array(item.local).get(unit.front(), element) : whole(item, unit, element);
    const int64_t place = placeOf(combine, item, group, element, i);
    if (combine.ctas == 1 || isOfPersistentCluster(combine)) {
      partials.give(unit.front(), place, result, unit.front().rank);
    } else {
      for (int rank = 0; rank < combine.ctas; ++rank) partials.give(unit.front(), place, result, rank);
    }
  }
}

/// Every thread takes all partial results, and adds to `before` the ones of the units before its own.
void Combiner::take(const Combine& combine, const Combine::Item& item, const Group& group, int64_t element) {
  const Partials layout = partialsOf(kernel_.launch, combine);
  LocalArray& partials = array(*item.partials);
  const size_t threads = group.threads.size() / static_cast<size_t>(layout.count);
  for (size_t i = 0; i < group.threads.size(); ++i) {
    const Position& thread = group.threads[i];
    Result result = partials.take(thread, placeOf(combine, item, group, element, 0));
    for (int other = 0; other < layout.count; ++other) {
      if (item.before && static_cast<size_t>(other) == i / threads && other > 0) {
        LocalArray& before = array(*item.before);
        before.set(thread, element, combined(item, before.get(thread, element), result));
      }
      if (other > 0) result = combined(item, result, partials.take(thread, placeOf(combine, item, group, element, other)));
    }
    array(item.local).set(thread, element, result);
  }
}

int64_t Combiner::placeOf(const Combine& combine, const Combine::Item& item, const Group& group, int64_t element,
                          int64_t partial) const {
  const Partials layout = partialsOf(kernel_.launch, combine);
  if (!isOfPersistentCluster(combine)) return (element * layout.count + partial) * layout.groups + group.number;
  const int64_t elements = kernel_.buffer(item.local).type.storageElements();
  const int64_t row = (machine_.position.iteration * elements + element) * layout.groups + group.number;
  return row * layout.count + partial;
}

}  // namespace ir
