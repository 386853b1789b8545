#include "ir/tensor_type.h"

#include <doctest/doctest.h>

#include "ir/error.h"

using ir::DType;
using ir::TensorType;

namespace {

constexpr int64_t huge = int64_t{1} << 40;

}  // namespace

TEST_CASE("contiguous strides are row-major and an extent of 0 counts as 1") {
  CHECK(ir::contiguousStrides({2, 3, 4}) == ir::Strides{12, 4, 1});
  CHECK(ir::contiguousStrides({2, 0, 4}) == ir::Strides{4, 4, 1});
  CHECK(ir::contiguousStrides({}).empty());
}

TEST_CASE("a tensor type counts its elements, its storage and the bytes it touches") {
  struct Row {
    TensorType type;
    int64_t numel, storage, bytes;
  };
  const Row rows[] = {
      {TensorType::contiguous(DType::F16, {2, 3}), 6, 6, 12},
      {TensorType::contiguous(DType::F64, {}), 1, 1, 8},
      {TensorType::contiguous(DType::F32, {4, 0, 7}), 0, 0, 0},
      {{DType::F32, {2, 3}, {1, 2}}, 6, 6, 24},        // transposed
      {{DType::F32, {2, 3}, {5, 1}}, 6, 8, 24},        // gaps between rows are not touched
      {{DType::F32, {4, 3}, {0, 1}}, 12, 3, 12},       // expanded
      {{DType::F32, {1, 1}, {0, 0}}, 1, 1, 4},         // one element
      {{DType::F16, {3, 4}, {1, 1}}, 12, 6, 12},       // windows that overlap
      {{DType::I64, {2, 3, 4}, {0, 0, 0}}, 24, 1, 8},  // one value everywhere
  };
  for (const Row& row : rows) {
    CAPTURE(toText(row.type));
    CHECK(row.type.numel() == row.numel);
    CHECK(row.type.storageElements() == row.storage);
    CHECK(row.type.bytesTouched() == row.bytes);
  }
}

TEST_CASE("contiguous") {
  CHECK(TensorType{DType::F32, {2, 1, 3}, {3, 99, 1}}.isContiguous());  // the stride of an extent of 1 says nothing
  CHECK(TensorType{DType::F32, {2, 0}, {7, 9}}.isContiguous());
  CHECK_FALSE(TensorType{DType::F32, {2, 3}, {1, 2}}.isContiguous());
}

TEST_CASE("text names dtype and sizes, and strides only where they are not the contiguous ones") {
  CHECK(toText(TensorType::contiguous(DType::F16, {2, 3})) == "f16[2, 3]");
  CHECK(toText(TensorType::contiguous(DType::Bool, {})) == "b8[]");
  CHECK(toText(TensorType{DType::BF16, {2, 3}, {1, 2}}) == "bf16[2, 3] strides (1, 2)");
}

TEST_CASE("sizes beyond 64 bits are refused") {
  CHECK_THROWS_WITH_AS(TensorType::contiguous(DType::F16, {2, huge, huge}),
                       "a tensor of sizes [2, 1099511627776, 1099511627776] has more elements than 64 bits count", ir::Error);
  TensorType wide{DType::F16, {2, huge, huge}, {0, 0, 0}};
  CHECK_THROWS_WITH_AS(wide.numel(), "a tensor of sizes [2, 1099511627776, 1099511627776] has more elements than 64 bits count",
                       ir::Error);
  CHECK(wide.storageElements() == 1);
  CHECK_THROWS_AS((TensorType{DType::F16, {huge, 2}, {huge, 1}}.storageElements()), ir::Error);
}
