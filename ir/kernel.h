#pragma once

#include <string>
#include <variant>
#include <vector>

#include "ir/loops.h"

namespace ir {

struct Statement;
using Block = std::vector<Statement>;

/// What carries out the iterations of a For.
enum class LoopKind : uint8_t {
  Grid,    ///< CUDA: blockIdx.x; Launch::grid of them
  Thread,  ///< CUDA: threadIdx.x; Launch::block of them
  Task,    ///< CPU: the outer loop that is split over worker threads; the kernel is called for a range of it
  Serial,  ///< one after another
};

/// `for axis in [0, extent)`.
struct For {
  const Expr* axis = nullptr;
  LoopKind kind = LoopKind::Serial;
  Block body;
};

/// `if condition (a Bool)`, with an optional other branch.
struct If {
  const Expr* condition = nullptr;
  Block then;
  Block otherwise;
};

/// A store of a Lanes statement, or of scalar code.
struct Store {
  int param = 0;
  const Expr* offset = nullptr;  ///< of lane 0 if contiguous, else of the lane at hand
  const Expr* value = nullptr;
  bool contiguous = false;  ///< lane l writes `offset + l`, all lanes as one vector
};

/// The lanes of one vector, `axis.extent` of them: an unrolled loop over register vectors in CUDA, SIMD vectors in LLVM.
/// With `active` (an I64) only the first `active` lanes read and write.
struct Lanes {
  const Expr* axis = nullptr;
  const Expr* active = nullptr;
  std::vector<Store> stores;
};

struct Statement {
  std::variant<For, If, Lanes> node;
};

/// A pointer argument and the bytes that its address is a multiple of. On CUDA a contiguous access is aligned to its size
/// as far as the address is, 16 bytes at most; on CPU that holds of stores that bypass the caches.
struct Param {
  Buffer buffer;
  int alignment = 1;
};

/// How a kernel is started. CUDA: `grid` CTAs of `block` threads. CPU: `tasks` iterations of the Task loop, handed out
/// `grain` at a time.
struct Launch {
  int64_t grid = 1;
  int block = 1;
  int64_t tasks = 1;
  int64_t grain = 1;
};

enum class Backend : uint8_t { Cuda, Cpu };

/// A scheduled computation: what both code generators print, decision by decision.
struct Kernel {
  std::string name;  ///< the symbol
  Backend backend = Backend::Cpu;
  ExprPoolPtr pool;
  std::vector<Param> params;
  Launch launch;
  bool index32 = false;       ///< every index and offset fits 32 bits
  bool relaxedMath = false;   ///< results round to 11 bits or fewer: functions may err by 2^-16 relative, 2^-20 absolute
  bool streamStores = false;  ///< CPU: contiguous stores of full vectors bypass the caches; each is aligned to its size
  Block body;
};

}  // namespace ir
