#include "inputs/call.h"

#include <doctest/doctest.h>

#include <string>

using inputs::Call;
using inputs::Sample;

namespace {

Sample sampleOf(const std::string& op, const std::string& call) {
  Sample sample;
  sample.op = op;
  inputs::parseCall(call, {"model.txt", 1}, 1, sample);
  return sample;
}

}  // namespace

TEST_CASE("an operator is named without namespace, overload and the underscore of its in-place form") {
  struct Row {
    const char* op;
    const char* name;
  };
  const Row rows[] = {{"aten.add.Tensor", "add"},
                      {"aten.add_.Tensor", "add"},
                      {"aten._index_put_impl_.default", "_index_put_impl"},
                      {"aten.__lshift__.Scalar", "__lshift__"},
                      {"aten._softmax", "_softmax"}};
  for (const Row& row : rows) {
    CAPTURE(row.op);
    Sample sample = sampleOf(row.op, "((), {})");
    CHECK(Call(sample, 0).isOneOf(std::string("other ") + row.name + " more"));
    CHECK_FALSE(Call(sample, 0).isOneOf("other more"));
    CHECK_FALSE(Call(sample, 0).isOneOf(std::string(row.name) + "x"));
  }
}

TEST_CASE("arguments by position") {
  Sample sample = sampleOf("aten.x.default", "((T([2, 3], f16), [4, 5], -1, True, 0.5, None), {})");
  Call call(sample, 0);
  CHECK(call.size(0, 0) == 2);
  CHECK(call.size(0, -1) == 3);
  CHECK(call.sizeAlong(0, 2) == 3);
  CHECK(call.integers(1) == std::vector<int64_t>{4, 5});
  CHECK(call.flag(3));
  CHECK(call.flag(9, true));
  CHECK(call.number(4, 0) == 0.5);
  CHECK(call.number(5, 7) == 7);
}

TEST_CASE("an argument that is missing or of another kind is refused") {
  Sample sample = sampleOf("aten.x.default", "((T([2, 3], f16), [4, None], 'text'), {})");
  Call call(sample, 0);
  CHECK_THROWS_WITH_AS(call.integer(0), "aten.x.default: argument 0 is not an integer", ir::Error);
  CHECK_THROWS_WITH_AS(call.tensor(5), "aten.x.default: argument 5 is not a tensor", ir::Error);
  CHECK_THROWS_WITH_AS(call.list(0), "aten.x.default: argument 0 is not a list", ir::Error);
  CHECK_THROWS_WITH_AS(call.integers(1), "aten.x.default: argument 1 is not a list of integers", ir::Error);
  CHECK_THROWS_WITH_AS(call.number(2, 0), "aten.x.default: argument 2 is not a number", ir::Error);
  CHECK_THROWS_WITH_AS(call.flag(2), "aten.x.default: argument 2 is not a bool", ir::Error);
  CHECK_THROWS_WITH_AS(call.size(0, 2), "aten.x.default: argument 0, f16[2, 3], has no dimension 2", ir::Error);
}
