#pragma once

#include <string>
#include <vector>

#include "ir/graph.h"
#include "ir/target.h"
#include "opbench/inductor/python.h"
#include "runtime/build/cache.h"

namespace opbench {

/// How graphs are compiled.
struct InductorSettings {
  std::string python;                 ///< the program, a file or a name in PATH
  std::string torch;                  ///< the release of torch that loads what is compiled: `2.11.0`
  std::vector<std::string> settings;  ///< of Inductor, each `name=value`
  double seconds = 0;                 ///< that a graph may take; 0 is no limit
  std::vector<int> processors{};      ///< that it compiles a graph on at once; empty for one, whichever
};

/// Compiles graphs with AOTInductor for a target, and keeps what it compiled in a cache, by graph, torch, target and settings.
class Inductor {
 public:
  /// The GPU on which it tries what it compiles for one.
  static constexpr const char* gpu = "cuda:0";

  Inductor(InductorSettings settings, const ir::Target& target, const runtime::Cache& cache);

  struct Package {
    std::string bytes;    ///< of the file that runtime::packagedCallable() takes
    double ms = 0;        ///< wall time from the graph to it, when it was compiled
    bool cached = false;  ///< whether it was in the cache
  };
  /// Inductor has these settings besides those for all graphs. Errors: Unsupported, as Python::compile().
  Package compile(const ir::Graph& graph, const std::vector<std::string>& settings = {});
  /// Whether the process that compiles computes on the GPU, also while it waits.
  bool usesGpu() const { return python_.usesGpu(); }

 private:
  const InductorSettings settings_;
  const ir::Target target_;
  const runtime::Cache cache_;
  Python python_;
};

/// A file of a random name in the folder of temporary files, which is gone when this is.
class TemporaryFile {
 public:
  /// Error: Toolchain where the system refuses.
  explicit TemporaryFile(const std::string& ending);
  ~TemporaryFile();
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace opbench
