#include "tests/hostile/call_dice.h"

#include <algorithm>
#include <limits>

#include "ir/scalar.h"
#include "runtime/torch/schema.h"

namespace hostile {
namespace {

using c10::TypeKind;

constexpr const char* words[] = {"mean", "sum",    "none",   "tanh",  "prod",  "amax",    "amin", "max",      "constant",
                                 "same", "valid",  "linear", "floor", "trunc", "reflect", "L",    "reduced",  "fro",
                                 "ij",   "i,i->i", "right",  "gelsy", "gesvd", "relu",    "N",    "backward", "nearest"};

}  // namespace

std::vector<Operator> allOperators() {
  c10::Dispatcher& dispatcher = c10::Dispatcher::singleton();
  std::vector<Operator> operators;
  for (const c10::OperatorName& name : dispatcher.getAllOpNames())
    if (const auto handle = dispatcher.findSchema(name)) operators.push_back({runtime::recordedName(name), &handle->schema()});
  std::sort(operators.begin(), operators.end(), [](const Operator& a, const Operator& b) { return a.name < b.name; });
  return operators;
}

inputs::Sample CallDice::call(const Operator& op) {
  inputs::Sample sample;
  sample.op = op.name;
  usualShape_ = {};
  usualShape_ = shape();
  usualType_ = dice_.oneIn(3) ? dtype() : ir::DType::F32;
  bool isPositional = true;
  for (const c10::Argument& formal : op.schema->arguments()) {
    const bool isLeftOut = formal.default_value() && dice_.oneIn(2);
    if (isLeftOut && dice_.oneIn(2)) isPositional = false;
    if (isLeftOut && !isPositional) continue;
    ir::Argument value = dice_.oneIn(40) ? anything() : argument(*formal.real_type(), formal);
    if (formal.kwarg_only() || !isPositional)
      sample.kwargs.push_back({formal.name(), std::move(value)});
    else
      sample.args.push_back(std::move(value));
  }
  if (dice_.oneIn(60)) sample.args.push_back(anything());
  return sample;
}

ir::Argument CallDice::argument(const c10::Type& type, const c10::Argument& formal) {
  switch (type.kind()) {
    case TypeKind::OptionalType: return dice_.oneIn(2) ? ir::Argument() : argument(*type.containedType(0), formal);
    case TypeKind::ListType: return list(*type.containedType(0), formal);
    case TypeKind::TensorType: return tensor();
    case TypeKind::IntType:
    case TypeKind::SymIntType: return integer();
    case TypeKind::FloatType: return real();
    case TypeKind::NumberType: return number();
    case TypeKind::BoolType: return dice_.oneIn(2);
    case TypeKind::StringType: return string();
    case TypeKind::ScalarTypeType: return dtype();
    case TypeKind::LayoutType: return ir::Symbol{dice_.oneIn(4) ? "sparse_coo" : "strided"};
    case TypeKind::MemoryFormatType: return ir::Symbol{dice_.oneIn(2) ? "contiguous_format" : "channels_last"};
    case TypeKind::DeviceObjType: return ir::DeviceName{dice_.oneIn(4) ? "cuda:0" : "cpu"};
    case TypeKind::GeneratorType: return {};
    default: return anything();
  }
}

ir::Argument CallDice::list(const c10::Type& element, const c10::Argument& formal) {
  ir::List items;
  const int64_t usual = formal.N().value_or(static_cast<int32_t>(usualShape_.size()));
  for (int64_t left = dice_.oneIn(4) ? dice_.below(5) : usual; left > 0; --left) items.items.push_back(argument(element, formal));
  return items;
}

ir::Argument CallDice::anything() {
  switch (dice_.below(10)) {
    case 0: return {};
    case 1: return dice_.oneIn(2);
    case 2: return integer();
    case 3: return number();
    case 4: return dtype();
    case 5: return ir::DeviceName{"cpu"};
    case 6: return ir::List{{tensor(), string()}, dice_.oneIn(2)};
    case 7: return ir::SparseTensor{"ST([2, 3], f32, torch.sparse_coo, True, nnz=2)"};
    case 8: return tensor();
    default: return string();
  }
}

ir::Argument CallDice::tensor() {
  ir::TensorType type = ir::TensorType::contiguous(dice_.oneIn(6) ? dtype() : usualType_, dice_.oneIn(5) ? shape() : usualShape_);
  if (dice_.oneIn(10))
    for (int64_t& stride : type.strides) stride = dice_.below(9);
  ir::Argument argument = type;
  constexpr int64_t most = 64;
  if (ir::isFloating(type.dtype) && type.numel() > 0 && type.storageElements() <= most && dice_.oneIn(10)) {
    auto& values = argument.elements.emplace<std::vector<double>>(static_cast<size_t>(type.storageElements()));
    for (double& value : values)
      if (const double drawn = real(); ir::holds(type.dtype, drawn)) value = drawn;
  }
  return argument;
}

ir::Argument CallDice::number() {
  if (dice_.oneIn(20)) return std::complex<double>(real(), real());
  return dice_.oneIn(2) ? ir::Argument(integer()) : ir::Argument(real());
}

int64_t CallDice::integer() {
  constexpr int64_t extremes[] = {std::numeric_limits<int64_t>::max(), std::numeric_limits<int64_t>::min(),
                                  std::numeric_limits<int32_t>::max(), 1'000'000, -1'000'000};
  if (dice_.oneIn(100)) return dice_.pick(extremes);
  return dice_.oneIn(4) ? dice_.between(-4, 16) : dice_.between(-1, 3);
}

double CallDice::real() {
  constexpr double values[] = {
      0, 1, -1, 0.5, 1e-5, 3, 1e30, std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()};
  return dice_.pick(values);
}

std::string CallDice::string() { return dice_.oneIn(3) ? dice_.pick(words) : dice_.pick(strings_); }

ir::DType CallDice::dtype() {
  if (dice_.oneIn(2)) return dice_.oneIn(2) ? ir::DType::I64 : ir::DType::F64;
  return static_cast<ir::DType>(dice_.below(ir::dtypeCount));
}

ir::Shape CallDice::shape() {
  constexpr int64_t sizes[] = {1, 2, 3, 4, 8, 2, 3, 4};
  ir::Shape sizesOfAll;
  for (int64_t rank = dice_.below(5); rank > 0; --rank) sizesOfAll.push_back(dice_.oneIn(30) ? 0 : dice_.pick(sizes));
  return sizesOfAll;
}

}  // namespace hostile
