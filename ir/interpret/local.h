#pragma once

#include <optional>
#include <vector>

#include "ir/interpret/order.h"
#include "ir/kernel.h"
#include "ir/scalar.h"

namespace ir {

/// An offset as the index of an element; an Internal error unless there is such an element.
size_t elementOf(const Buffer& buffer, int64_t offset, size_t elements, std::string_view access);

/// What threads do to the elements of an array that they share. It must not depend on who comes first: it is an Internal error to
/// read or overwrite what another thread writes, or to overwrite what it reads, without a barrier in between.
class Uses {
 public:
  Uses(const Buffer& buffer, size_t elements, const Clock& clock) : buffer_(buffer), clock_(clock), all_(elements) {}

  /// `offset` says for messages which element of the array it is; `index` is its place among all copies.
  void read(const Position& by, int64_t offset, size_t index);
  void write(const Position& by, int64_t offset, size_t index);
  /// Combines atomically, as all threads may at once.
  void add(const Position& by, int64_t offset, size_t index);
  /// An asynchronous copy to the element begins, which nobody may touch until it ends; it is a write at either time.
  void beginCopy(const Position& by, int64_t offset, size_t index);
  void endCopy(const Position& by, int64_t offset, size_t index);
  /// The array is another one from now on.
  void forget() { ++age_; }

 private:
  struct OfElement {
    Recent reads, writes, adds;
    bool isCopied = false;
    int64_t age = 0;
  };
  OfElement& at(int64_t offset, size_t index, std::string_view access);
  void demandOrder(const Recent& before, std::string_view did, const Position& by, int64_t offset, std::string_view access) const;

  const Buffer& buffer_;
  const Clock& clock_;
  int64_t age_ = 1;
  std::vector<OfElement> all_;
};

/// All copies of a local array. An element that holds nothing is undefined.
class LocalArray {
 public:
  LocalArray(const Local& local, const Launch& launch, const Clock& clock);

  const Local& local() const { return local_; }
  int64_t elements() const { return elements_; }
  Scalar read(const Position& position, int64_t offset);
  void write(const Position& position, int64_t offset, const Scalar& value);
  /// Combines an element with a value atomically.
  void combine(const Position& position, int64_t offset, Op op, const Scalar& value);
  /// An asynchronous copy; its element is undefined until it ends.
  void beginCopy(const Position& position, int64_t offset);
  void endCopy(const Position& position, int64_t offset, const Scalar& value);
  /// An Internal error unless all sums are zeros, as the next launch needs them.
  void requireZeros() const;
  /// The element of a position's copy.
  std::optional<Scalar> get(const Position& position, int64_t element) const;
  void set(const Position& position, int64_t element, const std::optional<Scalar>& value);
  /// A partial result, in the copy of the CTA of rank `rank`.
  std::optional<Scalar> take(const Position& position, int64_t offset);
  void give(const Position& position, int64_t offset, const std::optional<Scalar>& value, int rank);
  /// Makes all of them undefined; `isSame` says that they lie where they did, and threads are still at work on them.
  void forget(bool isSame);

 private:
  struct Cell {
    Scalar value;
    int64_t age = 0;  ///< the array's age when it was written
  };
  size_t index(const Position& position, int64_t element) const {
    return static_cast<size_t>((position.rank * ofRank_ + position.thread * ofThread_) * elements_ + element);
  }
  Scalar converted(const Scalar& value) const;
  /// A CTA whose cluster is one of many has the same shared memory as before.
  Position inMemory(Position position) const;

  const Local& local_;
  int64_t elements_;
  int64_t ofThread_;  ///< copies from one thread to the next
  int64_t ofRank_;    ///< copies from one CTA to the next
  int64_t age_ = 1;
  std::vector<Cell> cells_;
  std::optional<Uses> uses_;  ///< none where each thread has a copy
};

}  // namespace ir
