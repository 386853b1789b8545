// Reductions of any layout: traversals of a nest's elements by threads, an exchange after each, and the stores.
#include <algorithm>
#include <optional>

#include "ir/index/ceil_div.h"
#include "lowering/schedule/apply.h"
#include "lowering/schedule/cuda/aligned_cover.h"
#include "lowering/schedule/cuda/column_exchange.h"
#include "lowering/schedule/cuda/registers.h"
#include "lowering/schedule/cuda/staged_tiles.h"
#include "lowering/schedule/nest_kernel.h"

namespace lowering {
namespace {

using ir::Expr;

class ReductionKernel {
 public:
  ReductionKernel(const ir::Loops& loops, const ReductionNest& nest, const IterationDomain& domain, const ir::Target& target,
                  const LayoutSchedule& schedule)
      : schedule_(schedule),
        kernel_(loops, nest, domain, target),
        nest_(nest),
        domain_(domain),
        at_(kernel_.pool(), domain, schedule.layout),
        layout_(at_.layout()) {
    if (schedule.hasCover) cover_.emplace(kernel_, at_);
    if (schedule.staging != Staging::None) tiles_.emplace(kernel_, at_, schedule.staging, target);
    if (exchangesColumns()) columns_.emplace(kernel_, at_);
    if (!tiles_) values_.add();
  }

  ir::Kernel build() {
    kernel_.addAccumulators(lanesApart(), lanesApart());
    addHeld();
    if (columns_) columns_->addLocals();
    ir::Block grid;
    if (tiles_) append(grid, at_.onThreads(copyIn()));
    for (int traversal = 0; traversal < nest_.traversals(); ++traversal) {
      append(grid, at_.onThreads(reducingPhase(traversal)));
      append(grid, exchange(traversal));
    }
    append(grid, at_.onThreads(isSplit() ? storePartialResults() : storingPhase()));
    if (tiles_) append(grid, at_.onThreads(tiles_->copyOut()));
    ir::Launch launch = at_.launch();
    launch.isPersistent = schedule_.isPersistent;
    launch.resident = schedule_.resident;
    ir::Block body = gridLoop(at_.grid(), std::move(grid));
    if (isSplit()) append(body, combinePartialResults());
    return kernel_.assemble(launch, std::move(body));
  }

 private:
  /// Whether lanes are different rows, with results of their own.
  bool areLanesKept() const { return at_.isKept(layout_.laneDim); }
  int lanesApart() const { return areLanesKept() ? layout_.lanes() : 1; }
  /// Values of the reduced dims' parts with a binding.
  int64_t reduced(Bind bind) const {
    int64_t values = 1;
    for (std::size_t d = 0; d < layout_.dims.size(); ++d) values *= at_.isKept(d) ? 1 : layout_.extent(d, bind);
    return values;
  }
  bool isSplit() const { return !nest_.reductions.empty() && reduced(Bind::Grid) > 1; }
  bool isResident() const { return schedule_.hold == Hold::Registers; }
  /// Whether neighbouring threads have different rows, of which others have elements as well.
  bool exchangesColumns() const {
    return !nest_.reductions.empty() && areThreadsKept() &&
           reduced(Bind::Thread) * reduced(Bind::Cluster) * reduced(Bind::Grid) > 1;
  }
  /// Whether neighbouring threads have different rows.
  bool areThreadsKept() const {
    const Part* last = layout_.innermost(Bind::Thread);
    return last != nullptr && at_.isKept(last->dim);
  }
  /// Neighbouring threads that share rows.
  int group() const { return areThreadsKept() ? 1 : layout_.group(); }

  // -------------------------------------------------------------------------------------------------------------------
  // Places.

  Guard isRow() const {
    Guard all = at_.hasGroup();
    for (std::size_t d = 0; d < layout_.dims.size(); ++d)
      if (at_.isKept(d)) all = all & at_.isInside(d);
    return all;
  }
  Guard isElement() const {
    Guard all = Guard::always();
    for (std::size_t d = 0; d < layout_.dims.size(); ++d) {
      if (at_.isKept(d)) continue;
      const bool isCovered = cover_ && d == layout_.laneDim;
      all =
          all & (isCovered ? cover_->begins(at_.index(d) * layout_.lanes(), layout_.covered(d), place().base) : at_.isInside(d));
    }
    return all;
  }
  /// The vector that a thread takes in one step.
  LanePlace place() const { return cover_ ? cover_->clamped(at_.vector()) : at_.vector(); }

  /// `body` for every vector of one chunk.
  ir::Block chunk(ir::Block body) const { return at_.loops(Bind::Unrolled, when(isElement(), std::move(body))); }
  ir::Block chunk(ir::Lanes lanes) const { return lanes.stores.empty() ? ir::Block() : chunk(ir::Block{{std::move(lanes)}}); }
  /// The same with a vector that is `whole` or `masked`, which one condition says of a thread's vectors at one place of their
  /// runs.
  ir::Block chunk(const LanePlace& at, ir::Block whole, ir::Block masked) const {
    const Expr* isWhole = cover_->isWhole(at).expr();
    const auto either = [&](ir::Block then, ir::Block otherwise) {
      return ir::Block{{ir::If{isWhole, std::move(then), std::move(otherwise)}}};
    };
    if (at_.dependsOn(isWhole, Bind::Unrolled)) return chunk(either(std::move(whole), std::move(masked)));
    return either(chunk(std::move(whole)), chunk(std::move(masked)));
  }
  /// All chunks, for the threads that work.
  ir::Block traverse(ir::Block body) const { return when(isRow() & at_.isBusy(), at_.loops(Bind::Serial, std::move(body))); }

  // -------------------------------------------------------------------------------------------------------------------
  // What threads hold.

  /// Vectors that a thread holds at once, and where the one at hand begins among them.
  int64_t slots() const { return layout_.extent(Bind::Unrolled); }
  const Expr* slot() const { return (at_.digits(Bind::Unrolled) * layout_.lanes()).expr(); }
  /// The same among the vectors that a CTA holds.
  int64_t sharedElements() const {
    int64_t vectors = reduced(Bind::Thread);
    for (std::size_t d = 0; d < layout_.dims.size(); ++d) vectors *= at_.isKept(d) ? 1 : layout_.steps(d);
    return vectors * layout_.lanes();
  }
  const Expr* sharedSlot() const {
    Value step = kernel_.number(0);
    for (std::size_t d = 0; d < layout_.dims.size(); ++d)
      if (!at_.isKept(d)) step = step * layout_.steps(d) + at_.step(d);
    return ((step * reduced(Bind::Thread) + at_.inGroup()) * layout_.lanes()).expr();
  }

  /// Memory for vectors of loads that move along a row, and for what a row has once.
  void addHeld() {
    if (!areLanesKept()) hoisted_.addLoads();
    if (schedule_.keepsFunctions) functions_.add(values_.all(), slots(), layout_.lanes());
    for (const Access& access : domain_.loads()) {
      if (!domain_.moves(access, domain_.elementDims(), domain_.dims().size())) continue;
      const bool isTile = tiles_ && tiles_->stages(access);
      if (isTile) tiles_->addLoad(access);
      const bool isUsedAtOnce = access.form && domain_.isUniform(access, layout_.dims[layout_.laneDim].end - 1);
      if (isUsedAtOnce && !isTile) continue;
      const Expr* value = values_.of(access.node);
      if (shared_.contains(value) || held_.contains(value)) continue;
      const std::string name = value == access.node ? kernel_.bufferName(access.buffer) : "row_value";
      if (schedule_.hold == Hold::Shared && (value != access.node || isRowAccess(domain_, access)) && traversalsOf(value) > 1)
        shared_[value] = kernel_.addLocal(name + "_row", value->dtype, sharedElements(), ir::Space::Shared);
      else
        held_[value] =
            kernel_.addLocal(name + "_held", value->dtype, slots() * layout_.lanes(), ir::Space::Private, layout_.lanes());
    }
    if (tiles_) tiles_->addStores();
  }
  /// The first traversal that stores elements: to tiles when all is read, as results may go over it.
  int storingTraversal() const { return tiles_ && tiles_->hasStores() ? nest_.traversals() : nest_.storingTraversal(); }
  /// Loads, or what is held for them, that a traversal needs, which also stores elements where it is the first that can.
  std::set<const Expr*> loadsOf(int traversal) const {
    std::set<const Expr*> loads;
    if (traversal < nest_.traversals()) loads = lowering::loadsOf(nest_, traversal);
    if (traversal == storingTraversal()) loads.merge(lowering::loadsOf(nest_, nest_.traversals()));
    return values_.of(loads);
  }
  int traversalsOf(const Expr* load) const {
    int count = 0;
    for (int traversal = 0; traversal <= nest_.traversals(); ++traversal) count += loadsOf(traversal).contains(load) ? 1 : 0;
    return count;
  }
  int firstNeeded(const Expr* load) const {
    int traversal = 0;
    while (traversal < nest_.traversals() && !loadsOf(traversal).contains(load)) ++traversal;
    return traversal;
  }
  /// Loads that a traversal reads from memory: all that it needs, or, where registers hold them, all that are not there yet.
  std::set<const Expr*> readIn(int traversal) const {
    if (!isResident()) return loadsOf(traversal);
    std::set<const Expr*> loads;
    for (const auto& [load, local] : held_)
      if ((schedule_.readsAhead ? 0 : firstNeeded(load)) == traversal) loads.insert(load);
    return loads;
  }

  /// What loads of the domain read at a place; those not known are read from memory.
  LoadMap reads(const LanePlace& at, LoadMap bindings = {}) const {
    for (const Access& access : domain_.loads()) {
      if (!cover_ || bindings.contains(access.node) || !isRowAccess(domain_, access)) continue;
      bindings[access.node] =
          kernel_.pool().load(access.buffer, access.node->dtype, cover_->offset(access, at), ir::LoadMode::Contiguous);
    }
    if (tiles_) tiles_->addTo(bindings, at);
    return readLanes(kernel_.pool(), domain_, at, std::move(bindings));
  }
  /// What expressions are read as at a place: what is held before a traversal, and results.
  LoadMap bindings(const LanePlace& at, int traversal = 0) const {
    LoadMap map;
    functions_.addTo(map, traversal, slot());
    for (const auto& [load, local] : held_) map[load] = kernel_.vector(local, load->dtype, slot());
    for (const auto& [load, local] : shared_) map[load] = kernel_.vector(local, load->dtype, sharedSlot());
    hoisted_.addTo(map);
    return withResults(reads(at, std::move(map)));
  }
  LoadMap withResults(LoadMap map) const {
    for (std::size_t i = 0; areLanesKept() && i < nest_.reductions.size(); ++i) {
      const Expr* result = nest_.reductions[i].result;
      map[result] = kernel_.vector(kernel_.accumulator(i), result->dtype, kernel_.number(0).expr());
    }
    return map;
  }

  // -------------------------------------------------------------------------------------------------------------------
  // Phases.

  /// Copies to shared memory what is held there, all of it at once.
  ir::Block copies() const {
    const LanePlace at = place();
    const LoadMap memory = reads(at);
    ir::Block vectors;
    for (const Expr* value : values_.inOrder(shared_)) {
      ir::Lanes copy = kernel_.lanes(at);
      copy.stores.push_back({shared_.at(value), sharedSlot(), domain_.at(value, at.each, memory), true, {}});
      vectors.push_back({std::move(copy)});
    }
    return vectors.empty() ? vectors : traverse(chunk(std::move(vectors)));
  }
  /// Copies tiles to shared memory, and meanwhile reads into registers what else a single chunk needs.
  ir::Block copyIn() const {
    ir::Block block = tiles_->copyIn();
    if (readsBesideTiles()) append(block, traverse(readVectors(besideTiles(true))));
    return block;
  }
  bool readsBesideTiles() const { return nest_.reductions.empty() && layout_.extent(Bind::Serial) == 1; }
  /// The loads that are held and come from memory, or from tiles.
  std::set<const Expr*> besideTiles(bool fromMemory) const {
    std::set<const Expr*> loads;
    for (const Access& access : domain_.loads())
      if (held_.contains(access.node) && tiles_->stages(access) != fromMemory) loads.insert(access.node);
    return loads;
  }

  /// Reads the vectors that a traversal needs into registers.
  ir::Block readVectors(int traversal) const {
    return readVectors(tiles_ && readsBesideTiles() ? besideTiles(false) : readIn(traversal));
  }
  ir::Block readVectors(const std::set<const Expr*>& loads) const {
    const LanePlace at = place();
    const LoadMap memory = reads(at);
    ir::Lanes lanes = kernel_.lanes(at);
    for (const Expr* value : values_.inOrder(held_))
      if (loads.contains(value)) lanes.stores.push_back({held_.at(value), slot(), domain_.at(value, at.each, memory), true, {}});
    return chunk(std::move(lanes));
  }
  ir::Block rowValues(int traversal) {
    if (areLanesKept()) return {};
    return when(isRow(), hoisted_.compute(traversal, at_.row(), bindings(at_.row())));
  }

  ir::Block reducingPhase(int traversal) {
    ir::Block block;
    block.push_back(kernel_.reset(kernel_.reductionsOf(traversal), lanesApart()));
    if (traversal == 0) append(block, when(isRow(), hoisted_.read(at_.row())));
    if (traversal == 0) append(block, copies());
    append(block, rowValues(traversal));
    ir::Block body = readVectors(traversal);
    append(body, reductions(traversal));
    if (traversal == storingTraversal()) append(body, elementStores());
    append(block, traverse(std::move(body)));
    return block;
  }
  /// For every vector of one chunk.
  ir::Block reductions(int traversal) const {
    const LanePlace at = place();
    const LoadMap loads = bindings(at, traversal);
    const std::vector<ir::Store> kept = functions_.stores(traversal, at, slot(), loads);
    ir::Lanes lanes = kernel_.lanes(at);
    lanes.stores = kernel_.reductionStores(traversal, at, loads, /*apart=*/areLanesKept());
    ir::Lanes inside = cover_ ? cover_->inside(lanes, at) : lanes;
    for (ir::Lanes* all : {&lanes, &inside}) all->stores.insert(all->stores.begin(), kept.begin(), kept.end());
    if (!cover_) return chunk(std::move(lanes));
    return cover_->edgesAreRare() ? chunk(at, {{lanes}}, {{inside}}) : chunk(std::move(inside));
  }
  /// The same.
  ir::Block elementStores() {
    if (nest_.elementStores.empty()) return {};
    const LanePlace at = place();
    ir::Lanes lanes = kernel_.lanes(at);
    lanes.stores = kernel_.elementStores(at, bindings(at, nest_.traversals()));
    if (tiles_) tiles_->redirect(lanes, at);
    if (!cover_) return chunk(std::move(lanes));
    cover_->align(lanes, at);
    const ir::Lanes whole = lanes, values = cover_->computedFirst(lanes, at, kernel_);
    const ir::Lanes masked = cover_->insideOnly(lanes, at);
    if (cover_->edgesAreRare()) return chunk(at, {{whole}}, {{values}, {masked}});
    return chunk(ir::Block{{values}, {ir::If{cover_->isWhole(at).expr(), {{lanes}}, {{masked}}}}});
  }

  ir::Combine combine(int traversal) const {
    ir::Combine combine;
    combine.threads = group();
    combine.ctas = static_cast<int>(reduced(Bind::Cluster));
    for (std::size_t i : kernel_.reductionsOf(traversal))
      combine.items.push_back({kernel_.accumulator(i), nest_.reductions[i].op});
    return combine;
  }
  ir::Block exchange(int traversal) const {
    if (columns_) return columns_->exchange(traversal);
    if (group() == 1 && reduced(Bind::Cluster) == 1) return {};
    return {{combine(traversal)}};
  }

  ir::Block storingPhase() {
    ir::Block block;
    if (storingTraversal() == nest_.traversals() && !nest_.elementStores.empty()) {
      append(block, rowValues(nest_.traversals()));
      ir::Block body = readVectors(nest_.traversals());
      append(body, elementStores());
      append(block, traverse(std::move(body)));
    }
    if (columns_) append(block, columns_->rowStores());
    if (columns_ || nest_.rowStores.empty()) return block;
    const LanePlace at = at_.row();
    ir::Lanes lanes = kernel_.lanes(at);
    lanes.stores = kernel_.rowStores(at, areLanesKept() ? withResults(reads(at)) : bindings(at));
    Guard isFirst = group() == 1 ? Guard::always() : at_.inGroup() == 0;
    if (reduced(Bind::Cluster) > 1) isFirst = Guard(at_.rank() == 0) & isFirst;
    append(block, when(isRow() & isFirst, {{std::move(lanes)}}));
    return block;
  }

  // -------------------------------------------------------------------------------------------------------------------
  // Rows that CTAs of the grid share.

  /// Leaves in global memory what a CTA's split of the row comes to.
  ir::Block storePartialResults() {
    if (columns_) return columns_->storePartialResults();
    ir::Lanes lanes;
    lanes.axis = kernel_.pool().axis(1);
    for (const Reduction& reduction : nest_.reductions) {
      partials_.push_back(kernel_.addLocal("partial_result", reduction.result->dtype, reduced(Bind::Grid), ir::Space::Global));
      lanes.stores.push_back({partials_.back(), at_.grid().expr(), reduction.result, true, {}});
    }
    return when(at_.inGroup() == 0, {{std::move(lanes)}});
  }
  /// The last CTA's epilogue.
  ir::Block combinePartialResults() {
    if (columns_) return columns_->combinePartialResults();
    const int64_t splits = reduced(Bind::Grid), block = layout_.extent(Bind::Thread), count = ceilDiv(splits, block);
    const Value step = kernel_.axis(count);
    const Value split = step * block + at_.thread();
    ir::Lanes lanes;
    lanes.axis = kernel_.pool().axis(1);
    for (std::size_t i = 0; i < nest_.reductions.size(); ++i) {
      const Reduction& reduction = nest_.reductions[i];
      const Expr* left = kernel_.pool().load(partials_[i], reduction.result->dtype, split.expr());
      lanes.stores.push_back({kernel_.accumulator(i), kernel_.number(0).expr(), left, false, reduction.op});
    }
    ir::Block all{kernel_.reset(kernel_.reductionsOf(0), 1)};
    append(all, hoisted_.read(at_.row()));
    append(all, loop(ir::LoopKind::Serial, step, when(within(split, count * block, splits), {{std::move(lanes)}})));
    all = at_.onThreads(std::move(all));
    all.push_back({combine(0)});
    append(all, at_.onThreads(storingPhase()));
    return all;
  }

  const LayoutSchedule schedule_;
  NestKernel kernel_;
  const ReductionNest& nest_;
  const IterationDomain& domain_;
  Placement at_;
  const Layout& layout_;
  std::optional<AlignedCover> cover_;
  std::optional<StagedTiles> tiles_;
  std::optional<ColumnExchange> columns_;
  std::vector<int> partials_;
  std::map<const Expr*, int> held_, shared_;
  RowValues values_{kernel_};
  RowRegisters hoisted_{kernel_};
  FunctionRegisters functions_{kernel_};
};

}  // namespace

ir::Kernel applyReduction(const ir::Loops& loops, const ReductionNest& nest, const IterationDomain& domain,
                          const ir::Target& target, const LayoutSchedule& schedule) {
  return ReductionKernel(loops, nest, domain, target, schedule).build();
}

}  // namespace lowering
