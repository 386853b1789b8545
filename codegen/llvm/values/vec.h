#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <type_traits>
#include <vector>

namespace llvm {
class IRBuilderBase;
class Type;
class Value;
}  // namespace llvm

namespace codegen {

/// An LLVM value, a scalar or a SIMD vector, with the builder that appends what is computed from it. The operands of one
/// operation have one element type; a scalar beside a vector is splatted. Arithmetic is IEEE or wraps.
struct Vec {
  llvm::IRBuilderBase* builder = nullptr;
  llvm::Value* value = nullptr;

  bool isVector() const;
  int lanes() const;  ///< 1 for a scalar
  bool isFloat() const;
  int bits() const;  ///< of an element
  /// `x` in every lane, of this type.
  Vec like(double x) const;
  Vec like(int64_t x) const;
  Vec like(int x) const { return like(static_cast<int64_t>(x)); }
  Vec like(Vec x) const { return x; }
};

Vec operator+(Vec a, Vec b);
Vec operator-(Vec a, Vec b);
Vec operator*(Vec a, Vec b);
Vec operator/(Vec a, Vec b);  ///< floating point alone
Vec operator&(Vec a, Vec b);
Vec operator|(Vec a, Vec b);
Vec operator^(Vec a, Vec b);
Vec operator<<(Vec a, Vec b);
Vec operator>>(Vec a, Vec b);  ///< logical
Vec operator<(Vec a, Vec b);   ///< ordered, signed
Vec operator<=(Vec a, Vec b);
Vec operator>(Vec a, Vec b);
Vec operator==(Vec a, Vec b);  ///< ordered
Vec operator!=(Vec a, Vec b);  ///< unordered: true if either is NaN
Vec operator-(Vec a);
Vec operator!(Vec a);  ///< the other bits

template <typename T>
concept Literal = std::is_arithmetic_v<T>;
#define CODEGEN_WITH_LITERAL(op) \
  template <Literal T>           \
  Vec operator op(Vec a, T b) {  \
    return a op a.like(b);       \
  }
CODEGEN_WITH_LITERAL(+)
CODEGEN_WITH_LITERAL(-)
CODEGEN_WITH_LITERAL(*)
CODEGEN_WITH_LITERAL(&)
CODEGEN_WITH_LITERAL(|)
CODEGEN_WITH_LITERAL(^)
CODEGEN_WITH_LITERAL(<<)
CODEGEN_WITH_LITERAL(>>)
CODEGEN_WITH_LITERAL(<)
CODEGEN_WITH_LITERAL(<=)
CODEGEN_WITH_LITERAL(>)
CODEGEN_WITH_LITERAL(==)
CODEGEN_WITH_LITERAL(!=)
#undef CODEGEN_WITH_LITERAL

Vec isNan(Vec a);
Vec shiftRightSigned(Vec a, Vec b);
Vec lessUnsigned(Vec a, Vec b);
/// `condition ? a : b` by lane; a scalar condition chooses whole vectors.
Vec select(Vec condition, Vec a, Vec b);
/// a * b + c, rounded once where the target fuses.
Vec fma(Vec a, Vec b, Vec c);
template <Literal T>
Vec fma(Vec a, Vec b, T c) {
  return fma(a, b, b.like(c));
}
/// c0 + c1*x + c2*x^2 + ..., by Horner's rule.
Vec polynomial(Vec x, std::initializer_list<double> coefficients);
Vec abs(Vec a);
/// The magnitude of `a` with the sign of `b`.
Vec copySign(Vec a, Vec b);
/// The smaller of a and the limit; NaN stays.
Vec atMost(Vec a, double limit);
Vec atLeast(Vec a, double limit);
/// An intrinsic of one type, by its name: `llvm.floor`.
Vec intrinsic(const char* name, std::initializer_list<Vec> operands);

/// The same bits as integers, and back as f32 or f64 by width.
Vec asBits(Vec a);
Vec asFloat(Vec a);
/// To integers or floats of so many bits: truncation, extension, conversion.
Vec truncate(Vec a, int bits);
Vec zeroExtend(Vec a, int bits);
Vec signExtend(Vec a, int bits);
Vec resizeFloat(Vec a, int bits);
Vec toFloat(Vec a, int bits, bool isSigned);
Vec toInteger(Vec a, int bits, bool isSigned);

/// `a` in every one of `lanes` lanes; itself if it has them, or if lanes is 1.
Vec splat(Vec a, int lanes);
Vec lane(Vec a, int index);
/// `count` lanes from `first` on, undefined past the last.
Vec slice(Vec a, int first, int count);
/// `count` lanes from `first` on, `step` apart.
Vec strided(Vec a, int first, int step, int count);
/// `body` on pieces of `width` lanes of the operands, joined again; the last piece is padded with its first lanes.
Vec inPieces(const std::vector<Vec>& operands, int width, const std::function<Vec(const std::vector<Vec>&)>& body);
/// Whether any lane of a condition holds, as a scalar.
Vec any(Vec condition);
/// {0, 1, 2, ...} in integers of so many bits; a scalar 0 for one lane.
Vec iota(llvm::IRBuilderBase& builder, int lanes, int bits);

}  // namespace codegen
