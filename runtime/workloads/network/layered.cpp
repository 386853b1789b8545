#include "runtime/workloads/network/layered.h"

#include <ATen/Functions.h>

namespace runtime {
namespace {

/// The next states of an LSTM, of the products of its input and of its state, biases added.
void stepLstm(const at::Tensor& ofInput, const at::Tensor& ofState, LayerResult& states) {
  const std::vector<at::Tensor> gates = ofInput.add(ofState).chunk(4, 1);
  states.c = gates[1].sigmoid().mul(states.c).add(gates[0].sigmoid().mul(gates[2].tanh()));
  states.h = gates[3].sigmoid().mul(states.c.tanh());
}

/// The next state of a GRU, of the products of its input and of its state, biases added.
void stepGru(const at::Tensor& ofInput, const at::Tensor& ofState, LayerResult& states) {
  const std::vector<at::Tensor> in = ofInput.chunk(3, 1), of = ofState.chunk(3, 1);
  const at::Tensor reset = in[0].add(of[0]).sigmoid(), update = in[1].add(of[1]).sigmoid();
  const at::Tensor fresh = in[2].add(reset.mul(of[2])).tanh();
  states.h = fresh.add(update.mul(states.h.sub(fresh)));
}

/// The next states of an LSTM with layer norms, by its weights in parametersOf()'s order.
void stepNormed(const at::Tensor& x, at::ArrayRef<at::Tensor> weights, LayerResult& states) {
  const auto normed = [&](const at::Tensor& tensor, size_t norm) {
    return at::layer_norm(tensor, {tensor.size(1)}, weights[norm], weights[norm + 1]);
  };
  const at::Tensor gates = normed(at::linear(x, weights[0]), 2).add(normed(at::linear(states.h, weights[1]), 4));
  const std::vector<at::Tensor> parts = gates.chunk(4, 1);
  states.c = normed(parts[1].sigmoid().mul(states.c).add(parts[0].sigmoid().mul(parts[2].tanh())), 6);
  states.h = parts[3].sigmoid().mul(states.c.tanh());
}

Layer normedLayer() {
  return [](const at::Tensor& input, const at::Tensor& h, const at::Tensor& c, at::ArrayRef<at::Tensor> weights) {
    LayerResult states{{}, h, c};
    std::vector<at::Tensor> outputs;
    for (const at::Tensor& x : input.unbind(0)) {
      stepNormed(x, weights, states);
      outputs.push_back(states.h);
    }
    states.output = at::stack(outputs);
    return states;
  };
}

}  // namespace

Forward layered(const Recurrent& network, Layer layer) {
  return [&network, layer = std::move(layer)](const Operands& operands) {
    const int64_t perLayer = parametersOfLayer(network);
    at::Tensor x = operands.input;
    std::vector<at::Tensor> hs, cs;
    for (int64_t i = 0; i < network.layers; ++i) {
      std::vector<at::Tensor> outputs;
      for (int64_t direction = 0; direction < network.directions(); ++direction) {
        const int64_t number = i * network.directions() + direction;
        const at::ArrayRef<at::Tensor> all(operands.weights);
        const auto weights = all.slice(static_cast<size_t>(number * perLayer), static_cast<size_t>(perLayer));
        const at::Tensor h = operands.h0.select(0, number);
        const at::Tensor c = operands.c0.defined() ? operands.c0.select(0, number) : h;
        const LayerResult result = layer(direction == 0 ? x : x.flip(0), h, c, weights);
        outputs.push_back(direction == 0 ? result.output : result.output.flip(0));
        hs.push_back(result.h);
        cs.push_back(result.c);
      }
      x = outputs.size() == 1 ? outputs[0] : at::cat(outputs, 2);
      if (network.dropout > 0 && i + 1 < network.layers) x = at::dropout(x, network.dropout, network.isTraining);
    }
    std::vector<at::Tensor> results{x, at::stack(hs)};
    if (network.cell == Cell::Lstm) results.push_back(at::stack(cs));
    return results;
  };
}

Layer loopLayer(const Recurrent& network) {
  return [&network](const at::Tensor& input, const at::Tensor& h, const at::Tensor& c, at::ArrayRef<at::Tensor> weights) {
    const auto step = network.cell == Cell::Lstm ? stepLstm : stepGru;
    LayerResult states{{}, h, c};
    std::vector<at::Tensor> outputs;
    for (const at::Tensor& x : input.unbind(0)) {
      step(at::linear(x, weights[0], weights[2]), at::linear(states.h, weights[1], weights[3]), states);
      if (network.projection > 0) states.h = at::linear(states.h, weights[4]);
      outputs.push_back(states.h);
    }
    states.output = at::stack(outputs);
    return states;
  };
}

Forward perSequence(const Recurrent& network, Forward forward) {
  return [&network, forward = std::move(forward)](const Operands& operands) {
    std::vector<at::Tensor> outputs, hs, cs;
    for (int64_t i = 0; i < network.batch; ++i) {
      Operands one = operands;
      one.input = operands.input.narrow(0, 0, network.lengths[static_cast<size_t>(i)]).narrow(1, i, 1);
      one.h0 = operands.h0.narrow(1, i, 1);
      one.c0 = operands.c0.narrow(1, i, 1);
      const std::vector<at::Tensor> results = forward(one);
      outputs.push_back(results[0].squeeze(1));
      hs.push_back(results[1]);
      cs.push_back(results[2]);
    }
    return std::vector<at::Tensor>{at::pad_sequence(outputs), at::cat(hs, 1), at::cat(cs, 1)};
  };
}

Forward loopForward(const Recurrent& network) {
  Forward forward = layered(network, network.hasLayerNorm ? normedLayer() : loopLayer(network));
  return network.lengths.empty() ? std::move(forward) : perSequence(network, std::move(forward));
}

}  // namespace runtime
