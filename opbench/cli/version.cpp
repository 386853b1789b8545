#include "opbench/cli/version.h"

namespace opbench {

std::string versionText() { return "opbench " OPBENCH_VERSION " (" OPBENCH_COMMIT ")"; }

}  // namespace opbench
