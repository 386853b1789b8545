#pragma once

#include <cuda_runtime_api.h>

namespace runtime {

/// A pair of events around timed work.
class EventPair {
 public:
  EventPair();
  ~EventPair();
  EventPair(EventPair&& other) noexcept;
  EventPair(const EventPair&) = delete;
  EventPair& operator=(const EventPair&) = delete;

  /// `flags` as cudaEventRecordWithFlags takes them: cudaEventRecordExternal has a graph that is captured record it in each
  /// replay.
  void recordStart(cudaStream_t stream, unsigned flags = cudaEventRecordDefault);
  void recordStop(cudaStream_t stream, unsigned flags = cudaEventRecordDefault);
  /// Whether the stream has passed the first one.
  bool hasStarted() const;
  /// Seconds between the two, once the stream has passed the second.
  double seconds() const;

 private:
  cudaEvent_t start_ = nullptr;
  cudaEvent_t stop_ = nullptr;
};

/// The step of the timer that stamps events, in seconds: that between the times of some that follow each other; 0 where these are
/// all the same.
double eventTick(cudaStream_t stream);

}  // namespace runtime
