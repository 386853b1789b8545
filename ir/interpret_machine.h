#pragma once

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "ir/interpret.h"

namespace ir {

class Reduction;

/// Which of the copies of a local array are at hand: those of one thread of one CTA of a cluster.
struct Position {
  int rank = 0;
  int thread = 0;
};

/// All copies of a local array. An element that holds nothing is undefined.
class LocalArray {
 public:
  LocalArray(const Local& local, const Launch& launch);

  const Local& local() const { return local_; }
  int64_t elements() const { return elements_; }
  Scalar read(const Position& position, int64_t offset);
  void write(const Position& position, int64_t offset, const Scalar& value);
  /// The element of a copy.
  std::optional<Scalar>& at(const Position& position, int64_t element) {
    return values_[static_cast<size_t>((position.rank * ofRank_ + position.thread * ofThread_) * elements_ + element)];
  }
  void forget() { std::fill(values_.begin(), values_.end(), std::nullopt); }

 private:
  const Local& local_;
  int64_t elements_;
  int64_t ofThread_;  ///< copies from one thread to the next
  int64_t ofRank_;    ///< copies from one CTA to the next
  std::vector<std::optional<Scalar>> values_;
};

/// The storage that loops or a kernel work on, and the current value of each axis that is bound.
class Machine {
 public:
  Machine(const std::vector<const Buffer*>& buffers, std::vector<Memory>& memory, bool roundEach);
  ~Machine();
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;

  Scalar read(int buffer, int64_t offset);
  void write(int buffer, int64_t offset, const Scalar& value);
  /// The local array of a buffer number, or nullptr.
  LocalArray* local(int buffer);
  /// What a Reduce comes to at the values of its free axes.
  const Scalar& reduced(const Expr* reduce);
  /// Where the value of an axis is; an Internal error unless it is bound.
  const int64_t* bound(const Expr* axis) const;

  const bool roundEach;
  std::unordered_map<const Expr*, int64_t> axes;
  const int64_t* lane = nullptr;   ///< of the Lanes at hand
  std::vector<LocalArray> locals;  ///< their buffer numbers follow those of the buffers
  Position position;

 private:
  std::vector<const Buffer*> buffers_;
  std::vector<Memory>& memory_;
  std::unordered_map<const Expr*, std::unique_ptr<Reduction>> reductions_;
};

/// Expressions that are evaluated together, each node once.
class Evaluation {
 public:
  Evaluation(const std::vector<const Expr*>& roots, const Machine& machine);

  void run(Machine& machine);
  const Scalar& root(size_t index) const { return values_[roots_[index]]; }
  int64_t integer(size_t index) const { return std::get<int64_t>(root(index)); }

 private:
  struct Step {
    const Expr* node;
    std::array<int, 3> src;
    const int64_t* axis;
  };

  Scalar value(const Step& step, Machine& machine) const;
  template <typename T>
  std::array<T, 3> operands(const Step& step) const;

  std::vector<Step> steps_;
  std::vector<int> roots_;
  std::vector<Scalar> values_;
};

/// Stores that happen together: all values are computed before the first is written.
class Stores {
 public:
  Stores(const std::vector<Store>& stores, const Machine& machine);

  /// Computes what is stored at the point at hand.
  void compute(Machine& machine);
  /// Writes what was computed, in that order.
  void write(Machine& machine);

 private:
  struct Pending {
    size_t store;
    int64_t offset;
    Scalar value;
  };

  std::vector<Store> stores_;
  Evaluation evaluation_;
  std::vector<Pending> pending_;
};

}  // namespace ir
