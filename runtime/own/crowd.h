#pragma once

#include <atomic>
#include <string>
#include <thread>
#include <vector>

namespace runtime {

/// Others that work on a device while this lives: on a CPU two threads for each processor of the process, on a GPU kernels on a
/// stream of their own. Work that counts on the order in which its threads happen to run goes wrong more often beside them.
class Crowd {
 public:
  explicit Crowd(const std::string& device);
  ~Crowd();
  Crowd(const Crowd&) = delete;
  Crowd& operator=(const Crowd&) = delete;

 private:
  std::atomic<bool> isOver_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace runtime
