#pragma once

namespace opbench {

/// Has the signals noted by which a program is told to end: Ctrl-C, a scheduler, a terminal that is closed. The second one ends
/// it. Signals that whoever started it has it ignore, as nohup does, stay ignored.
void handleEndings();

/// The number of the signal that was noted; 0 where there was none.
int endedBy();

}  // namespace opbench
