#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "inputs/convert.h"
#include "inputs/data/fill.h"
#include "inputs/operator_name.h"
#include "inputs/operators/facts.h"
#include "inputs/sample.h"
#include "tests/fuzz/target.h"

namespace {

using tests::promise;

constexpr int64_t largestFilled = 512;

/// A call that was read prints to text that reads back to the same call.
void checkRoundTrip(const inputs::Sample& sample) {
  std::string text = toText(sample);
  inputs::Sample again;
  try {
    inputs::parseCall(text, {"again", 1}, 1, again);
  } catch (const ir::Error& error) {
    promise(false, error.what(), text);
  }
  promise(toText(again) == text, "a printed call reads back to one that prints the same", text);
  bool hasNan = text.find("nan") != std::string::npos;
  promise(hasNan || (again.args == sample.args && again.kwargs == sample.kwargs), "a printed call reads back equal", text);
}

/// Drawing the data of small tensors either works or is refused.
void drawData(const inputs::Sample& sample) {
  for (size_t i = 0; i < sample.args.size(); ++i) {
    const auto* type = sample.args[i].as<ir::TensorType>();
    if (!type || type->storageElements() > largestFilled || type->numel() > largestFilled) continue;
    try {
      const inputs::ValueRange domain = inputs::valueRangeOf(sample, i);
      const int64_t numbers = inputs::drawnElements(*type, domain) * (ir::isComplex(type->dtype) ? 2 : 1);
      std::vector<int64_t> storage(static_cast<size_t>(numbers));
      inputs::fillStorage(*type, domain, 1, storage.data());
    } catch (const ir::Error&) {
    }
  }
}

void checkSample(const inputs::Sample& sample) {
  checkRoundTrip(sample);
  checkRoundTrip(inputs::convert(sample, ir::DType::BF16, true));
  drawData(sample);
}

void readAsCall(std::string_view text) {
  inputs::Sample sample;
  try {
    inputs::parseCall(text, {"fuzz", 1}, 1, sample);
  } catch (const ir::Error& error) {
    promise(error.kind() == ir::ErrorKind::Input, "text that is no call is an input error", error.what());
    return;
  }
  checkSample(sample);
}

void readAsFile(std::string_view text) {
  for (const inputs::Sample& sample : inputs::parseFile(text, "fuzz", "fuzz").samples) {
    promise(!inputs::refusalOf(sample.op), "a file's samples call operators that any sample may", sample.op);
    checkSample(sample);
  }
}

}  // namespace

/// Any text: as a call, which begins with a parenthesis, or as a file of calls.
FUZZ_TARGET(sample_fuzz)(const uint8_t* data, size_t size) {
  std::string_view text(reinterpret_cast<const char*>(data), size);
  text.starts_with('(') ? readAsCall(text) : readAsFile(text);
  return 0;
}
