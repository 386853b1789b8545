#include "tests/opbench/run/operators.h"
#include "tests/cuda_program.h"

#include <ATen/ops/as_strided.h>
#include <ATen/ops/empty_strided.h>
#include <ATen/ops/from_blob.h>
#include <c10/core/InferenceMode.h>
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <set>

#include "inputs/convert.h"
#include "inputs/data/materialize.h"
#include "ir/error.h"
#include "ir/interpret/interpret.h"
#include "ir/verify/verify.h"
#include "ir/walk.h"
#include "lowering/fusion/intermediates.h"
#include "lowering/schedule/apply.h"
#include "lowering/tensor/lowering.h"
#include "opbench/check/reference.h"
#include "runtime/callable.h"
#include "runtime/contenders/plan/callables.h"
#include "runtime/device.h"
#include "runtime/devices/open.h"
#include "runtime/torch/aten_call.h"
#include "runtime/torch/release.h"
#include "runtime/torch/state.h"
#include "runtime/workloads/call.h"
#include "tests/runtime/cpu/cpus.h"
#include "tests/runtime/sample.h"
#include "tests/targets.h"

namespace tests {
namespace {

using ir::DType;
using Judge = std::function<opbench::Verdict(const runtime::TensorList&)>;

/// The tensor's storage from its first element on, as the interpreter holds it.
ir::Memory memoryOf(const at::Tensor& tensor, const ir::TensorType& type) {
  ir::Memory memory = ir::Memory::zeros(type.dtype, type.storageElements());
  const at::Tensor flat = at::as_strided(tensor, {type.storageElements()}, {1});
  if (auto* reals = std::get_if<std::vector<double>>(&memory.data)) {
    const at::Tensor wide = flat.to(at::kDouble).contiguous();
    std::copy_n(wide.const_data_ptr<double>(), reals->size(), reals->begin());
  } else {
    auto& integers = std::get<std::vector<int64_t>>(memory.data);
    const at::Tensor wide = flat.to(at::kLong).contiguous();
    std::copy_n(wide.const_data_ptr<int64_t>(), integers.size(), integers.begin());
  }
  return memory;
}

/// A tensor of this type with the interpreter's elements.
at::Tensor tensorOf(const ir::Memory& memory, const ir::TensorType& type) {
  at::Tensor tensor = at::empty_strided(type.sizes, type.strides, at::TensorOptions().dtype(inputs::scalarType(type.dtype)));
  at::Tensor flat = at::as_strided(tensor, {type.storageElements()}, {1});
  if (const auto* reals = std::get_if<std::vector<double>>(&memory.data)) {
    flat.copy_(at::from_blob(const_cast<double*>(reals->data()), {type.storageElements()}, at::kDouble));
  } else {
    const auto& integers = std::get<std::vector<int64_t>>(memory.data);
    flat.copy_(at::from_blob(const_cast<int64_t*>(integers.data()), {type.storageElements()}, at::kLong));
  }
  return tensor;
}

/// Results 0; complex ones are pairs of reals.
ir::Memory resultOf(const ir::TensorType& type) {
  if (!ir::isComplex(type.dtype)) return ir::Memory::zeros(type.dtype, type.storageElements());
  return ir::Memory::zeros(type.dtype == DType::C32 ? DType::F16 : DType::F32, 2 * type.storageElements());
}

/// The memory of a graph's values, arguments as they are, and of those between its loops.
std::vector<ir::Memory> memoryOf(const ir::Graph& graph, const std::vector<ir::GraphValue>& between, runtime::Call& call) {
  std::vector<at::Tensor> tensors;
  for (const c10::IValue& argument : call.aten().arguments) {
    for (const at::Tensor& tensor : runtime::tensorsIn(argument)) {
      if (!tensor.unsafeGetTensorImpl()->is_wrapped_number()) tensors.push_back(tensor);
    }
  }
  REQUIRE(tensors.size() == graph.inputs.size());
  std::vector<ir::Memory> memory;
  for (size_t value = 0; value < graph.values.size(); ++value) {
    const ir::TensorType& type = graph.values[value].type;
    const auto input = std::find(graph.inputs.begin(), graph.inputs.end(), static_cast<int>(value));
    const bool isInput = input != graph.inputs.end();
    memory.push_back(isInput ? memoryOf(tensors[static_cast<size_t>(input - graph.inputs.begin())], type) : resultOf(type));
  }
  for (const ir::GraphValue& value : between) memory.push_back(resultOf(value.type));
  return memory;
}

/// Carries loops or a kernel out on the memory of the graph's values that its buffers stand for.
template <typename Code>
void interpretOn(const Code& code, const std::vector<ir::Buffer>& buffers, std::vector<ir::Memory>& values) {
  std::vector<ir::Memory> memory;
  for (const ir::Buffer& buffer : buffers) memory.push_back(values.at(static_cast<size_t>(buffer.value)));
  ir::interpret(code, memory);
  for (size_t i = 0; i < buffers.size(); ++i) values[static_cast<size_t>(buffers[i].value)] = memory[i];
}

/// Equal to the bit, but for the payloads of NaN.
bool same(const ir::Memory& a, const ir::Memory& b) {
  const auto* x = std::get_if<std::vector<double>>(&a.data);
  if (x == nullptr) return a.data == b.data;
  const auto& y = std::get<std::vector<double>>(b.data);
  for (size_t i = 0; i < x->size(); ++i) {
    if ((*x)[i] != y[i] && !(std::isnan((*x)[i]) && std::isnan(y[i]))) return false;
  }
  return true;
}

bool combinesValues(const ir::Loops& loops) {
  const auto nodes = ir::postorder(ir::storedValues(loops.stores));
  return std::any_of(nodes.begin(), nodes.end(), [](const ir::Expr* node) { return node->isCombining(); });
}

void checkOutputs(const ir::Graph& graph, const std::vector<ir::Memory>& values, const Judge& judge, const std::string& leg) {
  if (ir::isComplex(graph.values[static_cast<size_t>(graph.outputs.at(0))].type.dtype)) return;
  std::vector<at::Tensor> found;
  for (int output : graph.outputs) {
    const auto value = static_cast<size_t>(output);
    found.push_back(tensorOf(values[value], graph.values[value].type));
  }
  const opbench::Verdict verdict = judge(runtime::makeTensorList(std::move(found)));
  CHECK_MESSAGE(verdict.ok, leg, ": ", verdict.message);
}

/// A backend's schedules compute what its loops do: the same to the bit, or, where sums were taken in another order, what is as
/// right.
void checkInterpreted(const ir::Graph& graph, runtime::Call& call, const Judge& judge, const ir::Target& target) {
  const std::string backend = target.backend == ir::Backend::Cuda ? "CUDA" : "CPU";
  const std::vector<ir::Loops> all = lowering::lower(graph, target.backend, runtime::atenRules());
  const std::vector<ir::Memory> before = memoryOf(graph, lowering::intermediatesOf(graph, lowering::analyze(all, target)), call);
  std::vector<ir::Memory> meaning = before, memory = before;
  for (const ir::Loops& loops : all) {
    ir::verify(loops);
    interpretOn(loops, loops.buffers, meaning);
    const ir::Kernel kernel = lowering::apply(loops, target);
    ir::verify(kernel);
    std::vector<ir::Buffer> buffers;
    for (const ir::Param& param : kernel.params) buffers.push_back(param.buffer);
    interpretOn(kernel, buffers, memory);
  }
  checkOutputs(graph, meaning, judge, backend + " loops");
  if (std::any_of(all.begin(), all.end(), combinesValues)) {
    checkOutputs(graph, memory, judge, backend + " kernel");
  } else {
    for (size_t i = 0; i < memory.size(); ++i) CHECK(same(memory[i], meaning[i]));
  }
}

runtime::Device& cpu() {
  static const std::unique_ptr<runtime::Device> device = runtime::openDevice("cpu", 1);
  return *device;
}

/// An edit that draws draws the same numbers in each run: ATen's generators start with a number of the system's.
void editArguments(runtime::Call& call, const Edit& edit) {
  at::manual_seed(1);
  std::vector<at::Tensor> tensors;
  for (const c10::IValue& argument : call.aten().arguments) {
    for (const at::Tensor& tensor : runtime::tensorsIn(argument)) tensors.push_back(tensor);
  }
  edit(tensors);
}

/// The call's results by a CPU's machine code.
runtime::TensorList compiled(runtime::Call& call, const ir::Graph& graph, const ir::Target& target) {
  const runtime::Cache none;
  const auto callable = runtime::plannedCallable(call, codegen::compile(graph, target), cpu(), none);
  CHECK(callable->kind == runtime::Kind::Generated);
  const auto trial = cpu().prepare(*callable, call);
  return runtime::clone(trial->run());
}

/// Whether it is the first time that this operator, and whether its arguments are edited, is asked for.
bool isFirst(const std::string& op, bool isEdited) {
  static std::set<std::pair<std::string, bool>> seen;
  return seen.emplace(op, isEdited).second;
}

}  // namespace

Operators::~Operators() {
  for (const std::string& refusal : kernels_.refusals()) FAIL_CHECK(refusal);
}

/// NVRTC accepts the kernels, each text once: calls that differ in their data alone have equal ones.
void Operators::compileLater(const ir::Graph& graph, const std::string& label) {
  static std::set<std::string> seen;
  for (const ir::Loops& loops : lowering::lower(graph)) {
    const ir::Target target = tests::hopper();
    const ir::KernelSource program = tests::cudaProgram(lowering::apply(loops, target), target);
    if (seen.insert(program.source).second) kernels_.add(program, label);
  }
}

/// What `compare` does, of one dtype and for these backends.
void Operators::compareAs(const inputs::Sample& sample, DType dtype, const Edit& edit, Backends backends) {
  const std::string label = fmt::format("{} {} as {}", sample.op, inputs::toText(sample), ir::name(dtype));
  CAPTURE(label);
  const c10::InferenceMode guard;
  runtime::Call call(sample, cpu(), 1);
  if (edit) editArguments(call, edit);
  const opbench::Reference reference = opbench::makeReference(call);
  const opbench::Criterion criterion = opbench::Tolerances::standard().criterionFor(sample.op);
  const Judge judge = [&](const runtime::TensorList& found) {
    return opbench::check(found, reference, call, criterion, opbench::Tolerances::standard());
  };
  const ir::Graph graph = call.graph(reference.eager);
  call.restore();
  if (backends != Backends::Cpu) checkInterpreted(graph, call, judge, tests::hopper());
  if (backends != Backends::Cuda) checkInterpreted(graph, call, judge, tests::avx512());
  compileLater(graph, label);
  if (backends == Backends::Cuda) return;
  for (ir::Target target : tests::cpusAtHand()) {
    target.aten = runtime::atenRules();
    const opbench::Verdict verdict = judge(compiled(call, graph, target));
    CHECK_MESSAGE(verdict.ok, "compiled for ", target.arch, ": ", verdict.message);
    call.restore();
  }
}

/// The same of several dtypes, of equal calls once.
void Operators::compareAsEach(const std::vector<DType>& dtypes, const std::string& op, const std::string& recorded,
                              const Edit& edit, Backends backends) {
  const bool isBrainToo = isFirst(op, static_cast<bool>(edit));
  std::set<std::string> compared;
  for (DType dtype : dtypes) {
    if (dtype == DType::BF16 && !isBrainToo) continue;
    try {
      const inputs::Sample sample = inputs::convert(tests::sample(op, recorded), dtype, false);
      if (compared.insert(inputs::toText(sample)).second) compareAs(sample, dtype, edit, backends);
    } catch (const ir::Error& error) {
      FAIL_CHECK(op << " " << recorded << " as " << ir::name(dtype) << ": " << std::string(error.what()));
    }
  }
}

void Operators::compare(const std::string& op, const std::string& recorded, const Edit& edit) {
  compareAsEach({DType::F16, DType::BF16, DType::F32}, op, recorded, edit, Backends::Both);
}

void Operators::compareBesideOneDnn(const std::string& op, const std::string& recorded) {
  compareAsEach({DType::F16, DType::BF16, DType::F32}, op, recorded, {}, Backends::Cuda);
  compareAsEach({DType::F64}, op, recorded, {}, Backends::Both);
}

void Operators::compareOnCpu(const std::string& op, const std::string& recorded, const Edit& edit) {
  compareAsEach({DType::F16, DType::BF16, DType::F32}, op, recorded, edit, Backends::Cpu);
}

std::vector<double> computed(const std::string& op, DType dtype, const std::vector<std::vector<double>>& operands,
                             const ir::Target& target) {
  const c10::InferenceMode guard;
  const auto count = static_cast<int64_t>(operands.at(0).size());
  std::string types;
  for (size_t i = 0; i < operands.size(); ++i) types += fmt::format("T([{}], {}), ", count, ir::name(dtype));
  runtime::Call call(tests::sample(op, fmt::format("(({}), {{}})", types)), cpu(), 1);
  editArguments(call, [&](const std::vector<at::Tensor>& tensors) {
    for (size_t i = 0; i < operands.size(); ++i)
      tensors[i].copy_(at::from_blob(const_cast<double*>(operands[i].data()), {count}, at::kDouble));
  });
  const ir::Graph graph = call.graph(call.runEager());
  call.restore();
  const runtime::TensorList results = compiled(call, graph, target);
  const at::Tensor wide = results.state().tensors[0].to(at::kDouble).contiguous();
  return {wide.const_data_ptr<double>(), wide.const_data_ptr<double>() + count};
}

}  // namespace tests
