// The places of values in sorted sequences, and whether values are among others.
#include "ir/error.h"
#include "lowering/operators/indexing/bisection.h"
#include "lowering/tensor/lowering.h"
#include "lowering/tensor/places.h"
#include "lowering/tensor/pointwise.h"
#include "lowering/tensor/reduce.h"

namespace lowering {
namespace {

using ir::DType;

/// The place of each of `values` in a sequence along the last dimension, which is one for all or has the values' other
/// dimensions; a sorter says which element is at a place of it.
Tensors searched(Context& c, const std::string& sequenceName, const std::string& valueName, bool isRight,
                 const std::optional<Tensor>& sorter) {
  const DType common = promotedType(c, {{-1, sequenceName}, {-1, valueName}});
  const Tensor sequence = inOpmath(cast(c.tensor(sequenceName), common));
  const bool isNumber = !c.argument(valueName).is<ir::ValueRef>();
  const Tensor written = isNumber ? Tensor{common, {}, [value = c.constant(valueName, common)](const Index&) { return value; }}
                                  : c.tensor(valueName);
  const Tensor values = inOpmath(cast(written, common));
  const int64_t count = sequence.sizes.back();
  const DType dtype = c.outputType().dtype;
  return {lazy(dtype, c.outputType().sizes, [=, &pool = c.pool()](const Index& index) {
    const Value value = values.at(index);
    const auto isBefore = [&](Value place) {
      Index at = sequence.sizes.size() == 1 ? Index{} : leading(index, 1);
      at.push_back(place);
      if (sorter) at.back() = placeOf(sorter->at(at), count).at;
      const Value element = sequence.at(at);
      return isRight ? !(element > value) : !(element >= value);
    };
    return cast(bisected(pool, count, isBefore), dtype);
  })};
}

/// Whether each element, or, inverted, whether none is among the test elements.
Tensors isAmong(Context& c) {
  const auto operand = [&](const std::string& name) {
    const DType common = promotedType(c, {{0, ""}, {1, ""}});
    return c.argument(name).is<ir::ValueRef>()
               ? cast(c.tensor(name), common)
               : Tensor{common, {}, [value = c.constant(name, common)](const Index&) { return value; }};
  };
  const std::string first = c.has("elements") ? "elements" : "element";
  const std::string second = c.has("test_elements") ? "test_elements" : "test_element";
  const Tensor elements = operand(first), tested = operand(second);
  ir::Shape sizes = elements.sizes;
  const std::size_t rank = sizes.size();
  sizes.push_back(numelOf(tested.sizes));
  const Tensor others = reshaped(c.pool(), tested, {sizes.back()});
  const Tensor isEqual = lazy(DType::Bool, sizes, [=](const Index& index) {
    return elements.at(Index(index.begin(), index.begin() + static_cast<std::ptrdiff_t>(rank))) == others.at({index.back()});
  });
  const Dims last{static_cast<int64_t>(rank)};
  const Tensor isFound = squeeze(c, amax(c, isEqual, last), last);
  return {map([inverts = c.flag("invert")](Value found) { return inverts ? !found : found; }, isFound)};
}
const Lowering isin{"aten::isin", isAmong};

const Lowering searchsorted{"aten::searchsorted", [](Context& c) {
                              const bool isRight = c.flag("right") || (!c.isNone("side") && c.text("side") == "right");
                              return searched(c, "sorted_sequence", "self", isRight, c.optionalTensor("sorter"));
                            }};
const Lowering bucketize{"aten::bucketize", [](Context& c) { return searched(c, "boundaries", "self", c.flag("right"), {}); }};

/// Each number as often as the element of that number says.
Tensors repeatedNumbers(Context& c) {
  if (c.isNone("output_size")) ir::fail(ir::ErrorKind::Unsupported, "the numbers' count is one that the data say");
  const Tensor repeats = c.tensor("repeats");
  const ir::TensorType& type = c.outputType();
  if (numelOf(repeats.sizes) == 0) return {zeros(c)};
  const Tensor ends = c.stored(scan(c, ir::Op::Add, cast(repeats, DType::I64), 0));
  return {lazy(type.dtype, type.sizes, [=, last = repeats.sizes[0] - 1](const Index& index) {
    return cast(min(countUpTo(ends, index[0]), last), type.dtype);
  })};
}
const Lowering repeatInterleave{"aten::repeat_interleave.Tensor", repeatedNumbers};

}  // namespace
}  // namespace lowering
