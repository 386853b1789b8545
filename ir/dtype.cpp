#include "ir/dtype.h"

#include <algorithm>
#include <array>

#include "ir/error.h"

namespace ir {
namespace {

enum class Category : uint8_t { Bool, Unsigned, Signed, Floating, Complex };

struct Row {
  DType dtype;
  std::string_view code, torchName, alias;
  int64_t bytes;
  Category category;
};

// In the order of DType, so that a dtype is its row's index.
constexpr std::array<Row, dtypeCount> rows{{
    {DType::Bool, "b8", "bool", "", 1, Category::Bool},
    {DType::U8, "u8", "uint8", "", 1, Category::Unsigned},
    {DType::I8, "i8", "int8", "", 1, Category::Signed},
    {DType::U16, "u16", "uint16", "", 2, Category::Unsigned},
    {DType::I16, "i16", "int16", "short", 2, Category::Signed},
    {DType::U32, "u32", "uint32", "", 4, Category::Unsigned},
    {DType::I32, "i32", "int32", "int", 4, Category::Signed},
    {DType::U64, "u64", "uint64", "", 8, Category::Unsigned},
    {DType::I64, "i64", "int64", "long", 8, Category::Signed},
    {DType::F8E4M3, "f8e4m3", "float8_e4m3fn", "", 1, Category::Floating},
    {DType::F8E5M2, "f8e5m2", "float8_e5m2", "", 1, Category::Floating},
    {DType::F16, "f16", "float16", "half", 2, Category::Floating},
    {DType::BF16, "bf16", "bfloat16", "", 2, Category::Floating},
    {DType::F32, "f32", "float32", "float", 4, Category::Floating},
    {DType::F64, "f64", "float64", "double", 8, Category::Floating},
    {DType::C32, "c32", "complex32", "chalf", 4, Category::Complex},
    {DType::C64, "c64", "complex64", "cfloat", 8, Category::Complex},
    {DType::C128, "c128", "complex128", "cdouble", 16, Category::Complex},
}};

constexpr bool inOrder() {
  for (size_t i = 0; i < rows.size(); ++i)
    if (rows[i].dtype != static_cast<DType>(i)) return false;
  return true;
}
static_assert(inOrder());

const Row& row(DType dtype) { return rows[static_cast<size_t>(dtype)]; }

bool isFloat8(DType dtype) { return dtype == DType::F8E4M3 || dtype == DType::F8E5M2; }

// The unsigned types that ATen has little arithmetic for; they promote with floating types alone.
bool isBareUnsigned(DType dtype) { return dtype == DType::U16 || dtype == DType::U32 || dtype == DType::U64; }

[[noreturn]] void refusePromotion(DType a, DType b) {
  fail(ErrorKind::Unsupported, "ATen does not promote {} with {}", torchName(a), torchName(b));
}

DType complexOf(DType floating) {
  if (floating == DType::F16) return DType::C32;
  return floating == DType::F64 ? DType::C128 : DType::C64;
}

DType promoteIntegers(DType a, DType b) {
  if (a == DType::U8 && b == DType::I8) return DType::I16;
  return std::max(a, b);
}

DType promoteFloating(DType a, DType b) {
  if (a == DType::F16 && b == DType::BF16) return DType::F32;
  return std::max(a, b);
}

}  // namespace

std::string_view name(DType dtype) { return row(dtype).code; }

std::string_view torchName(DType dtype) { return row(dtype).torchName; }

std::optional<DType> dtypeFromName(std::string_view code) {
  for (const Row& r : rows)
    if (r.code == code) return r.dtype;
  return std::nullopt;
}

std::optional<DType> dtypeFromTorchName(std::string_view text) {
  if (text.empty()) return std::nullopt;
  for (const Row& r : rows)
    if (r.torchName == text || r.alias == text) return r.dtype;
  return std::nullopt;
}

int64_t sizeOf(DType dtype) { return row(dtype).bytes; }

bool isFloating(DType dtype) { return row(dtype).category == Category::Floating; }

bool isComplex(DType dtype) { return row(dtype).category == Category::Complex; }

bool isIntegral(DType dtype) { return row(dtype).category == Category::Unsigned || row(dtype).category == Category::Signed; }

bool isSigned(DType dtype) { return row(dtype).category != Category::Bool && row(dtype).category != Category::Unsigned; }

bool isHalf(DType dtype) { return dtype == DType::F16 || dtype == DType::BF16; }

bool isLowPrecision(DType dtype) { return isHalf(dtype) || isFloat8(dtype); }

DType opmath(DType dtype) {
  if (isLowPrecision(dtype)) return DType::F32;
  return dtype == DType::C32 ? DType::C64 : dtype;
}

// The rules of c10/core/ScalarType.cpp.
DType promote(DType a, DType b) {
  if (a == b) return a;
  if (a > b) std::swap(a, b);  // `b` now has the category of higher rank
  if (isFloat8(a) || isFloat8(b)) refusePromotion(a, b);
  if (isBareUnsigned(a) || isBareUnsigned(b)) return isFloating(b) ? b : (refusePromotion(a, b), b);
  if (isComplex(b) && isFloating(a)) return std::max(complexOf(a), b);
  if (isComplex(b)) return b;
  if (isFloating(b)) return isFloating(a) ? promoteFloating(a, b) : b;
  return a == DType::Bool ? b : promoteIntegers(a, b);
}

}  // namespace ir
