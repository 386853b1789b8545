#include "opbench/measure/profile.h"

#include <chrono>
#include <nlohmann/json.hpp>
#include <thread>

#include "inputs/text/printable.h"
#include "runtime/profile/recorder.h"

namespace opbench {
namespace {

void runEach(const std::vector<ProfiledTrial>& trials, runtime::Workload& workload, runtime::Device& device,
             const ProfileSettings& settings) {
  for (const ProfiledTrial& one : trials) {
    if (&one != &trials.front()) std::this_thread::sleep_for(std::chrono::duration<double>(settings.sleepSeconds));
    const runtime::Range contender("contender " + std::string(one.name));
    for (int i = 0; i < settings.loops; ++i) {
      if (workload.mutates()) workload.restore();
      device.synchronize();
      const runtime::Range run("run");
      one.trial->replay();
      device.synchronize();
    }
  }
}

}  // namespace

void recordProfile(const std::vector<ProfiledTrial>& trials, const ProfiledSample& sample, const std::string& path,
                   runtime::Workload& workload, runtime::Device& device, const ProfileSettings& settings) {
  for (const ProfiledTrial& one : trials) one.trial->run();
  const auto work = [&] { runEach(trials, workload, device, settings); };
  if (!settings.traces) return device.profiled(work);
  nlohmann::json fact{{"op", inputs::printable(sample.op)},
                      {"sample", inputs::printable(sample.sample)},
                      {"device", device.name()},
                      {"bytes_per_s", sample.bytesPerSecond}};
  if (!sample.kernels.empty()) fact["kernels"] = sample.kernels;
  if (sample.bytes > 0) fact["bytes"] = sample.bytes;
  runtime::record(work, device, path, {{"opbench", fact.dump()}});
}

}  // namespace opbench
