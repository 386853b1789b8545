#pragma once

#include "opbench/presentation/reporter.h"
#include "opbench/settings/options.h"

namespace opbench {

/// Joins the results files of a sweep's shards, Options::merged: reports of all of them as of one run, and writes their lines in
/// the samples' order where --json says. Returns whether nothing failed and every sample of the sweep is there; what is missing
/// is complained of. Errors: Input, for files that overlap, or differ in options or samples, or, unless
/// Options::force, in build, device or software.
bool merge(const Options& options, Streams streams);

}  // namespace opbench
