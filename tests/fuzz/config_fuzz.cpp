// Any text, read as the configuration of a suite: a refusal is an Input error, and what is read answers for any operator.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "ir/error.h"
#include "opbench/select/suite_config.h"
#include "tests/fuzz/target.h"

namespace {

using namespace opbench;

void ask(const SuiteConfig& config) {
  for (const char* op : {"aten.add.Tensor", "aten._softmax.default", ""}) {
    for (const char* device : {"cpu", "cuda:0"}) config.whySkipped(op, device, false);
    for (const auto& cap : {config.maxSamples(op), config.maxBytes(op)})
      if (cap && (cap->most < 0 || cap->place.empty())) std::abort();
  }
}

}  // namespace

FUZZ_TARGET(config_fuzz)(const uint8_t* data, size_t size) {
  Tolerances tolerances = Tolerances::standard();
  try {
    ask(SuiteConfig::parse({reinterpret_cast<const char*>(data), size}, "fuzz", tolerances));
  } catch (const ir::Error& error) {
    if (error.kind() != ir::ErrorKind::Input) std::abort();
  }
  return 0;
}
