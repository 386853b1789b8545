#pragma once

#include <string>

#include "opbench/sweep/messages.h"

namespace opbench {

/// A worker's reply, and for a sample that was raced why it should be raced once more: it has lost the device, or memory was
/// short. Empty where it should not.
struct WorkerReply {
  Reply reply;
  std::string failure;
};

/// Error: Input for a line that no worker writes.
WorkerReply workerReplyIn(const std::string& line);

/// `crash: signal 9 (Killed)`, in one line.
std::string failureText(Status status, const std::string& reason);

}  // namespace opbench
