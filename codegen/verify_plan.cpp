#include "codegen/verify_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "codegen/accesses.h"
#include "ir/error.h"
#include "ir/memories.h"
#include "lowering/partition/data_flow.h"

namespace codegen {
namespace {

/// What carries out a call: an instance of a group, by its number; a CallStep, by a number behind all of these; or none of both.
using Unit = int;
constexpr Unit given = -1;    ///< no call: it is there before the first step
constexpr Unit leftOut = -2;  ///< the plan has no step for the call

/// What lies in a byte: what a unit wrote to a memory.
struct Version {
  int memory = 0;
  Unit writer = given;
  bool operator==(const Version&) const = default;
};

/// Bytes from one to before another one.
struct Range {
  int64_t begin = 0, end = 0;
};

/// What lies in the bytes of an address space: pieces that do not overlap.
class Bytes {
 public:
  void write(Range bytes, const Version& version) {
    if (bytes.begin >= bytes.end) return;
    split(bytes.begin);
    split(bytes.end);
    pieces_.erase(pieces_.lower_bound(bytes.begin), pieces_.lower_bound(bytes.end));
    pieces_.emplace(bytes.begin, Piece{bytes.end, version});
  }
  /// Calls `look(range, version)` for the pieces of some bytes, one after another; of bytes that nobody wrote there is none.
  template <typename Look>
  void read(Range bytes, const Look& look) const {
    auto piece = pieces_.upper_bound(bytes.begin);
    if (piece != pieces_.begin()) --piece;
    for (; piece != pieces_.end() && piece->first < bytes.end; ++piece) {
      const Range part{std::max(bytes.begin, piece->first), std::min(bytes.end, piece->second.end)};
      if (part.begin < part.end) look(part, piece->second.version);
    }
  }
  /// Whether each of some bytes is of one version, or of another one.
  bool are(Range bytes, const Version& version, const Version& other) const {
    int64_t same = 0;
    read(bytes, [&](Range part, const Version& found) {
      if (found == version || found == other) same += part.end - part.begin;
    });
    return same == std::max<int64_t>(bytes.end - bytes.begin, 0);
  }
  bool areUnwritten(Range bytes) const {
    bool isAny = false;
    read(bytes, [&](Range, const Version&) { isAny = true; });
    return !isAny;
  }

 private:
  struct Piece {
    int64_t end = 0;
    Version version;
  };
  void split(int64_t at) {
    auto piece = pieces_.lower_bound(at);
    if (piece == pieces_.begin()) return;
    --piece;
    if (piece->second.end <= at) return;
    pieces_.emplace(at, piece->second);
    piece->second.end = at;
  }

  std::map<int64_t, Piece> pieces_;  ///< by their first byte
};

class Verifier {
 public:
  explicit Verifier(const Plan& plan) : plan_(plan), graph_(withIntermediates(plan)) {}

  void verify() {
    findUnits();
    walkGraph();
    walkSteps();
  }

 private:
  template <typename... Parts>
  [[noreturn]] void fail(size_t step, fmt::format_string<Parts...> format, Parts&&... parts) const {
    ir::fail(ir::ErrorKind::Internal, "step {} of a network's plan: {}", step + 1,
             fmt::format(format, std::forward<Parts>(parts)...));
  }
  const ir::GraphValue& valueOf(int value) const { return graph_.values.at(static_cast<size_t>(value)); }
  const std::string& nameOf(int value) const { return valueOf(value).name; }
  int memoryOf(int value) const { return ir::memoryOf(graph_, value); }
  /// The bytes of a value in its memory.
  Range rangeOf(int value) const {
    const int64_t start = ir::startOf(valueOf(value));
    return {start, start + ir::bytesOf(valueOf(value))};
  }
  bool isIntermediate(int value) const { return static_cast<size_t>(value) >= plan_.graph.values.size(); }

  void findUnits() {
    unitOfNode_.assign(graph_.nodes.size(), leftOut);
    for (size_t i = 0; i < plan_.instances.size(); ++i)
      for (const int node : plan_.instances[i].nodes) unitOfNode_.at(static_cast<size_t>(node)) = static_cast<Unit>(i);
    auto next = static_cast<Unit>(plan_.instances.size());
    std::set<Unit> begun;
    for (const Step& step : plan_.steps) {
      const auto* launch = std::get_if<LaunchStep>(&step);
      unitOfStep_.push_back(launch != nullptr ? launch->instance : next++);
      const Unit unit = unitOfStep_.back();
      if (!begun.insert(unit).second && unitOfStep_[unitOfStep_.size() - 2] != unit)
        fail(unitOfStep_.size() - 1, "another step comes between the launches of its group");
      if (launch == nullptr) unitOfNode_.at(static_cast<size_t>(std::get<CallStep>(step).node)) = unit;
    }
    wanted_.resize(static_cast<size_t>(next));
  }

  /// Finds which version of each memory a unit reads, by the order of the graph's calls.
  void walkGraph() {
    const lowering::DataFlow flow(plan_.graph);
    const auto give = [&](int input) {
      const Range all = rangeOf(input);
      const int storage = valueOf(input).storage;
      const int64_t bytes = storage >= 0 ? graph_.storages[static_cast<size_t>(storage)].bytes : 0;
      meant_[memoryOf(input)].write({0, std::max(all.end, bytes)}, {memoryOf(input), given});
    };
    for (const int input : graph_.inputs) give(input);
    if (graph_.generator) give(*graph_.generator);
    found_ = meant_;
    writes_.resize(graph_.nodes.size());
    for (size_t i = 0; i < graph_.nodes.size(); ++i) {
      if (flow[static_cast<int>(i)].isView) continue;
      const ir::Node& node = graph_.nodes[i];
      if (unitOfNode_[i] != leftOut)
        for (const int value : lowering::valuesOf(node)) want(value, unitOfNode_[i]);
      writes_[i] = node.writes;
      for (const int value : node.outputs)
        if (meant_[memoryOf(value)].areUnwritten(rangeOf(value))) writes_[i].push_back(value);
      for (const int value : writes_[i]) meant_[memoryOf(value)].write(rangeOf(value), {memoryOf(value), unitOfNode_[i]});
    }
  }
  /// A call of a unit reads a value: what lies there by then has to be there when a step of the unit reads it. What the unit
  /// itself wrote need not be, where it also reads what was there before.
  void want(int value, Unit unit) {
    Bytes &others = wanted_[static_cast<size_t>(unit)].others[memoryOf(value)],
          &own = wanted_[static_cast<size_t>(unit)].own[memoryOf(value)];
    meant_[memoryOf(value)].read(rangeOf(value), [&](Range part, const Version& version) {
      others.read(part, [&](Range, const Version& other) {
        if (version.writer != unit && other != version)
          ir::fail(ir::ErrorKind::Internal, "a group reads {} before and after another one writes it", nameOf(value));
      });
      (version.writer == unit ? own : others).write(part, version);
    });
  }

  bool isInArena(int memory) const { return plan_.memory.has(memory); }
  /// Where a value lies: bytes of the arena, or of its own memory.
  Bytes& spaceOf(int value) { return isInArena(memoryOf(value)) ? arena_ : found_[memoryOf(value)]; }
  int64_t placeOf(int memory) const { return isInArena(memory) ? plan_.memory.offsets[static_cast<size_t>(memory)] : 0; }
  Range placed(Range bytes, int memory) const { return {bytes.begin + placeOf(memory), bytes.end + placeOf(memory)}; }

  void walkSteps() {
    for (size_t i = 0; i < plan_.steps.size(); ++i) {
      Access access = accessOf(plan_.steps[i], plan_, graph_);
      if (const auto* call = std::get_if<CallStep>(&plan_.steps[i])) access.writes = writes_[static_cast<size_t>(call->node)];
      checkApart(i, access);
      for (const int value : access.reads) checkRead(i, value, access.writes);
      for (const int value : access.writes)
        spaceOf(value).write(placed(rangeOf(value), memoryOf(value)), {memoryOf(value), unitOfStep_[i]});
    }
    for (const int output : graph_.outputs) {
      const int memory = memoryOf(output);
      meant_[memory].read(rangeOf(output), [&](Range part, const Version& version) {
        if (!spaceOf(output).are(placed(part, memory), version, version))
          fail(plan_.steps.size(), "the output {} is not what was written to it last", nameOf(output));
      });
    }
  }

  /// No step writes bytes of one memory where it has to do with another one.
  void checkApart(size_t step, const Access& access) const {
    struct Use {
      Range bytes;
      int value;
      bool isWritten;
    };
    std::vector<Use> uses;
    for (const auto* values : {&access.reads, &access.writes})
      for (const int value : *values) {
        if (!isInArena(memoryOf(value))) continue;
        const Range bytes = placed(rangeOf(value), memoryOf(value));
        if (bytes.begin < 0 || bytes.end > plan_.memory.bytes) fail(step, "{} lies outside the arena", nameOf(value));
        if (bytes.begin < bytes.end) uses.push_back({bytes, value, values == &access.writes});
      }
    std::sort(uses.begin(), uses.end(), [](const Use& a, const Use& b) { return a.bytes.begin < b.bytes.begin; });
    for (size_t i = 0; i < uses.size(); ++i)
      for (size_t j = i + 1; j < uses.size() && uses[j].bytes.begin < uses[i].bytes.end; ++j)
        if (memoryOf(uses[i].value) != memoryOf(uses[j].value) && (uses[i].isWritten || uses[j].isWritten))
          fail(step, "{} and {} lie in the same bytes", nameOf(uses[i].value), nameOf(uses[j].value));
  }

  /// What a step reads is what its unit wrote before, or what the graph has its calls read. What it writes as well it may have
  /// written first.
  void checkRead(size_t step, int value, const std::vector<int>& writes) {
    const int memory = memoryOf(value);
    const Version own{memory, unitOfStep_[step]};
    const Bytes& space = spaceOf(value);
    Wanted& wanted = wanted_[static_cast<size_t>(own.writer)];
    const Bytes& others = wanted.others[memory];
    const auto check = [&](Range part, const Version& version) {
      if (!space.are(placed(part, memory), version, own))
        fail(step, "it reads {}, where something else lies than what was written there last before", nameOf(value));
    };
    others.read(rangeOf(value), check);
    if (std::find(writes.begin(), writes.end(), value) != writes.end()) return;
    if (isIntermediate(value)) check(rangeOf(value), own);
    wanted.own[memory].read(rangeOf(value), [&](Range part, const Version& version) {
      if (others.areUnwritten(part)) check(part, version);
    });
  }

  /// Bytes that calls of a unit read, by memory: written by others, and by the unit itself.
  struct Wanted {
    std::map<int, Bytes> others, own;
  };

  const Plan& plan_;
  const ir::Graph graph_;
  std::vector<Unit> unitOfNode_, unitOfStep_;
  std::vector<std::vector<int>> writes_;  ///< by node: values that it writes or makes
  std::vector<Wanted> wanted_;            ///< by unit
  std::map<int, Bytes> meant_;            ///< by memory: what the graph has written there
  std::map<int, Bytes> found_;            ///< by memory: what the steps have written there
  Bytes arena_;
};

}  // namespace

void verify(const Plan& plan) { Verifier(plan).verify(); }

}  // namespace codegen
