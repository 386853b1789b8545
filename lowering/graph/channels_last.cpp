#include "lowering/graph/channels_last.h"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "lowering/graph/relayout.h"

namespace lowering {
namespace {

/// Convolutions that have to be connected for the copies of weights and of the first image to pay.
constexpr int leastConvolutions = 3;
/// Bytes of a pixel's channels that a view has to show at least: with less, as with the 32 channels that a layer of DenseNet
/// adds, a step of its training takes 7.2 ms in place of 5.7 on an H100.
constexpr int64_t leastRun = 128;
bool isConvolution(const ir::Node& node) {
  return node.op == "aten.convolution.default" || node.op == "aten.convolution_backward.default";
}

/// Images [n, channels, pixels] in memory that become [n, pixels, channels].
class ChannelsLast : public MemoryLayout {
 public:
  explicit ChannelsLast(const ir::TensorType& image) : channels_(image.sizes[1]), pixels_(image.sizes[2] * image.sizes[3]) {}

  /// Nothing where a step leaves an image or a channel in its middle.
  std::optional<ir::GraphValue> place(const ir::GraphValue& value) const override {
    ir::GraphValue placed = value;
    int64_t lastPixel = value.offset % pixels_, lastChannel = value.offset / pixels_ % channels_;
    for (size_t dim = 0; dim < placed.type.sizes.size(); ++dim) {
      int64_t& stride = placed.type.strides[dim];
      const int64_t steps = placed.type.sizes[dim] - 1, image = channels_ * pixels_;
      if (stride % image == 0) continue;
      const bool isPixel = stride < pixels_;
      if (!isPixel && (stride % pixels_ != 0 || stride > image)) {
        if (steps > 0) return std::nullopt;
        continue;
      }
      if (steps > 0) (isPixel ? lastPixel : lastChannel) += steps * (isPixel ? stride : stride / pixels_);
      stride = isPixel ? stride * channels_ : stride / pixels_;
    }
    if (lastPixel >= pixels_ || lastChannel >= channels_) return std::nullopt;
    const int64_t pixel = value.offset % pixels_, channel = value.offset / pixels_ % channels_;
    placed.offset = value.offset - channel * pixels_ - pixel + pixel * channels_ + channel;
    return placed;
  }

  /// Whether a value shows a few channels of several pixels.
  bool isNarrow(const ir::GraphValue& value) const {
    const ir::TensorType& type = value.type;
    for (size_t dim = 0; dim < type.sizes.size(); ++dim)
      if (type.strides[dim] == pixels_ && type.sizes[dim] < channels_ && type.sizes[dim] * ir::sizeOf(type.dtype) < leastRun)
        return type.numel() > type.sizes[dim];
    return false;
  }

 private:
  int64_t channels_;
  int64_t pixels_;
};

/// The layout of an image, or of a convolution's weights; null where channels last are nothing else.
std::shared_ptr<const ChannelsLast> layoutFor(const ir::TensorType& type) {
  if (type.sizes.size() != 4 || type.sizes[1] <= 1 || type.sizes[2] * type.sizes[3] <= 1 || type.numel() == 0) return nullptr;
  return std::make_shared<ChannelsLast>(type);
}

/// Memories that calls connect, each in one set.
class Sets {
 public:
  int of(int memory) {
    const auto [found, isNew] = parents_.try_emplace(memory, memory);
    return found->second == memory ? memory : found->second = of(found->second);
  }
  void join(int a, int b) { parents_[of(a)] = of(b); }

 private:
  std::map<int, int> parents_;
};

class LayoutOfImages {
 public:
  LayoutOfImages(const ir::Graph& graph, const std::function<bool(const ir::Node&)>& isGenerated)
      : graph_(graph), isGenerated_(isGenerated), relayout_(graph) {}

  ir::Graph run() {
    const auto takes = [&](const ir::Node& node) { return isConvolution(node) || isGenerated_(node); };
    for (const auto& [memory, values] : relayout_.memories()) {
      const auto layout = layoutOf(memory);
      if (layout != nullptr && relayout_.fits(memory, *layout) && relayout_.isFree(memory, takes)) layouts_[memory] = layout;
    }
    connect();
    for (const auto& [memory, layout] : layouts_)
      if (isWorthIt(memory)) relayout_.change(memory, *layout);
    for (const auto& [memory, values] : relayout_.memories())
      if (isWeightOfChanged(memory)) relayout_.copy(memory, layoutOf(memory), isConvolution);
    return relayout_.result();
  }

 private:
  std::shared_ptr<const ChannelsLast> layoutOf(int memory) const {
    const std::optional<int> base = relayout_.baseOf(memory);
    return base ? layoutFor(relayout_.valueOf(*base).type) : nullptr;
  }

  /// Joins the memories that a call reads and makes, and counts the convolutions of each set.
  void connect() {
    for (size_t i = 0; i < graph_.nodes.size(); ++i) {
      const ir::Node& node = graph_.nodes[i];
      if (!isConvolution(node) && !isGenerated_(node)) continue;
      std::vector<int> memories;
      for (const int value : valuesOf(node)) addIfImage(memories, value);
      for (const int value : node.outputs) addIfImage(memories, value);
      for (const int memory : memories) sets_.join(memory, memories.front());
      if (isConvolution(node) && !memories.empty()) convolutions_.push_back({static_cast<int>(i), memories.front()});
    }
    for (const auto& [node, memory] : convolutions_) {
      ++counts_[sets_.of(memory)];
      if (!isPlain(graph_.nodes[static_cast<size_t>(node)])) areSlower_.insert(sets_.of(memory));
    }
    for (const auto& [memory, layout] : layouts_)
      for (const int value : relayout_.memories().at(memory))
        if (layout->isNarrow(relayout_.valueOf(value))) areSlower_.insert(sets_.of(memory));
  }
  void addIfImage(std::vector<int>& memories, int value) const {
    const int memory = relayout_.flow().memoryOf(value);
    if (layouts_.contains(memory)) memories.push_back(memory);
  }

  /// Whether a convolution is of halves, of two dimensions, and no transposed one.
  bool isPlain(const ir::Node& node) const {
    const auto* transposed = node.find<bool>("transposed");
    const auto* input = node.find<ir::ValueRef>("input");
    const auto* weight = node.find<ir::ValueRef>("weight");
    if (transposed == nullptr || *transposed || input == nullptr || weight == nullptr) return false;
    const ir::TensorType& type = relayout_.valueOf(input->index).type;
    return ir::isHalf(type.dtype) && type.sizes.size() == 4;
  }

  bool isWorthIt(int memory) {
    const int set = sets_.of(memory);
    return counts_[set] >= leastConvolutions && !areSlower_.contains(set);
  }

  /// Whether a memory has the weights of convolutions whose images changed, and is not among what changed.
  bool isWeightOfChanged(int memory) {
    if (layouts_.contains(memory) || layoutOf(memory) == nullptr || !relayout_.isWrittenOnce(memory)) return false;
    return std::any_of(convolutions_.begin(), convolutions_.end(), [&](const auto& convolution) {
      const auto* value = graph_.nodes[static_cast<size_t>(convolution.first)].find<ir::ValueRef>("weight");
      return value != nullptr && relayout_.flow().memoryOf(value->index) == memory && isWorthIt(convolution.second);
    });
  }

  const ir::Graph& graph_;
  const std::function<bool(const ir::Node&)>& isGenerated_;
  Relayout relayout_;
  std::map<int, std::shared_ptr<const ChannelsLast>> layouts_;  ///< of the memories that may change
  Sets sets_;                                                   ///< of these
  std::vector<std::pair<int, int>> convolutions_;               ///< nodes, and a memory of each that may change
  std::map<int, int> counts_;                                   ///< of convolutions, by set
  std::set<int> areSlower_;                                     ///< sets with a convolution that is not plain, or a narrow view
};

}  // namespace

ir::Graph withChannelsLast(const ir::Graph& graph, const std::function<bool(const ir::Node&)>& isGenerated) {
  return LayoutOfImages(graph, isGenerated).run();
}

}  // namespace lowering
