#pragma once

#include <c10/util/Exception.h>
#include <fmt/ranges.h>

#include <stdexcept>
#include <string>

#include "ir/error.h"
#include "runtime/torch/errors.h"

namespace runtime {

/// Runs `action`, giving what ATen throws the form of our errors: Toolchain where the device failed, OutOfMemory where what it
/// needs does not fit, otherwise Unsupported: it has no kernel for the call, or refuses its arguments. `op` is ATen's operator,
/// or another's: `my::softmax`.
template <typename F>
auto translateErrors(const std::string& op, const F& action) -> decltype(action()) {
  const auto firstLine = [](const c10::Error& error) {
    const std::string text = error.msg().substr(0, error.msg().find('\n'));
    return error.context().empty() ? text : fmt::format("{} ({})", text, fmt::join(error.context(), ", "));
  };
  try {
    return action();
  } catch (const c10::AcceleratorError& error) {
    ir::fail(ir::ErrorKind::Toolchain, "the device failed in {}: {}", op, firstLine(error));
  } catch (const c10::Error& error) {
    if (isOutOfMemory(error)) throw OutOfMemory(fmt::format("{} does not fit into memory: {}", op, firstLine(error)));
    if (op.find("::") != std::string::npos) ir::fail(ir::ErrorKind::Unsupported, "{} refuses the call: {}", op, firstLine(error));
    ir::fail(ir::ErrorKind::Unsupported, "ATen refuses {}: {}", op, firstLine(error));
  }
}

/// Runs `action`; what ATen throws says where that was, `.. (in backward)`, behind where it says already. Kernels throw some
/// errors that are not ATen's, as for numbers that a dtype does not hold: these become its.
template <typename F>
auto namePlace(const std::string& place, const F& action) -> decltype(action()) {
  try {
    return action();
  } catch (const ir::Error&) {
    throw;
  } catch (c10::Error& error) {
    error.add_context("in " + place);
    throw;
  } catch (const std::runtime_error& error) {
    c10::Error named({__func__, __FILE__, __LINE__}, error.what());
    named.add_context("in " + place);
    throw named;
  }
}

}  // namespace runtime
