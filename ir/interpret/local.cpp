#include "ir/error.h"
#include "ir/interpret/machine.h"

namespace ir {

size_t elementOf(const Buffer& buffer, int64_t offset, size_t elements, std::string_view access) {
  require(offset >= 0 && static_cast<uint64_t>(offset) < elements, "{} of {}[{}], which has {} elements", access, buffer.name,
          offset, elements);
  return static_cast<size_t>(offset);
}

LocalArray::LocalArray(const Local& local, const Launch& launch)
    : local_(local),
      elements_(local.buffer.type.storageElements()),
      ofThread_(local.space == Space::Private ? 1 : 0),
      ofRank_(local.space == Space::Private  ? launch.block
              : local.space == Space::Shared ? 1
                                             : 0) {
  cells_.resize(static_cast<size_t>(elements_ * std::max<int64_t>(1, ofRank_ * launch.cluster)));
  if (local.space != Space::Private) uses_.resize(cells_.size());
  if (local.space == Space::Sums) std::fill(cells_.begin(), cells_.end(), Cell{Scalar(0.0), age_});
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
  const std::optional<Scalar> value = get(position, offset);
  require(value.has_value(), "read of {}[{}] in thread {}, which is undefined", local_.buffer.name, offset, position.thread);
  if (!uses_.empty()) noteRead(position, offset);
  return *value;
}

void LocalArray::write(const Position& position, int64_t offset, const Scalar& value) {
  elementOf(local_.buffer, offset, static_cast<size_t>(elements_), "write");
  if (!uses_.empty()) noteWrite(position, offset);
  const DType dtype = local_.buffer.type.dtype;
  set(position, offset, convert(dtype, dtype, value));
}

void LocalArray::add(const Position& position, int64_t offset, const Scalar& value) {
  elementOf(local_.buffer, offset, static_cast<size_t>(elements_), "addition");
  const Position& reader = uses_[index(position, offset)].reader;
  require(reader.phase == 0 || reader.loop != position.loop, "addition to {}[{}] in the loop that reads it", local_.buffer.name,
          offset);
  noteWrite(position, offset);
  const DType dtype = local_.buffer.type.dtype;
  set(position, offset, convert(dtype, dtype, ir::combine(Op::Add, dtype, *get(position, offset), value)));
}

void LocalArray::requireZeros() const {
  for (int64_t element = 0; element < elements_; ++element)
    require(std::get<double>(*get({}, element)) == 0, "the kernel leaves {}[{}], which is not 0", local_.buffer.name, element);
}

void LocalArray::noteRead(const Position& position, int64_t offset) {
  Uses& uses = uses_[index(position, offset)];
  const Position& writer = uses.writer;
  const bool isSum = local_.space == Space::Sums && writer.phase != 0 && writer.loop == position.loop;
  require(!isSum, "read of {}[{}] in the loop that adds to it", local_.buffer.name, offset);
  const bool isOfOther = position.iteration >= 0 && writer.loop == position.loop && writer.iteration != position.iteration;
  require(!isOfOther || local_.space == Space::Shared, "read of {}[{}] in iteration {}, which iteration {} writes",
          local_.buffer.name, offset, position.iteration, writer.iteration);
  require(writer.phase != position.phase || writer.thread == position.thread,
          "read of {}[{}] in thread {}, which thread {} writes in the same loop", local_.buffer.name, offset, position.thread,
          writer.thread);
  const bool isPhase = uses.reader.phase == position.phase;
  uses.hasReaders = isPhase && (uses.hasReaders || uses.reader.thread != position.thread);
  uses.reader = position;
}

void LocalArray::noteWrite(const Position& position, int64_t offset) {
  Uses& uses = uses_[index(position, offset)];
  const bool isRead = uses.reader.phase == position.phase && (uses.hasReaders || uses.reader.thread != position.thread);
  require(!isRead, "write of {}[{}] in thread {}, which another one reads in the same loop", local_.buffer.name, offset,
          position.thread);
  uses.writer = position;
}

}  // namespace ir
