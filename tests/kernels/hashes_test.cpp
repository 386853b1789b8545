// Lists of hashes, as two builds write them.
#include <doctest/doctest.h>

#include "bench/kernels/hashes.h"
#include "ir/error.h"

namespace {

using kernels::compare;
using kernels::Comparison;
using kernels::Hashes;

const Hashes before{{{"sm_90", "float16", "aten.add.Tensor", "5a", 0}, {"a1", "b1", "kernel"}},
                    {{"sm_90", "float16", "aten.sum.default", "5b", 0}, {"a2", "b2", "kernel"}},
                    {{"sm_90", "float16", "aten.sum.default", "5b", 1}, {"a3", "b3", "kernel"}},
                    {{"avx2", "float16", "aten.mm.default", "5c", 0}, {"a4", "b4", "no-lowering"}}};

TEST_CASE("a list is read as it was written") {
  std::string text;
  for (const auto& [key, entry] : before) text += toLine(key, entry);
  CHECK(kernels::parseHashes(text) == before);
  CHECK(text.starts_with("a4 b4 avx2 float16 aten.mm.default 5c 0 no-lowering\n"));
  CHECK_THROWS_AS(kernels::parseHashes(text + text), ir::Error);
  CHECK_THROWS_AS(kernels::parseHashes("a4 b4 avx2\n"), ir::Error);
}

TEST_CASE("a build that makes the same kernels, but for names") {
  CHECK(compare(before, before).text == "4 same, 0 same but for names, 0 changed, 0 only in A, 0 only in B\n");
  Hashes after = before;
  after.begin()->second.hash = "a9";
  const Comparison found = compare(before, after);
  CHECK(found.isSameButForNames());
  CHECK(found.text == "3 same, 1 same but for names, 0 changed, 0 only in A, 0 only in B\n");
}

TEST_CASE("kernels that changed, came and went are named") {
  Hashes after = before;
  after[{"sm_90", "float16", "aten.add.Tensor", "5a", 0}] = {"a9", "b9", "kernel"};
  after.erase({"sm_90", "float16", "aten.sum.default", "5b", 1});
  after[{"avx2", "float16", "aten.mm.default", "5c", 0}] = {"a8", "b8", "kernel"};
  after[{"avx2", "float16", "aten.mm.default", "5c", 1}] = {"a7", "b7", "kernel"};
  const Comparison found = compare(before, after);
  CHECK(!found.isSameButForNames());
  CHECK(found.text == R"(1 same, 0 same but for names, 2 changed, 1 only in A, 1 only in B
  aten.add.Tensor on sm_90: 1
    5a float16 kernel 0: kernel b1 -> kernel b9
  aten.mm.default on avx2: 2
    5c float16 kernel 0: no-lowering -> kernel
    5c float16 kernel 1: only in B (kernel)
  aten.sum.default on sm_90: 1
    5b float16 kernel 1: only in A (kernel)
)");
}

TEST_CASE("a kernel that becomes a call of ATen has changed, whatever its hash") {
  Hashes after = before;
  after.begin()->second.kind = "crashed";
  CHECK(compare(before, after).changed == 1);
}

}  // namespace
