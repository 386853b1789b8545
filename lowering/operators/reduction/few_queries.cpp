// Attention of a few queries, as where a token is decoded: sums along keys and values, which are read once for all queries.
#include <cmath>

#include "ir/error.h"
#include "lowering/tensor/places.h"
#include "lowering/tensor/reduce.h"

namespace lowering {
namespace {

/// The most queries of a head of keys, as kernels have sums for each, and the most queries of a call: a library's kernels have
/// work for all multiprocessors where there are more.
constexpr int64_t mostShared = 8, mostQueries = 256;

/// What queries attend to. Tensors are [batch, heads, queries or keys, features]. Queries of several heads may share a head of
/// keys and values; queries that share one are numbered.
struct Attention {
  Tensor query, key, value;
  std::optional<Tensor> bias;
  double scale = 1;

  int64_t heads() const { return query.sizes[1] / key.sizes[1]; }
  int64_t queries() const { return heads() * query.sizes[2]; }
  /// The place of the query of a number beside a head of keys.
  Index place(Value batch, Value head, int64_t number, Value last) const {
    const int64_t rows = query.sizes[2];
    return {batch, simplified(head * heads() + number / rows), head.like(number % rows), last};
  }
};

Attention attentionOf(Context& c) {
  const auto refuse = [](const char* what) { ir::fail(ir::ErrorKind::Unsupported, "attention {} is not lowered", what); };
  if (c.backend() == ir::Backend::Cpu) refuse("on CPUs");
  if (c.number("dropout_p") != 0) refuse("with dropout");
  if (c.flag("is_causal")) refuse("of queries to the keys before them");
  if (c.has("return_debug_mask") && c.flag("return_debug_mask")) refuse("that returns its mask");
  const auto operand = [&](const char* name) { return inOpmath(computedOnce(c, c.tensor(name))); };
  Attention attention{operand("query"), operand("key"), operand("value"), {}};
  const ir::Shape &query = attention.query.sizes, &key = attention.key.sizes;
  if (numelOf(key) == 0 || query[1] % key[1] != 0) refuse("of these heads");
  if (attention.queries() > mostShared || query[0] * query[1] * query[2] > mostQueries) refuse("of many queries");
  attention.scale = c.isNone("scale") ? 1 / std::sqrt(static_cast<double>(query[3])) : c.number("scale");
  const auto bias = c.has("attn_bias") ? c.optionalTensor("attn_bias") : std::nullopt;
  if (bias) attention.bias = expand(inOpmath(*bias), {query[0], query[1], query[2], key[2]});
  return attention;
}

/// How well each key fits a query: [batch, heads of keys, keys].
Tensor scoresOf(Context& c, const Attention& a, int64_t number) {
  const Tensor products = lazy(a.key.dtype, a.key.sizes,
                               [=](const Index& at) { return a.query.at(a.place(at[0], at[1], number, at[3])) * a.key.at(at); });
  const Tensor sums = squeeze(c, sum(c, products, {3}), {3});
  return lazy(sums.dtype, sums.sizes, [=](const Index& at) {
    const Value score = sums.at(at) * a.scale;
    return a.bias ? score + a.bias->at(a.place(at[0], at[1], number, at[2])) : score;
  });
}

/// The values by the weights of one query of each head of keys: [batch, heads of keys, features].
Tensor outputOf(Context& c, const Tensor& weights, const Tensor& value, int64_t number) {
  const Tensor products = lazy(value.dtype, value.sizes, [=](const Index& at) {
    return weights.at({at[0], at[1], at[0].like(number), at[2]}) * value.at(at);
  });
  return squeeze(c, sum(c, products, {2}), {2});
}

/// What the queries have, one after another: [batch, heads of keys, queries, ..] of [batch, heads of keys, ..] of each.
Tensor numbered(const Tensors& each) {
  ir::Shape sizes = each.front().sizes;
  sizes.insert(sizes.begin() + 2, std::ssize(each));
  return lazy(each.front().dtype, sizes, [=](const Index& at) {
    Index place = at;
    place.erase(place.begin() + 2);
    Value value = each.front().at(place);
    for (std::size_t i = 1; i < each.size(); ++i) value = readWhere(at[2] == static_cast<int64_t>(i), each[i].at(place), value);
    return value;
  });
}

/// The same by heads of queries: [batch, heads, queries of a head, ..].
Tensor byHeads(const Attention& a, const Tensor& numbered, const ir::Shape& sizes) {
  return lazy(numbered.dtype, sizes, [=](const Index& at) {
    const Value head = simplified(at[1] / a.heads());
    Index place{at[0], head, simplified((at[1] - head * a.heads()) * a.query.sizes[2] + at[2])};
    if (numbered.sizes.size() > place.size()) place.push_back(at[3]);
    return numbered.at(place);
  });
}

/// The results behind the first are the logarithms of sums of exponentials, where these are asked for, and seeds, from which
/// nothing was drawn.
Tensors attend(Context& c) {
  const Attention attention = attentionOf(c);
  const int64_t queries = attention.queries();
  Tensors scores, outputs;
  for (int64_t i = 0; i < queries; ++i) scores.push_back(c.stored(scoresOf(c, attention, i)));
  const Exponentials row = maskedExponentials(c, numbered(scores), {3});
  const Tensor weights =
      c.stored(map([](Value x, Value total) { return where(total == 0.0, 0.0, x / total); }, row.powers, row.total));
  const auto kept = [&](const Tensor& tensor) { return queries == 1 ? tensor : c.stored(tensor); };
  for (int64_t i = 0; i < queries; ++i) outputs.push_back(kept(outputOf(c, weights, attention.value, i)));
  Tensors results{kept(cast(byHeads(attention, numbered(outputs), c.outputType().sizes), c.outputType().dtype))};
  const Tensor sums = squeeze(c, map([](Value total, Value top) { return log(total) + top; }, row.total, row.top), {3});
  for (int i = 1; i < c.outputCount(); ++i) {
    const ir::TensorType& type = c.outputType(i);
    results.push_back(ir::isFloating(type.dtype) ? byHeads(attention, sums, type.sizes) : zeros(c.pool(), type));
  }
  return asOutputs(c, results);
}

const Lowering flash{"aten::_scaled_dot_product_flash_attention", attend};
const Lowering efficient{"aten::_scaled_dot_product_efficient_attention", attend};
const Lowering cudnn{"aten::_scaled_dot_product_cudnn_attention", attend};

}  // namespace
}  // namespace lowering
