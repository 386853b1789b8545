#include "runtime/contenders/kernels/fitted.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <set>

#include "ir/error.h"
#include "runtime/contenders/kernels/call_names.h"

namespace runtime {
namespace {

/// The type of a dtype's elements in CUDA C++, and the header that declares it; none where the language does.
struct CudaType {
  std::string_view name, header;
};

CudaType cudaTypeOf(ir::DType dtype) {
  using enum ir::DType;
  switch (dtype) {
    case Bool: return {"bool", ""};
    case U8: return {"unsigned char", ""};
    case I8: return {"signed char", ""};
    case U16: return {"unsigned short", ""};
    case I16: return {"short", ""};
    case U32: return {"unsigned int", ""};
    case I32: return {"int", ""};
    case U64: return {"unsigned long long", ""};
    case I64: return {"long long", ""};
    case F8E4M3: return {"__nv_fp8_e4m3", "cuda_fp8.h"};
    case F8E5M2: return {"__nv_fp8_e5m2", "cuda_fp8.h"};
    case F16: return {"__half", "cuda_fp16.h"};
    case BF16: return {"__nv_bfloat16", "cuda_bf16.h"};
    case F32: return {"float", ""};
    case F64: return {"double", ""};
    case C32: return {"__half2", "cuda_fp16.h"};
    case C64: return {"float2", ""};
    case C128: return {"double2", ""};
  }
  ir::fail(ir::ErrorKind::Internal, "a dtype without a type in CUDA");
}

/// A file's name as a string literal has it.
std::string quotedName(const std::string& path) {
  std::string text = "\"";
  for (const char c : path) text += c == '"' || c == '\\' ? std::string("\\") + c : std::string(1, c == '\n' ? ' ' : c);
  return text + "\"";
}

template <typename T>
void put(KernelArgument& argument, T value) {
  std::memcpy(argument.bytes.data(), &value, sizeof value);
}

/// Turns expressions into what one call makes of them.
class Fitter {
 public:
  Fitter(const KernelFile& file, const ir::Graph& graph) : file_(file), names_(graph) {}

  FittedKernels operator()() const {
    for (const Expression& condition : file_.conditions)
      if (!isTrue(evaluate(condition, names_))) refuse(condition, fmt::format("it needs `{}`", condition.text));
    FittedKernels made;
    for (const Expression& bytes : file_.scratch)
      made.scratchBytes.push_back(whole(bytes, 0, std::numeric_limits<int64_t>::max()));
    for (const LaunchRule& rule : file_.launches) made.launches.push_back(launch(rule));
    return made;
  }

 private:
  KernelLaunch launch(const LaunchRule& rule) const {
    constexpr std::array<int64_t, 3> mostOfGrid{std::numeric_limits<int32_t>::max(), 65535, 65535}, mostOfBlock{1024, 1024, 64};
    KernelLaunch made{rule.kernel, rule.place, extents(rule.grid, 0, mostOfGrid), extents(rule.block, 1, mostOfBlock), 0, {}};
    for (const Expression& bytes : rule.shared)
      made.dynamicSharedBytes = static_cast<int>(whole(bytes, 0, std::numeric_limits<int32_t>::max()));
    for (const Expression& expression : rule.arguments) made.arguments.push_back(argument(expression));
    return made;
  }

  std::array<unsigned, 3> extents(const std::vector<Expression>& given, int64_t least, const std::array<int64_t, 3>& most) const {
    std::array<unsigned, 3> found{1, 1, 1};
    for (std::size_t i = 0; i < given.size(); ++i) found.at(i) = static_cast<unsigned>(whole(given[i], least, most.at(i)));
    return found;
  }

  int64_t whole(const Expression& expression, int64_t least, int64_t most) const {
    const int64_t number = evaluateWhole(expression, names_);
    if (number < least || number > most)
      refuse(expression, fmt::format("`{}` is {}, not from {} to {}", expression.text, number, least, most));
    return number;
  }

  KernelArgument argument(const Expression& expression) const {
    KernelArgument made;
    made.place = expression.place;
    if (expression.kind == Expression::Kind::Name) {
      made.value = names_.value(expression.word);
      if (!made.value) made.scratch = scratchOf(expression.word);
      if (made.value || made.scratch) return made;
    }
    const bool isTyped = expression.kind == Expression::Kind::Apply && argumentTypeFromName(expression.word).has_value();
    const ir::Scalar number = evaluate(isTyped ? expression.operands[0] : expression, names_);
    const bool isWhole = std::holds_alternative<int64_t>(number);
    const ArgumentType type = isTyped   ? *argumentTypeFromName(expression.word)
                              : isWhole ? ArgumentType::Long
                                        : ArgumentType::Double;
    made.type = name(type);
    made.size = sizeOf(type);
    const double real = isWhole ? static_cast<double>(std::get<int64_t>(number)) : std::get<double>(number);
    switch (type) {
      case ArgumentType::Bool: put(made, isTrue(number)); break;
      case ArgumentType::Int: put(made, static_cast<int32_t>(wholeIn(expression, number, 32))); break;
      case ArgumentType::Long: put(made, wholeIn(expression, number, 64)); break;
      case ArgumentType::Float: put(made, static_cast<float>(real)); break;
      case ArgumentType::Double: put(made, real); break;
    }
    return made;
  }

  static int64_t wholeIn(const Expression& expression, const ir::Scalar& number, int bits) {
    const int64_t* whole = std::get_if<int64_t>(&number);
    if (whole == nullptr)
      refuse(expression, fmt::format("`{}` is given {}, no whole number", expression.text, std::get<double>(number)));
    if (bits == 32 && *whole != static_cast<int32_t>(*whole))
      refuse(expression, fmt::format("`{}` is {}, which takes more than 32 bits", expression.text, *whole));
    return *whole;
  }

  /// The number of the scratch memory `s0`; nothing for other names.
  std::optional<int> scratchOf(const std::string& word) const {
    for (std::size_t i = 0; i < file_.scratch.size(); ++i)
      if (word == fmt::format("s{}", i)) return static_cast<int>(i);
    return std::nullopt;
  }

  const KernelFile& file_;
  const CallNames names_;
};

}  // namespace

FittedKernels fitted(const KernelFile& file, const ir::Graph& graph) { return Fitter(file, graph)(); }

ir::KernelSource programOf(const KernelFile& file, const ir::Graph& graph, const std::string& arch) {
  std::set<std::string_view> headers;
  std::string types;
  for (const auto& [name, dtype] : CallNames(graph).dtypes()) {
    const CudaType type = cudaTypeOf(dtype);
    if (!type.header.empty()) headers.insert(type.header);
    types += fmt::format("using {}_t = {};\n", name, type.name);
  }
  ir::KernelSource program;
  program.name = file.contender;
  program.backend = ir::Backend::Cuda;
  program.arch = arch;
  // A file is compiled by itself, so that the cache, which goes by its text, has no code of another one that it includes.
  program.options = {"--std=c++17", "--no-source-include"};
  for (const std::string_view header : headers) program.source += fmt::format("#include <{}>\n", header);
  program.source += fmt::format("{}#line 1 {}\n{}", types, quotedName(file.path), file.code);
  return program;
}

void checkParameters(const KernelLaunch& launch, const std::vector<std::size_t>& parameterBytes) {
  const std::size_t given = launch.arguments.size(), wanted = parameterBytes.size();
  if (given != wanted)
    ir::fail(ir::ErrorKind::Input, "{}: {} has {} parameter{}, and is given {} argument{}", toText(launch.place), launch.kernel,
             wanted, wanted == 1 ? "" : "s", given, given == 1 ? "" : "s");
  for (std::size_t i = 0; i < wanted; ++i) {
    const KernelArgument& argument = launch.arguments[i];
    if (argument.size != parameterBytes[i])
      ir::fail(ir::ErrorKind::Input, "{}: argument {} of {} is a {} of {} bytes, its parameter takes {}", toText(argument.place),
               i + 1, launch.kernel, argument.type, argument.size, parameterBytes[i]);
  }
}

std::string firstError(std::string_view log) {
  std::string_view first;
  while (!log.empty()) {
    const std::string_view line = log.substr(0, log.find('\n'));
    log.remove_prefix(std::min(log.size(), line.size() + 1));
    if (line.find("error") != std::string_view::npos && line.find("): ") != std::string_view::npos) return std::string(line);
    if (first.empty()) first = line;
  }
  return std::string(first);
}

}  // namespace runtime
