#include "runtime/compare/oracle.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/full_like.h>
#include <ATen/ops/gather.h>
#include <ATen/ops/sort.h>
#include <ATen/ops/zeros_like.h>
#include <c10/core/InferenceMode.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <set>

#include "runtime/compare/order.h"
#include "runtime/torch/aten_call.h"
#include "runtime/torch/guard.h"
#include "runtime/torch/state.h"
#include "runtime/torch/types.h"

namespace runtime {
namespace {

std::vector<at::Tensor> tensorArguments(const AtenCall& call) {
  std::vector<at::Tensor> tensors;
  for (const c10::IValue& argument : call.arguments)
    for (const at::Tensor& tensor : tensorsIn(argument)) tensors.push_back(tensor);
  return tensors;
}

/// The argument `dim`, where the operator has one and it was given.
std::optional<int64_t> dimOf(const AtenCall& call) {
  const auto index = call.handle.schema().argumentIndexWithName("dim");
  if (!index || !call.arguments[static_cast<size_t>(*index)].isInt()) return std::nullopt;
  return call.arguments[static_cast<size_t>(*index)].toInt();
}

/// A tensor and indices along one of its dimensions.
struct Gather {
  at::Tensor from;
  at::Tensor indices;
  int64_t dim = 0;
};

Gather gatherOf(const AtenCall& call, const at::Tensor& indices, IndexKind kind) {
  at::Tensor from = tensorArguments(call).at(0);
  if (kind == IndexKind::Plane) return {from.flatten(-2), indices.flatten(-2), -1};
  const std::optional<int64_t> dim = dimOf(call);
  if (!dim || from.dim() == 0) return {from.reshape({-1}), indices.reshape({-1}), 0};
  return {from, indices.dim() < from.dim() ? indices.unsqueeze(*dim) : indices, *dim};
}

std::string errorOf(const Gather& gather, IndexKind kind) {
  const int64_t size = gather.from.size(gather.dim);
  const at::Tensor outside = gather.indices.lt(0).logical_or(gather.indices.ge(size));
  if (outside.any().item<bool>())
    return fmt::format("has index {} in a dimension of size {}", gather.indices.masked_select(outside)[0].item<int64_t>(), size);
  if (kind != IndexKind::Distinct || gather.indices.size(gather.dim) < 2) return "";
  const at::Tensor sorted = std::get<0>(gather.indices.sort(gather.dim));
  const int64_t others = sorted.size(gather.dim) - 1;
  const at::Tensor isTwice = sorted.narrow(gather.dim, 0, others).eq(sorted.narrow(gather.dim, 1, others));
  return isTwice.any().item<bool>() ? "has an index twice" : "";
}

/// The mean of the finite elements, in the tensor's dtype.
at::Tensor meanLike(const at::Tensor& tensor) {
  const at::Tensor wide = tensor.to(at::kDouble);
  const at::Tensor finite = wide.masked_select(wide.isfinite());
  const double mean = finite.numel() > 0 ? finite.mean().item<double>() : 0;
  return at::full_like(tensor, tensor.scalar_type() == at::kBool ? static_cast<double>(mean >= 0.5) : mean);
}

/// Eight bytes at a time, and what is left over.
int64_t sumOfBits(const at::Tensor& flat) {
  constexpr int64_t word = sizeof(int64_t);
  const at::Tensor bytes = flat.view(at::kByte);
  const int64_t whole = bytes.numel() / word * word;
  return (bytes.narrow(0, 0, whole).view(at::kLong).sum() + bytes.narrow(0, whole, bytes.numel() - whole).sum()).item<int64_t>();
}

}  // namespace

IndexedValues valuesAt(AtenCall& call, const TensorList& outputs, int output, IndexKind kind) {
  const c10::InferenceMode guard;
  const Gather gather = gatherOf(call, outputs.state().tensors.at(static_cast<size_t>(output)), kind);
  IndexedValues indexed{{}, errorOf(gather, kind)};
  if (!indexed.error.empty()) return indexed;
  const at::Tensor values = at::gather(gather.from, gather.dim, gather.indices);
  indexed.values = makeTensorList({values.is_floating_point() ? values.add(0) : values});  // zeros of either sign are equal
  return indexed;
}

bool asksFor(const AtenCall& call, const std::string& flag) {
  const auto place = call.handle.schema().argumentIndexWithName(flag);
  if (!place) return true;
  const c10::IValue& value = call.arguments[static_cast<size_t>(*place)];
  return value.isBool() && value.toBool();
}

TensorList inOrder(const AtenCall& call, const TensorList& outputs) {
  const c10::InferenceMode guard;
  std::vector<at::Tensor> tensors = outputs.state().tensors;
  const int64_t dim = dimOf(call).value_or(-1);
  if (tensors.size() != 2 || tensors[0].dim() == 0 || tensors[1].sizes() != tensors[0].sizes()) return outputs;
  const at::Tensor order = std::get<1>(tensors[0].sort(std::optional<bool>(true), dim));
  for (at::Tensor& tensor : tensors) tensor = tensor.gather(dim, order);
  return laidOutLike(makeTensorList(std::move(tensors)), outputs);
}

std::vector<Trivial> trivialResults(const Workload& workload, const TensorList& eager, const TensorList& float64, int output,
                                    int64_t elements) {
  const c10::InferenceMode guard;
  const at::Tensor& expected = eager.state().tensors.at(static_cast<size_t>(output));
  const bool hasReference = output < float64.size() && float64.type(output).sizes == eager.type(output).sizes;
  const at::Tensor first = head(expected, expected, elements);
  Trivial of{"", false, {}, makeTensorList({first}), {}};
  if (hasReference)
    of.float64 =
        makeTensorList({head(float64.state().tensors[static_cast<size_t>(output)], expected, elements).to(first.device())});

  std::vector<Trivial> all;
  const auto add = [&](std::string name, const at::Tensor& found, bool isCopy = false) {
    all.push_back(of);
    all.back().name = std::move(name);
    all.back().isCopy = isCopy;
    all.back().found = makeTensorList({found});
  };
  add("zeros", at::zeros_like(first));
  if (expected.numel() > 1 && !first.is_complex()) add("the mean", meanLike(first));
  const std::vector<at::Tensor> arguments = workload.operands().state().tensors;
  for (std::size_t i = 0; i < arguments.size(); ++i)
    if (arguments[i].options().type_equal(expected.options()) && arguments[i].sizes() == expected.sizes())
      add(fmt::format("a copy of argument {}", i), head(arguments[i], expected, elements), true);
  return all;
}

std::string whyConstant(const Workload& workload) {
  const std::vector<at::Tensor> arguments = workload.operands().state().tensors;
  const auto all = [&](const auto& holds) { return std::all_of(arguments.begin(), arguments.end(), holds); };
  if (arguments.empty()) return "there are no tensors among the arguments";
  if (all([](const at::Tensor& tensor) { return tensor.numel() == 0; })) return "the arguments hold no elements";
  const auto repeatsOne = [](const at::Tensor& tensor) { return tensor.numel() > 1 && flatStorage(tensor).numel() == 1; };
  return all(repeatsOne) ? "each argument repeats a single element" : "";
}

int64_t mostArgumentElements(const Workload& workload) {
  int64_t most = 0;
  const TensorList operands = workload.operands();
  for (const at::Tensor& tensor : operands.state().tensors)
    if (tensor.is_floating_point() || tensor.is_complex()) most = std::max(most, tensor.numel());
  return most;
}

bool hasWiderNumber(const Workload& workload, ir::DType dtype) {
  const std::vector<at::Tensor> arguments = workload.operands().state().tensors;
  return std::any_of(arguments.begin(), arguments.end(), [&](const at::Tensor& tensor) {
    const bool isNumber = tensor.dim() == 0 && tensor.is_floating_point() && !tensor.unsafeGetTensorImpl()->is_wrapped_number();
    return isNumber && static_cast<int64_t>(tensor.itemsize()) > ir::sizeOf(dtype);
  });
}

std::vector<int64_t> sumsOf(const TensorList& tensors) {
  const c10::InferenceMode guard;
  std::vector<int64_t> sums;
  for (const at::Tensor& tensor : tensors.state().tensors)
    sums.push_back(tensor.is_neg() || tensor.is_conj() || !tensor.has_storage() ? 0 : sumOfBits(tensor.contiguous().view(-1)));
  return sums;
}

std::vector<int64_t> sumsOfRead(const Workload& workload) {
  const c10::InferenceMode guard;
  const TensorList tensors = workload.readOnly();
  std::vector<int64_t> sums;
  for (const at::Tensor& tensor : tensors.state().tensors) sums.push_back(sumOfBits(flatStorage(tensor)));
  return sums;
}

namespace {

/// Whether a tensor lies in the memory of one of the operands.
bool isShared(const at::Tensor& tensor, const TensorList& operands) {
  const auto& all = operands.state().tensors;
  return tensor.has_storage() && std::any_of(all.begin(), all.end(), [&](const at::Tensor& operand) {
           return operand.has_storage() && operand.is_alias_of(tensor);
         });
}

}  // namespace

std::vector<size_t> unshared(const TensorList& outputs, const TensorList& operands) {
  std::vector<size_t> found;
  for (size_t i = 0; i < outputs.state().tensors.size(); ++i) {
    const at::Tensor& output = outputs.state().tensors[i];
    if (output.has_storage() && !isShared(output, operands)) found.push_back(i);
  }
  return found;
}

void poisonOwned(const TensorList& outputs, const TensorList& operands) {
  for (const size_t i : unshared(outputs, operands)) poison(outputs.state().tensors[i]);
}

namespace {

/// Poisons free memory that tensors of these sizes would be given next.
void scrubFreed(const TensorList& outputs) {
  constexpr int blocks = 4;
  constexpr int64_t mostBytes = int64_t{16} << 20;  // beyond which nobody looks for a copy, which takes longer than to compute
  const c10::InferenceMode guard;
  std::vector<at::Tensor> held;
  for (const at::Tensor& tensor : outputs.state().tensors) {
    if (!tensor.has_storage() || static_cast<int64_t>(tensor.storage().nbytes()) > mostBytes) continue;
    for (int i = 0; i < blocks; ++i)
      held.push_back(at::empty({static_cast<int64_t>(tensor.storage().nbytes())}, tensor.options().dtype(at::kByte)).fill_(0xff));
  }
}

}  // namespace

void disguiseOwned(const TensorList& outputs, const TensorList& operands) {
  for (const size_t i : unshared(outputs, operands)) disguise(outputs.state().tensors[i]);
  scrubFreed(outputs);
}

std::string borrowed(const TensorList& outputs, const TensorList& eager, const TensorList& operands) {
  for (int i = 0; i < std::min(outputs.size(), eager.size()); ++i) {
    const at::Tensor& output = outputs.state().tensors[static_cast<size_t>(i)];
    const at::Tensor& expected = eager.state().tensors[static_cast<size_t>(i)];
    if (output._is_zerotensor() && !expected._is_zerotensor()) return fmt::format("output {} is zeros that are not computed", i);
    if (output.is_neg() != expected.is_neg()) return fmt::format("output {} is a negation that is not computed", i);
    if (output.is_conj() != expected.is_conj()) return fmt::format("output {} is a conjugate that is not computed", i);
    if (isShared(output, operands) && !isShared(expected, operands))
      return fmt::format("output {} is the memory of an argument, which eager's is not", i);
  }
  return "";
}

namespace {

/// A dtype's magnitudes as bits: the least normal one, infinity, and as much as a magnitude has to grow to be 1 % more.
struct Magnitudes {
  at::ScalarType bits;
  int64_t least, infinity, step;
};

std::optional<Magnitudes> magnitudesOf(at::ScalarType type) {
  const auto made = [](at::ScalarType bits, int mantissa, int exponent) {
    const int64_t one = int64_t{1} << mantissa;
    return Magnitudes{bits, one, ((int64_t{1} << exponent) - 1) * one, one / 128};
  };
  switch (type) {
    case at::kHalf: return made(at::kShort, 10, 5);
    case at::kBFloat16: return made(at::kShort, 7, 8);
    case at::kFloat: return made(at::kInt, 23, 8);
    case at::kDouble: return made(at::kLong, 52, 11);
    default: return std::nullopt;
  }
}

/// Uses parts of a tensor, and where their magnitudes are from `least` to before `end`: a part takes little memory, whatever the
/// tensor has.
void forParts(const at::Tensor& bits, int64_t least, int64_t end,
              const std::function<void(const at::Tensor& part, const at::Tensor& areThere)>& use) {
  constexpr int64_t mostElements = int64_t{1} << 24;
  const int64_t mask = (int64_t{1} << (8 * bits.itemsize() - 1)) - 1;
  for (int64_t begin = 0; begin < bits.numel(); begin += mostElements) {
    const at::Tensor part = bits.narrow(0, begin, std::min(mostElements, bits.numel() - begin));
    const at::Tensor magnitudes = part.bitwise_and(mask);
    use(part, magnitudes.ge(least).logical_and_(magnitudes.lt(end)));
  }
}

/// Adds `change` to the bits of magnitudes from `least` to before `end`.
void shift(const at::Tensor& bits, int64_t least, int64_t end, int64_t change) {
  forParts(bits, least, end, [change](const at::Tensor& part, const at::Tensor& areThere) { part.add_(areThere, change); });
}

bool hasAny(const at::Tensor& bits, int64_t least, int64_t end) {
  bool isAny = false;
  forParts(bits, least, end,
           [&](const at::Tensor&, const at::Tensor& areThere) { isAny = isAny || areThere.any().item<bool>(); });
  return isAny;
}

}  // namespace

std::function<void()> disturb(const TensorList& tensors, int64_t number) {
  const c10::InferenceMode guard;
  std::vector<std::function<void()>> restoring;
  for (const at::Tensor& tensor : tensors.state().tensors) {
    const std::optional<Magnitudes> range = magnitudesOf(tensor.scalar_type());
    if (!range || !tensor.has_storage() || tensor.unsafeGetTensorImpl()->is_wrapped_number()) continue;
    const at::Tensor bits = flatStorage(tensor).view(range->bits);
    const int64_t change = number * range->step, end = range->infinity - change;
    if (hasAny(bits, end, range->infinity)) continue;  // which would not be finite any more
    shift(bits, range->least, end, change);
    restoring.push_back([=] { shift(bits, range->least + change, end + change, -change); });
  }
  return [restoring] {
    const c10::InferenceMode restored;
    for (const std::function<void()>& restore : restoring) restore();
  };
}

void invert(const TensorList& tensors) {
  const c10::InferenceMode guard;
  std::set<const void*> inverted;  // tensors may share memory
  for (const at::Tensor& tensor : tensors.state().tensors) {
    if (!tensor.has_storage() || tensor.unsafeGetTensorImpl()->is_wrapped_number()) continue;
    const at::Tensor flat = flatStorage(tensor);
    if (inverted.insert(flat.const_data_ptr()).second) flat.view(at::kByte).bitwise_not_();
  }
}

void poisonGuarded(const TensorList& outputs) {
  for (int i = 0; i < outputs.size(); ++i) {
    const at::Tensor& tensor = outputs.state().tensors[static_cast<size_t>(i)];
    if (isGuarded(tensor)) poison(tensor);
  }
}

}  // namespace runtime
