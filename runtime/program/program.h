#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace runtime {

enum class Role { Parameter, Buffer, Constant };

/// A tensor of a program's own. Names that share their memory (tied weights) are one tensor, under the first name.
struct StateTensor {
  std::string name;  ///< `encoder.layer.0.weight`
  Role role = Role::Parameter;
  at::ScalarType dtype = at::kFloat;
  std::vector<int64_t> sizes, strides;
  bool requiresGrad = false;
  at::Tensor value;  ///< on the host; undefined where the file has no weights
};

/// An extent of an input. Dimensions of one symbol have one extent.
struct Dimension {
  int64_t extent = 0;  ///< of an open dimension the one that was exported, 0 where that is not known
  int symbol = -1;     ///< -1: fixed
  int64_t least = 0, most = 0;

  bool isOpen() const { return symbol >= 0; }
};

struct ProgramInput {
  std::string name;
  at::ScalarType dtype = at::kFloat;
  std::vector<Dimension> dimensions;
  std::optional<int64_t> bound;  ///< integers are below it: rows of the embedding that they index, and the like
  int64_t least = 0;             ///< and not below this

  std::vector<int64_t> sizes() const;  ///< the extents of its dimensions
};

/// A network that a file holds, as a sequence of ATen's calls.
class Program {
 public:
  virtual ~Program() = default;

  virtual const std::vector<StateTensor>& state() const = 0;
  virtual const std::vector<ProgramInput>& inputs() const = 0;
  virtual const std::vector<std::string>& outputNames() const = 0;

  /// Runs the program, on the device of its state: tensors for state() and inputs(), in their order, give the tensors of
  /// outputNames(). Every call goes through ATen's dispatcher, so that autograd, autocast, CUDA graphs and captures see it.
  /// Buffers that the program writes (statistics of batch norms) are written in place. Errors: ATen's own (c10::Error), with the
  /// node's name added.
  virtual std::vector<at::Tensor> run(const std::vector<at::Tensor>& state, const std::vector<at::Tensor>& inputs) const = 0;

  /// Has each run call `hook` after each of its calls, with the path of the innermost module that makes it, or, where the file
  /// names none, with its operator and output, `aten.add.Tensor add_1`; runs of TorchScript call none.
  virtual void onCall(std::function<void(const std::string& name)>) {}

  /// The first node, with its module, into which a floating dtype is baked, so that a cast of the state alone would be wrong;
  /// nothing where there is none.
  virtual std::optional<std::string> bakedDtype() const = 0;
  /// The same program for state and inputs in float64: dtypes that are baked into nodes are raised. Its state has the values and
  /// dtypes of this one's. Nothing where it has no such form.
  virtual std::unique_ptr<Program> inFloat64() const = 0;
};

/// Whether a file is TorchScript, as against an archive of torch.export. Error: Input, where it is damaged.
bool isTorchScript(const std::string& path);

/// Reads an archive of torch.export (`.pt2`), or a TorchScript file, whose inputs the caller describes, in order; an archive
/// describes its own. Nothing of an archive is evaluated, and only operators that samples may call are called. Errors: Input
/// where the file is damaged or inputs are missing, Unsupported where it holds what is not run; one line each, with the file and
/// the place.
std::unique_ptr<Program> openProgram(const std::string& path, const std::vector<ProgramInput>& scriptInputs = {});

}  // namespace runtime
