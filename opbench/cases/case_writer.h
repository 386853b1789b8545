#pragma once

#include "opbench/run/pipeline.h"

namespace opbench {

/// Writes a case, a folder, for each wrong outcome of a row below RaceSettings::cases, `INDEX-OPERATOR` or what is free of
/// `INDEX-OPERATOR-2` and so on, as `opbench repro` does: what repeats the sample (repro/folder.h), and from one more race of it
/// stages/ and result.jsonl. The outcome says where it is; where no cases are wanted, Bench::casesLeft are written, or the folder
/// cannot be written, its reason names the command that writes it.
void writeCases(Row& row, const inputs::Sample& recorded, const Bench& bench);

}  // namespace opbench
