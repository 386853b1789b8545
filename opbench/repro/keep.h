#pragma once

#include "opbench/pipeline.h"

namespace opbench {

/// Writes a folder for each wrong outcome of a row below Options::cases, `INDEX-OPERATOR`, as `opbench repro` does: what repeats
/// the sample (repro/folder.h), and from one more race of it stages/ and result.jsonl. The outcome's reason says where it is;
/// where no cases are wanted, or the folder cannot be written, it names the command that writes it.
void keepCases(Row& row, const inputs::Sample& recorded, const Bench& bench);

}  // namespace opbench
