#pragma once

#include <CLI/CLI.hpp>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "opbench/cli/help/groups.h"
#include "opbench/settings/options.h"

namespace opbench {

/// The options that are given as text and parsed after CLI11 has split the command line, so that messages are ours.
struct Texts {
  std::vector<std::string> suites, folders, files, ops, filters, excludes, devices, programs, inductorSettings, failOn;
  std::string shard, sampleMode = "top";
  std::vector<int64_t> sweep;
  std::string traces, shell;
  bool isCompiler = false, isReader = false, isRecorder = false;
  int partitions = 0, partition = 0;
  std::string compat, dtype, contenders = "eager,opbench", flush = "write", data = "normal", fault;
  double precision = 1;
  bool measureNvfuser = false, accuracyChecking = false, noAccuracyChecking = false, noTiming = false, noCache = false,
       noCases = false, helpAll = false, version = false, list = false;
};

/// Declares every option and verb; what is given goes to `options`, or to `texts`.
void declareAll(CLI::App& app, Options& options, Texts& texts);

/// Error: Input, where the command line has an option of a race that a verb does not take.
void refuseUntaken(const CLI::App& app, std::string_view verb, const std::vector<std::string>& taken);

}  // namespace opbench
