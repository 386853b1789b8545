#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace ir {

/// Element types, in the codes that recorded samples use (`f16`, `b8`, ...); ordered by growing rank within
/// a category (bool, integers, floating point, complex).
enum class DType : uint8_t { Bool, U8, I8, U16, I16, U32, I32, U64, I64, F8E4M3, F8E5M2, F16, BF16, F32, F64, C32, C64, C128 };

inline constexpr int dtypeCount = static_cast<int>(DType::C128) + 1;

/// The code of a dtype: `b8 u8 i8 u16 i16 u32 i32 u64 i64 f8e4m3 f8e5m2 f16 bf16 f32 f64 c32 c64 c128`.
std::string_view name(DType dtype);
/// The dtype of a code, or nothing.
std::optional<DType> dtypeFromName(std::string_view code);
/// The name ATen and the command line use (`float16`, `bool`, `int64`, `float8_e4m3fn`, ...).
std::string_view torchName(DType dtype);
/// The dtype of an ATen name (without `torch.`), aliases such as `half`, `long`, `double` included, or nothing.
std::optional<DType> dtypeFromTorchName(std::string_view text);

/// Bytes of one element.
int64_t sizeOf(DType dtype);
bool isFloating(DType dtype);
bool isComplex(DType dtype);
/// Integers, not bool.
bool isIntegral(DType dtype);
bool isSigned(DType dtype);
/// Whether values are rounded to at most 11 significant bits (f16, bf16, f8).
bool isLowPrecision(DType dtype);
/// Whether it is a floating type of two bytes: f16, bf16.
bool isHalf(DType dtype);

/// The dtype arithmetic on `dtype` is done in: f32 for f16, bf16 and f8; otherwise itself (ATen's opmath).
DType opmath(DType dtype);
/// ATen's promotion of two dtypes (c10::promoteTypes), for tensors of one category of rank.
DType promote(DType a, DType b);

}  // namespace ir
