#include "runtime/network/creators.h"
#include "inputs/operator_name.h"

#include <algorithm>

#include "inputs/text/words.h"

namespace runtime {
namespace {

constexpr Creator table[] = {
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

}  // namespace

std::span<const Creator> creators() { return table; }

const Creator* creatorOf(std::string_view name) {
  const auto found =
      std::find_if(std::begin(table), std::end(table), [&](const Creator& creator) { return creator.name == name; });
  return found == std::end(table) ? nullptr : found;
}

bool computes(const Creator& creator, std::string_view kind) { return inputs::isWordOf(kind, creator.kinds); }

std::vector<Contender> contendersOf(std::string_view op, bool defaultsAlone) {
  if (inputs::kindOf(op) == inputs::SampleKind::Model) {
    std::vector<Contender> ofModels{Contender::Eager, Contender("graph"), Contender::Opbench};
    if (!defaultsAlone) ofModels.insert(ofModels.end(), {Contender::Torchscript, Contender::Inductor});
    return ofModels;
  }
  const size_t first = op.find('.'), second = op.find('.', first + 1);
  const std::string_view kind = op.substr(first + 1, second == std::string_view::npos ? second : second - first - 1);
  std::vector<Contender> contenders;
  for (const Creator& creator : table)
    if (computes(creator, kind) && (creator.isDefault || !defaultsAlone)) contenders.emplace_back(std::string(creator.name));
  return contenders.empty() && defaultsAlone ? contendersOf(op, false) : contenders;
}

}  // namespace runtime
