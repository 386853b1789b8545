#include "inputs/data/materialize.h"

#include <ATen/core/List.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/as_strided.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_strided.h>
#include <ATen/ops/view_as_complex.h>

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <tuple>

#include "inputs/call.h"
#include "inputs/data/fill.h"
#include "inputs/data/rows.h"
#include "inputs/data/schema.h"
#include "inputs/operators/facts.h"
#include "inputs/random.h"
#include "ir/scalar.h"

namespace inputs {
namespace {

template <typename Element>
at::Tensor drawnAs(const ir::TensorType& type, const ValueRange& domain, uint64_t key, const Data& data) {
  int64_t parts = ir::isComplex(type.dtype) ? 2 : 1;
  at::Tensor flat = at::empty({drawnElements(type, domain) * parts}, at::TensorOptions(c10::CppTypeToScalarType<Element>::value));
  fillStorage(type, domain, key, flat.mutable_data_ptr<Element>(), data);
  return parts == 1 ? flat : at::view_as_complex(flat.view({-1, 2}));
}

at::Tensor drawn(const ir::TensorType& type, const ValueRange& domain, uint64_t key, const Data& data) {
  if (type.dtype == ir::DType::F64 || type.dtype == ir::DType::C128) return drawnAs<double>(type, domain, key, data);
  if (type.dtype == ir::DType::Bool) return drawnAs<bool>(type, domain, key, data);
  bool hasFraction = ir::isFloating(type.dtype) || ir::isComplex(type.dtype);
  return hasFraction ? drawnAs<float>(type, domain, key, data) : drawnAs<int64_t>(type, domain, key, data);
}

/// What plain floats of a dtype are drawn from a stream is the same for every tensor, as far as it goes: a sweep, whose seeds are
/// few, draws it once.
class PlainFloats {
 public:
  at::Tensor operator()(const ir::TensorType& type, uint64_t key, const Data& data) {
    constexpr size_t most = 64;
    if (drawn_.size() > most) drawn_.clear();
    const int64_t count = drawnElements(type, Plain{});
    at::Tensor& known = drawn_[{type.dtype, key, data.distribution, data.scale}];
    if (!known.defined() || known.numel() < count)
      known = drawnAs<float>(type, Plain{}, key, data).to(scalarType(type.dtype), /*non_blocking=*/false, /*copy=*/true);
    return known.narrow(0, 0, count);
  }

 private:
  std::map<std::tuple<ir::DType, uint64_t, Distribution, double>, at::Tensor> drawn_;
};

bool arePlainFloats(const ir::TensorType& type, const ValueRange& domain) {
  return std::holds_alternative<Plain>(domain) && ir::isFloating(type.dtype) && type.dtype != ir::DType::F64;
}

/// `block` over and over, `count` elements in all.
at::Tensor repeated(const at::Tensor& block, int64_t count) {
  at::Tensor all = at::empty({count}, block.options());
  for (int64_t start = 0; start < count; start += block.numel()) {
    int64_t length = std::min(block.numel(), count - start);
    all.narrow(0, start, length).copy_(block.narrow(0, 0, length));
  }
  return all;
}

/// Elements of rows on the CPU, floats in double and integers in int64.
at::Tensor noiseOf(ir::DType dtype, int64_t count, const ValueRange& range, uint64_t key, const Data& data) {
  const auto type = ir::TensorType::contiguous(dtype, {count});
  const at::Tensor block = drawn(type, range, key, data).to(ir::isFloating(dtype) ? c10::kDouble : c10::kLong);
  return block.numel() == count ? block : repeated(block, count);
}

/// Drawn on the CPU, so that every device gets the same data.
at::Tensor tensor(const ir::TensorType& type, const ValueRange& domain, uint64_t key, const Data& data, c10::Device device) {
  if (device.is_meta())
    return at::empty_strided(type.sizes, type.strides, at::TensorOptions(scalarType(type.dtype)).device(device));
  thread_local PlainFloats plainFloats;
  const at::Tensor block = arePlainFloats(type, domain)
                               ? plainFloats(type, key, data).to(device, /*non_blocking=*/false, /*copy=*/true)
                               : drawn(type, domain, key, data).to(scalarType(type.dtype)).to(device);
  int64_t count = type.storageElements();
  return at::as_strided(block.numel() == count ? block : repeated(block, count), type.sizes, type.strides);
}

constexpr size_t unknownPosition = 1000;  // beyond any schema: the table has no row for it

/// A call as the tables of domains count its arguments.
struct Positional {
  Sample sample;                   ///< keyword arguments stand where the schema has them, None where one is left out
  std::vector<size_t> ofKeywords;  ///< the position of each keyword argument
};

Positional byPosition(const Sample& sample) {
  Positional result{sample, {}};
  std::vector<ir::Argument>& args = result.sample.args;
  const c10::FunctionSchema* schema = schemaOf(sample.op);
  for (const ir::NamedArgument& named : sample.kwargs) {
    int place = schema ? schema->argumentIndexWithName(named.name).value_or(-1) : -1;
    bool known = place >= static_cast<int>(sample.args.size());
    result.ofKeywords.push_back(known ? static_cast<size_t>(place) : unknownPosition + result.ofKeywords.size());
    if (!known) continue;
    args.resize(std::max<size_t>(args.size(), place + 1));
    args[place] = named.value;
  }
  return result;
}

/// Turns arguments into values; each tensor has a random stream of its own, named by the seed and its place in the call.
class Materializer {
 public:
  /// `sample` has its keyword arguments in their positions. Of lists all items are made, or one.
  Materializer(const Sample& sample, c10::Device device, uint64_t seed, const Data& data, std::optional<size_t> onlyItem = {})
      : sample_(sample), device_(device), seed_(seed), data_(data), onlyItem_(onlyItem) {}

  c10::IValue argument(const ir::Argument& value, size_t position) {
    position_ = position;
    item_ = 0;
    return convert(value);
  }

  c10::IValue operator()(const ir::None&) { return {}; }
  c10::IValue operator()(bool value) { return value; }
  c10::IValue operator()(int64_t value) { return value; }
  c10::IValue operator()(double value) { return value; }
  c10::IValue operator()(std::complex<double> value) { return c10::complex<double>(value); }
  c10::IValue operator()(const std::string& value) { return value; }
  c10::IValue operator()(ir::DType dtype) { return static_cast<int64_t>(scalarType(dtype)); }
  c10::IValue operator()(const ir::DeviceName&) { return device_; }
  c10::IValue operator()(const ir::Symbol& symbol) { return symbolNumber(symbol.text); }
  c10::IValue operator()(const ir::TensorType& type) {
    if (!std::holds_alternative<std::monostate>(*given_) && !device_.is_meta()) return given(type);
    return device_.is_meta() ? tensor(type, Plain{}, 0, data_, device_) : drawn(type);
  }
  c10::IValue operator()(const ir::List& list) {
    c10::impl::GenericList values(c10::AnyType::get());
    for (size_t i = 0; i < list.items.size(); ++i) {
      item_ = i;
      if (!onlyItem_ || i == *onlyItem_) values.push_back(convert(list.items[i]));
    }
    return values;
  }
  c10::IValue operator()(const ir::SparseTensor& value) {
    ir::fail(ir::ErrorKind::Unsupported, "sparse tensors are not made: {}", value.text);
  }
  c10::IValue operator()(const ir::ValueRef& value) {
    ir::fail(ir::ErrorKind::Internal, "a sample refers to value {} of a graph", value.index);
  }

 private:
  c10::IValue convert(const ir::Argument& value) {
    given_ = &value.elements;
    return std::visit(*this, value.data);
  }

  at::Tensor drawn(const ir::TensorType& type) const {
    const uint64_t key = randomBits(randomBits(seed_, position_), item_);
    const ValueRange range = valueRangeOf(sample_, position_, item_);
    const Data noise{Distribution::Normal, data_.scale};
    // How large a single number is would decide about all elements.
    if (data_.distribution == Distribution::Spread && type.sizes.empty()) return tensor(type, range, key, noise, device_);
    if (data_.distribution != Distribution::Specials) return tensor(type, range, key, data_, device_);
    if (const auto rows = rowsOf(sample_, position_, type, range, data_))
      return rowTensor(type, *rows, noiseOf(type.dtype, rowElements(type, *rows), range, key, noise), seed_, data_, device_);
    const bool isNormal = data_.isTame || isBesideRows(sample_, type);
    return tensor(type, range, key, isNormal ? noise : data_, device_);
  }

  /// The elements that the sample has for it. Error: Input for an index that is none, as devices end the process for those, and
  /// for a number that another dtype than the recorded one does not hold.
  at::Tensor given(const ir::TensorType& type) const {
    const auto* integers = std::get_if<std::vector<int64_t>>(given_);
    const at::Tensor elements = integers != nullptr ? givenIntegers(*integers) : givenFloats(type.dtype);
    return at::as_strided(elements.to(scalarType(type.dtype)).to(device_), type.sizes, type.strides);
  }

  at::Tensor givenIntegers(const std::vector<int64_t>& values) const {
    if (const auto domain = domainOf(Call(sample_, item_), position_)) {
      const Limits& legal = domain->legal;
      const auto found = std::find_if_not(values.begin(), values.end(), [&](int64_t value) { return legal.hold(value); });
      if (found != values.end())
        refuse(*found, found - values.begin(), fmt::format("is not from {} to {}", legal.least, legal.most));
    }
    const at::Tensor elements = at::empty({std::ssize(values)}, at::TensorOptions(c10::kLong));
    std::copy(values.begin(), values.end(), elements.mutable_data_ptr<int64_t>());
    return elements;
  }

  at::Tensor givenFloats(ir::DType dtype) const {
    const auto& values = std::get<std::vector<double>>(*given_);
    const auto found = std::find_if_not(values.begin(), values.end(), [&](double value) { return ir::holds(dtype, value); });
    if (found != values.end()) refuse(*found, found - values.begin(), fmt::format("{} does not hold", ir::torchName(dtype)));
    const at::Tensor elements = at::empty({std::ssize(values)}, at::TensorOptions(c10::kDouble));
    std::transform(values.begin(), values.end(), elements.mutable_data_ptr<double>(),
                   [&](double value) { return ir::round(dtype, value); });
    return elements;
  }

  template <typename Value>
  [[noreturn]] void refuse(Value value, int64_t place, const std::string& why) const {
    const c10::FunctionSchema* schema = schemaOf(sample_.op);
    const bool isNamed = schema != nullptr && position_ < schema->arguments().size();
    const bool isItem = sample_.args.at(position_).is<ir::List>();
    ir::fail(ir::ErrorKind::Input, "{}: argument {}{} holds {} at {}, which {}", sample_.op,
             isNamed ? schema->arguments()[position_].name() : std::to_string(position_),
             isItem ? fmt::format("[{}]", item_) : "", value, place, why);
  }

  const Sample& sample_;
  c10::Device device_;
  uint64_t seed_;
  const Data& data_;
  std::optional<size_t> onlyItem_;
  size_t position_ = 0;
  size_t item_ = 0;
  const ir::Argument::Elements* given_ = nullptr;  ///< what the sample says is in the tensor at hand
};

/// ATen's host finds the bag of each index by itself where a call has none; its kernels on CUDA read what is not there.
void requireBags(const Sample& sample, c10::Device device) {
  constexpr size_t indices = 2, bags = 4;
  const Call call(sample, 0);
  if (device.is_cpu() || !call.isOneOf("_embedding_bag_per_sample_weights_backward") || !call.isTensor(bags)) return;
  if (call.tensor(bags).numel() < call.tensor(indices).numel())
    ir::fail(ir::ErrorKind::Unsupported, "{}: argument offset2bag has no bag for each index, as only ATen's host takes it",
             sample.op);
}

/// Whether tensors of a call follow from others.
bool haveStatistics(const Call& call) { return call.isOneOf("native_batch_norm_backward batch_norm_backward"); }

/// A batch norm that was evaluated by its running statistics saved no others: where a gradient is given both, they are equal,
/// unless the sample says otherwise.
void makeStatisticsAgree(const Sample& sample, const std::function<at::Tensor(size_t)>& tensorAt) {
  constexpr size_t runningMean = 3, runningVariance = 4, savedMean = 5, savedScale = 6, train = 7, epsilon = 8;
  const Call call(sample, 0);
  if (!haveStatistics(call) || call.flag(train)) return;
  const auto replace = [&](size_t saved, size_t running, auto value) {
    const bool areBoth = call.isTensor(saved) && call.isTensor(running) && call.tensor(saved).sizes == call.tensor(running).sizes;
    if (areBoth && !sample.args.at(saved).hasElements()) tensorAt(saved).copy_(value(tensorAt(running)));
  };
  replace(savedMean, runningMean, [](const at::Tensor& mean) { return mean; });
  replace(savedScale, runningVariance,
          [&](const at::Tensor& variance) { return variance.cpu().to(c10::kDouble).add(call.number(epsilon, 1e-5)).rsqrt(); });
}

}  // namespace

c10::ScalarType scalarType(ir::DType dtype) {
  switch (dtype) {
    case ir::DType::Bool: return c10::kBool;
    case ir::DType::U8: return c10::kByte;
    case ir::DType::I8: return c10::kChar;
    case ir::DType::U16: return c10::kUInt16;
    case ir::DType::I16: return c10::kShort;
    case ir::DType::U32: return c10::kUInt32;
    case ir::DType::I32: return c10::kInt;
    case ir::DType::U64: return c10::kUInt64;
    case ir::DType::I64: return c10::kLong;
    case ir::DType::F8E4M3: return c10::kFloat8_e4m3fn;
    case ir::DType::F8E5M2: return c10::kFloat8_e5m2;
    case ir::DType::F16: return c10::kHalf;
    case ir::DType::BF16: return c10::kBFloat16;
    case ir::DType::F32: return c10::kFloat;
    case ir::DType::F64: return c10::kDouble;
    case ir::DType::C32: return c10::kComplexHalf;
    case ir::DType::C64: return c10::kComplexFloat;
    case ir::DType::C128: return c10::kComplexDouble;
  }
  ir::fail(ir::ErrorKind::Internal, "dtype {} is none", static_cast<int>(dtype));
}

int64_t symbolNumber(const std::string& name) {
  struct Row {
    std::string_view name;
    int64_t number;
  };
  auto layout = [](c10::Layout value) { return static_cast<int64_t>(value); };
  auto format = [](c10::MemoryFormat value) { return static_cast<int64_t>(value); };
  const Row rows[] = {
      {"strided", layout(c10::Layout::Strided)},
      {"sparse_coo", layout(c10::Layout::Sparse)},
      {"sparse_csr", layout(c10::Layout::SparseCsr)},
      {"sparse_csc", layout(c10::Layout::SparseCsc)},
      {"sparse_bsr", layout(c10::Layout::SparseBsr)},
      {"sparse_bsc", layout(c10::Layout::SparseBsc)},
      {"jagged", layout(c10::Layout::Jagged)},
      {"contiguous_format", format(c10::MemoryFormat::Contiguous)},
      {"preserve_format", format(c10::MemoryFormat::Preserve)},
      {"channels_last", format(c10::MemoryFormat::ChannelsLast)},
      {"channels_last_3d", format(c10::MemoryFormat::ChannelsLast3d)},
  };
  for (const Row& row : rows)
    if (row.name == name) return row.number;
  ir::fail(ir::ErrorKind::Unsupported, "torch.{} is no layout or memory format known here", name);
}

Inputs materialize(const Sample& sample, c10::Device device, uint64_t seed, const Data& data) {
  Positional positional = byPosition(sample);
  if (!device.is_meta()) requireBags(positional.sample, device);
  Materializer materializer(positional.sample, device, seed, data);
  Inputs inputs;
  for (size_t i = 0; i < sample.args.size(); ++i) inputs.args.push_back(materializer.argument(sample.args[i], i));
  for (size_t i = 0; i < sample.kwargs.size(); ++i)
    inputs.kwargs.emplace_back(sample.kwargs[i].name, materializer.argument(sample.kwargs[i].value, positional.ofKeywords[i]));
  if (device.is_meta()) return inputs;
  makeStatisticsAgree(positional.sample, [&](size_t position) {
    if (position < inputs.args.size()) return inputs.args[position].toTensor();
    const auto keyword = std::find(positional.ofKeywords.begin(), positional.ofKeywords.end(), position);
    return inputs.kwargs[static_cast<size_t>(keyword - positional.ofKeywords.begin())].second.toTensor();
  });
  return inputs;
}

at::Tensor materializeTensor(const Sample& sample, size_t argument, size_t item, c10::Device device, uint64_t seed,
                             const Data& data) {
  const size_t first = sample.args.size();
  const ir::Argument& value = argument < first ? sample.args[argument] : sample.kwargs.at(argument - first).value;
  const Positional positional = byPosition(sample);
  if (haveStatistics(Call(positional.sample, 0))) {
    const Inputs all = materialize(sample, device, seed, data);
    return (argument < first ? all.args[argument] : all.kwargs[argument - first].second).toTensor();
  }
  if (!device.is_meta()) requireBags(positional.sample, device);
  Materializer materializer(positional.sample, device, seed, data, item);
  const c10::IValue made = materializer.argument(value, argument < first ? argument : positional.ofKeywords.at(argument - first));
  return made.isList() ? made.toListRef()[0].toTensor() : made.toTensor();
}

}  // namespace inputs
