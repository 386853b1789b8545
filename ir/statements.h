#pragma once

#include <optional>
#include <variant>
#include <vector>

#include "ir/loops.h"

namespace ir {

struct Statement;
using Block = std::vector<Statement>;

/// What carries out the iterations of a For.
enum class LoopKind : uint8_t {
  Grid,      ///< CUDA: Launch::grid clusters (of one CTA, mostly), in any order; all at the same time where two such loops follow
             ///< each other
  Cluster,   ///< CUDA: the Launch::cluster CTAs of a cluster; inside Grid. What follows the loop sees all that they wrote
  Thread,    ///< CUDA: the Launch::block threads of a CTA. What follows the loop sees all that they wrote
  Task,      ///< CPU: the outer loop that is split over worker threads; the kernel is called for a range of it
  Serial,    ///< one after another
  Unrolled,  ///< the same, as straight-line code
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
  bool contiguous = false;            ///< lane l writes `offset + l`, all lanes as one vector
  std::optional<Op> accumulate = {};  ///< the element becomes its combination with the value, by an operation that
                                      ///< isReduction; lanes that share an element are combined in any order. Of sums
                                      ///< nothing else is stored but zeros
  bool isAtomic = false;  ///< it accumulates, each lane by itself, while other threads or tasks may do so to the same element,
                          ///< in any order: what a float sum comes to is not the same from run to run. Contiguous where it
                          ///< adds to f32 on CUDA
};

/// The lanes of one vector, `axis.extent` of them: an unrolled loop over register vectors in CUDA, SIMD vectors in LLVM.
/// With `active` (an I64) only the first `active` lanes read and write; with `first` only those from that one on.
struct Lanes {
  const Expr* axis = nullptr;
  const Expr* active = nullptr;
  std::vector<Store> stores;
  const Expr* first = nullptr;
  bool isAsync = false;  ///< CUDA: the thread goes on before its copy (copiedBytes) is there, which it has to await
};

/// CUDA, between loops over threads: combines the threads' copies of private arrays. A group is `threads` threads that
/// are `stride` apart (the CTA consists of such groups), of each of the first `ctas` CTAs of a cluster (1, or all of
/// them). Afterwards every thread of a group holds in each array, element by element, the combination of all threads' elements.
/// An array `before` is combined with the elements of the threads before this one alone (of lower ranks, and of the same rank
/// with lower numbers).
///
/// Threads of one warp shuffle. Others exchange partial results (`exchanges`): with explicit barriers such a Combine is two, one
/// that gives them to memory and one that takes them from it, and a Barrier in between.
struct Combine {
  enum class Part : uint8_t { Whole, Give, Take };
  struct Item {
    int local = 0;  ///< its buffer number; a private array
    Op op = Op::Add;
    std::optional<int> before = {};    ///< another private array, of as many elements
    std::optional<int> partials = {};  ///< the array that is given to or taken from: a shared one, of every CTA of the `ctas`; or
                                       ///< between the CTAs of a persistent cluster, each of whose threads hold the same in a
                                       ///< group, a global one
  };
  int threads = 1;
  int stride = 1;
  int ctas = 1;
  std::vector<Item> items;
  Part part = Part::Whole;
};

/// CUDA, outside loops over threads: nobody goes on before all are here, and then they see what the others did before.
struct Barrier {
  /// Who waits for each other.
  enum class Scope : uint8_t {
    Cta,      ///< the threads of each CTA
    Cluster,  ///< the threads of all CTAs of a cluster
    Start,    ///< CTAs of a cluster, for the start of the others: only then they have shared memory to give partial results to
    Grid,     ///< all of the launch, between two Grid loops
    LastCta,  ///< all of the launch, after the last Grid loop: only the CTA that comes last goes on
  };
  Scope scope = Scope::Cta;
};

/// CUDA: the asynchronous copies that a thread has started since the last time are a group.
struct CommitCopies {};

/// CUDA: a thread waits for the asynchronous copies that it has started; outside loops over threads every thread does. With
/// `later` (an I64, at most `most`) it does not wait for the last `later` groups.
struct AwaitCopies {
  const Expr* later = nullptr;
  int most = 0;
};

struct Statement {
  std::variant<For, If, Lanes, Combine, Barrier, CommitCopies, AwaitCopies> node;
};

bool isGridLoop(const Statement& statement);
/// Whether a Combine combines more than the threads of one warp.
bool exchanges(const Combine& combine);

}  // namespace ir
