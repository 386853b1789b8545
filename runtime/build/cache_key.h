#pragma once

#include <string>

#include "runtime/build/hash.h"
#include "runtime/build/trusted_folder.h"

namespace runtime {

/// The secret that a file of a folder holds. Whoever asks first makes it; of processes that ask at once one does, and all find
/// the same. Errors: Input, why there is none, or why it is no secret.
Key keyIn(const TrustedFolder& folder, const std::string& name);

/// The secret that a file of the user's own holds, whose folder is made where it is missing.
Key keyOf(const std::string& path);

}  // namespace runtime
