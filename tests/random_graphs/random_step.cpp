#include "tests/random_graphs/random_step.h"

#include <ATen/ExpandUtils.h>
#include <ATen/Functions.h>
#include <ATen/MemoryOverlap.h>
#include <ATen/TensorOperators.h>
#include <c10/core/InferenceMode.h>

#include "runtime/torch/state.h"
#include "tests/random/dice.h"
#include "tests/runtime/capture/capture_bed.h"

namespace random_graphs {
namespace {

constexpr int64_t largest = 8;  ///< of a value: sums of some dozens of products stay exact in float32

at::Tensor bounded(const at::Tensor& tensor) { return at::clamp(tensor, -largest, largest); }

/// Makes the calls of a step.
class Player {
 public:
  Player(tests::Dice& dice, std::vector<at::Tensor> tensors) : dice_(dice), live_(std::move(tensors)) {}

  void turn() {
    switch (dice_.below(11)) {
      case 0: return add(unary(any()));
      case 1: return add(binary(any()));
      case 2: return add(sum(any()));
      case 3: return add(any().clone());
      case 4: return add(product(any()));
      case 5: return add(at::cat({any().flatten(), any().flatten()}).slice(0, 0, 24));
      case 6:
      case 7: return view(any());
      case 8: return fill(any());
      default: return write(any());
    }
  }
  /// Some of its tensors, the last one among them.
  std::vector<at::Tensor> results() {
    std::vector<at::Tensor> chosen{live_.back()};
    for (int64_t i = dice_.below(3); i > 0; --i) chosen.push_back(any());
    return chosen;
  }

 private:
  const at::Tensor& any() { return dice_.oneIn(2) ? live_.back() : dice_.pick(live_); }
  void add(at::Tensor tensor) {
    if (tensor.numel() > 0) live_.push_back(std::move(tensor));
  }

  at::Tensor unary(const at::Tensor& x) {
    if (dice_.oneIn(3)) return at::neg(x);
    return dice_.oneIn(2) ? at::relu(x) : at::abs(x);
  }
  /// A tensor that can be read beside `x`, broadcast to its sizes.
  at::Tensor beside(const at::Tensor& x) {
    for (int tries = 0; tries < 4; ++tries)
      if (const at::Tensor& other = dice_.pick(live_); at::is_expandable_to(other.sizes(), x.sizes())) return other;
    return x;
  }
  at::Tensor binary(const at::Tensor& x) {
    const at::Tensor y = beside(x);
    if (dice_.oneIn(3)) return bounded(x * y);
    return dice_.oneIn(2) ? bounded(at::add(x, y, 2)) : at::maximum(x, y);
  }
  at::Tensor sum(const at::Tensor& x) {
    if (x.dim() == 0) return at::neg(x);
    return bounded(at::sum(x, dice_.below(x.dim()), dice_.oneIn(2)));
  }
  at::Tensor product(const at::Tensor& x) { return x.dim() == 2 ? bounded(at::mm(x, x.t())) : at::neg(x); }

  void view(const at::Tensor& x) {
    const int64_t dims = x.dim();
    if (dims == 0) return add(x.unsqueeze(0));
    const int64_t dim = dice_.below(dims), size = x.size(dim);
    switch (dice_.below(9)) {
      case 0: return add(x.transpose(dim, dice_.below(dims)));
      case 1: return add(x.select(dim, dice_.below(size)));
      case 2: {
        const int64_t start = dice_.below(size);
        return add(x.slice(dim, start, dice_.between(start + 1, size), dice_.between(1, 2)));
      }
      case 3: return add(dims < 4 ? x.unsqueeze(dim) : x.squeeze());
      case 4: return add(x.squeeze());
      case 5: return add(x.is_contiguous() ? x.view({-1}) : x.movedim(0, dims - 1));
      case 6: return add(size == 1 ? x.expand_as(at::repeat_interleave(x, 3, dim)) : x.reshape({-1}));
      case 7:
        for (const at::Tensor& part : x.chunk(2, dim)) add(part);
        return;
      default: return add(x.is_contiguous() && x.numel() % 2 == 0 ? x.view({2, -1}) : x.detach());
    }
  }

  /// Two tensors beside each other, copied into the parts of an empty one in either order, maybe with a write in between.
  void fill(const at::Tensor& x) {
    if (x.dim() == 0 || x.numel() > 48) return;
    const at::Tensor parts[] = {x, beside(x).expand_as(x)};
    const int64_t dim = dice_.below(x.dim()), size = x.size(dim), first = dice_.below(2);
    std::vector<int64_t> sizes = x.sizes().vec();
    sizes[static_cast<size_t>(dim)] *= 2;
    const at::Tensor whole = at::empty(sizes);
    for (const int64_t part : {first, 1 - first}) {
      whole.slice(dim, part * size, (part + 1) * size).copy_(parts[part]);
      if (dice_.oneIn(4)) write(any());
    }
    add(whole);
  }

  void write(const at::Tensor& x) {
    if (at::has_internal_overlap(x) != at::MemOverlap::No) return;
    at::Tensor other = beside(x);
    if (other.is_alias_of(x)) other = other.clone();
    at::Tensor written = x;
    switch (dice_.below(8)) {
      case 0: written.add_(other).clamp_(-largest, largest); break;
      case 1: written.mul_(other).clamp_(-largest, largest); break;
      case 2: written.copy_(other); break;
      case 3: written.fill_(dice_.between(-3, 3)); break;
      case 4: written.zero_(); break;
      case 5: written.relu_(); break;
      case 6: written.neg_(); break;
      default: written.add_(other, -1).clamp_(-largest, largest); break;
    }
  }

  tests::Dice& dice_;
  std::vector<at::Tensor> live_;
};

at::Tensor wholeNumbers(tests::Dice& dice, at::IntArrayRef sizes) {
  at::Tensor tensor = at::empty(sizes);
  for (int64_t i = 0; i < tensor.numel(); ++i) tensor.data_ptr<float>()[i] = static_cast<float>(dice.between(-3, 3));
  return tensor;
}

std::vector<at::Tensor> copies(const std::vector<at::Tensor>& tensors) {
  std::vector<at::Tensor> all;
  for (const at::Tensor& tensor : tensors) all.push_back(tensor.clone());
  return all;
}

}  // namespace

RandomStep randomStep(uint64_t seed, int64_t most) {
  const c10::InferenceMode normal(false);
  tests::Dice dice(seed);
  const std::vector<std::vector<int64_t>> sizes{{4, 6}, {6, 4}, {24}, {2, 3, 4}, {2, 12}, {1, 6}, {4, 1}};
  RandomStep step;
  for (int64_t i = dice.between(1, 3); i > 0; --i) step.operands.push_back(wholeNumbers(dice, dice.pick(sizes)));
  step.before = copies(step.operands);
  const int64_t turns = dice.between(2, most);
  step.capture = tests::captured(step.operands, [&] {
    Player player(dice, step.operands);
    for (int64_t i = 0; i < turns; ++i) player.turn();
    return player.results();
  });
  step.after = runtime::makeTensorList(copies(step.operands));
  return step;
}

}  // namespace random_graphs
