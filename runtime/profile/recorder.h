#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

namespace runtime {

/// Runs `work` under torch's profiler, and waits for what it queued. Writes what it saw as a Chrome trace, which Perfetto opens:
/// ranges, ATen's calls and kernels generated for CPUs; with `device` CUDA's calls and, from CUPTI, kernels and copies as well.
/// `facts` become members of the trace: {name, JSON}. Error: Input where the file cannot be written.
void record(const std::function<void()>& work, class Device& device, const std::string& path,
            const std::map<std::string, std::string>& facts);

/// A range of the host's time that traces name, as an annotation or as a call, and that tools which run this process show (NVTX);
/// without either it costs two loads.
class Range {
 public:
  enum class Of { Annotation, Call };
  explicit Range(std::string_view name, Of of = Of::Annotation);
  ~Range();
  Range(const Range&) = delete;
  Range& operator=(const Range&) = delete;

 private:
  struct Guard;
  std::unique_ptr<Guard> guard_;
  bool isPushed_ = false;  ///< on NVTX's stack
};

}  // namespace runtime
