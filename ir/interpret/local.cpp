#include "ir/interpret/local.h"

#include <algorithm>

#include "ir/error.h"

namespace ir {

size_t elementOf(const Buffer& buffer, int64_t offset, size_t elements, std::string_view access) {
  require(offset >= 0 && static_cast<uint64_t>(offset) < elements, "{} of {}[{}], which has {} elements", access, buffer.name,
          offset, elements);
  return static_cast<size_t>(offset);
}

Uses::OfElement& Uses::at(int64_t offset, size_t index, std::string_view access) {
  OfElement& element = all_[index];
  if (element.age != age_) element = {};
  element.age = age_;
  require(!element.isCopied, "{} of {}[{}], to which a copy is under way", access, buffer_.name, offset);
  return element;
}

void Uses::demandOrder(const Recent& before, std::string_view did, const Position& by, int64_t offset,
                       std::string_view access) const {
  const Position* other = before.unordered(by, clock_);
  if (other == nullptr) return;
  const bool isOfCta = other->iteration == by.iteration && other->rank == by.rank;
  const auto place = [&](const Position& one) {
    const std::string thread = fmt::format("thread {}", one.thread);
    return isOfCta || one.iteration < 0 ? thread : fmt::format("{} of block {} in iteration {}", thread, one.rank, one.iteration);
  };
  fail(ErrorKind::Internal, "{} of {}[{}] in {}, which {} {} with no barrier in between", access, buffer_.name, offset, place(by),
       place(*other), did);
}

void Uses::read(const Position& by, int64_t offset, size_t index) {
  OfElement& element = at(offset, index, "read");
  demandOrder(element.writes, "writes", by, offset, "read");
  demandOrder(element.adds, "adds to", by, offset, "read");
  element.reads.add(by, clock_);
}

void Uses::write(const Position& by, int64_t offset, size_t index) {
  OfElement& element = at(offset, index, "write");
  demandOrder(element.reads, "reads", by, offset, "write");
  demandOrder(element.writes, "writes", by, offset, "write");
  demandOrder(element.adds, "adds to", by, offset, "write");
  element.writes.add(by, clock_);
}

void Uses::add(const Position& by, int64_t offset, size_t index) {
  OfElement& element = at(offset, index, "addition");
  demandOrder(element.reads, "reads", by, offset, "addition");
  demandOrder(element.writes, "writes", by, offset, "addition");
  element.adds.add(by, clock_);
}

void Uses::beginCopy(const Position& by, int64_t offset, size_t index) {
  write(by, offset, index);
  all_[index].isCopied = true;
}

void Uses::endCopy(const Position& by, int64_t offset, size_t index) {
  all_[index].isCopied = false;
  write(by, offset, index);
}

LocalArray::LocalArray(const Local& local, const Launch& launch, const Clock& clock)
    : local_(local),
      elements_(local.buffer.type.storageElements()),
      ofThread_(local.space == Space::Private ? 1 : 0),
      ofRank_(local.space == Space::Private  ? launch.block
              : local.space == Space::Shared ? 1
                                             : 0) {
  cells_.resize(static_cast<size_t>(elements_ * std::max<int64_t>(1, ofRank_ * launch.cluster)));
  if (local.space != Space::Private) uses_.emplace(local.buffer, cells_.size(), clock);
  if (local.space == Space::Sums) std::fill(cells_.begin(), cells_.end(), Cell{Scalar(0.0), age_});
}

Position LocalArray::inMemory(Position position) const {
  if (local_.space == Space::Shared) position.iteration = 0;
  return position;
}

Scalar LocalArray::converted(const Scalar& value) const {
  const DType dtype = local_.buffer.type.dtype;
  return convert(dtype, dtype, value);
}

std::optional<Scalar> LocalArray::get(const Position& position, int64_t element) const {
  const Cell& cell = cells_[index(position, element)];
  return cell.age == age_ ? std::optional(cell.value) : std::nullopt;
}

void LocalArray::set(const Position& position, int64_t element, const std::optional<Scalar>& value) {
  cells_[index(position, element)] = value ? Cell{*value, age_} : Cell{};
}

Scalar LocalArray::read(const Position& position, int64_t offset) {
  elementOf(local_.buffer, offset, static_cast<size_t>(elements_), "read");
  if (uses_) uses_->read(inMemory(position), offset, index(position, offset));
  const std::optional<Scalar> value = get(position, offset);
  require(value.has_value(), "read of {}[{}] in thread {}, which is undefined", local_.buffer.name, offset, position.thread);
  return *value;
}

void LocalArray::write(const Position& position, int64_t offset, const Scalar& value) {
  elementOf(local_.buffer, offset, static_cast<size_t>(elements_), "write");
  if (uses_) uses_->write(inMemory(position), offset, index(position, offset));
  set(position, offset, converted(value));
}

void LocalArray::combine(const Position& position, int64_t offset, Op op, const Scalar& value) {
  elementOf(local_.buffer, offset, static_cast<size_t>(elements_), "addition");
  uses_->add(inMemory(position), offset, index(position, offset));
  const std::optional<Scalar> before = get(position, offset);
  require(before.has_value(), "addition to {}[{}], which is undefined", local_.buffer.name, offset);
  set(position, offset, converted(ir::combine(op, local_.buffer.type.dtype, *before, value)));
}

void LocalArray::beginCopy(const Position& position, int64_t offset) {
  elementOf(local_.buffer, offset, static_cast<size_t>(elements_), "copy");
  uses_->beginCopy(inMemory(position), offset, index(position, offset));
  set(position, offset, std::nullopt);
}

void LocalArray::endCopy(const Position& position, int64_t offset, const Scalar& value) {
  uses_->endCopy(inMemory(position), offset, index(position, offset));
  set(position, offset, value);
}

std::optional<Scalar> LocalArray::take(const Position& position, int64_t offset) {
  uses_->read(inMemory(position), offset, index(position, offset));
  return get(position, offset);
}

void LocalArray::give(const Position& position, int64_t offset, const std::optional<Scalar>& value, int rank) {
  Position to = position;
  to.rank = rank;
  uses_->write(inMemory(position), offset, index(to, offset));
  set(to, offset, value);
}

void LocalArray::requireZeros() const {
  for (int64_t element = 0; element < elements_; ++element)
    require(std::get<double>(*get({}, element)) == 0, "the kernel leaves {}[{}], which is not 0", local_.buffer.name, element);
}

void LocalArray::forget(bool isSame) {
  ++age_;
  if (uses_ && !isSame) uses_->forget();
}

}  // namespace ir
