#include "opbench/version.h"

namespace opbench {

std::string versionText() {
#ifdef OPBENCH_COMMIT
  return "opbench " OPBENCH_VERSION " (" OPBENCH_COMMIT ")";
#else
  return "opbench " OPBENCH_VERSION;
#endif
}

}  // namespace opbench
