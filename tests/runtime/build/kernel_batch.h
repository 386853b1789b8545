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

/// The kernels of programs as one program. There they are k0, k1 and so on, in this order: programs may name theirs alike. Error:
/// Internal, where they are compiled in different ways.
inline ir::KernelSource together(const std::vector<ir::KernelSource>& programs) {
  ir::KernelSource all = programs.at(0);
  all.name = "together";
  all.source.clear();
  for (size_t i = 0; i < programs.size(); ++i) {
    const ir::KernelSource& one = programs[i];
    ir::require(one.arch == all.arch && one.options == all.options, "{} is compiled otherwise", one.name);
    std::string text(codegen::withoutPrelude(one.source));
    const std::string head = "\n" + one.name + "(";
    const size_t at = text.find(head);
    ir::require(at != std::string::npos, "the program {} does not hold its kernel", one.name);
    all.source += text.replace(at, head.size(), fmt::format("\nk{}(", i));
  }
  all.source.insert(0, codegen::cudaPreludeFor(all.source));
  return all;
}

/// What kernels are compiled to where it is asked whether they compile. Machine code shows what only the assembler refuses, such
/// as more shared memory than there is.
enum class CompiledTo { Ptx, MachineCode };

/// Asks NVRTC about many kernels at once: whether it accepts them. Compiled to PTX, two dozen as one program, they take an eighth
/// of the time of machine code one by one, which most of all is what every call costs; compiled to machine code, by the dozen,
/// half.
class KernelBatch {
 public:
  explicit KernelBatch(CompiledTo to = CompiledTo::Ptx) : to_(to) {}

  /// Asks about a program's kernel as well; `label` says in a failure whose it is.
  void add(ir::KernelSource program, std::string label) { kernels_.push_back({std::move(program), std::move(label)}); }

  /// Compiles what was added since the last time, and says of each kernel that is refused whose it is, and why.
  std::vector<std::string> refusals() {
    const size_t kernelsOfUnit = to_ == CompiledTo::Ptx ? 24 : 12;
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
    ir::KernelSource program;
    std::string label;
  };

  /// The code of a program, quickly made: NVRTC optimizes little.
  std::string compiled(ir::KernelSource program) const {
    program.options.emplace_back("--Ofast-compile=max");
    if (to_ == CompiledTo::MachineCode) return nvrtc()->compile(program, runtime::Cache()).cubin;
    program.arch.replace(0, std::string_view("sm").size(), "compute");
    return nvrtc()->ptx(program);
  }
  /// What shows that a kernel is in the code: its head in PTX, its section's name in a cubin.
  std::string entry(size_t kernel) const {
    return to_ == CompiledTo::Ptx ? fmt::format(".entry k{}(", kernel) : fmt::format(".text.k{}", kernel) + '\0';
  }

  /// What NVRTC has against these kernels together; empty where it compiles them.
  std::string refusal(const std::vector<Kernel>& kernels) const {
    try {
      ir::require(nvrtc() != nullptr, "there is no NVRTC");
      std::vector<ir::KernelSource> programs;
      for (const Kernel& kernel : kernels) programs.push_back(kernel.program);
      const std::string code = compiled(together(programs));
      for (size_t i = 0; i < kernels.size(); ++i)
        if (code.find(entry(i)) == std::string::npos) return "it is not in the code";
      return "";
    } catch (const ir::Error& error) {
      return error.what();
    }
  }

  /// Where a unit is refused its kernels are compiled one by one: that names those that are at fault.
  void judge(const std::vector<Kernel>& kernels, std::vector<std::string>& all) const {
    const std::string whole = refusal(kernels);
    if (whole.empty()) return;
    const size_t before = all.size();
    std::vector<std::string> labels;
    for (const Kernel& kernel : kernels) {
      labels.push_back(kernel.label);
      const std::string alone = kernels.size() == 1 ? whole : refusal({kernel});
      if (!alone.empty()) all.push_back(kernel.label + ": " + alone);
    }
    if (all.size() == before) all.push_back(fmt::format("{}: only together: {}", fmt::join(labels, "; "), whole));
  }

  CompiledTo to_;
  std::vector<Kernel> kernels_;
};

}  // namespace tests
