#include <algorithm>
#include <cctype>
#include <map>

#include "ir/error.h"
#include "ir/text.h"
#include "ir/walk.h"
#include "lowering/lowering.h"

namespace lowering {
namespace {

using ir::DType;
using ir::Expr;

/// The one static of lowering/: filled by the constructors of Lowering before main, read afterwards.
std::map<std::string, Rule>& table() {
  static std::map<std::string, Rule> rules;
  return rules;
}

/// `aten.add_.Tensor` as {`aten::add_`, `Tensor`}.
std::pair<std::string, std::string> packetAndOverload(const std::string& op) {
  const std::size_t first = op.find('.');
  if (first == std::string::npos) return {op, ""};
  const std::size_t second = op.find('.', first + 1);
  const std::string overload = second == std::string::npos ? "default" : op.substr(second + 1);
  return {op.substr(0, first) + "::" + op.substr(first + 1, second - first - 1), overload};
}

const Rule* findRule(const std::string& op) {
  const auto [packet, overload] = packetAndOverload(op);
  std::vector<std::string> candidates{packet + "." + overload, packet};
  if (packet.ends_with("_") && !packet.ends_with("__")) {
    const std::string functional = packet.substr(0, packet.size() - 1);
    candidates.push_back(functional + "." + overload);
    candidates.push_back(functional);
  }
  for (const std::string& name : candidates) {
    if (auto found = table().find(name); found != table().end()) return &found->second;
  }
  return nullptr;
}

/// A complex tensor as its pairs of reals, in one more dimension of 2.
ir::TensorType asReal(const ir::TensorType& type) {
  if (!ir::isComplex(type.dtype)) return type;
  ir::TensorType real = type;
  real.dtype = type.dtype == DType::C32 ? DType::F16 : type.dtype == DType::C64 ? DType::F32 : DType::F64;
  for (int64_t& stride : real.strides) stride *= 2;
  real.sizes.push_back(2);
  real.strides.push_back(1);
  return real;
}

Value offsetOf(ir::ExprPool& pool, const ir::TensorType& type, const Index& index) {
  Value offset{pool, pool.integer(DType::I64, 0)};
  for (std::size_t d = 0; d < index.size(); ++d)
    offset = offset + index[d] * Value{pool, pool.integer(DType::I64, type.strides[d])};
  return offset;
}

/// A value of the graph that comes from memory; the buffer of its loads is the value's index.
Tensor fromMemory(ir::ExprPool& pool, const ir::Graph& graph, int value) {
  const ir::TensorType type = asReal(graph.values[value].type);
  return {type.dtype, type.sizes, [&pool, type, value](const Index& index) {
            return Value{pool, pool.load(value, type.dtype, offsetOf(pool, type, index).expr())};
          }};
}

void checkAgainstEager(const ir::Node& node, const Tensor& found, const ir::TensorType& eager, bool inPlace) {
  const ir::TensorType expected = asReal(eager);
  ir::require(found.sizes == expected.sizes && (inPlace || found.dtype == expected.dtype),
              "the lowering of {} yields {}, eager {}", node.op, ir::toText(ir::TensorType::contiguous(found.dtype, found.sizes)),
              ir::toText(eager));
}

/// Complex results are written as pairs of reals; complex arithmetic is not.
void refuseComplex(const ir::Graph& graph, const ir::Node& node) {
  for (const ir::NamedArgument& argument : node.args) {
    const auto* value = argument.value.as<ir::ValueRef>();
    if (value == nullptr || !ir::isComplex(graph.values[value->index].type.dtype)) continue;
    ir::fail(ir::ErrorKind::Unsupported, "{} of complex tensors is not lowered", node.op);
  }
}

std::string symbol(const std::string& op) {
  std::string text = op;
  std::replace_if(text.begin(), text.end(), [](unsigned char c) { return !std::isalnum(c); }, '_');
  return text;
}

/// The lazy tensors of a graph, by value, and which of them have to be stored.
struct Lowered {
  std::vector<Tensor> values;
  std::vector<int> stored;
};

Lowered lowerNodes(const ir::Graph& graph, ir::ExprPool& pool) {
  Lowered lowered;
  lowered.values.resize(graph.values.size());
  for (int input : graph.inputs) lowered.values[input] = fromMemory(pool, graph, input);
  for (const ir::Node& node : graph.nodes) {
    const Rule* rule = findRule(node.op);
    if (rule == nullptr) ir::fail(ir::ErrorKind::Unsupported, "{} has no lowering", node.op);
    refuseComplex(graph, node);
    Context context(graph, node, pool, lowered.values);
    const Tensors outputs = (*rule)(context);
    ir::require(outputs.size() == node.outputs.size(), "the lowering of {} yields {} tensors, eager {}", node.op, outputs.size(),
                node.outputs.size());
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      const int value = node.outputs[i];
      const bool inPlace = std::find(node.writes.begin(), node.writes.end(), value) != node.writes.end();
      checkAgainstEager(node, outputs[i], graph.values[value].type, inPlace);
      lowered.values[value] = cast(outputs[i], asReal(graph.values[value].type).dtype);
      if (inPlace) lowered.stored.push_back(value);
    }
  }
  for (int output : graph.outputs) {
    const bool known = std::find(lowered.stored.begin(), lowered.stored.end(), output) != lowered.stored.end();
    if (!known) lowered.stored.push_back(output);
  }
  return lowered;
}

/// Numbers the buffers of loops by first use, inputs before outputs, and notes which are read and written.
class BufferTable {
 public:
  BufferTable(const ir::Graph& graph, ir::Loops& loops) : graph_(graph), loops_(loops) {}

  int of(int value) {
    const auto [found, isNew] = index_.emplace(value, static_cast<int>(loops_.buffers.size()));
    if (isNew) loops_.buffers.push_back({graph_.values[value].name, asReal(graph_.values[value].type), value, false, false});
    return found->second;
  }

 private:
  const ir::Graph& graph_;
  ir::Loops& loops_;
  std::map<int, int> index_;
};

/// Elements of a buffer that is written in place may be read only where they are written.
void checkInPlace(const ir::Loops& loops, const std::vector<const Expr*>& loads) {
  for (const ir::StoreTo& store : loops.stores) {
    for (const Expr* load : loads) {
      if (load->load().buffer == store.buffer && load->src[0] != store.offset) {
        ir::fail(ir::ErrorKind::Unsupported, "{} reads {} at other elements than it writes", loops.name,
                 loops.buffers[store.buffer].name);
      }
    }
  }
}

/// One loop nest for the stored values that share a domain.
ir::Loops realize(const ir::Graph& graph, const ir::ExprPoolPtr& pool, const Lowered& lowered, const std::vector<int>& values) {
  ir::Loops loops{symbol(graph.nodes.front().op), pool, {}, {}, {}};
  Index index;
  for (int64_t extent : lowered.values[values.front()].sizes) {
    loops.axes.push_back(pool->axis(extent));
    index.emplace_back(*pool, loops.axes.back());
  }
  std::vector<const Expr*> results, loads;
  for (int value : values) results.push_back(lowered.values[value].at(index).expr());
  for (const Expr* node : ir::postorder(results)) {
    if (node->op == ir::Op::Load) loads.push_back(node);
  }

  BufferTable buffers(graph, loops);
  for (int input : graph.inputs) {
    const bool isRead = std::any_of(loads.begin(), loads.end(), [&](const Expr* load) { return load->load().buffer == input; });
    if (isRead) loops.buffers[buffers.of(input)].isRead = true;
  }
  const std::function<const Expr*(const Expr*)> renumber = [&](const Expr* node) -> const Expr* {
    if (node->op != ir::Op::Load) return nullptr;
    return pool->load(buffers.of(node->load().buffer), node->dtype, ir::rewrite(*pool, node->src[0], renumber));
  };
  for (const Expr*& load : loads) load = renumber(load);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const int buffer = buffers.of(values[i]);
    loops.buffers[buffer].isWritten = true;
    const Expr* offset = offsetOf(*pool, loops.buffers[buffer].type, index).expr();
    loops.stores.push_back({buffer, offset, ir::rewrite(*pool, results[i], renumber)});
  }
  checkInPlace(loops, loads);
  return loops;
}

}  // namespace

Lowering::Lowering(const std::string& name, Rule rule) {
  ir::require(table().emplace(name, std::move(rule)).second, "{} is lowered twice", name);
}

bool hasLowering(const std::string& op) { return findRule(op) != nullptr; }

std::vector<std::string> names() {
  std::vector<std::string> all;
  for (const auto& [name, rule] : table()) all.push_back(name);
  return all;
}

std::vector<ir::Loops> lower(const ir::Graph& graph) {
  const auto pool = std::make_shared<ir::ExprPool>();
  const Lowered lowered = lowerNodes(graph, *pool);
  std::vector<ir::Shape> domains;
  std::map<ir::Shape, std::vector<int>> byDomain;
  for (int value : lowered.stored) {
    const ir::Shape& sizes = lowered.values[value].sizes;
    if (std::find(sizes.begin(), sizes.end(), 0) != sizes.end()) continue;  // nothing to compute
    if (byDomain[sizes].empty()) domains.push_back(sizes);
    byDomain[sizes].push_back(value);
  }
  std::vector<ir::Loops> all;
  for (const ir::Shape& domain : domains) all.push_back(realize(graph, pool, lowered, byDomain[domain]));
  return all;
}

}  // namespace lowering
