#include "runtime/workloads/region/region.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/randint.h>
#include <c10/core/InferenceMode.h>
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "inputs/call.h"
#include "inputs/data/materialize.h"
#include "inputs/data/rows.h"
#include "inputs/operators/facts.h"
#include "inputs/region.h"
#include "ir/argument_values.h"
#include "runtime/capture/recording.h"
#include "runtime/device.h"
#include "runtime/torch/aten_call.h"
#include "runtime/torch/guard.h"
#include "runtime/torch/precision.h"
#include "runtime/torch/state.h"
#include "runtime/torch/translate.h"
#include "runtime/torch/types.h"
#include "runtime/workloads/region/operands.h"
#include "runtime/workloads/region/region_check.h"
#include "runtime/workloads/region/special_inputs.h"

namespace runtime {
namespace {

/// The calls one after another.
class RegionCallable : public Callable {
 public:
  explicit RegionCallable(const Region& region) : region_(region) {}
  TensorList operator()() override { return region_.run(set_); }
  void use(int number) override { set_ = number; }

 private:
  const Region& region_;
  int set_ = 0;
};

/// Nodes have all arguments of their operators, in order: what reads them counts on it.
ir::Graph regionGraph(const inputs::Sample& sample) {
  ir::Graph graph = inputs::regionOf(sample);
  for (const ir::Node& node : graph.nodes) {
    const auto& formals = findOperator(node.op).schema().arguments();
    const auto isSame = [](const ir::NamedArgument& argument, const c10::Argument& formal) {
      return argument.name == formal.name();
    };
    if (!std::equal(node.args.begin(), node.args.end(), formals.begin(), formals.end(), isSame))
      ir::fail(ir::ErrorKind::Input, "{}: {} has other arguments than its schema", sample.op, node.op);
  }
  return graph;
}

/// The inputs that calls write, by their places, ascending.
std::vector<size_t> writtenInputs(const ir::Graph& graph) {
  std::vector<size_t> written;
  for (size_t i = 0; i < graph.inputs.size(); ++i) {
    const auto writes = [&](const ir::Node& node) {
      return std::find(node.writes.begin(), node.writes.end(), graph.inputs[i]) != node.writes.end();
    };
    if (std::any_of(graph.nodes.begin(), graph.nodes.end(), writes)) written.push_back(i);
  }
  return written;
}

/// Where a call takes a value: the argument, and the item where that is a list.
struct Place {
  const ir::Node* node = nullptr;
  size_t argument = 0;
  size_t item = 0;
};

/// The places where calls take a value, in order; of a list the first.
std::vector<Place> placesOf(const ir::Graph& graph, int value) {
  std::vector<Place> places;
  for (const ir::Node& node : graph.nodes)
    forEachOperand(node, [&](int taken, size_t argument, size_t item) {
      const bool isKnown = !places.empty() && places.back().node == &node && places.back().argument == argument;
      if (taken == value && !isKnown) places.push_back({&node, argument, item});
    });
  return places;
}

/// What a call draws an argument from; nothing where it says nothing of it.
std::optional<inputs::Domain> domainAt(const ir::Graph& graph, const Place& place) {
  const inputs::Sample call = sampleOf(graph, *place.node);
  return place.argument < call.args.size() ? inputs::domainOf(inputs::Call(call, place.item), place.argument) : std::nullopt;
}

/// The place whose call says what a value may be: the first one, or one that asks more of the same integers.
Place placeOf(const ir::Graph& graph, int value) {
  const std::vector<Place> places = placesOf(graph, value);
  if (places.empty()) return {};
  if (!ir::isIntegral(graph.values[static_cast<size_t>(value)].type.dtype)) return places[0];
  const std::optional<inputs::Domain> first = domainAt(graph, places[0]);
  // Indices that are written to must differ: they are drawn by where they stand.
  const auto asksMore = [&](const Place& place) {
    const std::optional<inputs::Domain> domain = domainAt(graph, place);
    return first && domain && domain->legal.least >= first->legal.least && domain->legal.most <= first->legal.most &&
           std::holds_alternative<inputs::ByPosition>(domain->drawn);
  };
  const auto found = std::find_if(places.begin(), places.end(), asksMore);
  return found == places.end() ? places[0] : *found;
}

/// The dimensions that the first call combines which takes something as large as an input and says what it combines; none where
/// none does.
std::vector<int64_t> rowDims(const ir::Graph& graph, int input) {
  const ir::TensorType& type = graph.values[static_cast<size_t>(input)].type;
  for (const ir::Node& node : graph.nodes) {
    const auto isAsLarge = [&](const ir::NamedArgument& argument) {
      const auto* value = argument.value.as<ir::ValueRef>();
      return value != nullptr && graph.values[static_cast<size_t>(value->index)].type.sizes == type.sizes;
    };
    if (!std::any_of(node.args.begin(), node.args.end(), isAsLarge)) continue;
    if (auto dims = inputs::combinedDims(sampleOf(graph, node), type)) return *dims;
  }
  return {};
}

/// Values in memory of their own that a call makes and another one takes.
std::set<int> madeBetween(const ir::Graph& graph) {
  std::set<int> taken, made, storages;
  const auto isNew = [&](int value) {
    const int storage = graph.values[static_cast<size_t>(value)].storage;
    return storage < 0 || storages.insert(storage).second;
  };
  for (const int input : graph.inputs) isNew(input);
  const auto take = [&](int value) {
    if (made.contains(value)) taken.insert(value);
  };
  for (const ir::Node& node : graph.nodes) {
    ir::forEachValue(node, take);
    for (const int output : node.outputs)
      if (isNew(output)) made.insert(output);
  }
  return taken;
}

/// So many integers from 0, drawn by the seed alike for all devices.
at::Tensor integersBelow(int64_t bound, int64_t count, uint64_t seed) {
  return at::randint(bound, {count}, at::detail::createCPUGenerator(seed), at::kLong);
}

}  // namespace

Region::Region(const inputs::Sample& sample, Device& device, uint64_t seed, const inputs::Data& data)
    : op_(sample.op),
      graph_(regionGraph(sample)),
      device_(device.torchName()),
      seed_(seed),
      turnsOfRows_(inputs::turnsOf(sample)),
      calls_(graph_, device_) {
  if (calls_.isRandom()) ir::fail(ir::ErrorKind::Unsupported, "{}: a call of it draws random numbers", op_);
  written_ = writtenInputs(graph_);
  translateErrors(op_, [&] {
    const c10::InferenceMode guard;
    indexSources_ = indexSourcesOf(graph_);
    Tensors first = drawn(seed, data);
    for (size_t i = 0; i < first.size(); ++i) first[i] = isWritten(i) ? cloneGuarded(first[i]) : cloneBetweenGuards(first[i]);
    sets_.push_back(std::move(first));
    for (const size_t i : written_) pristine_.push_back(flatStorage(sets_[0][i]).clone());
    checkRegion(op_, graph_, calls_, sets_[0]);
  });
  restore();
}

Region::Region(std::string op, ir::Graph graph, std::vector<at::Tensor> inputs)
    : op_(std::move(op)),
      graph_(std::move(graph)),
      device_(inputs.at(0).device()),
      seed_(0),
      calls_(graph_, device_),
      written_(writtenInputs(graph_)) {
  const c10::InferenceMode guard;
  for (const size_t i : written_) {
    inputs[i] = cloneStorage(inputs[i]);
    pristine_.push_back(flatStorage(inputs[i]).clone());
  }
  sets_.push_back(std::move(inputs));
}

at::Tensor Region::drawn(size_t input, uint64_t seed, const inputs::Data& given) const {
  inputs::Data data = given;
  const int value = graph_.inputs[input];
  const uint64_t ownSeed = seed + input;  // calls draw the same for their first arguments
  if (given.distribution == inputs::Distribution::Specials) {
    data.isTame = !mayBeSpecial(graph_, value);
    data.rowDims = rowDims(graph_, value);
  }
  const auto [node, argument, item] = placeOf(graph_, value);
  if (node == nullptr) {
    inputs::Sample alone;
    alone.args.emplace_back(graph_.values[static_cast<size_t>(value)].type);
    return inputs::materialize(alone, device_, ownSeed, data).args.at(0).toTensor();
  }
  const inputs::Sample call = sampleOf(graph_, *node);
  const auto isArgument = [&, name = node->args[argument].name](const auto& named) { return named.name == name; };
  const auto keyword = std::find_if(call.kwargs.begin(), call.kwargs.end(), isArgument) - call.kwargs.begin();
  const size_t place = argument < call.args.size() ? argument : call.args.size() + static_cast<size_t>(keyword);
  const at::Tensor tensor = inputs::materializeTensor(call, place, item, device_, ownSeed, data);
  if (argument >= call.args.size() || !at::isIntegralType(tensor.scalar_type(), /*includeBool=*/false)) return tensor;
  const std::optional<inputs::Domain> domain = inputs::domainOf(inputs::Call(call, item), argument);
  const bool isPlain = !domain || std::holds_alternative<inputs::Plain>(domain->drawn);
  if (indexSources_ && indexSources_->values.contains(value))
    flatStorage(tensor).copy_(integersBelow(indexSources_->below, flatStorage(tensor).numel(), ownSeed));
  else if (isPlain)  // calls may make indices of them by way of floats: 0 and 1 are good for any dimension but the smallest
    flatStorage(tensor).bitwise_and_(1);
  return tensor;
}

Region::Tensors Region::drawn(uint64_t seed, const inputs::Data& data) const {
  Tensors tensors;
  for (size_t i = 0; i < graph_.inputs.size(); ++i) tensors.push_back(drawn(i, seed, data));
  return tensors;
}

void Region::draw(uint64_t seed, const inputs::Data& data) {
  translateErrors(op_, [&] {
    const c10::InferenceMode guard;
    seed_ = seed;
    const Tensors fresh = drawn(seed, data);
    for (const Tensors& set : sets_)
      for (size_t i = 0; i < fresh.size(); ++i) flatStorage(set[i]).copy_(flatStorage(fresh[i]));
    for (size_t i = 0; i < written_.size(); ++i) pristine_[i].copy_(flatStorage(sets_[0][written_[i]]));
  });
}

void Region::restore(int set) {
  const c10::InferenceMode guard;
  const Tensors& tensors = sets_.at(static_cast<size_t>(set));
  for (size_t i = 0; i < written_.size(); ++i) flatStorage(tensors[written_[i]]).copy_(pristine_[i]);
}

int Region::multiply(int sets) {
  const c10::InferenceMode guard;
  translateErrors(op_, [&] {
    while (static_cast<int>(sets_.size()) < sets) {
      Tensors copy;
      for (size_t i = 0; i < sets_[0].size(); ++i)
        copy.push_back(isWritten(i) ? cloneGuarded(sets_[0][i]) : cloneStorage(sets_[0][i]));
      sets_.push_back(std::move(copy));
    }
  });
  return static_cast<int>(sets_.size());
}

bool Region::isWritten(size_t input) const { return std::binary_search(written_.begin(), written_.end(), input); }

TensorList Region::operands(int set) const { return makeTensorList(sets_.at(static_cast<size_t>(set))); }

TensorList Region::readOnly() const {
  Tensors tensors;
  for (size_t i = 0; i < sets_[0].size(); ++i)
    if (!isWritten(i)) tensors.push_back(sets_[0][i]);
  return makeTensorList(std::move(tensors));
}

int64_t Region::operandBytes() const {
  int64_t bytes = 0;
  for (const at::Tensor& tensor : sets_[0]) bytes += static_cast<int64_t>(flatStorage(tensor).nbytes());
  return bytes;
}

TensorList Region::run(int set) const { return makeTensorList(calls_.run(sets_.at(static_cast<size_t>(set))).outputs); }

TensorList Region::runEager() {
  Tensors inputs = sets_[0];
  const c10::InferenceMode guard;
  for (const size_t i : written_) inputs[i] = cloneStorage(inputs[i]);
  return makeTensorList(calls_.run(std::move(inputs)).outputs);
}

TensorList Region::runEagerInFloat64() {
  const c10::InferenceMode guard;
  try {
    Tensors inputs;
    for (const at::Tensor& tensor : sets_[0]) inputs.push_back(inFloat64(tensor));
    const BoundGraph wide(graph_, device_, BoundGraph::Precision::Float64);
    return makeTensorList(wide.run(std::move(inputs)).outputs);
  } catch (const ir::Error&) {  // a call has no kernel for float64
    return {};
  } catch (const c10::Error&) {
    return {};
  }
}

TensorList Region::runEagerNearby(uint64_t seed) {
  const c10::InferenceMode guard;
  Tensors inputs;
  for (const at::Tensor& tensor : sets_[0])
    inputs.push_back(tensor.is_floating_point() ? offByARounding(tensor, {}, seed++) : cloneStorage(tensor));
  // Results that other calls take are rounded, too, and equal ones alike: the sum of a row of equal numbers is off by all of
  // them.
  const std::set<int> between = madeBetween(graph_);
  const auto move = [&](int value, at::Tensor made) {
    if (between.contains(value) && made.is_floating_point()) made.copy_(offByARounding(made, {}, seed++));
  };
  return makeTensorList(calls_.run(std::move(inputs), move).outputs);
}

std::string Region::outputName(int output) const { return fmt::format("output {}", output); }

CallablePtr Region::make(const Contender& contender) {
  if (contender == Contender::Eager) return std::make_unique<RegionCallable>(*this);
  ir::fail(ir::ErrorKind::Input, "{} has no contender '{}'", op_, contender.name());
}

}  // namespace runtime
