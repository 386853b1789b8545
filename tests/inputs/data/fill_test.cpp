#include "inputs/data/fill.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "inputs/random.h"

using ir::DType;
using ir::TensorType;

namespace {

std::vector<float> filled(const TensorType& type, const inputs::ValueRange& domain, uint64_t key = 1,
                          const inputs::Data& data = {}) {
  std::vector<float> storage(inputs::drawnElements(type, domain) * (ir::isComplex(type.dtype) ? 2 : 1));
  inputs::fillStorage(type, domain, key, storage.data(), data);
  return storage;
}

/// Plain f32 or f16 elements of a distribution.
std::vector<float> plain(inputs::Distribution distribution, DType dtype = DType::F32) {
  return filled(TensorType::contiguous(dtype, {20000}), inputs::Plain{}, 1, {distribution});
}

bool all(const std::vector<float>& values, bool (*holds)(float)) { return std::all_of(values.begin(), values.end(), holds); }

}  // namespace

TEST_CASE("distributions of what may be anything") {
  using inputs::Distribution;
  CHECK(all(plain(Distribution::Uniform), [](float x) { return std::abs(x) < 1; }));
  CHECK(all(plain(Distribution::SmallInt), [](float x) { return x == std::round(x) && std::abs(x) <= 8; }));
  CHECK(all(plain(Distribution::Zeros), [](float x) { return x == 0; }));
  CHECK(all(plain(Distribution::Positive), [](float x) { return x >= 0.0625F; }));
  CHECK(all(plain(Distribution::Far), [](float x) { return 4 * x == std::round(4 * x) && std::abs(x - 250) <= 1; }));
  CHECK(filled(TensorType::contiguous(DType::F32, {3}), inputs::Plain{}, 1, {Distribution::Normal, 16})[1] ==
        16 * filled(TensorType::contiguous(DType::F32, {3}), inputs::Plain{}, 1)[1]);
}

TEST_CASE("special values of the dtype are among normal ones, in the first of every four blocks") {
  const std::vector<float> values = plain(inputs::Distribution::Specials, DType::F16);
  const auto begin = values.begin(), block = begin + 4096;
  CHECK(std::any_of(begin, block, [](float x) { return std::isnan(x); }));
  for (float special : {INFINITY, -INFINITY, 0x1p-24F, -0x1p-24F, 0x1p-14F, 65504.0F, -65504.0F / 4})
    CHECK(std::find(begin, block, special) != block);
  CHECK(std::any_of(begin, block, [](float x) { return x == 0 && std::signbit(x); }));
  CHECK(std::all_of(block, begin + 4 * 4096, [](float x) { return std::isfinite(x) && std::abs(x) < 10; }));
  CHECK(std::any_of(begin + 4 * 4096, values.end(), [](float x) { return std::isnan(x); }));
}

TEST_CASE("special values are left out where an argument cannot be infinite, or not special") {
  const TensorType type = TensorType::contiguous(DType::F32, {20000});
  const inputs::Data specials{inputs::Distribution::Specials};
  const std::vector<float> finite = filled(type, inputs::Finite{}, 1, specials);
  CHECK(all(finite, [](float x) { return std::isfinite(x); }));
  CHECK(std::find(finite.begin(), finite.end(), 0x1p40F) != finite.end());
  CHECK(filled(type, inputs::Tame{}, 1, specials) == filled(type, inputs::Plain{}));
}

TEST_CASE("far from zero, divisors and what has a logarithm are so as well, and one in four i64 exceeds 32 bits") {
  const TensorType type = TensorType::contiguous(DType::I64, {10000});
  const inputs::Data far{inputs::Distribution::Far};
  for (const inputs::ValueRange& range : {inputs::ValueRange(inputs::Positive{}), inputs::ValueRange(inputs::NonZero{})})
    CHECK(filled(TensorType::contiguous(DType::F32, {100}), range, 1, far)[0] > 200);
  std::vector<int64_t> integers(10000);
  inputs::fillStorage(type, inputs::Plain{}, 1, integers.data(), far);
  const auto large = std::count_if(integers.begin(), integers.end(), [](int64_t x) { return std::abs(x) > (int64_t{1} << 32); });
  CHECK(large > 2200);
  CHECK(large < 2800);
}

TEST_CASE("spread: magnitudes evenly by their logarithm and of both signs, and one integer in four of any size") {
  using inputs::Distribution;
  const std::vector<float> values = plain(Distribution::Spread);
  for (int exponent = -8; exponent < 8; ++exponent) {
    const auto isOfIt = [exponent](float x) { return std::ilogb(x) == exponent; };
    CHECK(std::count_if(values.begin(), values.end(), isOfIt) > 20000 / 20);
  }
  CHECK(std::count_if(values.begin(), values.end(), [](float x) { return x < 0; }) > 9000);
  const inputs::Data spread{Distribution::Spread};
  CHECK(all(filled(TensorType::contiguous(DType::F32, {5000}), inputs::Positive{}, 1, spread), [](float x) { return x > 0; }));
  struct Row {
    DType dtype;
    int64_t least, most;
  };
  for (const Row& row :
       {Row{DType::I8, -128, 127}, {DType::U8, 0, 255}, {DType::I32, INT32_MIN, INT32_MAX}, {DType::I64, INT64_MIN, INT64_MAX}}) {
    std::vector<int64_t> integers(10000);
    inputs::fillStorage(TensorType::contiguous(row.dtype, {10000}), inputs::Plain{}, 1, integers.data(), spread);
    const auto [least, most] = std::minmax_element(integers.begin(), integers.end());
    CHECK(*least == row.least);
    CHECK(*most == row.most);
    CHECK(std::count_if(integers.begin(), integers.end(), [](int64_t x) { return -8 <= x && x <= 8; }) > 7000);
    inputs::fillStorage(TensorType::contiguous(row.dtype, {10000}), inputs::Tame{}, 1, integers.data(), spread);
    CHECK(*std::max_element(integers.begin(), integers.end()) == 8);
  }
}

TEST_CASE("what must be valid stays so, whatever the distribution") {
  const TensorType type = TensorType::contiguous(DType::F32, {5000});
  for (const std::string& name : inputs::distributionNames()) {
    const inputs::Data data{inputs::distributionFromName(name).value()};
    CHECK(name == inputs::toText(data));
    CHECK(filled(type, inputs::Below{7}, 3, data) == filled(type, inputs::Below{7}, 3));
    CHECK(filled(type, inputs::Uniform{0, 1}, 3, data) == filled(type, inputs::Uniform{0, 1}, 3));
  }
  CHECK(inputs::toText({inputs::Distribution::Uniform, 16}) == "uniform x 16");
  CHECK_FALSE(inputs::distributionFromName("cauchy"));
}

TEST_CASE("equal keys draw equal data, other keys other data") {
  TensorType type = TensorType::contiguous(DType::F32, {100});
  CHECK(filled(type, inputs::Plain{}, 1) == filled(type, inputs::Plain{}, 1));
  CHECK(filled(type, inputs::Plain{}, 1) != filled(type, inputs::Plain{}, 2));
}

TEST_CASE("a large tensor draws a period only, but for places, which caches would hold if they were repeated") {
  CHECK(inputs::drawnElements(TensorType::contiguous(DType::I64, {1000, 1000}), inputs::Below{100000}) == 1000000);
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

TEST_CASE("whole numbers by position are the same on however many threads they are drawn") {
  const TensorType type{DType::I64, {70, 3, 1024}, {3072, 0, 2}};
  const inputs::ByPosition byPosition{[](const ir::Shape& at, uint64_t random) {
    return at[0] * 100000 + at[1] * 10000 + at[2] + static_cast<int64_t>(random % 2) * 10000000;
  }};
  std::vector<int64_t> storage(static_cast<size_t>(type.storageElements()));
  inputs::fillStorage(type, byPosition, 3, storage.data());
  int64_t wrong = 0;
  for (int64_t i = 0; i < 70; ++i)
    for (int64_t k = 0; k < 1024; ++k)
      wrong += storage[static_cast<size_t>(i * 3072 + 2 * k)] !=
               byPosition.value({i, 0, k}, inputs::randomBits(3, static_cast<uint64_t>(i * 1024 + k)));
  CHECK(wrong == 0);
  CHECK(storage[1] == 0);
}
