#include "ir/verify_access.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

#include "ir/text.h"

namespace ir {
namespace {

/// The element that a lane accesses; a contiguous access is its lane further on.
std::optional<Affine> laneForm(const Expr* offset, bool isContiguous, const VerifyScope& scope) {
  std::optional<Affine> form = affine(offset);
  if (form && isContiguous) form->coefficients[scope.lane] += 1;
  return form;
}

std::optional<Range> rangeWhere(const Affine& form, const VerifyScope& scope) {
  if (scope.isUndecided || scope.guards.size() > 1) return std::nullopt;
  return scope.guards.empty() ? rangeOf(form) : rangeOf(form, scope.guards.front());
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
  }
}

void AccessVerifier::expression(const Expr* root, const VerifyScope& scope, const std::string& place) const {
  demand(root != nullptr, "{} is missing", place);
  for (const Expr* node : postorder({root})) {
    if (node->op == Op::Load) load(node, scope, place);
    if (node->op != Op::Axis) continue;
    const bool isBound = std::find(scope.axes.begin(), scope.axes.end(), node) != scope.axes.end();
    if (!isBound) refuse("{}: axis {} is not bound", place, toText(node));
  }
}

void AccessVerifier::load(const Expr* load, const VerifyScope& scope, const std::string& place) const {
  const int buffer = load->load().buffer;
  demand(buffer < static_cast<int>(buffers_.size()), "{}: a load of buffer {} of {}", place, buffer, buffers_.size());
  const Buffer& from = *buffers_[buffer];
  demand(from.isRead, "{}: a load of {}, which is not declared as read", place, from.name);
  demand(load->dtype == from.type.dtype, "{}: a load of {} as {}, which is {}", place, from.name, name(load->dtype),
         name(from.type.dtype));
  const bool isContiguous = load->load().mode == LoadMode::Contiguous;
  const std::string which = fmt::format("{}: the load of {}", place, from.name);
  offset(buffer, load->src[0], isContiguous, scope, which);
  if (isContiguous && kernel != nullptr) aligned(buffer, load->src[0], accessAlignment(buffer, scope, false), scope, which);
}

void AccessVerifier::offset(int buffer, const Expr* offset, bool isContiguous, const VerifyScope& scope,
                            const std::string& place) const {
  demand(offset->dtype == DType::I64, "{}: the offset is {}, not i64", place, name(offset->dtype));
  demand(!isContiguous || scope.lane != nullptr, "{} is contiguous outside lanes", place);
  if (isContiguous && dependsOn(offset, scope.lane))
    refuse("{} is contiguous and its offset {} depends on the lane", place, toText(offset));
  if (scope.neverRuns()) return;
  inside(buffer, offset, laneForm(offset, isContiguous, scope), scope, place);
}

void AccessVerifier::inside(int buffer, const Expr* offset, const std::optional<Affine>& form, const VerifyScope& scope,
                            const std::string& place) const {
  const int64_t elements = buffers_[buffer]->type.storageElements();
  const std::optional<Range> exact = form ? rangeWhere(*form, scope) : std::nullopt;
  if (exact && (exact->least < 0 || exact->most >= elements))
    refuse("{} goes to {} and there are {} elements", place, rangeText(*exact), elements);
  if (form || scope.isUndecided || !scope.guards.empty()) return;
  const std::optional<Range> bounds = boundsOf(offset);
  const bool isOutside = bounds && (bounds->most < 0 || bounds->least >= elements);
  if (isOutside) refuse("{} goes to {} and there are {} elements", place, rangeText(*bounds), elements);
}

/// Bytes that a contiguous access must be aligned to.
int64_t AccessVerifier::accessAlignment(int buffer, const VerifyScope& scope, bool isStore) const {
  const int64_t bytes = scope.lane->axis().extent * sizeOf(buffers_[buffer]->type.dtype);
  const int64_t natural = bytes & -bytes;
  const int64_t ofAddress = kernel->params[buffer].alignment;
  if (kernel->backend == Backend::Cuda) return std::min({int64_t{16}, ofAddress, natural});
  const bool isStreamed = kernel->streamStores && isStore && !scope.isMasked && ofAddress >= natural;
  return isStreamed ? natural : 1;
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
  demand(to.isWritten, "{}, which is not declared as written", place);
  expression(store.offset, scope, place);
  expression(store.value, scope, place);
  demand(store.value->dtype == to.type.dtype, "{}, which is {}, of a value that is {}", place, name(to.type.dtype),
         name(store.value->dtype));
  offset(store.param, store.offset, store.contiguous, scope, place);
  if (store.contiguous && kernel != nullptr)
    aligned(store.param, store.offset, accessAlignment(store.param, scope, true), scope, place);
  if (scope.isUndecided || !scope.guards.empty() || scope.neverRuns()) return;
  const std::optional<Affine> form = laneForm(store.offset, store.contiguous, scope);
  const bool isTwice = form && isInjective(*form, scope.axes) == std::optional(false);
  if (isTwice) refuse("{} stores to an element twice, at {}", place, toText(store.offset));
}

void AccessVerifier::inPlace(const Store& store, const Expr* load) const {
  const std::optional<Affine> from = affine(load->src[0]);
  const std::optional<Affine> to = affine(store.offset);
  const bool isSame = load->src[0] == store.offset || !from || !to || sameForm(*from, *to);
  if (!isSame)
    refuse("{} is stored to at {} and read at {}", buffers_[store.param]->name, toText(store.offset), toText(load->src[0]));
}

void AccessVerifier::stores(const std::vector<Store>& stores, const VerifyScope& scope) {
  std::vector<const Expr*> values;
  for (const Store& one : stores) {
    store(one, scope);
    values.push_back(one.value);
    stored_[one.param] = true;
    const auto isSame = [&](const Store& other) { return other.param == one.param && other.offset == one.offset; };
    if (std::count_if(stores.begin(), stores.end(), isSame) > 1)
      refuse("{} has two stores at {}", buffers_[one.param]->name, toText(one.offset));
  }
  for (const Expr* node : postorder(values))
    for (const Store& one : stores)
      if (node->op == Op::Load && node->load().buffer == one.param &&
          (node->load().mode == LoadMode::Contiguous) == one.contiguous)
        inPlace(one, node);
}

void AccessVerifier::everyOutputStored() const {
  for (size_t i = 0; i < buffers_.size(); ++i) {
    const bool isStored = stored_[i] || !buffers_[i]->isWritten || buffers_[i]->type.numel() == 0;
    demand(isStored, "{} is declared as written and never stored to", buffers_[i]->name);
  }
}

void AccessVerifier::index32(const std::vector<const Expr*>& roots) const {
  for (const Expr* node : postorder(roots)) {
    const std::optional<Affine> form = node->dtype == DType::I64 ? affine(node) : std::nullopt;
    const std::optional<Range> range = form ? rangeOf(*form) : std::nullopt;
    const bool isHeld = !range || (range->least >= INT32_MIN && range->most <= INT32_MAX);
    if (!isHeld) refuse("index32, and {} goes to {}", toText(node), rangeText(*range));
  }
}

}  // namespace ir
