#pragma once

#include <fmt/format.h>

#include <stdexcept>
#include <string>
#include <utility>

namespace ir {

/// Whose fault an error is; decides how it is shown and which exit status it leads to.
enum class ErrorKind {
  Input,        ///< the user's text or options, with file:line:column where there is one
  Unsupported,  ///< no lowering, dtype or target for what was asked
  Toolchain,    ///< NVRTC, LLVM, CUDA or ATen refused; its log is part of the message
  Internal,     ///< a bug of ours
};

/// The one exception of the project: one lower-case sentence with the values in it.
class Error : public std::runtime_error {
 public:
  Error(ErrorKind kind, const std::string& message) : std::runtime_error(message), kind_(kind) {}
  ErrorKind kind() const { return kind_; }

 private:
  ErrorKind kind_;
};

/// Throws an Error whose message is formatted as by fmt::format.
template <typename... Args>
[[noreturn]] void fail(ErrorKind kind, fmt::format_string<Args...> text, Args&&... args) {
  throw Error(kind, fmt::format(text, std::forward<Args>(args)...));
}

/// Throws an Internal error unless `condition` holds.
template <typename... Args>
void require(bool condition, fmt::format_string<Args...> text, Args&&... args) {
  if (!condition) fail(ErrorKind::Internal, text, std::forward<Args>(args)...);
}

}  // namespace ir
