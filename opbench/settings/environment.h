#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "opbench/settings/shard.h"

namespace opbench {

/// The environment of the program; read where it begins, alone.
struct Environment {
  std::filesystem::path program;  ///< the executable
  std::string home;               ///< HOME
  std::string xdgCacheHome;       ///< XDG_CACHE_HOME
  std::string xdgStateHome;       ///< XDG_STATE_HOME
  std::string cache;              ///< OPBENCH_CACHE: the folder of compiled kernels
  std::string sharedCache;        ///< OPBENCH_SHARED_CACHE: `1` where the members of its group trust each other
  std::string suites;             ///< OPBENCH_SUITES: the folder of suites
  std::string python;             ///< OPBENCH_PYTHON: the Python whose torch has Inductor
  Schedulers schedulers{};        ///< that give this run its shard
  int columns = 100;              ///< of the terminal, or COLUMNS

  // Asked by the options of a race alone, as only then torch is there to answer.
  std::function<bool()> hasCuda = [] { return false; };  ///< whether a CUDA device can be opened
  /// Whether torch's dispatcher has an operator of a namespace.
  std::function<bool(const std::string&)> isNamespace = [](const std::string&) { return false; };
};

}  // namespace opbench
