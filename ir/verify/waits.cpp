#include "ir/verify/waits.h"

namespace ir {

void WaitVerifier::statement(const Combine& combine, const Around& around) const {
  const auto& [threads, stride, ctas, items, part] = combine;
  const Launch& launch = kernel_.launch;
  verifier_.demand(kernel_.backend == Backend::Cuda, "a combination of threads on a cpu");
  verifier_.demand(!around.thread, "a combination inside a thread loop");
  const bool isDivided = threads >= 1 && stride >= 1 && launch.block % (int64_t{threads} * stride) == 0;
  verifier_.demand(isDivided, "a combination of {} threads, {} apart, of {}", threads, stride, launch.block);
  verifier_.demand(ctas == 1 || ctas == launch.cluster, "a combination of {} blocks of {}", ctas, launch.cluster);
  const bool isInPlace = ctas > 1 ? around.grid && !around.cluster : isInCta(around);
  verifier_.demand(isInPlace, "a combination of {} blocks {} the cluster loops", ctas, ctas > 1 ? "inside" : "outside");
  const bool isPersistent = launch.isPersistent && ctas > 1;
  verifier_.demand(!isPersistent || stride == 1, "a combination of threads {} apart of the {} blocks of a persistent cluster",
                   stride, ctas);
  verifier_.demand(!items.empty(), "a combination of nothing");
  if (part != Combine::Part::Whole)
    demandExplicit("partial results");
  else
    verifier_.demand(!kernel_.explicitBarriers || !exchanges(combine), "explicit barriers, and a combination that has its own");
  for (const Combine::Item& item : items) {
    combined(item, items);
    verifier_.demand(!isPersistent || !item.before, "a combination before the {} blocks of a persistent cluster", ctas);
    if (part != Combine::Part::Whole) partials(combine, item);
  }
}

void WaitVerifier::combined(const Combine::Item& item, const std::vector<Combine::Item>& items) const {
  const Local& one = privateArray(item.local);
  const Buffer& array = one.buffer;
  verifier_.demand(combines(item.op, array.type.dtype), "a combination of {}, which is {}, by {}", array.name,
                   name(array.type.dtype), name(item.op));
  demandOnce(item.local, items);
  if (!item.before) return;
  const Local& before = privateArray(*item.before);
  verifier_.demand(before.buffer.type == array.type && before.lanes == one.lanes, "a combination of {} before {}, which is {}",
                   array.name, before.buffer.name, toText(before.buffer.type));
  demandOnce(*item.before, items);
}

/// The array that partial results are given to or taken from has room for them.
void WaitVerifier::partials(const Combine& combine, const Combine::Item& item) const {
  const Launch& launch = kernel_.launch;
  const Buffer& array = kernel_.buffer(item.local);
  verifier_.demand(item.partials.has_value(), "partial results of {} without an array", array.name);
  const Local& to = local(*item.partials);
  const bool isGlobal = launch.isPersistent && combine.ctas > 1;
  verifier_.demand(to.space == (isGlobal ? Space::Global : Space::Shared), "partial results in {}, which is no {} array",
                   to.buffer.name, isGlobal ? "global" : "shared");
  verifier_.demand(to.buffer.type.dtype == array.type.dtype, "partial results of {} in {}, which is {}", array.name,
                   to.buffer.name, name(to.buffer.type.dtype));
  const int64_t elements = partialsOf(launch, combine).elements(array) * (isGlobal ? launch.grid : 1);
  verifier_.demand(to.buffer.type.storageElements() >= elements, "{} partial results in {}, which has {} elements", elements,
                   to.buffer.name, to.buffer.type.storageElements());
}

const Local& WaitVerifier::local(int buffer) const {
  const int buffers = static_cast<int>(kernel_.params.size() + kernel_.locals.size());
  verifier_.demand(buffer >= 0 && buffer < buffers, "a combination of buffer {} of {}", buffer, buffers);
  const Local* found = kernel_.local(buffer);
  verifier_.demand(found != nullptr, "a combination of {}, which is no private array", kernel_.buffer(buffer).name);
  return *found;
}

const Local& WaitVerifier::privateArray(int buffer) const {
  const Local& found = local(buffer);
  verifier_.demand(found.space == Space::Private, "a combination of {}, which is no private array", found.buffer.name);
  return found;
}

void WaitVerifier::demandOnce(int buffer, const std::vector<Combine::Item>& items) const {
  int count = 0;
  for (const Combine::Item& item : items) count += (item.local == buffer ? 1 : 0) + (item.before == buffer ? 1 : 0);
  verifier_.demand(count == 1, "{} is combined twice at once", kernel_.buffer(buffer).name);
}

void WaitVerifier::demandExplicit(std::string_view what) const {
  verifier_.demand(kernel_.explicitBarriers, "{}, and barriers that are implied", what);
}

void WaitVerifier::statement(const Barrier& barrier, const Around& around) const {
  demandExplicit("a barrier");
  verifier_.demand(!around.thread, "a barrier inside a thread loop");
  verifier_.demand(around.isUniform, "a barrier under a condition that reads memory");
  const Launch& launch = kernel_.launch;
  const bool isInCluster = around.grid && !around.cluster && launch.cluster > 1;
  switch (barrier.scope) {
    case Barrier::Scope::Cta: return;
    case Barrier::Scope::Cluster:
      return verifier_.demand(isInCluster, "a barrier of a cluster where there is none, or inside the loop over its blocks");
    case Barrier::Scope::Start:
      return verifier_.demand(isInCluster && !launch.isPersistent, "a wait for the start of blocks of no cluster");
    case Barrier::Scope::Grid:
      return verifier_.demand(around.isAfterGrid && around.isBeforeGrid, "a barrier of the grid, not between two grid loops");
    case Barrier::Scope::LastCta:
      return verifier_.demand(around.isAfterGrid && !around.isBeforeGrid, "a last block, not after the last grid loop");
  }
}

void WaitVerifier::statement(const CommitCopies&, const Around& around) const {
  demandExplicit("a group of copies");
  verifier_.demand(around.thread, "a group of copies outside the thread loops");
}

void WaitVerifier::statement(const AwaitCopies& await, const VerifyScope& scope) const {
  demandExplicit("a wait for copies");
  if (await.later == nullptr) return;
  verifier_.expression(await.later, scope, "the later copies");
  verifier_.demand(await.later->dtype == DType::I64, "the later copies are {}, not i64", name(await.later->dtype));
}

void WaitVerifier::asynchronous(const Lanes& lanes) const {
  if (!lanes.isAsync) return;
  demandExplicit("asynchronous lanes");
  verifier_.demand(copiedBytes(kernel_, lanes) > 0, "asynchronous lanes that do more than copy a vector to a shared array");
}

void WaitVerifier::gridLoops() const {
  if (!kernel_.explicitBarriers) return;
  for (size_t i = 0; i + 1 < kernel_.body.size(); ++i)
    verifier_.demand(!isGridLoop(kernel_.body[i]) || std::holds_alternative<Barrier>(kernel_.body[i + 1].node),
                     "explicit barriers, and none after the grid loop");
}

}  // namespace ir
