#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "codegen/compile.h"
#include "ir/target.h"
#include "runtime/device.h"

namespace opbench {

/// A deliberate mistake in what opbench generates or measures: it shows whether the checks would see a real one. For tests.
enum class Fault {
  UnwrittenTail,    ///< the last element of an output is not stored, nor what its vector stores with it
  OffByOne,         ///< every element is stored one place further on, the last one first
  F16Accumulation,  ///< every f32 operation is rounded to f16, every f64 one to f32
  StaleOutput,      ///< the first run's result is handed out ever after
  Zeros,            ///< all elements stored are zero
  Slow,             ///< times are reported 5 % longer
};

/// `unwritten-tail`, `off-by-one`, `f16-accumulation`, `stale-output`, `zeros`, `slow`.
std::string_view name(Fault fault);
std::optional<Fault> faultFromName(std::string_view text);
std::vector<std::string> faultNames();

/// Puts the fault into the plan's kernels; false where the plan has no place for it.
bool breakPlan(codegen::Plan& plan, Fault fault, const ir::Target& target);
/// The callable with the fault, for StaleOutput; as it is for others.
runtime::CallablePtr broken(runtime::CallablePtr callable, Fault fault);
/// The trial with the fault, for Slow; as it is for others.
std::unique_ptr<runtime::Trial> broken(std::unique_ptr<runtime::Trial> trial, Fault fault);

}  // namespace opbench
