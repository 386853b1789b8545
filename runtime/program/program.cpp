#include "runtime/program/program.h"

#include "inputs/archive/zip.h"
#include "runtime/program/exported.h"

namespace runtime {

std::unique_ptr<Program> openProgram(const std::string& path) { return openExported(inputs::Archive::open(path)); }

}  // namespace runtime
