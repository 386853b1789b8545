#include "lowering/schedule/nest_kernel.h"

#include <algorithm>

namespace lowering {

using ir::DType;
using ir::Expr;

NestKernel::NestKernel(const ir::Loops& loops, const ReductionNest& nest, const IterationDomain& domain, const ir::Target& target)
    : loops_(loops), nest_(nest), domain_(domain) {
  kernel_.name = loops.name;
  kernel_.backend = target.backend;
  kernel_.pool = loops.pool;
  kernel_.params = parameters(loops, target);
  kernel_.math = allowsRelaxedMath(loops) ? ir::Math::Relaxed : ir::Math::Rounded;
}

int NestKernel::addLocal(const std::string& stem, DType dtype, int64_t elements, ir::Space space, int lanes) {
  const ir::TensorType type = ir::TensorType::contiguous(dtype, {elements});
  kernel_.locals.push_back({ir::Buffer{freeName(kernel_, stem), type, -1, true, true}, space, lanes});
  return static_cast<int>(kernel_.params.size() + kernel_.locals.size() - 1);
}

void NestKernel::addAccumulators(int64_t elements, int lanes) {
  for (const Reduction& reduction : nest_.reductions) {
    const auto stem = [&] {
      switch (reduction.op) {
        case ir::Op::Mul: return "product";
        case ir::Op::Max: return "highest";
        case ir::Op::Min: return "lowest";
        case ir::Op::And: return "all";
        case ir::Op::Or: return "any";
        case ir::Op::LogAddExp: return "logsum";
        default: return "sum";
      }
    };
    addLocal(stem(), reduction.body->dtype, elements, ir::Space::Private, lanes);
  }
}

std::vector<std::size_t> NestKernel::reductionsOf(int traversal) const {
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < nest_.reductions.size(); ++i)
    if (nest_.reductions[i].traversal == traversal) found.push_back(i);
  return found;
}

ir::Statement NestKernel::reset(const std::vector<std::size_t>& reductions, int lanes) const {
  ir::Lanes all;
  all.axis = pool().axis(lanes);
  for (std::size_t i : reductions) {
    const Reduction& reduction = nest_.reductions[i];
    all.stores.push_back({accumulator(i), number(0).expr(), pool().identity(reduction.op, reduction.body->dtype), true, {}});
  }
  return {all};
}

ir::Lanes NestKernel::lanes(const LanePlace& place) const {
  ir::Lanes lanes;
  lanes.axis = place.lane;
  return lanes;
}

std::vector<ir::Store> NestKernel::reductionStores(int traversal, const LanePlace& place, const LoadMap& loads,
                                                   bool apart) const {
  std::vector<ir::Store> stores;
  for (std::size_t i : reductionsOf(traversal)) {
    const Reduction& reduction = nest_.reductions[i];
    const ir::Expr* value = domain_.at(reduction.body, place.each, loads);
    stores.push_back({accumulator(i), number(0).expr(), value, apart, reduction.op});
  }
  return stores;
}

std::vector<ir::Store> NestKernel::elementStores(const LanePlace& place, const LoadMap& loads) const {
  return stores(nest_.elementStores, nest_.rowStores.size(), place, loads);
}

std::vector<ir::Store> NestKernel::rowStores(const LanePlace& place, const LoadMap& loads) const {
  return stores(nest_.rowStores, 0, place, loads);
}

std::vector<ir::Store> NestKernel::stores(const std::vector<ir::StoreTo>& which, std::size_t firstAccess, const LanePlace& place,
                                          const LoadMap& loads) const {
  std::vector<ir::Store> all;
  for (std::size_t i = 0; i < which.size(); ++i) {
    const Expr* value = domain_.at(which[i].value, place.each, loads);
    all.push_back(storeLanes(pool(), domain_, domain_.stores()[firstAccess + i], place, value, loads));
  }
  return all;
}

ir::Kernel NestKernel::assemble(ir::Launch launch, ir::Block body) {
  kernel_.launch = launch;
  kernel_.body = std::move(body);
  return kernel_;
}

}  // namespace lowering
