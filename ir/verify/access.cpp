#include "ir/verify/access.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

#include "ir/text/text.h"
#include "ir/verify/guards.h"

namespace ir {
namespace {

/// The element that a lane accesses; a contiguous access is its lane further on.
std::optional<Affine> laneForm(const Expr* offset, bool isContiguous, const VerifyScope& scope) {
  std::optional<Affine> form = affine(offset);
  if (form && isContiguous) form->coefficients[scope.lane] += 1;
  return form;
}

std::optional<Range> rangeWhere(const Affine& form, const VerifyScope& scope) {
  return scope.isUndecided ? std::nullopt : rangeOf(form, scope.guards);
}

bool contains(const std::vector<const Expr*>& nodes, const Expr* node) {
  return std::find(nodes.begin(), nodes.end(), node) != nodes.end();
}

bool sameForm(const Affine& a, const Affine& b) { return a.constant == b.constant && a.coefficients == b.coefficients; }

std::string rangeText(const Range& range) {
  return range.least == range.most ? fmt::format("{}", range.least) : fmt::format("{} to {}", range.least, range.most);
}

}  // namespace

bool isWord(const std::string& name) {
  const auto isPart = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  };
  return !name.empty() && !(name[0] >= '0' && name[0] <= '9') && std::all_of(name.begin(), name.end(), isPart);
}

std::string typeMistake(const TensorType& type) {
  if (type.sizes.size() != type.strides.size())
    return fmt::format("has {} sizes and {} strides", type.sizes.size(), type.strides.size());
  for (const auto& numbers : {type.sizes, type.strides})
    for (const int64_t number : numbers)
      if (number < 0) return fmt::format("has the size or stride {}", number);
  return "";
}

bool combines(Op op, DType dtype) {
  const bool isLogic = op == Op::And || op == Op::Or;
  if (op == Op::LogAddExp) return isFloating(dtype);
  return isReduction(op) && !isComplex(dtype) && (isLogic ? !isFloating(dtype) : dtype != DType::Bool);
}

bool VerifyScope::neverRuns() const {
  return std::any_of(axes.begin(), axes.end(), [](const Expr* axis) { return axis->axis().extent == 0; });
}

void AccessVerifier::buffers() const {
  std::unordered_set<std::string> names;
  for (const Buffer* buffer : buffers_) {
    demand(isWord(buffer->name), "buffer name '{}' is no word", buffer->name);
    demand(names.insert(buffer->name).second, "two buffers are called {}", buffer->name);
    const std::string mistake = typeMistake(buffer->type);
    demand(mistake.empty(), "buffer {} {}", buffer->name, mistake);
    demand(!buffer->isPart || (buffer->isWritten && !buffer->isRead), "buffer {} is a part that is read or not written",
           buffer->name);
  }
}

void AccessVerifier::expression(const Expr* root, const VerifyScope& scope, const std::string& place) const {
  demand(root != nullptr, "{} is missing", place);
  for (const Expr* axis : freeAxes({root}))
    if (!contains(scope.axes, axis)) refuse("{}: axis {} is not bound", place, toText(axis));
  for (const Expr* node : postorder({root})) {
    if (node->op == Op::Load) load(node, scope, place);
    if (node->op == Op::Reduce) reduction(node, scope, place);
    if (node->op == Op::Scan) scan(node, scope, place);
  }
}

/// Nothing else around or inside a reduction binds its axes, so that an axis is one variable wherever it occurs.
void AccessVerifier::reduction(const Expr* reduce, const VerifyScope& scope, const std::string& place) const {
  demand(kernel == nullptr, "{}: a reduction, which only loops may have", place);
  std::vector<const Expr*> bound = scope.axes;
  for (const Expr* node : postorder({reduce->src[0]}))
    if (node->op == Op::Reduce) bound.insert(bound.end(), node->src.begin() + 1, node->src.end());
  for (size_t i = 1; i < reduce->src.size(); ++i) {
    if (contains(bound, reduce->src[i])) refuse("{}: axis {} is bound twice", place, toText(reduce->src[i]));
    bound.push_back(reduce->src[i]);
  }
}

/// The axis of a scan is one of the loops', whose points it combines in order.
void AccessVerifier::scan(const Expr* scan, const VerifyScope& scope, const std::string& place) const {
  demand(kernel == nullptr, "{}: a scan, which only loops may have", place);
  if (!contains(scope.axes, scan->src[1]))
    refuse("{}: a scan over axis {}, which is none of the loops", place, toText(scan->src[1]));
}

void AccessVerifier::load(const Expr* load, const VerifyScope& scope, const std::string& place) const {
  const int buffer = load->load().buffer;
  demand(buffer < static_cast<int>(buffers_.size()), "{}: a load of buffer {} of {}", place, buffer, buffers_.size());
  const Buffer& from = *buffers_[buffer];
  const Local* array = local(buffer);
  demand(array != nullptr || from.isRead, "{}: a load of {}, which is not declared as read", place, from.name);
  const bool isOfThreads = array != nullptr && (array->space == Space::Private || array->space == Space::Shared);
  demand(!isOfThreads || scope.isThread, "{}: a load of {} outside the loops over threads", place, from.name);
  demand(load->dtype == from.type.dtype, "{}: a load of {} as {}, which is {}", place, from.name, name(load->dtype),
         name(from.type.dtype));
  const bool isContiguous = load->load().mode == LoadMode::Contiguous;
  const std::string which = fmt::format("{}: the load of {}", place, from.name);
  const bool isPrivate = array != nullptr && array->space == Space::Private;
  demand(!load->isMasked() || !isPrivate, "{} has a mask, though that is an array in registers", which);
  VerifyScope read = scope;
  if (load->isMasked()) addCondition(read, load->src[1], true);
  offset(load->src[0], isContiguous, readableElements(buffer), read, which);
  if (isContiguous && kernel != nullptr) aligned(buffer, load->src[0], accessAlignment(buffer, scope, false), scope, which);
}

int64_t AccessVerifier::readableElements(int buffer) const {
  const bool isParam = kernel != nullptr && buffer < static_cast<int>(kernel->params.size());
  return isParam ? kernel->params[buffer].readableElements(kernel->backend) : buffers_[buffer]->type.storageElements();
}

void AccessVerifier::offset(const Expr* offset, bool isContiguous, int64_t elements, const VerifyScope& scope,
                            const std::string& place) const {
  demand(offset->dtype == DType::I64, "{}: the offset is {}, not i64", place, name(offset->dtype));
  demand(!isContiguous || scope.lane != nullptr, "{} is contiguous outside lanes", place);
  if (isContiguous && dependsOn(offset, scope.lane))
    refuse("{} is contiguous and its offset {} depends on the lane", place, toText(offset));
  if (scope.neverRuns()) return;
  inside(elements, offset, laneForm(offset, isContiguous, scope), scope, place);
}

void AccessVerifier::inside(int64_t elements, const Expr* offset, const std::optional<Affine>& form, const VerifyScope& scope,
                            const std::string& place) const {
  const std::optional<Range> exact = form ? rangeWhere(*form, scope) : std::nullopt;
  if (exact && (exact->least < 0 || exact->most >= elements))
    refuse("{} goes to {} and there are {} elements", place, rangeText(*exact), elements);
  if (form || scope.isUndecided || !scope.guards.empty()) return;
  const Range bounds = boundsOf(offset);
  const bool isOutside = bounds.most < 0 || bounds.least >= elements;
  if (isOutside) refuse("{} goes to {} and there are {} elements", place, rangeText(bounds), elements);
}

/// Bytes that a contiguous access must be aligned to.
int64_t AccessVerifier::accessAlignment(int buffer, const VerifyScope& scope, bool isStore) const {
  const int64_t bytes = scope.lane->axis().extent * sizeOf(buffers_[buffer]->type.dtype);
  const int64_t natural = bytes & -bytes;
  const Local* array = kernel->local(buffer);
  if (array != nullptr && array->space == Space::Private)
    return (scope.lane->axis().extent == 1 ? 1 : array->lanes) * sizeOf(array->buffer.type.dtype);
  const int64_t ofAddress = array != nullptr ? cudaAlignment : kernel->params[buffer].alignment;
  if (kernel->backend == Backend::Cuda) return std::min({int64_t{cudaAlignment}, ofAddress, natural});
  const int64_t streamed = std::min(natural, registerBytes);
  const bool isStreamed = array == nullptr && kernel->streamStores && isStore && !scope.isMasked && ofAddress >= streamed;
  return isStreamed ? streamed : 1;
}

void AccessVerifier::aligned(int buffer, const Expr* offset, int64_t bytes, const VerifyScope& scope,
                             const std::string& place) const {
  const std::optional<Affine> form = affine(offset);
  if (!form || scope.isUndecided || !scope.guards.empty()) return;
  const int64_t elementBytes = sizeOf(buffers_[buffer]->type.dtype);
  const auto isMultiple = [&](int64_t elements) { return elements % bytes * elementBytes % bytes == 0; };
  bool isAligned = isMultiple(form->constant);
  for (const auto& [axis, step] : form->coefficients) isAligned = isAligned && (axis->axis().extent <= 1 || isMultiple(step));
  if (!isAligned) refuse("{} is contiguous and its offset {} is not always a multiple of {} bytes", place, toText(offset), bytes);
}

void AccessVerifier::store(const Store& store, const VerifyScope& scope) const {
  const bool isKnown = store.param >= 0 && store.param < static_cast<int>(buffers_.size());
  demand(isKnown, "a store to buffer {} of {}", store.param, buffers_.size());
  const Buffer& to = *buffers_[store.param];
  const std::string place = fmt::format("the store to {}", to.name);
  demand(local(store.param) != nullptr || to.isWritten, "{}, which is not declared as written", place);
  expression(store.offset, scope, place);
  expression(store.value, scope, place);
  demand(postorder({store.offset}, false) == postorder({store.offset}), "{} is at an offset with a reduction", place);
  demand(store.value->dtype == to.type.dtype, "{}, which is {}, of a value that is {}", place, name(to.type.dtype),
         name(store.value->dtype));
  demand(store.accumulate || !store.isAtomic, "{} is atomic and combines nothing", place);
  if (store.accumulate) accumulation(store, scope, place);
  const Local* array = local(store.param);
  if (array != nullptr && array->space == Space::Sums) addition(store, place);
  VerifyScope points = scope;
  points.axes = pointsOf(store, scope);
  offset(store.offset, store.contiguous, to.type.storageElements(), points, place);
  if (store.contiguous && kernel != nullptr)
    aligned(store.param, store.offset, accessAlignment(store.param, scope, true), scope, place);
  if (local(store.param) == nullptr && !store.accumulate) once(store, points, place);
}

void AccessVerifier::accumulation(const Store& store, const VerifyScope& scope, const std::string& place) const {
  const Buffer& to = *buffers_[store.param];
  demand(combines(*store.accumulate, to.type.dtype), "{} combines {} by {}", place, name(to.type.dtype), name(*store.accumulate));
  const Local* array = local(store.param);
  demand(array != nullptr || to.isRead, "{} combines with what is not declared as read", place);
  if (!store.isAtomic) return;
  demand(array == nullptr || array->space != Space::Private, "{} is atomic, though no other thread knows that array", place);
  const bool isVector = store.contiguous && scope.lane->axis().extent > 1;
  const bool addsVectors = kernel != nullptr && kernel->backend == Backend::Cuda && array == nullptr &&
                           store.accumulate == Op::Add && to.type.dtype == DType::F32;
  demand(!isVector || addsVectors, "{} is atomic and contiguous", place);
}

/// In loops, whose points come in any order, nothing but one operation touches what is accumulated.
void AccessVerifier::alone(const Store& store, const std::vector<Store>& stores) const {
  const std::string& to = buffers_[store.param]->name;
  for (const Store& other : stores) {
    const bool isOther = other.param == store.param && other.accumulate != store.accumulate;
    demand(!isOther, "{} is combined by {} and stored to in another way", to, name(*store.accumulate));
    for (const Expr* node : postorder({other.offset, other.value})) {
      const bool isRead = node->op == Op::Load && node->load().buffer == store.param;
      demand(!isRead, "{} is combined by {} and read", to, name(*store.accumulate));
    }
  }
}

/// Sums are added to, or cleared.
void AccessVerifier::addition(const Store& store, const std::string& place) const {
  const bool isClear = !store.accumulate && store.value->isConst() && store.value->payload == Payload(0.0);
  const bool isAdded = store.accumulate == Op::Add && store.isAtomic;
  demand(isClear || isAdded, "{} neither adds to the sums nor clears them", place);
}

/// No element is stored to at two points.
void AccessVerifier::once(const Store& store, const VerifyScope& points, const std::string& place) const {
  if (points.isUndecided || !points.guards.empty() || points.neverRuns()) return;
  const std::optional<Affine> form = laneForm(store.offset, store.contiguous, points);
  const bool isTwice = form && isInjective(*form, points.axes) == std::optional(false);
  if (isTwice) refuse("{} stores to an element twice, at {}", place, toText(store.offset));
}

/// The axes at whose points a store happens: all that it depends on, and in kernels all that are bound.
std::vector<const Expr*> AccessVerifier::pointsOf(const Store& store, const VerifyScope& scope) const {
  std::vector<const Expr*> axes = scope.axes;
  const std::vector<const Expr*> used = freeAxes({store.offset, store.value});
  if (kernel == nullptr) std::erase_if(axes, [&](const Expr* axis) { return !contains(used, axis); });
  return axes;
}

/// What is stored to in place is read only where it is then written, and as often.
void AccessVerifier::inPlace(const Store& reader, const Expr* load, const Store& writer, const VerifyScope& scope) const {
  const std::string& name = buffers_[writer.param]->name;
  const std::optional<Affine> from = affine(load->src[0]);
  const std::optional<Affine> to = affine(writer.offset);
  const bool isSame = load->src[0] == writer.offset || !from || !to || sameForm(*from, *to);
  if (!isSame) refuse("{} is stored to at {} and read at {}", name, toText(writer.offset), toText(load->src[0]));
  const auto several = [&](const Store& store) {
    std::vector<const Expr*> axes = pointsOf(store, scope);
    std::erase_if(axes, [](const Expr* axis) { return axis->axis().extent == 1; });
    return axes;
  };
  if (several(reader) != several(writer)) refuse("{} is stored to at other points than it is read at", name);
}

void AccessVerifier::stores(const std::vector<Store>& stores, const VerifyScope& scope) {
  for (const Store& one : stores) {
    store(one, scope);
    stored_[one.param] = true;
    if (kernel == nullptr && one.accumulate) alone(one, stores);
    const auto isSame = [&](const Store& other) { return other.param == one.param && other.offset == one.offset; };
    if (!one.accumulate && std::count_if(stores.begin(), stores.end(), isSame) > 1)
      refuse("{} has two stores at {}", buffers_[one.param]->name, toText(one.offset));
  }
  for (const Store& reader : stores)
    for (const Expr* node : postorder({reader.value}))
      for (const Store& writer : stores)
        if (node->op == Op::Load && node->load().buffer == writer.param && local(writer.param) == nullptr &&
            (node->load().mode == LoadMode::Contiguous) == writer.contiguous)
          inPlace(reader, node, writer, scope);
}

void AccessVerifier::everyOutputStored() const {
  for (size_t i = 0; i < buffers_.size(); ++i) {
    const bool isStored =
        stored_[i] || local(static_cast<int>(i)) != nullptr || !buffers_[i]->isWritten || buffers_[i]->type.numel() == 0;
    demand(isStored, "{} is declared as written and never stored to", buffers_[i]->name);
  }
}

}  // namespace ir
