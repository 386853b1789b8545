#include "inputs/operator_name.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "inputs/text/scanner.h"
#include "ir/error.h"

namespace inputs {
namespace {

// What no schema shows, found by reading all schemas of ATen 2.11, what later releases changed (runtime/torch/releases), and what
// is behind them. What a schema shows is refused when a call is bound.
constexpr RefusedOperator table[] = {
    {"aten._backward", "runs autograd"},
    {"aten._cholesky_solve_helper", "reads as far as the sizes of another tensor say"},
    {"aten._compute_linear_combination", "reads as far as the sizes of another tensor say"},
    {"aten._cudnn_attention_forward_no_dropout_inplace", "reads wherever its table of blocks says"},
    {"aten._cufft_clear_plan_cache", "changes the process's FFT plans"},
    {"aten._cufft_set_plan_cache_max_size", "changes the process's FFT plans"},
    {"aten._cummax_helper", "writes as far as the sizes of another tensor say"},
    {"aten._cummin_helper", "writes as far as the sizes of another tensor say"},
    {"aten._flash_attention_forward_no_dropout_inplace", "reads wherever its table of blocks says"},
    {"aten._fw_primal", "changes the state of autograd"},
    {"aten._fw_primal_copy", "changes the state of autograd"},
    {"aten._make_dual", "changes the state of autograd"},
    {"aten._make_dual_copy", "changes the state of autograd"},
    {"aten._nested_view_from_buffer", "reads wherever its offsets say"},
    {"aten._nested_view_from_buffer_copy", "reads wherever its offsets say"},
    {"aten._pin_memory", "locks memory of the host"},
    {"aten._print", "prints"},
    {"aten._reshape_alias_copy", "reads as far as its sizes and strides say"},
    {"aten._sobol_engine_draw", "reads and writes as far as its dimension says"},
    {"aten._sobol_engine_ff_", "reads and writes as far as its dimension says"},
    {"aten._sobol_engine_initialize_state_", "writes as far as its dimension says"},
    {"aten._sobol_engine_scramble_", "reads and writes as far as its dimension says"},
    {"aten._unpack_dual", "changes the state of autograd"},
    {"aten._wrapped_linear_prepack", "returns a C++ object as a tensor"},
    {"aten.fbgemm_pack_gemm_matrix_fp16", "returns a C++ object as a tensor"},
    {"aten.fbgemm_pack_quantized_matrix", "returns a C++ object as a tensor"},
    {"aten.from_file", "maps a file"},
    {"aten.get_gradients", "reads the state of distributed autograd"},
    {"aten.pin_memory", "locks memory of the host"},
    {"aten.record_stream", "ties memory to a stream"},
    {"aten.requires_grad_", "changes the state of autograd"},
    {"aten.retain_grad", "changes the state of autograd"},
    {"aten.set", "exchanges the storage of a tensor"},
    {"aten.set_", "exchanges the storage of a tensor"},
    {"aten.set_data", "exchanges the storage of a tensor"},
    {"aten.shallow_copy_data_", "exchanges the storage of a tensor"},
};

constexpr std::pair<std::string_view, SampleKind> namespaces[] = {
    {"region.", SampleKind::Region}, {"rnn.", SampleKind::Recurrent}, {"model.", SampleKind::Model}};

std::vector<OwnOperator>& ownOperators() {
  static std::vector<OwnOperator> operators;
  return operators;
}

/// `aten.add` of `aten.add.Tensor`.
std::string_view packetOf(std::string_view op) {
  const size_t first = op.find('.');
  return first == std::string_view::npos ? op : op.substr(0, op.find('.', first + 1));
}

}  // namespace

std::span<const RefusedOperator> refusedOperators() { return table; }

OwnOperator ownOperatorOf(std::string_view text) {
  constexpr std::string_view ending = "_reference";
  const size_t equals = text.find('=');
  OwnOperator own;
  own.reference = text.substr(equals == std::string_view::npos ? 0 : equals + 1);
  own.op = operatorName(equals == std::string_view::npos ? text : text.substr(0, equals));
  const bool isNamed = equals != std::string_view::npos || own.op.ends_with(ending);
  if (!isNamed || own.reference.find("::") == std::string::npos)
    ir::fail(ir::ErrorKind::Input, "{} must be OP=LIBRARY::NAME, as my.norm=my::slow_norm, or LIBRARY::OP{}", shown(text),
             ending);
  if (equals == std::string_view::npos) own.op.resize(own.op.size() - ending.size());
  own.op = packetOf(own.op);
  const bool isOpbenchs =
      std::any_of(std::begin(namespaces), std::end(namespaces), [&](const auto& each) { return own.op.starts_with(each.first); });
  if (!isOperatorName(own.op) || isOpbenchs || own.op.substr(0, own.op.find('.')) == callableNamespace)
    ir::fail(ir::ErrorKind::Input, "{} is no operator of a library's, as my.norm is", shown(own.op));
  return own;
}

void setOwnOperators(std::vector<OwnOperator> operators) { ownOperators() = std::move(operators); }

const std::string* referenceOf(std::string_view op) {
  for (const OwnOperator& own : ownOperators())
    if (own.op == packetOf(op)) return &own.reference;
  return nullptr;
}

SampleKind kindOf(std::string_view op) {
  for (const auto& [name, kind] : namespaces)
    if (op.starts_with(name) && isOperatorName(op)) return kind;
  return SampleKind::Call;
}

bool isOfLibrary(std::string_view op) {
  return isOperatorName(op) && isCall(op) && op.substr(0, op.find('.')) != callableNamespace;
}

bool isTraining(std::string_view op) { return isNetwork(op) && op.ends_with(".training"); }

bool isOperatorName(std::string_view text) {
  constexpr size_t longest = 128;
  constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.";
  if (text.empty() || text.size() > longest || text.find_first_not_of(letters) != std::string_view::npos) return false;
  const auto dots = std::count(text.begin(), text.end(), '.');
  return (dots == 1 || dots == 2) && text.front() != '.' && text.back() != '.' && text.find("..") == std::string_view::npos;
}

std::string_view baseName(std::string_view op) {
  op.remove_prefix(std::min(op.size(), op.find('.') + 1));
  op = op.substr(0, op.find('.'));
  const bool isInPlace = op.size() > 1 && op.ends_with('_') && !op.ends_with("__");
  return isInPlace ? op.substr(0, op.size() - 1) : op;
}

std::string operatorName(std::string_view spelled) {
  constexpr std::string_view python = "torch.ops.", scope = "::";
  std::string name(spelled.substr(spelled.starts_with(python) ? python.size() : 0));
  if (const size_t at = name.find(scope); at != std::string::npos) name.replace(at, scope.size(), ".");
  return name;
}

std::optional<std::string> refusalOf(std::string_view op) {
  if (!isOperatorName(op)) return fmt::format("{} is not an operator name such as aten.add.Tensor", shown(op));
  if (!isCall(op) || referenceOf(op) != nullptr) return std::nullopt;
  if (isOfLibrary(op)) return fmt::format("{} is refused: only operators of the namespace {} are called", op, callableNamespace);
  const auto refused = std::find_if(std::begin(table), std::end(table),
                                    [&](const RefusedOperator& entry) { return entry.packet == packetOf(op); });
  if (refused == std::end(table)) return std::nullopt;
  return fmt::format("{} is refused: it {}", op, refused->reason);
}

}  // namespace inputs
