#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "inputs/print.h"
#include "inputs/sample.h"
#include "inputs/text/scanner.h"
#include "ir/scalar.h"

namespace inputs {
namespace {

using ir::Argument;

// Lists in lists in lists: recorded calls have three levels; a deeper text is no call, and must not use up the stack.
constexpr int deepest = 64;

bool isDeviceName(std::string_view text) {
  std::string_view type = text.substr(0, text.find(':'));
  constexpr std::string_view types[] = {"cpu", "cuda", "meta", "mps", "xpu", "hip", "xla", "mkldnn"};
  if (std::find(std::begin(types), std::end(types), type) == std::end(types)) return false;
  if (type.size() == text.size()) return true;
  std::string_view index = text.substr(type.size() + 1);
  return !index.empty() && index.size() <= 3 &&
         std::all_of(index.begin(), index.end(), [](char c) { return c >= '0' && c <= '9'; });
}

bool isIdentifier(std::string_view text) {
  constexpr std::string_view digits = "0123456789";
  constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";
  return !text.empty() && text.find_first_not_of(letters) == std::string_view::npos &&
         digits.find(text.front()) == std::string_view::npos;
}

/// `float16` of `torch.float16`, or `th.float16`, as the first Dynamo spelled it.
std::optional<std::string_view> nameOfTorch(std::string_view text) {
  for (const std::string_view module : {"torch.", "th."})
    if (text.starts_with(module)) return text.substr(module.size());
  return std::nullopt;
}

/// The grammar of a call, one function a form. Nothing is evaluated: a name is looked up in fixed tables or refused.
class CallReader {
 public:
  explicit CallReader(Scanner& scanner) : in_(scanner) {}

  void call(Sample& into) {
    in_.expect('(');
    into.args = arguments();
    in_.expect(',');
    into.kwargs = keywords();
    in_.expect(')');
  }

 private:
  std::vector<Argument> arguments() {
    in_.expect('(');
    bool comma = false;
    std::vector<Argument> items = itemsUntil(')', &comma);
    if (items.size() == 1 && !comma) in_.expectedAt(in_.position() - 1, "',' after the only argument");
    return items;
  }

  std::vector<ir::NamedArgument> keywords() {
    std::vector<ir::NamedArgument> named;
    in_.expect('{');
    while (!in_.accept('}')) {
      size_t start = in_.position();
      std::string name = in_.quoted();
      if (!isIdentifier(name)) in_.expectedAt(start, "a keyword's name", shown(name));
      bool repeated = std::any_of(named.begin(), named.end(), [&](const auto& other) { return other.name == name; });
      if (repeated) in_.expectedAt(start, fmt::format("keyword '{}' once", name));
      in_.expect(':');
      Argument argument = value();
      named.push_back({std::move(name), std::move(argument)});
      if (!in_.accept(',') && in_.peek() != '}') in_.expected("',' or '}'");
    }
    return named;
  }

  std::vector<Argument> itemsUntil(char close, bool* comma) {
    std::vector<Argument> items;
    if (++depth_ > deepest) in_.expected(fmt::format("at most {} nested lists", deepest));
    while (!in_.accept(close)) {
      items.push_back(value());
      *comma = in_.accept(',');
      if (!*comma && in_.peek() != close) in_.expected(fmt::format("',' or '{}'", close));
    }
    --depth_;
    return items;
  }

  Argument value() {
    char next = in_.peek();
    bool comma = false;
    if (next == '[') {
      in_.expect('[');
      return ir::List{itemsUntil(']', &comma), false};
    }
    if (next == '(') return tuple();
    if (next == '\'' || next == '"') return string();
    std::string_view name = in_.peekName();
    if (name.empty() || isSpecialNumber(name)) return number();
    return named(name);
  }

  /// A tuple, or a value in parentheses.
  Argument tuple() {
    bool comma = false;
    in_.expect('(');
    std::vector<Argument> items = itemsUntil(')', &comma);
    if (items.size() == 1 && !comma) return std::move(items.front());
    return ir::List{std::move(items), true};
  }

  static bool isSpecialNumber(std::string_view name) {
    return name == "inf" || name == "nan" || name == "infj" || name == "nanj";
  }

  Argument number() {
    char next = in_.peek();
    bool starts = next == '-' || next == '+' || next == '.' || (next >= '0' && next <= '9') || isSpecialNumber(in_.peekName());
    if (!starts) in_.expected("an argument");
    Number first = in_.number();
    if (first.kind == Number::Kind::Imaginary) return std::complex<double>(0, first.value);
    if (in_.peek() == '+' || in_.peek() == '-') {
      size_t start = in_.position();
      Number second = in_.number();
      if (second.kind != Number::Kind::Imaginary) in_.expectedAt(start, "an imaginary part such as +2j");
      return std::complex<double>(first.value, second.value);
    }
    if (first.kind == Number::Kind::Integer) return first.integer;
    return first.value;
  }

  /// A string; dtype codes and devices are recorded quoted too and mean what they mean without quotes.
  Argument string() {
    std::string text = in_.quoted();
    if (auto dtype = ir::dtypeFromName(text)) return *dtype;
    if (isDeviceName(text)) return ir::DeviceName{text};
    if (auto inner = deviceCall(text)) return ir::DeviceName{*inner};
    return text;
  }

  /// The name in `torch.device('cpu')` or `th.device(cpu)`.
  static std::optional<std::string> deviceCall(std::string_view text) {
    constexpr std::string_view open = "device(";
    const auto call = nameOfTorch(text);
    if (!call || !call->starts_with(open) || !call->ends_with(')')) return std::nullopt;
    std::string_view inner = call->substr(open.size(), call->size() - open.size() - 1);
    bool quoted = inner.size() >= 2 && (inner.front() == '\'' || inner.front() == '"') && inner.front() == inner.back();
    if (quoted) inner = inner.substr(1, inner.size() - 2);
    return isDeviceName(inner) ? std::optional<std::string>(inner) : std::nullopt;
  }

  Argument named(std::string_view name) {
    size_t start = in_.position();
    in_.takeName();
    if (name == "None") return ir::None{};
    if (name == "True") return true;
    if (name == "False") return false;
    if (name == "T") return tensor(start);
    if (name == "ST") return sparse();
    if (name == "device") return device();
    if (auto dtype = ir::dtypeFromName(name)) return *dtype;
    if (const auto inner = nameOfTorch(name)) return torchName(start, *inner);
    in_.expectedAt(start, "an argument");
  }

  Argument torchName(size_t start, std::string_view name) {
    if (name == "device") return device();
    if (auto dtype = ir::dtypeFromTorchName(name)) return *dtype;
    if (name.empty() || name.find('.') != std::string_view::npos || (name[0] >= '0' && name[0] <= '9'))
      in_.expectedAt(start, "a name of torch such as torch.strided");
    return ir::Symbol{std::string(name)};
  }

  /// `('cuda')`, `('cuda', 0)`, `(type='cuda', index=0)`.
  Argument device() {
    in_.expect('(');
    acceptKeyword("type");
    size_t start = in_.position();
    std::string text = in_.quoted();
    if (in_.accept(',')) {
      acceptKeyword("index");
      text += fmt::format(":{}", integer("a device index", 0));
    }
    if (!isDeviceName(text)) in_.expectedAt(start, "a device such as 'cuda:0'");
    in_.expect(')');
    return ir::DeviceName{text};
  }

  bool acceptKeyword(std::string_view keyword) {
    if (in_.peekName() != keyword) return false;
    in_.takeName();
    in_.expect('=');
    return true;
  }

  /// `T([2, 3], f16)`, `T([2, 3], f16, stride=(1, 2))`, `T([2], i64, values=[0, 4])` or `T([2], f16, values=[0.5, inf])`, after
  /// its name.
  Argument tensor(size_t start) {
    in_.expect('(');
    ir::Shape sizes = extents("a size");
    in_.expect(',');
    ir::DType dtype = elementType();
    std::optional<ir::Strides> strides;
    Argument::Elements elements;
    while (in_.accept(',') && in_.peek() != ')') {
      const size_t before = in_.position();
      if (acceptKeyword("values")) {
        elements = elementsOf(before, checked(start, dtype, sizes, strides));
        in_.accept(',');
        break;
      }
      if (strides) in_.expected("')'");
      acceptKeyword("stride");
      const size_t at = in_.position();
      strides = extents("a stride");
      if (strides->size() != sizes.size())
        in_.expectedAt(at, fmt::format("{} strides instead of {}", sizes.size(), strides->size()));
    }
    in_.expect(')');
    Argument argument = checked(start, dtype, std::move(sizes), std::move(strides));
    argument.elements = std::move(elements);
    return argument;
  }

  ir::TensorType checked(size_t start, ir::DType dtype, ir::Shape sizes, std::optional<ir::Strides> strides) {
    if (auto type = countable(dtype, std::move(sizes), std::move(strides))) return std::move(*type);
    in_.expectedAt(start, "a tensor whose bytes 64 bits count");
  }

  /// The values of a tensor. `start` is where their keyword stands.
  Argument::Elements elementsOf(size_t start, const ir::TensorType& type) {
    if (ir::isIntegral(type.dtype)) return elementsOf<int64_t>(start, type, [&] { return integerOf(type.dtype); });
    if (ir::isFloating(type.dtype)) return elementsOf<double>(start, type, [&] { return floatOf(type.dtype); });
    in_.expectedAt(start, "values of a tensor of integers or floats alone");
  }

  template <typename Value, typename Read>
  Argument::Elements elementsOf(size_t start, const ir::TensorType& type, const Read& read) {
    std::vector<Value> values = list<Value>(read);
    if (std::ssize(values) != type.storageElements())
      in_.expectedAt(start, fmt::format("{} values instead of {}", type.storageElements(), values.size()));
    return values.empty() ? Argument::Elements() : std::move(values);
  }

  int64_t integerOf(ir::DType dtype) {
    const size_t start = in_.position();
    const Number number = in_.number();
    if (number.kind != Number::Kind::Integer) in_.expectedAt(start, "an integer");
    if (ir::wrap(dtype, number.integer) != number.integer)
      in_.expectedAt(start, fmt::format("an integer that {} holds", ir::name(dtype)));
    return number.integer;
  }

  double floatOf(ir::DType dtype) {
    const size_t start = in_.position();
    const Number number = in_.number();
    if (number.kind == Number::Kind::Imaginary) in_.expectedAt(start, "a real number");
    if (!ir::holds(dtype, number.value)) in_.expectedAt(start, fmt::format("a number that {} holds", ir::name(dtype)));
    return number.value;
  }

  /// The tensor type, or nothing where its elements or the bytes of its storage are more than 64 bits count.
  static std::optional<ir::TensorType> countable(ir::DType dtype, ir::Shape sizes, std::optional<ir::Strides> strides) {
    try {
      ir::TensorType type = ir::TensorType::contiguous(dtype, std::move(sizes));
      if (strides) type.strides = std::move(*strides);
      int64_t bytes = 0;
      bool fits = type.numel() >= 0 && !__builtin_mul_overflow(type.storageElements(), ir::sizeOf(dtype), &bytes);
      return fits ? std::optional(std::move(type)) : std::nullopt;
    } catch (const ir::Error&) {
      return std::nullopt;
    }
  }

  ir::DType elementType() {
    size_t start = in_.position();
    bool isQuoted = in_.peek() == '\'' || in_.peek() == '"';
    std::string code = isQuoted ? in_.quoted() : std::string(in_.takeName());
    auto dtype = ir::dtypeFromName(code);
    if (const auto name = nameOfTorch(code); !dtype && name) dtype = ir::dtypeFromTorchName(*name);
    if (!dtype) in_.expectedAt(start, "a dtype such as f16");
    return *dtype;
  }

  ir::Shape extents(std::string_view what) {
    return list<int64_t>([&] { return integer(what, 0); });
  }

  template <typename Item, typename Read>
  std::vector<Item> list(const Read& read) {
    char close = in_.accept('(') ? ')' : ']';
    if (close == ']' && !in_.accept('[')) in_.expected("'[' or '('");
    std::vector<Item> items;
    while (!in_.accept(close)) {
      items.push_back(read());
      if (!in_.accept(',') && in_.peek() != close) in_.expected(fmt::format("',' or '{}'", close));
    }
    return items;
  }

  int64_t integer(std::string_view what, int64_t least) {
    size_t start = in_.position();
    Number number = in_.number();
    if (number.kind != Number::Kind::Integer || number.integer < least)
      in_.expectedAt(start, fmt::format("{} of {} or more", what, least));
    return number.integer;
  }

  /// The arguments of `ST(...)` are read for their form and kept as text, in one spelling.
  Argument sparse() {
    std::string text = "ST(";
    in_.expect('(');
    if (++depth_ > deepest) in_.expected(fmt::format("at most {} nested lists", deepest));
    for (std::string_view separator = ""; !in_.accept(')'); separator = ", ") {
      text += separator;
      std::string_view name = in_.peekName();
      if (name == "nnz" || name == "stride") {
        acceptKeyword(name);
        text += fmt::format("{}=", name);
      }
      text += argumentText(value());
      if (!in_.accept(',') && in_.peek() != ')') in_.expected("',' or ')'");
    }
    --depth_;
    return ir::SparseTensor{text + ")"};
  }

  Scanner& in_;
  int depth_ = 0;
};

}  // namespace

void parseCall(std::string_view text, const Source& where, int column, Sample& into) {
  Scanner line(text, where, column);
  const size_t begin = line.position();
  const bool isQuoted = line.peek() == '\'' || line.peek() == '"';
  const std::string unquoted = isQuoted ? line.quoted() : "";
  if (isQuoted) line.expectEnd();
  Scanner inside(unquoted, where, column + static_cast<int>(begin) + 1);
  Scanner& call = isQuoted ? inside : line;
  CallReader(call).call(into);
  into.recorded = call.between(isQuoted ? 0 : begin, call.position());
  call.expectEnd();
}

}  // namespace inputs
