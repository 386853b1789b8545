#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <tuple>

#include "inputs/archive/exported_reader.h"
#include "inputs/text/scanner.h"
#include "ir/error.h"

namespace inputs {
namespace {

constexpr int stridedLayout = 7;
constexpr size_t mostDimensions = 64;

/// The name in `Symbol('s23', positive=True, integer=True)`, or the whole text where it is a name; empty for any other
/// expression.
std::string symbolName(const std::string& expression) {
  constexpr std::string_view begin = "Symbol('";
  std::string name = expression;
  if (name.starts_with(begin)) {
    const size_t end = name.find('\'', begin.size());
    // After the name stand assumptions about the symbol, never another expression.
    if (end == std::string::npos || name.find('(', end) != std::string::npos) return "";
    name = name.substr(begin.size(), end - begin.size());
  }
  const bool isName = !name.empty() && std::isdigit(static_cast<unsigned char>(name.front())) == 0 &&
                      std::all_of(name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; });
  return isName ? name : "";
}

/// Sizes or strides that are numbers, none below 0.
std::vector<int64_t> numbersOf(JsonView list) {
  std::vector<int64_t> numbers;
  for (const JsonView& item : list.items()) numbers.push_back(item.at("as_int").integer(0, std::numeric_limits<int64_t>::max()));
  if (numbers.size() > mostDimensions) list.refuse(fmt::format("has more than {} dimensions", mostDimensions));
  return numbers;
}

/// How many elements of memory a tensor spans from its first one on; nothing where that is no number of 62 bits.
std::optional<int64_t> spanOf(const ExportedProgram::State& state) {
  int64_t span = 1, elements = 1;
  for (size_t i = 0; i < state.sizes.size(); ++i) {
    if (__builtin_mul_overflow(elements, state.sizes[i], &elements)) return std::nullopt;
    int64_t step = 0;
    if (state.sizes[i] > 1 && __builtin_mul_overflow(state.sizes[i] - 1, state.strides[i], &step)) return std::nullopt;
    if (__builtin_add_overflow(span, step, &span)) return std::nullopt;
  }
  return elements == 0 ? 0 : span;
}

/// Whether two elements may lie in one place.
bool overlapsItself(const ExportedProgram::State& state) {
  std::vector<std::pair<int64_t, int64_t>> byStride;
  for (size_t i = 0; i < state.sizes.size(); ++i)
    if (state.sizes[i] > 1) byStride.emplace_back(state.strides[i], state.sizes[i]);
  std::sort(byStride.begin(), byStride.end());
  int64_t extent = 1;
  for (const auto& [stride, size] : byStride) {
    if (stride < extent) return true;
    extent += (size - 1) * stride;
  }
  return false;
}

/// What says whether two names of one record are one tensor.
auto formOf(const ExportedProgram::State& state) {
  return std::tie(state.record, state.dtype, state.sizes, state.strides, state.offset);
}

}  // namespace

int64_t exportedBytes(int dtype) {
  // By the schema's numbers: uint8, int8, int16, int32, int64, half, float, double, three complex ones, bool, bfloat16.
  constexpr int64_t bytes[] = {0, 1, 1, 2, 4, 8, 2, 4, 8, 4, 8, 16, 1, 2};
  if (dtype == 28) return 2;                 // uint16
  if (dtype >= 29 && dtype <= 32) return 1;  // four of 8 bits
  if (dtype < 1 || dtype >= static_cast<int>(std::size(bytes))) ir::fail(ir::ErrorKind::Input, "there is no dtype {}", dtype);
  return bytes[dtype];
}

int ExportedReader::symbol(const std::string& name) {
  const auto [found, isNew] = symbolOf_.try_emplace(name, static_cast<int>(program_.symbols.size()));
  if (isNew) program_.symbols.push_back({name, 0, std::numeric_limits<int64_t>::max()});
  return found->second;
}

void ExportedReader::readRanges(JsonView ranges) {
  constexpr int64_t largest = std::numeric_limits<int64_t>::max();
  for (const auto& [name, range] : ranges.members()) {
    const int number = symbol(name);
    ExportedProgram::Symbol& symbol = program_.symbols[static_cast<size_t>(number)];
    if (range.has("min_val")) symbol.least = std::max<int64_t>(0, range.at("min_val").integer());
    if (range.has("max_val")) symbol.most = range.at("max_val").integer(symbol.least, largest);
  }
}

ExportedProgram::Extent ExportedReader::readExtent(JsonView extent) {
  const auto [kind, value] = extent.only();
  if (kind == "as_int") return {value.integer(0, std::numeric_limits<int64_t>::max()), -1};
  if (kind != "as_expr") extent.refuse(fmt::format("has the kind {}, not as_int or as_expr", shown(kind)));
  const std::string name = symbolName(value.at("expr_str").text());
  if (name.empty()) return {-1, -1};
  ExportedProgram::Extent read{0, symbol(name)};
  if (value.has("hint") && value.at("hint").has("as_int")) read.extent = value.at("hint").at("as_int").integer();
  return read;
}

ExportedProgram::TensorMeta ExportedReader::readTensorMeta(JsonView meta) {
  ExportedProgram::TensorMeta read;
  read.dtype = static_cast<int>(meta.at("dtype").integer(0, 255));
  read.isStrided = meta.at("layout").integer() == stridedLayout;
  read.isKnown = true;
  for (const JsonView& size : meta.at("sizes").items()) {
    read.sizes.push_back(readExtent(size));
    read.isKnown = read.isKnown && read.sizes.back().extent >= 0;
  }
  if (read.sizes.size() > mostDimensions) meta.refuse(fmt::format("has more than {} dimensions", mostDimensions));
  return read;
}

void ExportedReader::readMeta(JsonView tensors) {
  for (const auto& [name, meta] : tensors.members()) meta_.emplace(name, readTensorMeta(meta));
}

void ExportedReader::readInputs(JsonView specs) {
  for (const JsonView& spec : specs.items()) {
    const auto [kind, body] = spec.only();
    if (kind == "user_input") {
      readInput(body.at("arg"));
    } else if (kind == "parameter" || kind == "buffer" || kind == "tensor_constant") {
      readState(kind, body);
    } else if (kind == "custom_obj" || kind == "token") {
      body.unsupported(kind == "token" ? "is a token that orders side effects" : "is a custom object");
    } else if (kind != "constant_input") {  // which the graph has written out
      spec.refuse(fmt::format("has the unknown kind {}", shown(kind)));
    }
  }
}

void ExportedReader::readState(const std::string& kind, JsonView spec) {
  using Role = ExportedProgram::Role;
  ExportedProgram::State state;
  state.role = kind == "parameter" ? Role::Parameter : kind == "buffer" ? Role::Buffer : Role::Constant;
  state.name = spec.at((kind + "_name").c_str()).text();
  const JsonView name = spec.at("arg").at("name");
  state.values = {define(name.text(), ExportedProgram::ValueKind::Tensor, name)};
  if (!stateOf_.emplace(state.name, static_cast<int>(program_.state.size())).second)
    spec.refuse(fmt::format("is {} for the second time", shown(state.name)));
  program_.state.push_back(std::move(state));
}

void ExportedReader::readInput(JsonView argument) {
  const auto [kind, value] = argument.only();
  if (kind == "as_sym_int" || kind == "as_sym_float" || kind == "as_sym_bool")
    argument.unsupported("is a number that the caller gives: inputs are tensors");
  if (kind == "as_custom_obj") argument.unsupported("is a custom object");
  if (kind != "as_tensor") return;  // a constant, which the graph has written out
  const JsonView name = value.at("name");
  const int number = define(name.text(), ExportedProgram::ValueKind::Tensor, name);
  const auto& meta = program_.values[static_cast<size_t>(number)].meta;
  if (!meta) name.refuse("has no sizes in tensor_values");
  if (!meta->isKnown) name.unsupported("has a size that is neither a number nor a symbol");
  if (!meta->isStrided) name.unsupported("is not strided");
  exportedBytes(meta->dtype);
  program_.inputs.push_back(number);
}

void ExportedReader::readTensors(const Archive& archive, const std::string& folder, JsonView config) {
  for (const auto& [name, entry] : config.members()) {
    const auto found = stateOf_.find(name);
    if (found == stateOf_.end()) continue;
    ExportedProgram::State& state = program_.state[static_cast<size_t>(found->second)];
    if (!state.record.empty()) entry.refuse("is a weight and a constant");
    if (entry.at("use_pickle").boolean()) entry.unsupported("is pickled: pickles are not read");
    const JsonView meta = entry.at("tensor_meta");
    state.record = "data/" + folder + "/" + entry.at("path_name").text();
    state.dtype = static_cast<int>(meta.at("dtype").integer(0, 255));
    state.sizes = numbersOf(meta.at("sizes"));
    state.strides = numbersOf(meta.at("strides"));
    state.offset = meta.at("storage_offset").at("as_int").integer(0, std::numeric_limits<int64_t>::max());
    state.requiresGrad = entry.at("is_param").boolean() && meta.at("requires_grad").boolean();
    if (meta.at("layout").integer() != stridedLayout) meta.unsupported("is not strided");
    if (state.strides.size() != state.sizes.size()) meta.refuse("has not as many strides as sizes");
    const std::optional<int64_t> span = spanOf(state);
    int64_t bytes = 0;
    if (!span || __builtin_add_overflow(*span, state.offset, &bytes) ||
        __builtin_mul_overflow(bytes, exportedBytes(state.dtype), &bytes))
      meta.refuse("is larger than any memory");
    if (overlapsItself(state)) meta.unsupported("overlaps itself");
    const uint64_t size = archive.sizeOf(state.record);
    if (size > 0 && size < static_cast<uint64_t>(bytes))
      meta.refuse(fmt::format("needs {} bytes, its record {} has {}", bytes, shown(state.record), size));
  }
}

void ExportedReader::shareState() {
  std::vector<ExportedProgram::State> shared;
  std::map<std::string, size_t> byRecord;
  for (ExportedProgram::State& state : program_.state) {
    if (state.record.empty())
      ir::fail(ir::ErrorKind::Input, "tensor {} of the program is neither among its weights nor its constants",
               shown(state.name));
    const auto [found, isNew] = byRecord.try_emplace(state.record, shared.size());
    stateOf_[state.name] = static_cast<int>(found->second);
    if (isNew) {
      shared.push_back(std::move(state));
      continue;
    }
    ExportedProgram::State& first = shared[found->second];
    if (formOf(first) != formOf(state))
      ir::fail(ir::ErrorKind::Unsupported, "tensors {} and {} of the program overlap in {}", shown(first.name), shown(state.name),
               shown(state.record));
    first.requiresGrad = first.requiresGrad || state.requiresGrad;
    first.values.insert(first.values.end(), state.values.begin(), state.values.end());
  }
  program_.state = std::move(shared);
}

}  // namespace inputs
