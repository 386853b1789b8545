#include <unordered_set>

#include "ir/verify/access.h"
#include "ir/verify/verify.h"

namespace ir {
namespace {

bool isAxis(const Expr* expr) { return expr != nullptr && expr->op == Op::Axis; }

}  // namespace

void verify(const Loops& loops) {
  std::vector<const Buffer*> buffers;
  for (const Buffer& buffer : loops.buffers) buffers.push_back(&buffer);
  AccessVerifier verifier("loops " + loops.name, buffers);
  verifier.demand(isWord(loops.name), "the name is no word");
  verifier.demand(loops.pool != nullptr, "there is no pool of expressions");
  verifier.buffers();
  std::unordered_set<const Expr*> bound;
  for (const Expr* axis : loops.axes) {
    verifier.demand(isAxis(axis), "one of the axes is none");
    verifier.demand(bound.insert(axis).second, "axis i{} is bound twice", axis->axis().id);
  }
  std::vector<Store> stores;
  for (const StoreTo& store : loops.stores) stores.push_back({store.buffer, store.offset, store.value, false, store.accumulate});
  VerifyScope scope;
  scope.axes = loops.axes;
  verifier.stores(stores, scope);
  verifier.everyOutputStored();
}

}  // namespace ir
