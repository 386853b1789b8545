#pragma once

#include <fmt/format.h>

#include <string>
#include <vector>

#include "ir/error.h"
#include "ir/index/range.h"
#include "ir/kernel.h"

namespace ir {

/// What is known where an expression stands.
struct VerifyScope {
  std::vector<const Expr*> axes;  ///< bound ones, outermost first
  const Expr* lane = nullptr;     ///< the last of them, in Lanes
  std::vector<Guard> guards;      ///< conditions that hold and are not always true
  bool isUndecided = false;       ///< whether conditions hold that are no Guard
  bool isMasked = false;          ///< whether only some lanes are active
  bool isThread = true;           ///< whether one thread is at work, which has registers
  bool neverRuns() const;
};

/// The rules of expressions and accesses that loops and kernels share; every refusal begins with the stage's name.
class AccessVerifier {
 public:
  AccessVerifier(std::string stage, std::vector<const Buffer*> buffers)
      : stage_(std::move(stage)), buffers_(std::move(buffers)) {}

  /// Names are words and unique, types are well formed.
  void buffers() const;
  /// Axes are bound, each once; loads fit their buffers; `place` is what the expression is, for the message.
  void expression(const Expr* root, const VerifyScope& scope, const std::string& place) const;
  /// Stores that happen at one point.
  void stores(const std::vector<Store>& stores, const VerifyScope& scope);
  /// Every buffer that says it is written was stored to.
  void everyOutputStored() const;

  /// Throws an Internal error: the stage and the mistake.
  template <typename... Args>
  [[noreturn]] void refuse(fmt::format_string<Args...> text, Args&&... args) const {
    fail(ErrorKind::Internal, "{}: {}", stage_, fmt::format(text, std::forward<Args>(args)...));
  }
  template <typename... Args>
  void demand(bool condition, fmt::format_string<Args...> text, Args&&... args) const {
    if (!condition) refuse(text, std::forward<Args>(args)...);
  }

  const Kernel* kernel = nullptr;  ///< whose parameters and locals the buffers are; none for loops
  int64_t registerBytes = 0;       ///< of the CPU's widest vector register

 private:
  const Local* local(int buffer) const { return kernel == nullptr ? nullptr : kernel->local(buffer); }
  void reduction(const Expr* reduce, const VerifyScope& scope, const std::string& place) const;
  void scan(const Expr* scan, const VerifyScope& scope, const std::string& place) const;
  void load(const Expr* load, const VerifyScope& scope, const std::string& place) const;
  void store(const Store& store, const VerifyScope& scope) const;
  void accumulation(const Store& store, const VerifyScope& scope, const std::string& place) const;
  void alone(const Store& store, const std::vector<Store>& stores) const;
  void addition(const Store& store, const std::string& place) const;
  void once(const Store& store, const VerifyScope& scope, const std::string& place) const;
  std::vector<const Expr*> pointsOf(const Store& store, const VerifyScope& scope) const;
  void offset(const Expr* offset, bool isContiguous, int64_t elements, const VerifyScope& scope, const std::string& place) const;
  int64_t readableElements(int buffer) const;
  int64_t accessAlignment(int buffer, const VerifyScope& scope, bool isStore) const;
  void inside(int64_t elements, const Expr* offset, const std::optional<Affine>& form, const VerifyScope& scope,
              const std::string& place) const;
  void aligned(int buffer, const Expr* offset, int64_t bytes, const VerifyScope& scope, const std::string& place) const;
  void inPlace(const Store& reader, const Expr* load, const Store& writer, const VerifyScope& scope) const;

  std::string stage_;
  std::vector<const Buffer*> buffers_;
  std::vector<bool> stored_ = std::vector<bool>(buffers_.size());
};

/// Whether a name can be read back: a letter or `_`, then letters, digits and `_`.
bool isWord(const std::string& name);

/// Whether values of this dtype can be combined by an operation.
bool combines(Op op, DType dtype);

/// What is wrong with a type, or an empty string.
std::string typeMistake(const TensorType& type);

}  // namespace ir
