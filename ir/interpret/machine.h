#pragma once

#include <array>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "ir/interpret/interpret.h"
#include "ir/interpret/local.h"

namespace ir {

class Sweep;

/// The storage that loops or a kernel work on, and the current value of each axis that is bound.
class Machine {
 public:
  Machine(const std::vector<const Buffer*>& buffers, std::vector<Memory>& memory, bool roundEach);
  ~Machine();
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;

  Scalar read(int buffer, int64_t offset);
  void write(int buffer, int64_t offset, const Scalar& value);
  /// Combines an element with a value atomically.
  void combine(int buffer, int64_t offset, Op op, const Scalar& value);
  /// The local array of a buffer number, or nullptr.
  LocalArray* local(int buffer);
  /// What a Reduce or Scan comes to at the values of its free axes.
  const Scalar& swept(const Expr* sweep);
  /// Where the value of an axis is; an Internal error unless it is bound.
  const int64_t* bound(const Expr* axis) const;

  const bool roundEach;
  std::unordered_map<const Expr*, int64_t> axes;
  const int64_t* lane = nullptr;  ///< of the Lanes at hand
  std::vector<std::optional<Uses>>
      shared;  ///< by buffer: its accesses, where threads read and write it; may be shorter than the list of buffers
  std::vector<LocalArray> locals;  ///< their buffer numbers follow the buffers' numbers
  Position position;

 private:
  Uses* uses(int buffer);
  template <typename Use>
  void change(int buffer, int64_t offset, std::string_view access, const Use& use);
  std::vector<const Buffer*> buffers_;
  std::vector<Memory>& memory_;
  std::unordered_map<const Expr*, std::unique_ptr<Sweep>> sweeps_;
};

/// Expressions that are evaluated together, each node once, and again only where memory is read or an axis has another value than
/// in the run before: most of a kernel's index arithmetic stays as it is from one point to the next.
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
    uint64_t dependsOn;  ///< a bit for each axis; `once` for all nodes; `always` for reads of memory
  };
  static constexpr int axisBits = 62;  // axes beyond share one
  static constexpr uint64_t once = uint64_t{1} << axisBits, always = once << 1;
  struct Watched {
    const int64_t* value;
    int64_t before;
  };

  Scalar value(const Step& step, Machine& machine) const;
  template <typename T>
  std::array<T, 3> operands(const Step& step) const;

  std::vector<Step> steps_;
  std::vector<int> roots_;
  std::vector<Scalar> values_;
  std::vector<Watched> axes_;
  uint64_t changed_ = ~uint64_t{0};  ///< since the last run; everything before the first one
};

/// An asynchronous copy that has begun.
struct Copy {
  LocalArray* to = nullptr;
  int64_t offset = 0;
  Scalar value;
};

/// Stores that happen together: all values are computed before the first is written.
class Stores {
 public:
  Stores(const std::vector<Store>& stores, const Machine& machine);

  /// Computes what is stored at the point at hand.
  void compute(Machine& machine);
  /// Writes what was computed, in that order.
  void write(Machine& machine);
  /// Begins to copy what was computed.
  void copy(Machine& machine, std::vector<Copy>& begun);

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
