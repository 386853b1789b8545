#include "opbench/check/witness.h"

#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <exception>
#include <thread>
#include <utility>

#include "runtime/compare/oracle.h"
#include "runtime/own/crowd.h"

namespace opbench {
namespace {

constexpr int enough = 8;  // results of other bits that are right: chance has a part in more

/// Whether one result of the same computation is so much worse than another that no order of its sums explains it.
bool isWorse(const Accuracy& odd, const Accuracy& usual) {
  constexpr double times = 16, leastUlp = 4;
  return odd.maxUlp > times * std::max(usual.maxUlp, leastUlp);
}

double secondsOf(clockid_t clock) {
  timespec now{};
  ::clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

/// Some time for runs: on a CPU what this thread computes, so that other work on the machine leaves it as many of them.
class Patience {
 public:
  explicit Patience(const runtime::Device& device)
      : clock_(device.torchName() == "cpu" ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC),
        end_(secondsOf(clock_) + 0.08),
        last_(secondsOf(CLOCK_MONOTONIC) + 0.8) {}
  bool lasts() const { return secondsOf(clock_) < end_ && secondsOf(CLOCK_MONOTONIC) < last_; }

 private:
  clockid_t clock_;
  double end_, last_;
};

}  // namespace

std::string Witness::look() {
  if (others_ > enough) return "";
  std::vector<int64_t> sums = runtime::sumsOf(trial_.outputs());
  const bool isFirst = ++looks_ == 1;
  if (sums == usual_ && !isFirst) return "";
  Verdict verdict = correctness_.judgeLatest(trial_);
  if (isFirst) {
    usual_ = std::move(sums);
    accuracy_ = std::move(verdict.accuracy);
    return verdict.ok ? "" : std::move(verdict.message);
  }
  if (!verdict.ok) return fmt::format("{} (in run {} of those that were looked at one by one)", verdict.message, looks_);
  ++others_;
  const bool isOdd = verdict.accuracy && accuracy_ && isWorse(*verdict.accuracy, *accuracy_);
  if (isOdd && odd_.empty())
    odd_ = fmt::format(
        "run {} of those that were looked at one by one gave {} at [{}], which is {} values of its dtype off, where others are "
        "{}",
        looks_, verdict.accuracy->worstFound, fmt::join(verdict.accuracy->worst, ", "), verdict.accuracy->maxUlp,
        accuracy_->maxUlp);
  return "";
}

std::string Witness::conclusion() const {
  constexpr int64_t rare = 8;
  return rare * others_ <= looks_ ? odd_ : "";
}

std::string keepVigil(runtime::Trial& trial, Witness& witness, const runtime::Workload& workload, const runtime::Device& device) {
  constexpr int most = 500;  // runs on a quiet device, and as many beside others
  const auto run = [&] { workload.mutates() ? static_cast<void>(trial.run()) : trial.replay(); };
  const auto runs = [&] {
    const Patience patience(device);
    std::string why;
    for (int i = 0; i < most && why.empty() && patience.lasts(); ++i) {
      run();
      why = witness.look();
    }
    return why;
  };
  std::string why = runs();
  if (why.empty()) {
    const runtime::Crowd crowd(device.torchName());
    why = runs();
  }
  if (why.empty() && device.torchName() == "cpu") {
    std::exception_ptr error;
    std::thread([&] {
      try {
        run();
      } catch (...) {
        error = std::current_exception();
      }
    }).join();
    if (error) std::rethrow_exception(error);
    why = witness.look();
  }
  return why.empty() ? witness.conclusion() : why;
}

}  // namespace opbench
