#include "opbench/challenge/statement.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

#include "inputs/operator_name.h"
#include "inputs/print.h"
#include "inputs/region.h"
#include "inputs/text/scanner.h"
#include "ir/error.h"
#include "runtime/torch/infer.h"
#include "runtime/torch/signature.h"

namespace opbench {
namespace {

using inputs::Sample;
using runtime::OwnArgument;

/// The graph of a call or a region.
ir::Graph graphOf(const Sample& sample, ir::Backend backend) {
  if (inputs::isRegion(sample.op)) return inputs::regionOf(sample);
  const auto graph = inputs::isCall(sample.op) ? runtime::inferGraph(sample, backend) : std::nullopt;
  if (!graph) ir::fail(ir::ErrorKind::Unsupported, "{} is no challenge: its results are not known before it runs", sample.op);
  return *graph;
}

/// The names of a graph's values in programs, by value: letters and digits, each once.
std::vector<std::string> namesOf(const ir::Graph& graph) {
  // Words of Python and of C++, which no value may be called after.
  static const std::set<std::string> words{
      "and",      "as",      "assert",    "break",  "class",  "continue", "def",      "del",   "elif", "else",
      "except",   "finally", "for",       "from",   "global", "if",       "import",   "in",    "is",   "lambda",
      "nonlocal", "not",     "or",        "pass",   "raise",  "return",   "try",      "while", "with", "yield",
      "torch",    "mine",    "reference", "int",    "float",  "double",   "bool",     "long",  "char", "auto",
      "const",    "static",  "new",       "delete", "this",   "template", "operator", "at",    "c10"};
  const auto plain = [](const std::string& name) {
    std::string text;
    for (const char c : name)
      if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || (c == '_' && !text.empty())) text += c;
    return text.empty() || (text[0] >= '0' && text[0] <= '9') ? "" : text;
  };
  std::vector<std::string> names;
  std::set<std::string> taken = words;
  for (const ir::GraphValue& value : graph.values) {
    std::string name = plain(value.name);
    if (name.empty() || taken.contains(name)) name = fmt::format("value{}", names.size());
    while (taken.contains(name)) name += "_";
    taken.insert(name);
    names.push_back(std::move(name));
  }
  return names;
}

/// A word of a file that becomes a word of a program. Error: Input for what is more than letters and digits.
const std::string& asWord(const std::string& text) {
  constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
  if (text.empty() || text.find_first_not_of(letters) != std::string::npos)
    ir::fail(ir::ErrorKind::Input, "{} is no word of a challenge", inputs::shown(text));
  return text;
}

/// A node's argument as Python has it.
std::string pythonOf(const ir::Argument& argument, const std::vector<std::string>& names) {
  if (const auto* value = argument.as<ir::ValueRef>()) return names.at(static_cast<size_t>(value->index));
  if (const auto* dtype = argument.as<ir::DType>()) return fmt::format("torch.{}", ir::torchName(*dtype));
  if (const auto* number = argument.as<double>(); number != nullptr && !std::isfinite(*number))
    return fmt::format("float('{}')", *number);
  if (const auto* symbol = argument.as<ir::Symbol>()) return "torch." + asWord(symbol->text);
  if (argument.is<ir::SparseTensor>()) ir::fail(ir::ErrorKind::Unsupported, "sparse tensors are in no challenge");
  const auto* list = argument.as<ir::List>();
  if (list == nullptr) return inputs::argumentText(argument);
  std::string items;
  for (const ir::Argument& item : list->items) items += (items.empty() ? "" : ", ") + pythonOf(item, names);
  return "[" + items + "]";
}

std::string joined(const std::vector<int>& values, const std::vector<std::string>& names) {
  std::string text;
  for (const int value : values) text += (text.empty() ? "" : ", ") + names.at(static_cast<size_t>(value));
  return text;
}

std::vector<OwnArgument> argumentsOf(const Sample& sample, const ir::Graph& graph, const std::vector<std::string>& names) {
  if (!inputs::isRegion(sample.op)) return runtime::ownArguments(sample.op);
  std::vector<OwnArgument> arguments;
  for (const int input : graph.inputs) arguments.push_back(runtime::ownTensor(names.at(static_cast<size_t>(input))));
  return arguments;
}

/// The reference of a region: its calls, one after another.
std::string regionReference(const ir::Graph& graph, const std::vector<std::string>& names) {
  std::string text = fmt::format("def reference({}):\n", joined(graph.inputs, names));
  for (const ir::Node& node : graph.nodes) {
    std::string arguments;
    for (const ir::NamedArgument& argument : node.args)
      arguments += fmt::format("{}{}={}", arguments.empty() ? "" : ", ", asWord(argument.name), pythonOf(argument.value, names));
    const std::string made = joined(node.outputs, names);
    text += fmt::format("    {}torch.ops.{}({})\n", made.empty() ? "" : made + " = ", node.op, arguments);
  }
  return text + fmt::format("    return {}\n", joined(graph.outputs, names));
}

/// The reference of a call, which takes what the call takes: siblings give it other values.
std::string callReference(const Sample& sample, const std::vector<OwnArgument>& own) {
  std::string parameters, arguments;
  for (const OwnArgument& argument : own) {
    parameters += (parameters.empty() ? "" : ", ") + argument.name;
    arguments += fmt::format("{}{}={}", arguments.empty() ? "" : ", ", argument.name, argument.name);
  }
  return fmt::format("# The call: {}\ndef reference({}):\n    return torch.ops.{}({})\n", inputs::toText(sample), parameters,
                     sample.op, arguments);
}

std::string pythonFile(const std::vector<OwnArgument>& own) {
  std::string parameters;
  for (const OwnArgument& argument : own) parameters += (parameters.empty() ? "" : ", ") + argument.name;
  return fmt::format(
      "\"\"\"A solution in Python: Triton, or whatever computes it. It returns what the reference returns.\"\"\"\n\n"
      "from reference import reference\n\n\ndef mine({0}):\n    return reference({0})\n",
      parameters);
}

std::string cppFile(const std::vector<OwnArgument>& own, size_t results) {
  std::string schema, parameters;
  for (const OwnArgument& argument : own) {
    schema += fmt::format("{}{} {}", schema.empty() ? "" : ", ", argument.schema, argument.name);
    parameters += fmt::format("{}{} {}", parameters.empty() ? "" : ", ", argument.cpp, argument.name);
  }
  std::vector<std::string> types(results, "at::Tensor"), tensors(results, "Tensor");
  return fmt::format(
      "// A solution in C++: an operator of ATen's tensors, which opbench compiles and loads.\n"
      "#include <ATen/ATen.h>\n#include <torch/library.h>\n\n#include <optional>\n#include <tuple>\n\n"
      "{} mine({}) {{\n  TORCH_CHECK(false, \"nobody has written it yet\");\n}}\n\n"
      "TORCH_LIBRARY(challenge, library) {{ library.def(\"mine({}) -> {}\", &mine); }}\n",
      results == 1 ? types.front() : fmt::format("std::tuple<{}>", fmt::join(types, ", ")), parameters, schema,
      results == 1 ? tensors.front() : fmt::format("({})", fmt::join(tensors, ", ")));
}

std::string cudaFile(const ir::Graph& graph) {
  // These names are the graph's own, by which opbench finds what a launch is given.
  std::vector<std::string> arguments, parameters;
  for (size_t i = 0; i < graph.outputs.size(); ++i) {
    arguments.push_back(fmt::format("out{}", i));
    parameters.push_back(fmt::format("out{0}_t* out{0}", i));
  }
  const std::vector<std::string> names = namesOf(graph);
  for (const int input : graph.inputs) {
    const std::string& given = graph.values.at(static_cast<size_t>(input)).name;
    if (given != names.at(static_cast<size_t>(input))) continue;
    arguments.push_back(given);
    parameters.push_back(fmt::format("const {0}_t* {0}", given));
  }
  return fmt::format(
      "/* opbench\nlaunches:\n  - kernel: mine\n    grid: ceil_div(numel(out0), 256)\n    block: 256\n"
      "    arguments: {}, numel(out0)\n*/\n\n"
      "// A solution in CUDA. The comment above says how it is launched; tensors have the names that arguments have here.\n"
      "extern \"C\" __global__ void mine({}, long long elements) {{\n"
      "  const long long i = blockIdx.x * 256ll + threadIdx.x;\n  if (i >= elements) return;\n}}\n",
      fmt::join(arguments, ", "), fmt::join(parameters, ", "));
}

std::string rowOf(std::string_view name, const ir::GraphValue& value) {
  return fmt::format("| `{}` | {} | [{}] | ({}) |\n", name, ir::torchName(value.type.dtype), fmt::join(value.type.sizes, ", "),
                     fmt::join(value.type.strides, ", "));
}

std::string shapesOf(const ir::Graph& graph, const std::vector<std::string>& names) {
  std::string text = "| tensor | dtype | sizes | strides |\n| --- | --- | --- | --- |\n";
  for (const int input : graph.inputs)
    text += rowOf(names.at(static_cast<size_t>(input)), graph.values.at(static_cast<size_t>(input)));
  for (size_t i = 0; i < graph.outputs.size(); ++i)
    text += rowOf(fmt::format("out{}", i), graph.values.at(static_cast<size_t>(graph.outputs[i])));
  return text;
}

/// The outputs that a solution makes: of a region all but inputs that it writes.
size_t madeBy(const ir::Graph& graph) {
  return static_cast<size_t>(std::count_if(graph.outputs.begin(), graph.outputs.end(), [&](int output) {
    return std::find(graph.inputs.begin(), graph.inputs.end(), output) == graph.inputs.end();
  }));
}

}  // namespace

Statement statementOf(const Sample& sample, ir::Backend backend) {
  const ir::Graph graph = graphOf(sample, backend);
  const std::vector<std::string> names = namesOf(graph);
  const std::vector<OwnArgument> own = argumentsOf(sample, graph, names);
  Statement statement;
  statement.reference = "\"\"\"What is to be computed: eager ATen's calls.\"\"\"\n\nimport torch\n\n\n";
  statement.reference += inputs::isRegion(sample.op) ? regionReference(graph, names) : callReference(sample, own);
  statement.python = pythonFile(own);
  statement.cuda = cudaFile(graph);
  statement.cpp = cppFile(own, madeBy(graph));
  statement.shapes = shapesOf(graph, names);
  return statement;
}

}  // namespace opbench
