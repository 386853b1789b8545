#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "codegen/compile.h"
#include "runtime/build/cache.h"
#include "runtime/executable.h"
#include "runtime/kind.h"
#include "runtime/torch/tensor_list.h"

namespace runtime {

/// What a callable does for guards (guard.h) around the memory that it allocates.
enum class Guards {
  None,
  Left,    ///< leaves room for them, and whoever captured the run writes them
  Written  ///< writes them before its kernels run, and poisons what lies between
};

/// One way of carrying out a Workload; made for it and usable as long as it lives.
class Callable {
 public:
  virtual ~Callable() = default;
  /// Allocates the outputs and computes them (on CUDA: queues the work on the current stream).
  virtual TensorList operator()() = 0;
  /// Works on set `number` of the operands from now on (Workload::multiply); 0 is the first.
  virtual void use(int number) = 0;
  /// Puts its random numbers back to their beginning, which the call's seed tells: the next runs draw what the first ones drew.
  virtual void reseed() {}
  /// Has its next run, or the next replay of one that was captured, draw other random numbers. ATen's see to it themselves.
  virtual void advance() {}
  /// Loads its code once more, elsewhere, for runs that are captured from now on; what was captured keeps its own.
  virtual void reload() {}
  /// How its runs treat guards from now on; ATen's have none.
  virtual void guard(Guards) {}
  /// Has each run call `hook` where a phase begins, and where the last one ends.
  void onPhase(std::function<void()> hook) { hook_ = std::move(hook); }

  Kind kind = Kind::Fallback;
  std::string reason;      ///< why it is a fallback, where a generated one was asked for; into how many parts it was cut, and why
  std::string library;     ///< the candidate that computes it (runtime/library); empty for ATen's own call and what is generated
  double compileMs = 0;    ///< of all its kernels
  bool cached = false;     ///< whether all its kernels came from the cache
  int kernels = 0;         ///< generated kernels it launches
  std::string schedule;    ///< their schedules, `; ` between them
  std::string arithmetic;  ///< `tf32` where products of f32 have the digits of f16; empty: it is the operands' dtype's
  bool anyStrides = false;  ///< its results may lie otherwise in memory than eager's
  bool isOwn = false;       ///< code of the user's computes it, which may do otherwise in other runs
  bool isDirect = false;    ///< its time is the host's as well: it is called as users call it, and never captured
  /// Where its runs draw other random numbers than eager, as isRandom() workloads may have it: makes the same code drawing
  /// eager's.
  std::function<std::unique_ptr<Callable>()> withEagersDraws;
  std::map<std::string, std::string> names;  ///< of its kernels in profiles, by their symbols, where they have others
  std::vector<std::string> phases;  ///< the parts of a run that are timed apart, in order: `forward`, `backward`; most have none
  std::optional<int64_t> plannedBytes;  ///< of a network's plan: the memory that it shares out among its steps

 protected:
  void mark() const {
    if (hook_) hook_();
  }

 private:
  std::function<void()> hook_;
};

using CallablePtr = std::unique_ptr<Callable>;

}  // namespace runtime
