#pragma once

#include <memory>

#include "inputs/archive/zip.h"
#include "runtime/program/program.h"

namespace runtime {

/// The program of an archive of torch.export. Errors: as openProgram().
std::unique_ptr<Program> openExported(const inputs::Archive& archive);

/// ATen's number of a dtype of the archive's schema.
at::ScalarType exportedType(int dtype);

}  // namespace runtime
