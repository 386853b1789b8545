#pragma once

#include <string>
#include <string_view>

namespace runtime {

/// The SHA-256 sum of a text in base64, as a content security policy names scripts and styles.
std::string sha256Base64(std::string_view text);

}  // namespace runtime
