// Any bytes, read as what they say they are, loops, a kernel or else a graph: a refusal is an Input error, and what is read
// prints and reads back.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "ir/error.h"
#include "ir/text/text.h"
#include "ir/verify/verify.h"
#include "tests/fuzz/target.h"

namespace {

template <typename Parse>
void checkText(Parse&& parse, std::string_view bytes) {
  try {
    const auto value = parse(bytes);
    const std::string text = ir::toText(value);
    if (ir::toText(parse(text)) != text) std::abort();
    try {
      verify(value);
    } catch (const ir::Error& error) {
      if (error.kind() != ir::ErrorKind::Internal && error.kind() != ir::ErrorKind::Unsupported) std::abort();
    }
  } catch (const ir::Error& error) {
    if (error.kind() != ir::ErrorKind::Input) std::abort();
  }
}

}  // namespace

FUZZ_TARGET(ir_fuzz)(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  if (bytes.starts_with("loops"))
    checkText(ir::parseLoops, bytes);
  else if (bytes.starts_with("kernel"))
    checkText(ir::parseKernel, bytes);
  else
    checkText(ir::parseGraph, bytes);
  return 0;
}
