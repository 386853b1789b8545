#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "codegen/cuda/prelude.h"
#include "ir/error.h"
#include "tests/runtime/build/nvrtc_library.h"

namespace tests {

/// Asks NVRTC about many kernels of one architecture at once: whether it accepts them. It compiles two dozen as one program, to
/// PTX, in an eighth of the time that it takes for machine code of one by one: most of that is what every call costs.
class KernelBatch {
 public:
  /// Asks about a program's kernel as well; `label` says in a failure whose it is.
  void add(const codegen::Program& program, std::string label) {
    std::string text(codegen::withoutPrelude(program.source));
    const std::string head = "\n" + program.name + "(";
    const size_t at = text.find(head);
    ir::require(at != std::string::npos, "the program {} is not one of its kernel", program.name);
    if (kernels_.empty()) common_ = program;
    ir::require(program.arch == common_.arch && program.options == common_.options, "{} is compiled otherwise", program.name);
    const std::string name = fmt::format("k{}", kernels_.size());
    kernels_.push_back({name, text.replace(at, head.size(), "\n" + name + "("), std::move(label)});
  }

  /// Compiles what was added since the last time, and says of each kernel that is refused whose it is, and why.
  std::vector<std::string> refusals() {
    constexpr size_t kernelsOfUnit = 24;
    std::vector<std::string> all;
    for (size_t i = 0; i < kernels_.size(); i += kernelsOfUnit) {
      const auto first = kernels_.begin() + static_cast<std::ptrdiff_t>(i);
      judge({first, first + static_cast<std::ptrdiff_t>(std::min(kernelsOfUnit, kernels_.size() - i))}, all);
    }
    kernels_.clear();
    return all;
  }

 private:
  struct Kernel {
    std::string name, text, label;
  };

  /// What NVRTC has against these kernels together; empty where it compiles them.
  std::string refusal(const std::vector<Kernel>& kernels) const {
    codegen::Program unit = common_;
    unit.name = "unit";
    unit.arch.replace(0, std::string_view("sm").size(), "compute");
    unit.source.clear();
    for (const Kernel& kernel : kernels) unit.source += kernel.text;
    unit.source.insert(0, codegen::cudaPreludeFor(unit.source));
    try {
      const std::string ptx = nvrtc()->ptx(unit);
      for (const Kernel& kernel : kernels)
        if (ptx.find(fmt::format(".entry {}(", kernel.name)) == std::string::npos) return "it is not in the PTX";
      return "";
    } catch (const ir::Error& error) {
      return error.what();
    }
  }

  /// Where a unit is refused its kernels are compiled one by one: that names those that are at fault.
  void judge(const std::vector<Kernel>& kernels, std::vector<std::string>& all) const {
    ir::require(nvrtc() != nullptr, "there is no NVRTC");
    const std::string together = refusal(kernels);
    if (together.empty()) return;
    const size_t before = all.size();
    std::vector<std::string> labels;
    for (const Kernel& kernel : kernels) {
      labels.push_back(kernel.label);
      const std::string alone = kernels.size() == 1 ? together : refusal({kernel});
      if (!alone.empty()) all.push_back(kernel.label + ": " + alone);
    }
    if (all.size() == before) all.push_back(fmt::format("{}: only together: {}", fmt::join(labels, "; "), together));
  }

  codegen::Program common_;  ///< what all have in common: architecture and options
  std::vector<Kernel> kernels_;
};

}  // namespace tests
