#pragma once

#include <ostream>

#include "opbench/settings/options.h"

namespace opbench {

/// Has a child record a step of Options::recording's model, as recordingOf() does, and writes what it found. Returns whether the
/// check, where there is one, found no difference. Errors: as recordingOf(); Toolchain, where the child ended or took longer than
/// Options::timeout.
bool record(const Options& options, std::ostream& out);

/// The work of that child, on a device.
void recordForParent(const Options& options, const std::string& device);

}  // namespace opbench
