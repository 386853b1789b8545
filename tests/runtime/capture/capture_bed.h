#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/InferenceMode.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "ir/text/text.h"
#include "runtime/capture/replay.h"
#include "runtime/capture/session.h"
#include "runtime/device.h"
#include "runtime/devices/open.h"
#include "runtime/torch/state.h"
#include "runtime/workloads/model/model.h"
#include "runtime/workloads/network/step.h"
#include "tests/runtime/program/models.h"
#include "tests/runtime/sample.h"

namespace tests {

using runtime::Capture;
using runtime::TensorList;

/// A program of a file on the CPU, as the model `small`.
struct ModelBed {
  ModelBed(const std::string& path, const std::string& mode, const std::string& arguments)
      : device(runtime::openDevice("cpu", 1)),
        model(sample("model.small." + mode, arguments), *device, 1, runtime::Programs("", {{"small", path}})) {}

  std::unique_ptr<runtime::Device> device;
  runtime::Model model;
};

/// Whether a graph, and the one that its text is read back to, give the same bits when their calls are made once more.
inline bool repeats(const Capture& capture, const TensorList& operands) {
  Capture read = capture;
  read.graph = ir::parseGraph(ir::toText(capture.graph));
  if (read.graph != capture.graph) return false;
  runtime::reseedGenerator(at::kCPU);
  const runtime::Replay again = runtime::replay(read, operands);
  return runtime::bitwiseEqual(capture.outputs, again.outputs) && capture.hostReads == again.hostReads;
}

/// A step of several parameters `x`, `x_`, .. and no backward pass.
inline Capture captured(const std::vector<at::Tensor>& operands, const std::function<std::vector<at::Tensor>()>& compute) {
  const c10::InferenceMode normal(false);
  std::vector<runtime::GraphOperand> named;
  for (const at::Tensor& tensor : operands) named.push_back({"x", ir::Role::Parameter, tensor});
  return runtime::captureStep({at::kCPU, named, std::vector<std::string>(16, "y"), 1}, [&](const std::function<void()>& mark) {
    mark();
    std::vector<at::Tensor> results = compute();
    mark();
    return results;
  });
}

/// One of a single input.
inline Capture captured(const at::Tensor& x, const std::function<at::Tensor(const at::Tensor&)>& compute) {
  return captured(std::vector<at::Tensor>{x}, [&] { return std::vector<at::Tensor>{compute(x)}; });
}

inline std::vector<std::string> operatorsOf(const ir::Graph& graph) {
  std::vector<std::string> ops;
  for (const ir::Node& node : graph.nodes) ops.push_back(node.op);
  return ops;
}

inline int64_t countOf(const ir::Graph& graph, const std::string& op) {
  const std::vector<std::string> ops = operatorsOf(graph);
  return std::count(ops.begin(), ops.end(), op);
}

}  // namespace tests
