// Transpositions as tasks: squares of a vector's lanes, whose rows and columns are exchanged for what crosses the first store.
#include "ir/index/ceil_div.h"
#include "lowering/schedule/apply.h"
#include "lowering/schedule/nest_kernel.h"
#include "lowering/schedule/placement.h"

namespace lowering {
namespace {

using ir::Expr;
using ir::LoopKind;

/// Dims of the layout: the axis of the first store, the axis of the loads that cross it, and around both all others.
enum SquareDims : std::size_t { around, along, across };

Layout layoutOf(const IterationDomain& domain, const TaskSchedule& schedule) {
  const std::size_t kept = domain.elementDims(), size = domain.dims().size();
  const int64_t rows = domain.inner().extent, vectors = ceilDiv(domain.numel(kept - 1, kept), schedule.lanes);
  Layout layout;
  layout.dims = {{0, kept - 1, domain.numel(0, kept - 1)}, {kept - 1, kept, vectors, schedule.lanes}, {kept, size, rows}};
  layout.laneDim = along;
  layout.parts = {{around, Bind::Grid, layout.dims[around].extent},
                  {across, Bind::Grid, ceilDiv(rows, schedule.rows), schedule.rows},
                  {along, Bind::Grid, ceilDiv(vectors, schedule.tile), schedule.tile}};
  return layout;
}

/// A load that crosses the first store, and the array that holds a square of it.
struct Square {
  const Access* load;
  int local;
};

class TransposedKernel {
 public:
  TransposedKernel(const ir::Loops& loops, const Transposition& transposition, const ir::Target& target,
                   const TaskSchedule& schedule)
      : schedule_(schedule),
        kernel_(loops, transposition.nest, transposition.domain, target),
        domain_(transposition.domain),
        lanes_(schedule.lanes),
        at_(kernel_.pool(), domain_, layoutOf(domain_, schedule)) {}

  ir::Kernel build() {
    for (const Access& load : domain_.loads()) {
      if (!crosses(domain_, load)) continue;
      const std::string stem = kernel_.bufferName(load.buffer) + "_square";
      const int64_t elements = int64_t{lanes_} * lanes_;
      squares_.push_back({&load, kernel_.addLocal(stem, load.node->dtype, elements, ir::Space::Private, lanes_)});
    }
    const Value row = kernel_.axis(schedule_.rows / lanes_), vector = kernel_.axis(schedule_.tile);
    along_ = at_.blockStart(along) + vector * lanes_;
    across_ = at_.blockStart(across) + row * lanes_;
    ir::Block body = cleared();
    append(body, loop(LoopKind::Serial, vector, loop(LoopKind::Serial, row, when(isAny(), square()))));
    ir::Launch launch;
    launch.tasks = at_.layout().extent(Bind::Grid);
    launch.grain = schedule_.grain;
    ir::Kernel kernel = kernel_.assemble(launch, taskLoop(at_.grid(), std::move(body)));
    kernel.streamStores = schedule_.streams;
    return kernel;
  }

 private:
  int64_t extent(SquareDims dim) const { return domain_.numel(at_.layout().dims[dim].begin, at_.layout().dims[dim].end); }
  /// Positions of all tasks along a dim, which may be more than there are.
  int64_t covered(SquareDims dim) const {
    const Part& part = *at_.layout().outermost(dim);
    return part.extent * part.block * at_.layout().dims[dim].lanes;
  }
  /// Whether the domain has points of the square at hand.
  Guard isAny() const {
    const int64_t last = lanes_ - 1;
    return within(along_, covered(along) - last, extent(along)) & within(across_, covered(across) - last, extent(across));
  }
  /// `body` for the rows or columns of the square at hand: all of them, or as many as the last one has.
  ir::Block forSide(SquareDims dim, const std::function<ir::Block(int64_t count)>& body) const {
    const int64_t rest = extent(dim) % lanes_, all = lanes_;
    if (rest == 0 || extent(dim) < all) return body(rest == 0 ? all : rest);
    return {{ir::If{((dim == along ? along_ : across_) < extent(dim) - (all - 1)).expr(), body(all), body(rest)}}};
  }
  /// The same for both sides: `use` for each row of so many, with the active lanes of its vectors.
  using UseRow = std::function<ir::Lanes(Value row)>;
  ir::Block forRows(SquareDims ofRows, SquareDims ofLanes, const UseRow& use) const {
    return forSide(ofRows, [&](int64_t rows) {
      return forSide(ofLanes, [&](int64_t active) {
        const Value row = kernel_.axis(rows);
        ir::Lanes lanes = use(row);
        if (active < lanes_) lanes.active = kernel_.number(active).expr();
        return loop(LoopKind::Serial, row, {{std::move(lanes)}});
      });
    });
  }

  /// Squares are exchanged whole, so they hold numbers where a last one has no points.
  ir::Block cleared() const {
    ir::Block block;
    if (extent(along) % lanes_ == 0 && extent(across) % lanes_ == 0) return block;
    const Value row = kernel_.axis(lanes_);
    ir::Lanes lanes{kernel_.pool().axis(lanes_), nullptr, {}};
    for (const auto& [load, local] : squares_)
      lanes.stores.push_back({local, (row * lanes_).expr(), kernel_.pool().integer(load->node->dtype, 0), true, {}});
    return loop(LoopKind::Serial, row, {{std::move(lanes)}});
  }
  ir::Block square() const {
    ir::Block block = forRows(along, across, [&](Value row) { return reads(row); });
    for (const Square& one : squares_) block.push_back({exchanged(one)});
    append(block, forRows(across, along, [&](Value row) { return stores(row); }));
    return block;
  }

  /// The vector along the first store from a point on.
  LanePlace vector(Value alongAt, Value acrossAt) const {
    LanePlace place = at_.at(along, alongAt).at(across, acrossAt).vector({kernel_.pool(), kernel_.pool().axis(lanes_)});
    place.alignment = 1;
    return place;
  }
  /// A vector of each tensor that crosses, along its own axis.
  ir::Lanes reads(Value row) const {
    const LanePlace at = vector(along_ + row, across_);
    ir::Lanes lanes = kernel_.lanes(at);
    for (const auto& [load, local] : squares_) {
      lanes.stores.push_back({local, (row * lanes_).expr(), inMemory(*load, at.base), true, {}});
    }
    return lanes;
  }
  /// A vector of a tensor from a position on, zeros where its mask does not hold.
  const Expr* inMemory(const Access& load, const Position& from) const {
    const Expr* offset = domain_.offset(load, from);
    if (!load.isMasked()) return kernel_.vector(load.buffer, load.node->dtype, offset);
    const Expr *mask = domain_.at(load.node->src[1], from, {}), *zero = kernel_.pool().integer(load.node->dtype, 0);
    return kernel_.pool().load(load.buffer, offset, mask, zero, ir::LoadMode::Contiguous);
  }
  /// The rows and columns of a square, in place.
  ir::Lanes exchanged(const Square& one) const {
    ir::ExprPool& pool = kernel_.pool();
    const Expr* all = pool.axis(int64_t{lanes_} * lanes_);
    const Expr* other = pool.load(one.local, one.load->node->dtype, ir::transposedPlace(pool, all, lanes_));
    return {all, nullptr, {{one.local, kernel_.number(0).expr(), other, true, {}}}};
  }
  /// A vector of results.
  ir::Lanes stores(Value row) const {
    const LanePlace at = vector(along_, across_ + row);
    LoadMap loads;
    for (const auto& [load, local] : squares_) {
      const Expr* copy = kernel_.vector(local, load->node->dtype, (row * lanes_).expr());
      loads[load->node] = domain_.copied(*load, copy, at.each, loads);
    }
    ir::Lanes lanes = kernel_.lanes(at);
    lanes.stores = kernel_.elementStores(at, readLanes(kernel_.pool(), domain_, at, loads));
    return lanes;
  }

  const TaskSchedule schedule_;
  NestKernel kernel_;
  const IterationDomain& domain_;
  const int lanes_;
  const Placement at_;
  std::vector<Square> squares_;
  Value along_ = kernel_.number(0), across_ = kernel_.number(0);  ///< where the square at hand starts
};

}  // namespace

ir::Kernel applyTransposedTasks(const ir::Loops& loops, const Transposition& transposition, const ir::Target& target,
                                const TaskSchedule& schedule) {
  return TransposedKernel(loops, transposition, target, schedule).build();
}

}  // namespace lowering
