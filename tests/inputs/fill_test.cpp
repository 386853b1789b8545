#include "inputs/fill.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <memory>
#include <vector>

using ir::DType;
using ir::TensorType;

namespace {

std::vector<float> filled(const TensorType& type, const inputs::Domain& domain, uint64_t key = 1) {
  std::vector<float> storage(inputs::drawnElements(type, domain) * (ir::isComplex(type.dtype) ? 2 : 1));
  inputs::fillStorage(type, domain, key, storage.data());
  return storage;
}

}  // namespace

TEST_CASE("equal keys draw equal data, other keys other data") {
  TensorType type = TensorType::contiguous(DType::F32, {100});
  CHECK(filled(type, inputs::Plain{}, 1) == filled(type, inputs::Plain{}, 1));
  CHECK(filled(type, inputs::Plain{}, 1) != filled(type, inputs::Plain{}, 2));
}

TEST_CASE("a large tensor draws a period only") {
  CHECK(inputs::drawnElements(TensorType::contiguous(DType::F32, {1000, 1000}), inputs::Plain{}) == 262139);
  inputs::ByPosition zero{[](const ir::Shape&, uint64_t) { return int64_t{0}; }};
  CHECK(inputs::drawnElements(TensorType::contiguous(DType::F32, {1000, 1000}), zero) == 1000000);
}

TEST_CASE("values by position are written once an element, through the strides") {
  auto value = [](const ir::Shape& at, uint64_t) { return at[0] * 10 + at[1]; };
  CHECK(filled({DType::F32, {2, 3}, {1, 2}}, inputs::ByPosition{value}) == std::vector<float>{0, 10, 1, 11, 2, 12});
  CHECK(filled({DType::F32, {2, 2}, {3, 1}}, inputs::ByPosition{value}) == std::vector<float>{0, 1, 0, 10, 11});
  CHECK(filled({DType::F32, {2, 3}, {0, 1}}, inputs::ByPosition{value}) == std::vector<float>{0, 1, 2});
  CHECK(filled({DType::F32, {2, 0}, {1, 1}}, inputs::ByPosition{value}).empty());
}

TEST_CASE("a complex number is two floats") {
  CHECK(filled(TensorType::contiguous(DType::C64, {5}), inputs::Plain{}).size() == 10);
}

TEST_CASE("bools are half true") {
  TensorType type = TensorType::contiguous(DType::Bool, {10000});
  auto storage = std::make_unique<bool[]>(10000);
  inputs::fillStorage(type, inputs::Plain{}, 5, storage.get());
  auto trues = std::count(storage.get(), storage.get() + 10000, true);
  CHECK(trues > 4800);
  CHECK(trues < 5200);
}
