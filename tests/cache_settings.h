#pragma once

#include <filesystem>

#include "runtime/build/cache.h"

namespace tests {

/// Of a cache in a folder of a test's, made when it is opened; its key lies beside it.
inline runtime::CacheSettings cacheIn(const std::filesystem::path& folder) {
  return {folder / "cache", folder / "state/cache.key"};
}

}  // namespace tests
