// Any text, read as the configuration of a suite: a refusal is an Input error, and what is read answers for any operator.
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <string>

#include "ir/error.h"
#include "opbench/suite_config.h"

namespace {

using namespace opbench;

/// A file in memory, which has one text after another.
class TextFile {
 public:
  TextFile() : number_(memfd_create("config", 0)) {}
  void hold(const uint8_t* data, size_t size) const {
    const auto bytes = static_cast<off_t>(size);
    if (ftruncate(number_, 0) != 0 || pwrite(number_, data, size, 0) != bytes) std::abort();
  }
  std::string path() const { return "/proc/self/fd/" + std::to_string(number_); }

 private:
  int number_;
};

void ask(const SuiteConfig& config) {
  for (const char* op : {"aten.add.Tensor", "aten._softmax.default", ""}) {
    for (const char* device : {"cpu", "cuda:0"}) config.whySkipped(op, device, false);
    for (const auto& cap : {config.maxSamples(op), config.maxBytes(op)})
      if (cap && (cap->most < 0 || cap->place.empty())) std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const TextFile file;
  file.hold(data, size);
  Tolerances tolerances = Tolerances::standard();
  try {
    ask(SuiteConfig(file.path(), tolerances));
  } catch (const ir::Error& error) {
    if (error.kind() != ir::ErrorKind::Input) std::abort();
  }
  return 0;
}
