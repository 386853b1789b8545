// Products of a row, and attention of a few queries, as sums that kernels compute.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "ir/error.h"
#include "ir/interpret/interpret.h"
#include "ir/text/text.h"
#include "lowering/tensor/lowering.h"
#include "tests/lowering/values.h"

TEST_CASE("on a GPU a product of one row or one column is a sum along rows, with a bias and its factors") {
  using Numbers = std::vector<double>;
  const auto product = [](const std::string& inputs, const std::string& call) {
    const std::string graph = "graph\n" + inputs + "  out0 f32[1, 2] = " + call + "\n  return out0\n";
    tests::Values values;
    values.emplace(0, ir::Memory{ir::DType::F32, Numbers{10, 20}});
    values.emplace(1, ir::Memory{ir::DType::F32, Numbers{1, 2, 3}});
    values.emplace(2, ir::Memory{ir::DType::F32, Numbers{1, 2, 3, 4, 5, 6}});
    const std::vector<ir::Loops> all = lowering::lower(ir::parseGraph(graph), ir::Backend::Cuda);
    CHECK(all.size() == 1);
    tests::run(all.front(), values);
    return std::get<Numbers>(values.at(3).data);
  };
  const std::string rows = "  in b f32[2]\n  in x f32[1, 3]\n  in w f32[3, 2] strides (1, 3)\n";
  CHECK(product(rows, "aten.mm.default(self=x, mat2=w)") == Numbers{14, 32});
  CHECK(product(rows, "aten.addmm.default(self=b, mat1=x, mat2=w, beta=1, alpha=1)") == Numbers{24, 52});
  CHECK(product(rows, "aten.addmm.default(self=b, mat1=x, mat2=w, beta=2, alpha=3)") == Numbers{62, 136});
  CHECK(product(rows, "aten.addmm.default(self=b, mat1=x, mat2=w, beta=0, alpha=1)") == Numbers{14, 32});
  const ir::Graph batch = ir::parseGraph(
      "graph\n  in m f32[2, 2, 3]\n  in v f32[2, 3, 1]\n  out0 f32[2, 2, 1] = aten.bmm.default(self=m, mat2=v)\n  return out0\n");
  tests::Values values;
  values.emplace(0, ir::Memory{ir::DType::F32, Numbers{1, 2, 3, 4, 5, 6, 1, 1, 1, 2, 2, 2}});
  values.emplace(1, ir::Memory{ir::DType::F32, Numbers{1, 2, 3, 4, 5, 6}});
  for (const ir::Loops& loops : lowering::lower(batch, ir::Backend::Cuda)) tests::run(loops, values);
  CHECK(std::get<Numbers>(values.at(2).data) == Numbers{14, 32, 15, 30});
}

TEST_CASE("a norm of a row is stored before products read it, as each of their rows would compute it again") {
  const auto loops = lowering::lower(ir::parseGraph(R"(graph
  in x f32[1, 8]
  in w f32[8, 4]
  y0 f32[1, 1] = aten.sum.dim_IntList(self=x, dim=[1], keepdim=True, dtype=None)
  y1 f32[1, 8] = aten.div.Tensor(self=x, other=y0)
  out0 f32[1, 4] = aten.mm.default(self=y1, mat2=w)
  return out0
)"),
                                     ir::Backend::Cuda);
  REQUIRE(loops.size() == 2);
  CHECK(loops[0].buffers.back().name == "stored0");
  CHECK(ir::toText(loops[1]).find("stored0") != std::string::npos);
}

TEST_CASE("a row that several tensors make is stored before a product with a large matrix reads it") {
  const auto loopsOf = [](const char* row, int64_t columns) {
    return lowering::lower(ir::parseGraph(fmt::format("graph\n  in x bf16[1, 4096]\n  in y bf16[1, 4096]\n  in w bf16[4096, {0}] "
                                                      "strides (1, 4096)\n  y0 bf16[1, 4096] = {1}\n"
                                                      "  out0 bf16[1, {0}] = aten.mm.default(self=y0, mat2=w)\n  return out0\n",
                                                      columns, row)),
                           ir::Backend::Cuda)
        .size();
  };
  CHECK(loopsOf("aten.mul.Tensor(self=x, other=y)", 16384) == 2);
  CHECK(loopsOf("aten.mul.Tensor(self=x, other=y)", 4096) == 1);
  CHECK(loopsOf("aten.silu.default(self=x)", 16384) == 1);
}

TEST_CASE("on a GPU attention of a few queries is sums along keys and values, which heads of queries may share") {
  using Numbers = std::vector<double>;
  constexpr int heads = 4, shared = 2, queries = 2, keys = 3, features = 2;
  const auto numbers = [](int count, double step) {
    Numbers made;
    for (int i = 0; i < count; ++i) made.push_back(std::sin(step * (i + 1)));
    return made;
  };
  const Numbers query = numbers(heads * queries * features, 0.7), key = numbers(heads / shared * keys * features, 1.3),
                value = numbers(heads / shared * keys * features, 2.1), bias = numbers(queries * keys, 0.9);
  tests::Values values;
  for (const auto& [number, data] : {std::pair(0, query), {1, key}, {2, value}, {3, bias}})
    values.emplace(number, ir::Memory{ir::DType::F32, data});
  const std::vector<ir::Loops> all = lowering::lower(ir::parseGraph(R"(graph
  in q f32[1, 4, 2, 2]
  in k f32[1, 2, 3, 2]
  in v f32[1, 2, 3, 2]
  in b f32[1, 1, 2, 3]
  out0 f32[1, 4, 2, 2], out1 f32[1, 4, 2], out2 i64[], out3 i64[] = aten._scaled_dot_product_efficient_attention.default(query=q, key=k, value=v, attn_bias=b, compute_log_sumexp=True, dropout_p=0.0, is_causal=False, scale=0.5)
  return out0, out1, out2, out3
)"),
                                                     ir::Backend::Cuda);
  for (const ir::Loops& loops : all) tests::run(loops, values);
  const auto& found = std::get<Numbers>(values.at(4).data);
  const auto& logarithms = std::get<Numbers>(values.at(5).data);
  for (int head = 0; head < heads; ++head)
    for (int row = 0; row < queries; ++row) {
      double total = 0, expected[features] = {};
      for (int k = 0; k < keys; ++k) {
        double score = bias[row * keys + k];
        for (int f = 0; f < features; ++f)
          score += 0.5 * query[(head * queries + row) * features + f] * key[(head / shared * keys + k) * features + f];
        total += std::exp(score);
        for (int f = 0; f < features; ++f) expected[f] += std::exp(score) * value[(head / shared * keys + k) * features + f];
      }
      for (int f = 0; f < features; ++f)
        CHECK(found[(head * queries + row) * features + f] == doctest::Approx(expected[f] / total));
      CHECK(logarithms[head * queries + row] == doctest::Approx(std::log(total)));
    }
}

TEST_CASE("attention of many queries, of queries to the keys before them, or with dropout is left to a library") {
  const auto refused = [](int queries, const std::string& dropout, const std::string& isCausal) {
    const std::string graph = fmt::format(R"(graph
  in q f32[1, 2, {0}, 8]
  in k f32[1, 2, {0}, 8]
  out0 f32[1, 2, {0}, 8], out1 i64[], out2 i64[] = aten._scaled_dot_product_efficient_attention.default(query=q, key=k, value=k, attn_bias=None, compute_log_sumexp=False, dropout_p={1}, is_causal={2}, scale=None)
  return out0
)",
                                          queries, dropout, isCausal);
    try {
      return std::to_string(lowering::lower(ir::parseGraph(graph), ir::Backend::Cuda).size());
    } catch (const ir::Error& error) {
      return std::string(error.what());
    }
  };
  CHECK(refused(1, "0.0", "False") == "3");
  CHECK(refused(16, "0.0", "False") == "attention of many queries is not lowered");
  CHECK(refused(2, "0.0", "True") == "attention of queries to the keys before them is not lowered");
  CHECK(refused(2, "0.5", "False") == "attention with dropout is not lowered");
}
