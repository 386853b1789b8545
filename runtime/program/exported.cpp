#include "runtime/program/exported.h"

#include <ATen/core/grad_mode.h>
#include <c10/util/Exception.h>
#include <fmt/format.h>

#include <map>
#include <set>

#include "inputs/archive/exported.h"
#include "inputs/archive/index_bound.h"
#include "ir/error.h"
#include "runtime/capture/session.h"
#include "runtime/program/autocast.h"
#include "runtime/program/instruction.h"
#include "runtime/torch/translate.h"
#include "runtime/torch/types.h"

namespace runtime {
namespace {

using inputs::ExportedProgram;

/// The tensors of the archive. A tensor is undefined where its record is empty; tensors of one record share its memory.
class StoredTensors {
 public:
  explicit StoredTensors(const inputs::Archive& archive) : archive_(archive) {}

  at::Tensor operator()(const ExportedProgram::State& state) {
    const auto size = static_cast<int64_t>(archive_.sizeOf(state.record));
    if (size == 0) return {};
    at::Tensor& bytes = bytes_[state.record];
    if (!bytes.defined()) {
      bytes = at::empty({size}, at::kByte);
      archive_.read(state.record, {static_cast<char*>(bytes.mutable_data_ptr()), static_cast<size_t>(size)});
    }
    return at::empty({0}, exportedType(state.dtype)).set_(bytes.storage(), state.offset, state.sizes, state.strides);
  }

 private:
  const inputs::Archive& archive_;
  std::map<std::string, at::Tensor> bytes_;
};

StateTensor stateTensor(const ExportedProgram::State& state, StoredTensors& stored) {
  const Role role = state.role == ExportedProgram::Role::Parameter ? Role::Parameter
                    : state.role == ExportedProgram::Role::Buffer  ? Role::Buffer
                                                                   : Role::Constant;
  return {state.name, role, exportedType(state.dtype), state.sizes, state.strides, state.requiresGrad, stored(state)};
}

ProgramInput programInput(const ExportedProgram& program, int value) {
  const ExportedProgram::Value& described = program.values[static_cast<size_t>(value)];
  ProgramInput input{described.name, exportedType(described.meta->dtype), {}, std::nullopt};
  if (!at::isFloatingType(input.dtype)) input.bound = inputs::indexBound(program, value);
  for (const ExportedProgram::Extent& extent : described.meta->sizes) {
    Dimension dimension{extent.extent, extent.symbol, extent.extent, extent.extent};
    if (dimension.isOpen()) {
      const ExportedProgram::Symbol& symbol = program.symbols[static_cast<size_t>(extent.symbol)];
      dimension.least = symbol.least;
      dimension.most = symbol.most;
    }
    input.dimensions.push_back(dimension);
  }
  return input;
}

/// Marks the operands with which a run is done with a value. `alive` are the values that later instructions use.
void markLastUses(std::vector<Operand>& operands, std::set<int>& alive) {
  for (size_t i = operands.size(); i-- > 0;) {
    if (operands[i].kind == Operand::Kind::Value) operands[i].isLastUse = alive.insert(operands[i].value).second;
    markLastUses(operands[i].items, alive);
  }
}

void collectUnused(const std::vector<ExportedProgram::Argument>& outputs, const std::set<int>& alive, std::vector<int>& unused) {
  for (const ExportedProgram::Argument& output : outputs) {
    const int value = static_cast<int>(output.integer);
    if (output.kind == ExportedProgram::Argument::Kind::Value && !alive.contains(value)) unused.push_back(value);
    collectUnused(output.items, alive, unused);
  }
}

/// The setting of the block that makes the calls at hand.
class InBlock {
 public:
  InBlock(const ExportedProgram::Block& block, at::Device device) {
    if (block.computesGradients) mode_.emplace(*block.computesGradients && at::GradMode::is_enabled());
    if (!block.isAutocast) return;
    const auto dtype = block.autocastDtype ? std::optional(exportedType(*block.autocastDtype)) : std::nullopt;
    autocast_.emplace(device, *block.isAutocast, dtype);
  }

 private:
  std::optional<at::AutoGradMode> mode_;
  std::optional<Autocast> autocast_;
};

class Exported : public Program {
 public:
  Exported(std::shared_ptr<const ExportedProgram> program, std::vector<StateTensor> state, Baked baked)
      : program_(std::move(program)), state_(std::move(state)), baked_(baked) {
    for (int value : program_->inputs) inputs_.push_back(programInput(*program_, value));
    for (int value : program_->outputs) outputNames_.push_back(program_->values[static_cast<size_t>(value)].name);
    for (const ExportedProgram::Node& node : program_->nodes)
      if (auto instruction = bindNode(*program_, node, baked_)) instructions_.push_back(std::move(*instruction));
    std::set<int> alive(program_->outputs.begin(), program_->outputs.end());
    for (const ExportedProgram::Writeback& writeback : program_->writebacks) alive.insert(writeback.value);
    for (size_t i = instructions_.size(); i-- > 0;) {
      collectUnused(instructions_[i].outputs, alive, instructions_[i].unused);
      markLastUses(instructions_[i].operands, alive);
    }
  }

  const std::vector<StateTensor>& state() const override { return state_; }
  const std::vector<ProgramInput>& inputs() const override { return inputs_; }
  const std::vector<std::string>& outputNames() const override { return outputNames_; }

  std::vector<at::Tensor> run(const std::vector<at::Tensor>& state, const std::vector<at::Tensor>& inputs) const override {
    ir::require(state.size() == state_.size() && inputs.size() == inputs_.size(),
                "{} tensors of state and {} inputs for {} and {}", state.size(), inputs.size(), state_.size(), inputs_.size());
    const DefaultInFloat64 precision(baked_ == Baked::InFloat64);
    const at::Device device = !state.empty() ? state[0].device() : inputs.empty() ? at::Device(at::kCPU) : inputs[0].device();
    Values values(program_->values.size());
    for (size_t i = 0; i < state.size(); ++i)
      for (int value : program_->state[i].values) values[static_cast<size_t>(value)] = state[i];
    for (size_t i = 0; i < inputs.size(); ++i) values[static_cast<size_t>(program_->inputs[i])] = inputs[i];
    torch::jit::Stack stack;
    std::optional<InBlock> block;
    int blockNumber = 0;
    for (const Instruction& instruction : instructions_) {
      if (instruction.block != blockNumber) {
        blockNumber = instruction.block;
        block.reset();
        block.emplace(program_->blocks[static_cast<size_t>(blockNumber)], device);
      }
      namePlace(instruction.label, [&] { execute(instruction, values, device, stack); });
      if (onCall_) onCall_(instruction.owner);
    }
    block.reset();
    enterModule("");
    stack.clear();
    writeBack(values, state, inputs);
    std::vector<at::Tensor> outputs;
    for (int value : program_->outputs) outputs.push_back(values[static_cast<size_t>(value)].toTensor());
    return outputs;
  }

  void onCall(std::function<void(const std::string&)> hook) override { onCall_ = std::move(hook); }

  std::optional<std::string> bakedDtype() const override {
    for (const ExportedProgram::Node& node : program_->nodes)
      if (isBaked(*program_, node)) return labelOf(node);
    return std::nullopt;
  }

  std::unique_ptr<Program> inFloat64() const override { return std::make_unique<Exported>(program_, state_, Baked::InFloat64); }

 private:
  /// What the archive has as results and means as writes.
  void writeBack(const Values& values, const std::vector<at::Tensor>& state, const std::vector<at::Tensor>& inputs) const {
    const at::NoGradGuard noGrad;
    for (const ExportedProgram::Writeback& writeback : program_->writebacks) {
      const auto target = static_cast<size_t>(writeback.target);
      (writeback.isInput ? inputs[target] : state[target]).copy_(values[static_cast<size_t>(writeback.value)].toTensor());
    }
  }

  std::shared_ptr<const ExportedProgram> program_;
  std::vector<StateTensor> state_;
  Baked baked_;
  std::vector<ProgramInput> inputs_;
  std::vector<std::string> outputNames_;
  std::vector<Instruction> instructions_;
  std::function<void(const std::string&)> onCall_;
};

}  // namespace

at::ScalarType exportedType(int dtype) {
  constexpr at::ScalarType types[] = {at::kByte,          at::kChar,  at::kShort,   at::kInt,         at::kLong,
                                      at::kHalf,          at::kFloat, at::kDouble,  at::kComplexHalf, at::kComplexFloat,
                                      at::kComplexDouble, at::kBool,  at::kBFloat16};
  constexpr at::ScalarType laterTypes[] = {at::kUInt16, at::kFloat8_e4m3fn, at::kFloat8_e5m2, at::kFloat8_e4m3fnuz,
                                           at::kFloat8_e5m2fnuz};
  constexpr int later = 28;
  if (dtype >= 1 && dtype <= static_cast<int>(std::size(types))) return types[dtype - 1];
  if (dtype >= later && dtype < later + static_cast<int>(std::size(laterTypes))) return laterTypes[dtype - later];
  ir::fail(ir::ErrorKind::Input, "there is no dtype {}", dtype);
}

std::unique_ptr<Program> openExported(const inputs::Archive& archive) {
  try {
    auto program = std::make_shared<const ExportedProgram>(readExported(archive));
    StoredTensors stored(archive);
    std::vector<StateTensor> state;
    for (const ExportedProgram::State& each : program->state) state.push_back(stateTensor(each, stored));
    return std::make_unique<Exported>(std::move(program), std::move(state), Baked::AsExported);
  } catch (const ir::Error& error) {
    const std::string what = error.what();
    ir::fail(error.kind(), "{}", what.find(archive.path()) == std::string::npos ? archive.path() + ": " + what : what);
  }
}

}  // namespace runtime
