#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "ir/kernel.h"

namespace codegen {

/// How tightly a piece of C++ binds, loosest first.
enum class Binds { Conditional, Logic, Compare, Sum, Product, Unary, Atom };

/// A C++ expression.
struct CudaText {
  std::string text;
  Binds binds = Binds::Atom;
  bool isUnsigned = false;  ///< of an unsigned type although indices are signed
};

/// Whether an i64 node is printed as an index (`int` arithmetic where Kernel::index32 allows it; it never overflows) or as a
/// value (64 bits that wrap). A Bool node hands the form on to its operands; other nodes are values.
enum class As { Value, Index };

/// A node in one of its printed forms.
struct Key {
  const ir::Expr* node = nullptr;
  As as = As::Value;
  auto operator<=>(const Key&) const = default;
};

/// The C++ name of a dtype; Unsupported for complex ones.
std::string cudaType(ir::DType dtype);

/// Whether a buffer is a register array.
bool isPrivate(const ir::Kernel& kernel, int buffer);

/// Prints expressions as C++ over the names that are bound to some of their nodes.
class CudaExpressions {
 public:
  /// `buffers` are the names of the kernel's parameters and locals.
  CudaExpressions(const ir::Kernel& kernel, std::vector<std::string> buffers);

  /// The form that a node has where `as` is asked for. Memory holds values; i64 nodes that are bounded by 32 bits all the way
  /// down, as positions are, are indices wherever they stand.
  Key keyOf(const ir::Expr* node, As as) const;
  /// The operands of a key in the forms that its text asks for.
  std::vector<Key> operandsOf(const Key& key) const;

  /// From now on a condition on indices holds, or does not.
  void assume(const ir::Expr* condition, bool holds);
  /// From now on `key` is printed as `text`, which has the type of its form.
  void bind(const Key& key, CudaText text) { bound_.insert_or_assign(key, std::move(text)); }
  /// Whether a key has a name, or an i64 one in its other form.
  bool isBound(const Key& key) const { return name(key) != nullptr; }

  /// A node as the form asked for; nodes that are not bound are printed in place.
  CudaText print(const ir::Expr* node, As as) const;
  std::string value(const ir::Expr* node) const { return print(node, As::Value).text; }
  std::string index(const ir::Expr* node) const { return print(node, As::Index).text; }
  /// `buffer + offset`, or `buffer` alone; of memory.
  std::string address(int buffer, const ir::Expr* offset) const;
  /// `buffer[offset]`, or `buffer[offset + lane]`; of a register array `buffer[vector][lane]`.
  std::string element(int buffer, const ir::Expr* offset, const ir::Expr* lane = nullptr) const;
  /// The element that a load reads, or what it is where its mask does not hold; a contiguous one reads the `lane`'s.
  CudaText loaded(const ir::Expr* load, const ir::Expr* lane = nullptr) const;
  /// The vector of a register array that starts at `offset` and has this many lanes: `buffer[vector]`; empty where none does.
  std::string wholeVector(int buffer, const ir::Expr* offset, int64_t lanes) const;

  const std::string& buffer(int i) const { return buffers_[static_cast<size_t>(i)]; }
  /// The type of index variables.
  std::string indexType() const { return kernel_.index32 ? "i32" : "i64"; }

 private:
  using Bound = std::map<Key, CudaText>;
  struct IndexFacts;

  std::string registerElement(int buffer, const ir::Expr* offset) const;
  bool isNonNegative(const ir::Expr* index) const;
  bool isPosition(const ir::Expr* node) const;

  const Bound::value_type* name(const Key& key) const;
  /// The form that the text of `key` asks of an operand.
  As operandForm(const Key& key, size_t operand) const;
  CudaText converted(const CudaText& text, As from, As to) const;
  /// An operand; an unsigned index becomes signed again unless `mayBeUnsigned`, as offsets of signed type cost less.
  CudaText operand(const Key& of, size_t i, bool mayBeUnsigned = false) const;
  CudaText operation(const Key& key) const;
  CudaText unary(const Key& key) const;
  CudaText binary(const Key& key) const;
  CudaText quotient(const Key& key) const;
  CudaText select(const Key& key) const;
  CudaText cast(const Key& key) const;
  CudaText floating(const ir::Expr* node) const;

  /// Whether a function, root or quotient may be a fast one (ir::Math).
  bool mayErr(const ir::Expr* node) const {
    return kernel_.math == ir::Math::Relaxed || (rounded_ != nullptr && rounded_->contains(node));
  }

  const ir::Kernel& kernel_;
  std::vector<std::string> buffers_;
  std::shared_ptr<IndexFacts> facts_;                         ///< found out once, shared by copies
  std::shared_ptr<const std::set<const ir::Expr*>> rounded_;  ///< of Math::Rounded: roundedNodes()
  Bound bound_;
};

}  // namespace codegen
