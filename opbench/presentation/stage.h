#pragma once

#include <ostream>
#include <string>

#include "opbench/presentation/streams.h"
#include "opbench/report/console.h"
#include "opbench/results/row.h"
#include "opbench/settings/options.h"

namespace opbench {

/// What a run is presented on.
struct Stage {
  const Options& options;
  Streams streams;
  std::ostream* console = nullptr;  ///< null where standard output belongs to a file format
  report::Layout layout{};
  const Run* run = nullptr;  ///< set when it begins

  /// Where rows are shown as they come; null where none are.
  std::ostream* live() const { return options.quiet ? nullptr : console; }
  /// Takes the line of progress off the terminal.
  void clear() const;
  /// Reports a problem that does not end the run; one line.
  void complain(const std::string& what) const;
};

}  // namespace opbench
