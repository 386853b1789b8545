#include "opbench/presentation/stage.h"

#include "inputs/text/printable.h"
#include "opbench/report/progress.h"

namespace opbench {

void Stage::clear() const {
  if (streams.progress) streams.err << report::clearLine << std::flush;
}

void Stage::complain(const std::string& what) const {
  clear();
  streams.err << "opbench: " << inputs::printable(what) << std::endl;
}

}  // namespace opbench
