#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ir/loops.h"
#include "ir/statements.h"

namespace ir {

/// Where a local array lives.
enum class Space : uint8_t {
  Private,  ///< a copy for each thread (CUDA: registers, so its offsets are constants once loops are unrolled) or task (CPU)
  Shared,   ///< CUDA: a copy for each CTA
  Global,   ///< one for the launch: what the iterations of the Grid or Task loop leave to the statements after it
  Sums,     ///< CUDA: one for the launch, which atomic stores add to. Zeros at first, and zeros again in the end
};

/// An array of the kernel's own: one-dimensional, read and written, undefined at first (but for sums). Its buffer number is its
/// place after the parameters. Vectors of a private array start at multiples of `lanes` elements.
struct Local {
  Buffer buffer;
  Space space = Space::Private;
  int lanes = 1;
};

enum class Backend : uint8_t { Cuda, Cpu };

/// Which functions of a kernel, roots and quotients may err by 2^-16 relative, 2^-20 absolute.
enum class Math : uint8_t {
  Exact,    ///< none
  Rounded,  ///< where all that is made of their results is rounded to 11 bits or fewer before it is stored; on CPUs none
  Relaxed,  ///< all, as all results of the kernel are rounded so
};

/// CUDA: the bytes that a contiguous access, and so an array, is aligned to at most.
constexpr int cudaAlignment = 16;

/// A pointer argument and the bytes that its address is a multiple of. On CUDA a contiguous access is aligned to its size
/// as far as the address is, `cudaAlignment` at most, and the elements after the last one up to such a multiple can be read too,
/// as memory is handed out in larger pieces: they are undefined. On CPU accesses are aligned that bypass the caches.
struct Param {
  Buffer buffer;
  int alignment = 1;
  /// Elements from the first one on that a kernel of this backend may read.
  int64_t readableElements(Backend backend) const;
};

/// How a kernel is started. CUDA: `grid` clusters of `cluster` CTAs of `block` threads. CPU: `tasks` iterations of the Task loop,
/// on as many threads as there are grains, `grain` tasks each.
struct Launch {
  int64_t grid = 1;
  int cluster = 1;
  bool isPersistent = false;  ///< whether as many CTAs are started as fit on the device and take one cluster after another: CTAs
                              ///< of a cluster meet in global memory. Else they start together and meet in shared memory: as many
                              ///< at most as Target::clusterCtas
  int block = 1;
  int resident = 0;  ///< CTAs that must fit on a multiprocessor at once, whatever that does to registers; 0: no matter
  int64_t tasks = 1;
  int64_t grain = 1;
};

/// CUDA: the tensors of a kernel that does the same to many of them in one launch. The kernel is made for one tensor, which may
/// be as large as `count` becomes at most. In the launch every tensor has parameters of its own, as many as the kernel, and as
/// many iterations of the Grid loop as its elements take.
struct TensorList {
  std::vector<int64_t> elements;  ///< of each tensor
  std::vector<Param> params;      ///< of all tensors, one tensor after another
  const Expr* count = nullptr;    ///< an axis without a loop: the elements of the tensor at hand
  size_t tensors() const { return elements.size(); }
};

/// A scheduled computation: what both code generators print, decision by decision. Statements that follow the Grid or Task loop
/// are carried out once, after all of its iterations (on CUDA by the CTA that finishes last). Only Grid loops that follow one
/// another are each carried out by all CTAs, which wait in between and then see what all of them left in global memory:
/// `Launch::resident` says that all run at once.
struct Kernel {
  std::string name;  ///< the symbol
  Backend backend = Backend::Cpu;
  ExprPoolPtr pool;
  std::vector<Param> params;
  std::vector<Local> locals;
  Launch launch;
  std::optional<TensorList> list = {};
  bool index32 = false;  ///< every index fits 32 bits (index/width.h)
  Math math = Math::Rounded;
  bool explicitBarriers = false;  ///< CUDA: threads wait at the Barrier and AwaitCopies statements, and nowhere else. Without it
                                  ///< there are none, and what follows a loop or a Combine sees all that was done
  bool streamStores = false;  ///< CPU: contiguous stores of full vectors bypass the caches; each is aligned to its size, or to a
                              ///< vector register's where that is smaller
  Block body;

  /// The parameter or local of a buffer number.
  const Buffer& buffer(int number) const {
    const auto count = static_cast<int>(params.size());
    return number < count ? params[number].buffer : locals[number - count].buffer;
  }
  /// The local of a buffer number, or nullptr where it is a parameter.
  const Local* local(int number) const {
    const auto count = static_cast<int>(params.size());
    return number < count ? nullptr : &locals[number - count];
  }
};

/// The CTAs that a tensor of a kernel's list takes, and the CTAs of its launch, for all tensors of the list.
int64_t ctasOf(const Kernel& kernel, int64_t elements);
int64_t ctasOf(const Kernel& kernel);

/// The partial results that a Combine gives for each element of an item's array, as [element, partial result, group]; between the
/// CTAs of a persistent cluster as [cluster, element, group, partial result].
struct Partials {
  int units = 1;   ///< of a CTA, for each group: its threads of a warp give one together
  int count = 1;   ///< of all CTAs, for each group: one of a unit, by rank
  int groups = 1;  ///< of a CTA
  int64_t elements(const Buffer& array) const { return array.type.storageElements() * count * groups; }  ///< of a cluster
};
Partials partialsOf(const Launch& launch, const Combine& combine);

/// The bytes of a statement that does nothing but copy a vector from global to shared memory, where hardware can do so by
/// itself: 4, 8 or 16; 0 of every other statement.
int copiedBytes(const Kernel& kernel, const Lanes& lanes);
/// Where each lane reads of a square whose rows follow one another, for lanes that then hold its columns.
const Expr* transposedPlace(ExprPool& pool, const Expr* lane, int64_t side);
/// The side of the square that a statement transposes in place, if it does nothing else: a private array, in which every lane
/// reads at its transposedPlace. 0 of every other statement.
int transposedSide(const Kernel& kernel, const Lanes& lanes);
/// Whether a Grid loop follows another one, so that all CTAs wait for one another.
bool waitsForGrid(const Kernel& kernel);

}  // namespace ir
