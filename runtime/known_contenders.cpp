#include "runtime/known_contenders.h"

#include <algorithm>

#include "inputs/operator_name.h"
#include "inputs/text/words.h"

namespace runtime {
namespace {

constexpr KnownContender table[] = {
    {"eager", "call region model", "ATen's own calls", true},
    {"graph", "model", "the same in one CUDA graph", true},
    {"opbench", "call region model", "lowered and compiled by this program", true},
    {"inductor", "call region model", "compiled by AOTInductor, which a Python torch has"},
    {"torchscript", "call model", "TorchScript under the profiling executor and the fuser"},
    {"cudnn", "call", "operators that opbench registers itself, for calls of their names"},
    {"cudnn", "lstm gru", "ATen's own call: cuDNN, on a CPU oneDNN or ATen", true},
    {"aten", "lstm gru", "the same without cuDNN and oneDNN", true},
    {"jit", "lstm gru", "TorchScript, a product of the input in each step", true},
    {"jit_premul", "lstm gru", "TorchScript, the input's product for all steps at once", true},
    {"jit_premul_bias", "lstm gru", "the same with its bias", true},
    {"jit_simple", "lstm gru", "TorchScript with flat arguments", true},
    {"jit_multilayer", "lstm gru", "TorchScript over all layers", true},
    {"py", "lstm gru", "a loop of ATen calls; in C++, as there is no interpreter", true},
    {"opbench", "lstm gru", "py, compiled as a whole", true},
    {"cudnn_dropout", "lstm_dropout", "cudnn with dropout of 0.4 between layers"},
    {"jit_dropout", "lstm_dropout", "the same by TorchScript"},
    {"jit_layernorm", "lstm_layernorm", "TorchScript with layer norms; one layer"},
    {"jit_layernorm_decom", "lstm_layernorm", "the same, mean and deviation written out"},
    {"cudnn_layernorm", "lstm_layernorm_bound",
     "cudnn, then three layer norms a step that nobody uses: a lower bound; forward alone"},
    {"vl_cudnn", "vl_lstm", "sequences of several lengths, packed"},
    {"vl_jit", "vl_lstm", "the same by TorchScript, one after another"},
    {"vl_py", "vl_lstm", "the same by a loop of ATen calls"},
    {"cudnn_graph", "lstm gru", "cudnn, forward and backward in one CUDA graph"},
    {"aten_graph", "lstm gru", "aten in one CUDA graph"},
    {"jit_graph", "lstm gru", "jit in one CUDA graph"},
};
/// The word of `kinds` for an operator.
std::string_view kindWord(std::string_view op) {
  switch (inputs::kindOf(op)) {
    case inputs::SampleKind::Call: return "call";
    case inputs::SampleKind::Region: return "region";
    case inputs::SampleKind::Model: return "model";
    case inputs::SampleKind::Recurrent: break;
  }
  const size_t first = op.find('.'), second = op.find('.', first + 1);
  return op.substr(first + 1, second == std::string_view::npos ? second : second - first - 1);
}

}  // namespace

std::span<const KnownContender> knownContenders() { return table; }

std::span<const KnownContender> creators() {
  const auto first = std::find_if(std::begin(table), std::end(table),
                                  [](const KnownContender& each) { return !computes(each, "call") && !computes(each, "model"); });
  return {first, std::end(table)};
}

const KnownContender* creatorOf(std::string_view name) {
  const auto all = creators();
  const auto found = std::find_if(all.begin(), all.end(), [&](const KnownContender& creator) { return creator.name == name; });
  return found == all.end() ? nullptr : &*found;
}

bool computes(const KnownContender& contender, std::string_view kind) { return inputs::isWordOf(kind, contender.kinds); }

std::vector<Contender> contendersOf(std::string_view op, bool defaultsAlone) {
  const std::string_view kind = kindWord(op);
  std::vector<Contender> contenders;
  for (const KnownContender& each : table)
    if (computes(each, kind) && (each.isDefault || !defaultsAlone)) contenders.emplace_back(std::string(each.name));
  return contenders.empty() && defaultsAlone ? contendersOf(op, false) : contenders;
}

}  // namespace runtime
