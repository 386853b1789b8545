#pragma once

#include <ATen/core/grad_mode.h>
#include <c10/core/InferenceMode.h>

namespace runtime {

/// While it lives, backward passes that this thread starts in a ProgramMode, or in the mode that is there, run on this thread.
class OneThread {
 public:
  OneThread();
  ~OneThread();
  OneThread(const OneThread&) = delete;
  OneThread& operator=(const OneThread&) = delete;

 private:
  bool takesThreads_, wasAsked_;
};

/// While it lives, ATen is called as programs of users call it: outside of inference mode, with gradients or without.
/// c10::InferenceMode alone has backward passes take threads again, even where a OneThread lives.
class ProgramMode {
 public:
  explicit ProgramMode(bool hasGradients);

 private:
  c10::InferenceMode normal_{false};
  at::AutoGradMode gradients_;
};

}  // namespace runtime
