#include "runtime/contenders/kernels/kernel_callable.h"

#include <c10/core/InferenceMode.h>

#include <algorithm>
#include <bit>
#include <utility>

#include "ir/error.h"
#include "runtime/build/nvrtc.h"
#include "runtime/contenders/kernels/fitted.h"
#include "runtime/contenders/kernels/kernel_library.h"
#include "runtime/profile/recorder.h"
#include "runtime/run_tensor.h"
#include "runtime/torch/call_graph.h"
#include "runtime/torch/state.h"

namespace runtime {
namespace {

KernelLoader& loaderOf(const KernelFile& file, Device& device) {
  KernelLoader* loader = device.kernelLoader();
  if (loader == nullptr) ir::fail(ir::ErrorKind::Unsupported, "{} needs a GPU", file.contender);
  return *loader;
}

DeviceCode codeOf(const KernelFile& file, const ir::Graph& graph, const std::string& arch, KernelLoader& loader,
                  const Cache& cache) {
  if (file.isCubin) return {file.code};
  try {
    return loader.codeOf(programOf(file, graph, arch), cache);
  } catch (const ir::Error& error) {
    // The log stands behind the line that says what was compiled.
    const std::string_view text = error.what(), log = text.substr(std::min(text.find('\n'), text.size() - 1) + 1);
    if (error.kind() != ir::ErrorKind::Toolchain || log.empty()) throw;
    ir::fail(ir::ErrorKind::Toolchain, "{}", firstError(log));
  }
}

class KernelCallable : public Callable {
 public:
  KernelCallable(Workload& workload, const KernelFile& file, const ir::Graph& graph, Device& device, const Cache& cache)
      : workload_(workload),
        path_(file.path),
        loader_(loaderOf(file, device)),
        torchDevice_(device.torchName()),
        inputValues_(graph.inputs) {
    const FittedKernels kernels = fitted(file, graph);
    kind = Kind::Generated;
    isOwn = true;
    code_ = codeOf(file, graph, device.target().arch, loader_, cache);
    compileMs = code_.compileMs;
    cached = code_.cached;
    this->kernels = static_cast<int>(kernels.launches.size());
    addresses_.assign(graph.values.size() + kernels.scratchBytes.size(), nullptr);
    for (const int value : graph.outputs) tensors_.push_back(runTensor(graph, value));
    outputs_ = tensors_.size();
    for (const int64_t bytes : kernels.scratchBytes)
      tensors_.push_back({static_cast<int>(graph.values.size() + tensors_.size() - outputs_), -1, {bytes}, {1}, at::kByte});
    for (const KernelLaunch& launch : kernels.launches) launches_.push_back({launch, nullptr, {}, {}});
    for (Launch& launch : launches_) addSlots(launch, graph.values.size());
    KernelCallable::reload();
    KernelCallable::use(0);
  }

  void use(int number) override {
    inputs_ = graphInputs(workload_.operands(number));
    ir::require(inputs_.size() == inputValues_.size(), "a graph takes {} tensors, its workload has {}", inputValues_.size(),
                inputs_.size());
    for (std::size_t i = 0; i < inputs_.size(); ++i)
      addresses_[static_cast<std::size_t>(inputValues_[i])] = inputs_[i].data_ptr();
  }

  /// The kernels share one library, which is loaded anew as a whole.
  void reload() override {
    const KernelLibraryPtr library = load();
    for (Launch& launch : launches_) {
      checkParameters(launch.rule, library->parameterBytes(launch.rule));
      if (launch.executable != nullptr) earlier_.push_back(launch.executable);
      launch.executable = library->ready(launch.rule);
    }
  }

  void guard(Guards guards) override { guards_ = guards; }

  TensorList operator()() override {
    const c10::InferenceMode guard;
    std::vector<at::Tensor> tensors;
    for (const RunTensor& tensor : tensors_) {
      tensors.push_back(allocate(tensor, inputs_, torchDevice_, guards_));
      addresses_[static_cast<std::size_t>(tensor.value)] = tensors.back().data_ptr();
    }
    for (Launch& launch : launches_) start(launch);
    tensors.resize(outputs_);
    return makeTensorList(std::move(tensors));
  }

 private:
  struct Launch {
    KernelLaunch rule;
    ExecutablePtr executable;
    std::vector<void*> slots;                                   ///< by argument
    std::vector<std::pair<std::size_t, std::size_t>> pointers;  ///< slots of addresses, each with its index in addresses_
  };

  KernelLibraryPtr load() const {
    try {
      return loader_.load(code_);
    } catch (const ir::Error& error) {
      ir::fail(error.kind(), "{}: {}", path_, error.what());
    }
  }

  static void addSlots(Launch& launch, std::size_t values) {
    for (const KernelArgument& argument : launch.rule.arguments) {
      const auto slot = std::bit_cast<void*>(argument.bytes);
      const std::size_t place = launch.slots.size();
      if (argument.value) launch.pointers.emplace_back(place, static_cast<std::size_t>(*argument.value));
      if (argument.scratch) launch.pointers.emplace_back(place, values + static_cast<std::size_t>(*argument.scratch));
      launch.slots.push_back(slot);
    }
  }

  void start(Launch& launch) {
    for (const auto& [slot, address] : launch.pointers) launch.slots[slot] = addresses_[address];
    const Range range(launch.rule.kernel, Range::Of::Call);
    launch.executable->launch(launch.slots.data());
  }

  Workload& workload_;
  const std::string path_;  ///< of the file
  KernelLoader& loader_;
  at::Device torchDevice_;
  DeviceCode code_;
  Guards guards_ = Guards::None;
  std::vector<int> inputValues_;  ///< of the graph, by operand
  std::vector<at::Tensor> inputs_;
  std::vector<RunTensor> tensors_;  ///< the outputs in order, then scratch memory
  std::size_t outputs_ = 0;
  std::vector<void*> addresses_;  ///< by value of the graph; behind them the addresses of scratch memory
  std::vector<Launch> launches_;
  std::vector<ExecutablePtr> earlier_;  ///< what graphs run that were captured before a reload
};

}  // namespace

CallablePtr kernelCallable(Workload& workload, const KernelFile& file, const ir::Graph& graph, Device& device,
                           const Cache& cache) {
  return std::make_unique<KernelCallable>(workload, file, graph, device, cache);
}

}  // namespace runtime
