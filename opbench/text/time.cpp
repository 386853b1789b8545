#include "opbench/text/time.h"

#include <chrono>

namespace opbench {

int64_t now() {
  using namespace std::chrono;
  return duration_cast<seconds>(system_clock::now().time_since_epoch()).count();
}

}  // namespace opbench
