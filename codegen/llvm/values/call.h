#pragma once

#include <string>
#include <vector>

#include "codegen/llvm/values/cpu.h"
#include "codegen/llvm/values/vec.h"

namespace codegen {

/// A libm function on each lane in turn (`expf` on f32, `exp` on f64: `name` is without the suffix).
Vec callLibm(const std::string& name, const std::vector<Vec>& operands);
/// A function of glibc's libmvec (errors up to 4 ULP) on vectors of f32 or f64; scalars go to libm. `name` is as for callLibm.
Vec callLibmvec(const Cpu& cpu, const std::string& name, const std::vector<Vec>& operands);
/// `fast`, except where any lane of `rare` holds: there the lanes that hold have libm's result.
Vec orLibm(Vec fast, Vec rare, const std::string& name, const std::vector<Vec>& operands);

}  // namespace codegen
