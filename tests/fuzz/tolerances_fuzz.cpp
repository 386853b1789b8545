// Any text, read as a table of tolerances on top of the built-in one: a refusal is an Input error.
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "ir/error.h"
#include "opbench/check/tolerances.h"
#include "opbench/check/tolerances_reader.h"
#include "tests/fuzz/target.h"

namespace {

using namespace opbench;

/// Whatever the table says, limits are numbers.
void checkLimits(const Tolerances& tolerances) {
  for (const char* op : {"aten.add.Tensor", "aten.sort.default", "aten.native_batch_norm.default"}) {
    const Limit limit = tolerances.limit(tolerances.criterionFor(op), ir::DType::F16, false, 1000);
    if (!(limit.element >= 0) || !(limit.eagerErrors >= 0)) std::abort();
  }
}

}  // namespace

FUZZ_TARGET(tolerances_fuzz)(const uint8_t* data, size_t size) {
  Tolerances tolerances = Tolerances::standard();
  try {
    TolerancesReader(tolerances, "fuzz").read({reinterpret_cast<const char*>(data), size});
    checkLimits(tolerances);
  } catch (const ir::Error& error) {
    if (error.kind() != ir::ErrorKind::Input) std::abort();
  }
  return 0;
}
