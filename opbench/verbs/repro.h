#pragma once

#include "opbench/presentation/reporter.h"
#include "opbench/settings/options.h"

namespace opbench {

/// `opbench repro`: writes the folder Options::output (`repro-OPERATOR` where it is empty) with what repeats the sample
/// (repro/folder.h), and runs what run.sh runs, which adds stages/, everything that --dump writes, and result.jsonl. A folder
/// that holds a case is written anew; where the sample was read from that very folder, the case that was there is moved to
/// `earlier` below it. Whether the contender fared as recorded; true where nothing is recorded. Errors: Input, before anything is
/// written, for a folder of other files; NoDevice, after the files are written.
bool reproduce(const Options& options, Streams streams);

}  // namespace opbench
