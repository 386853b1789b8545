#pragma once

#include <exception>
#include <string>

#include "ir/error.h"

namespace runtime {

/// What is asked for takes more memory than there is.
class OutOfMemory : public ir::Error {
 public:
  explicit OutOfMemory(const std::string& message) : ir::Error(ir::ErrorKind::Unsupported, message) {}
};

/// Whether an exception says that memory ran out, whoever threw it.
bool isOutOfMemory(const std::exception& error);

}  // namespace runtime
