// The siblings of a sample: the same call on other sizes and layouts.
#include "inputs/siblings.h"

#include <doctest/doctest.h>

#include <algorithm>

using namespace inputs;

namespace {

constexpr int64_t mebi = int64_t{1} << 20;

Sample siblingSample(const std::string& op, const std::string& call) {
  return parseFile("Operator: " + op + "\ncnt: 1, " + call + "\n", "s.txt", "").samples.at(0);
}

/// The calls of the siblings, by how they differ.
std::string siblingOf(const Sample& sample, const std::string& what, int64_t mostBytes = 64 * mebi) {
  for (const Sibling& sibling : siblingsOf(sample, mostBytes))
    if (sibling.what == what) return toText(sibling.sample);
  return "none";
}

}  // namespace

TEST_CASE("a size is another one wherever it occurs, in all tensors and among integers") {
  const Sample norm =
      siblingSample("aten.native_layer_norm.default", "((T([8, 768], f16), [768], T([768], f16), T([768], f16), 1e-05), {})");
  CHECK(siblingOf(norm, "size 768 is 767") == "((T([8, 767], f16), [767], T([767], f16), T([767], f16), 1e-05), {})");
  CHECK(siblingOf(norm, "size 768 is 1") == "((T([8, 1], f16), [1], T([1], f16), T([1], f16), 1e-05), {})");
  CHECK(siblingOf(norm, "size 8 is 0") == "((T([0, 768], f16), [768], T([768], f16), T([768], f16), 1e-05), {})");
}

TEST_CASE("one sibling has more than 2^18 elements, where the sample has not, and bytes allow it") {
  const Sample relu = siblingSample("aten.relu.default", "((T([64, 768], f32),), {})");
  const Sample image = siblingSample("aten.relu.default", "((T([2, 3, 10, 20], f32),), {})");
  CHECK(siblingOf(image, "size 2 is 437") == "((T([437, 3, 10, 20], f32),), {})");
  for (const Sibling& sibling : siblingsOf(image, 64 * mebi)) CHECK(tensorsOf(sibling.sample)[0]->sizes[3] <= 20);
  CHECK(siblingOf(relu, "size 768 is 4097") == "((T([64, 4097], f32),), {})");
  CHECK(siblingOf(relu, "size 768 is 4097", mebi / 2) == "none");
  CHECK(siblingOf(siblingSample("aten.relu.default", "((T([64, 64], f32),), {})"), "size 64 is 513") ==
        "((T([513, 513], f32),), {})");
}

TEST_CASE("tensors are transposed, have gaps, or show one element many times") {
  const Sample add = siblingSample("aten.add.Tensor", "((T([64, 768], f32), T([64, 768], f32, stride=(1, 64))), {})");
  CHECK(siblingOf(add, "transposed") == "((T([64, 768], f32, stride=(1, 64)), T([64, 768], f32)), {})");
  CHECK(siblingOf(add, "gaps between rows") == "((T([64, 768], f32, stride=(771, 1)), T([64, 768], f32, stride=(1, 67))), {})");
  CHECK(siblingOf(add, "every other element") ==
        "((T([64, 768], f32, stride=(1536, 2)), T([64, 768], f32, stride=(2, 128))), {})");
  CHECK(siblingOf(add, "expanded") == "((T([64, 768], f32, stride=(0, 1)), T([64, 768], f32, stride=(0, 64))), {})");
}

TEST_CASE("a gradient keeps the size that the integers of its call say, as ATen does not check it") {
  for (const auto& [op, call] : {std::pair{"aten.slice_backward.default", "((T([4], f16), [5], 0, 1, 5, 1), {})"},
                                 std::pair{"aten.diagonal_backward.default", "((T([3], f16), [3, 3], 0, 0, 1), {})"}})
    for (const Sibling& sibling : siblingsOf(siblingSample(op, call), mebi)) {
      CAPTURE(sibling.what);
      CHECK_FALSE(sibling.what.starts_with("size"));
    }
}

TEST_CASE("small integers are no sizes, and tensors that the sample gives stay as they are") {
  const Sample pool = siblingSample("aten.max_pool2d_with_indices.default", "((T([2, 2, 8, 8], f32), [2, 2], [2, 2]), {})");
  for (const Sibling& sibling : siblingsOf(pool, mebi)) CHECK(toText(sibling.sample).ends_with(", [2, 2], [2, 2]), {})"));
  const Sample take = siblingSample("aten.index_select.default", "((T([4], f32), 0, T([4], i64, values=[0, 1, 2, 3])), {})");
  for (const Sibling& sibling : siblingsOf(take, mebi))
    CHECK(toText(sibling.sample).ends_with("0, T([4], i64, values=[0, 1, 2, 3])), {})"));
  const Sample scaled = siblingSample("aten.mul.Tensor", "((T([4, 6], f32), T([6], f32, values=[1, 2, 3, 4, 5, -0.0])), {})");
  for (const Sibling& sibling : siblingsOf(scaled, mebi))
    CHECK(toText(sibling.sample).ends_with("T([6], f32, values=[1.0, 2.0, 3.0, 4.0, 5.0, -0.0])), {})"));
}

TEST_CASE("siblings differ from the sample and from each other; their text is read back, in any order") {
  const Sample sample = siblingSample("aten.mul.Tensor", "((T([8, 1, 8], f32), T([8], f32)), {})");
  const std::vector<Sibling> siblings = siblingsOf(sample, mebi);
  CHECK(siblings.size() > 4);
  std::vector<std::string> texts{toText(sample)};
  for (const Sibling& sibling : siblings) texts.push_back(toText(sibling.sample));
  for (size_t i = 1; i < texts.size(); ++i) {
    CHECK(toText(siblingSample("aten.mul.Tensor", texts[i])) == texts[i]);
    CHECK(siblings[i - 1].sample.recorded == texts[i]);
  }
  std::vector<std::string> other;
  for (const Sibling& sibling : mostTellingFirst(siblings, 7)) other.push_back(toText(sibling.sample));
  other.push_back(texts.front());
  std::sort(texts.begin(), texts.end());
  CHECK(std::adjacent_find(texts.begin(), texts.end()) == texts.end());
  std::sort(other.begin(), other.end());
  CHECK(other == texts);
}

TEST_CASE("what is no call, or has no tensors, has none") {
  CHECK(siblingsOf(siblingSample("aten.arange.default", "((8,), {})"), mebi).empty());
  CHECK(siblingsOf(siblingSample("rnn.lstm.inference", "((), {})"), mebi).empty());
}
