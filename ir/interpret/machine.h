#pragma once

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "ir/interpret/interpret.h"

namespace ir {

class Sweep;

/// Who is at work: a thread of a CTA of a cluster, in an iteration of a Grid or Task loop (-1 outside of one). Threads of one
/// phase, a loop over them, do not see what the others write.
struct Position {
  int rank = 0;
  int thread = 0;
  int64_t iteration = -1;
  int64_t loop = 0;  ///< which of several Grid loops that is
  int64_t phase = 1;
};

/// An offset as the index of an element; an Internal error unless there is such an element.
size_t elementOf(const Buffer& buffer, int64_t offset, size_t elements, std::string_view access);

/// All copies of a local array. An element that holds nothing is undefined. What threads do to an element that they share must
/// not depend on who comes first: it is an error to read what another one writes in the same phase, or the other way round.
class LocalArray {
 public:
  LocalArray(const Local& local, const Launch& launch);

  const Local& local() const { return local_; }
  int64_t elements() const { return elements_; }
  Scalar read(const Position& position, int64_t offset);
  void write(const Position& position, int64_t offset, const Scalar& value);
  /// Adds to an element of sums, as all threads may at once.
  void add(const Position& position, int64_t offset, const Scalar& value);
  /// An Internal error unless all sums are zeros, as the next launch needs them.
  void requireZeros() const;
  /// The element of a position's copy.
  std::optional<Scalar> get(const Position& position, int64_t element) const;
  void set(const Position& position, int64_t element, const std::optional<Scalar>& value);
  /// Makes all of them undefined.
  void forget() { ++age_; }

 private:
  struct Cell {
    Scalar value;
    int64_t age = 0;  ///< that of the array when it was written
  };
  /// Who wrote an element that threads share, and who read it; phase 0 is nobody.
  struct Uses {
    Position writer{.phase = 0};
    Position reader{.phase = 0};
    bool hasReaders = false;  ///< several, in the reader's phase
  };
  size_t index(const Position& position, int64_t element) const {
    return static_cast<size_t>((position.rank * ofRank_ + position.thread * ofThread_) * elements_ + element);
  }
  void noteRead(const Position& position, int64_t offset);
  void noteWrite(const Position& position, int64_t offset);

  const Local& local_;
  int64_t elements_;
  int64_t ofThread_;  ///< copies from one thread to the next
  int64_t ofRank_;    ///< copies from one CTA to the next
  int64_t age_ = 1;
  std::vector<Cell> cells_;
  std::vector<Uses> uses_;  ///< none where each thread has a copy
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
  /// What a Reduce or Scan comes to at the values of its free axes.
  const Scalar& swept(const Expr* sweep);
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
  std::unordered_map<const Expr*, std::unique_ptr<Sweep>> sweeps_;
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
