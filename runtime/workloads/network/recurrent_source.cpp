#include "runtime/workloads/network/recurrent_source.h"

#include <fmt/format.h>

namespace runtime {
namespace {

constexpr std::string_view lstmStep = R"(
def step(of_input: Tensor, of_state: Tensor, h: Tensor, c: Tensor) -> Tuple[Tensor, Tensor]:
    to_write, to_keep, fresh, to_show = (of_input + of_state).chunk(4, 1)
    c = torch.sigmoid(to_keep) * c + torch.sigmoid(to_write) * torch.tanh(fresh)
    return torch.sigmoid(to_show) * torch.tanh(c), c
)";

constexpr std::string_view gruStep = R"(
def step(of_input: Tensor, of_state: Tensor, h: Tensor, c: Tensor) -> Tuple[Tensor, Tensor]:
    reset_in, update_in, fresh_in = of_input.chunk(3, 1)
    reset_of, update_of, fresh_of = of_state.chunk(3, 1)
    update = torch.sigmoid(update_in + update_of)
    fresh = torch.tanh(fresh_in + torch.sigmoid(reset_in + reset_of) * fresh_of)
    return fresh + update * (h - fresh), c
)";

/// A layer: {0} what follows the states in its head, {1} what is made of the input before the loop, {2} the input's part in each
/// step, {3} the output of a step.
constexpr std::string_view layerText = R"(
def layer(input: Tensor, h: Tensor, c: Tensor, w_ih: Tensor, w_hh: Tensor, b_ih: Tensor, b_hh: Tensor{0}) -> Tuple[Tensor, Tensor, Tensor]:
    steps = {1}.unbind(0)
    outputs: List[Tensor] = []
    for t in range(len(steps)):
        h, c = step({2}, torch.mm(h, w_hh.t()) + b_hh, h, c){3}
        outputs.append(h)
    return torch.stack(outputs), h, c
)";

/// `jit` and `jit_multilayer` hand states on as a tuple.
constexpr std::string_view pairText = R"(
def paired(input: Tensor, states: Tuple[Tensor, Tensor], weights: List[Tensor]) -> Tuple[Tensor, Tuple[Tensor, Tensor]]:
    h, c = states
    output, h, c = layer(input, h, c, weights[0], weights[1], weights[2], weights[3]{0})
    return output, (h, c)
)";

constexpr std::string_view networkText = R"(
def network(input: Tensor, states: List[Tuple[Tensor, Tensor]], weights: List[List[Tensor]]{0}) -> Tuple[Tensor, List[Tuple[Tensor, Tensor]]]:
    last: List[Tuple[Tensor, Tensor]] = []
    for k in range(len(weights)):
        input, states_of_layer = paired(input, states[k], weights[k])
        last.append(states_of_layer){1}
    return input, last
)";

constexpr std::string_view dropoutText = R"(
        if k + 1 < len(weights):
            input = torch.dropout(input, dropout, True))";

constexpr std::string_view normText = R"(
def norm(x: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
    return torch.layer_norm(x, [x.size(1)], weight, bias)
)";

/// Layer norm with mean and deviation written out.
constexpr std::string_view writtenOutNormText = R"(
def norm(x: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
    centred = x - x.mean([1], True)
    return centred * torch.rsqrt((centred * centred).mean([1], True) + 1e-05) * weight + bias
)";

constexpr std::string_view normedLayerText = R"(
def paired(input: Tensor, states: Tuple[Tensor, Tensor], weights: List[Tensor]) -> Tuple[Tensor, Tuple[Tensor, Tensor]]:
    h, c = states
    steps = input.unbind(0)
    outputs: List[Tensor] = []
    for t in range(len(steps)):
        of_input = norm(torch.mm(steps[t], weights[0].t()), weights[2], weights[3])
        of_state = norm(torch.mm(h, weights[1].t()), weights[4], weights[5])
        to_write, to_keep, fresh, to_show = (of_input + of_state).chunk(4, 1)
        c = norm(torch.sigmoid(to_keep) * c + torch.sigmoid(to_write) * torch.tanh(fresh), weights[6], weights[7])
        h = torch.sigmoid(to_show) * torch.tanh(c)
        outputs.append(h)
    return torch.stack(outputs), (h, c)
)";

}  // namespace

std::string recurrentSource(std::string_view creator, const Recurrent& network) {
  if (network.hasLayerNorm)
    return std::string(creator == "jit_layernorm_decom" ? writtenOutNormText : normText).append(normedLayerText);
  const bool isPremultiplied = creator.starts_with("jit_premul"), hasBias = creator == "jit_premul_bias";
  const std::string_view before = hasBias           ? "(torch.matmul(input, w_ih.t()) + b_ih)"
                                  : isPremultiplied ? "torch.matmul(input, w_ih.t())"
                                                    : "input";
  const std::string_view ofInput = hasBias           ? "steps[t]"
                                   : isPremultiplied ? "steps[t] + b_ih"
                                                     : "torch.mm(steps[t], w_ih.t()) + b_ih";
  const bool projects = network.projection > 0;
  std::string source(network.cell == Cell::Lstm ? lstmStep : gruStep);
  source += fmt::format(fmt::runtime(layerText), projects ? ", w_hr: Tensor" : "", before, ofInput,
                        projects ? "\n        h = torch.mm(h, w_hr.t())" : "");
  source += fmt::format(fmt::runtime(pairText), projects ? ", weights[4]" : "");
  const bool dropsOut = creator == "jit_dropout";
  return source + fmt::format(fmt::runtime(networkText), dropsOut ? ", dropout: float" : "", dropsOut ? dropoutText : "");
}

}  // namespace runtime
