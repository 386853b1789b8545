#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "runtime/device.h"

namespace runtime {

/// A trial that does what another one does, but for what a class made of it does otherwise. It hands on every function: a new one
/// of Trial has its line here.
class TrialDecorator : public Trial {
 public:
  explicit TrialDecorator(std::unique_ptr<Trial> trial) : Trial(*trial), trial_(std::move(trial)) {}

  TensorList run() override { return trial_->run(); }
  void reseed() override { trial_->reseed(); }
  TensorList outputs() const override { return trial_->outputs(); }
  bool grow() override { return trial_->grow(); }
  int captures(Measure measure) const override { return trial_->captures(measure); }
  bool prepareFor(Measure measure) override { return trial_->prepareFor(measure); }
  void queue(Measure measure) override { trial_->queue(measure); }
  void collect(std::vector<double>& seconds) override { trial_->collect(seconds); }
  TensorList audit(Measure measure, std::optional<int> capture) override { return trial_->audit(measure, capture); }
  void replay() override { trial_->replay(); }
  std::vector<PhaseTime> phases() const override { return trial_->phases(); }
  double disturbedSeconds(int number, bool isKnown) override { return trial_->disturbedSeconds(number, isKnown); }
  std::optional<KernelTime> kernelTime() override { return trial_->kernelTime(); }
  Counters counters() override { return trial_->counters(); }
  std::optional<Launches> launches() override { return trial_->launches(); }
  std::string tampering() override { return trial_->tampering(); }
  int kernelNodes() const override { return trial_->kernelNodes(); }

 private:
  std::unique_ptr<Trial> trial_;
};

/// A device that does what another one does, in the same way.
class DeviceDecorator : public Device {
 public:
  explicit DeviceDecorator(std::unique_ptr<Device> device) : device_(std::move(device)) {}

  std::string torchName() const override { return device_->torchName(); }
  std::string name() const override { return device_->name(); }
  std::string hardware() const override { return device_->hardware(); }
  const ir::Target& target() const override { return device_->target(); }
  ExecutablePtr compile(const ir::KernelSource& program, const Cache& cache) override { return device_->compile(program, cache); }
  KernelLoader* kernelLoader() override { return device_->kernelLoader(); }
  std::pair<std::string, std::string> assembly(const ir::KernelSource& program) override { return device_->assembly(program); }
  std::unique_ptr<Trial> prepare(Callable& callable, Workload& workload) override { return device_->prepare(callable, workload); }
  void setFlush(Flush flush) override { device_->setFlush(flush); }
  void setStreamedBytes(int64_t bytes) override { device_->setStreamedBytes(bytes); }
  void synchronize() override { device_->synchronize(); }
  void profiled(const std::function<void()>& work) override { device_->profiled(work); }
  void queueClock() override { device_->queueClock(); }
  std::optional<double> clock() override { return device_->clock(); }
  double ratedClock() const override { return device_->ratedClock(); }
  void watchClock() override { device_->watchClock(); }
  double tick() override { return device_->tick(); }
  int64_t interruptions() override { return device_->interruptions(); }
  std::optional<double> stolenSeconds() override { return device_->stolenSeconds(); }
  int64_t lastCacheBytes() override { return device_->lastCacheBytes(); }
  std::optional<Memory> memory() override { return device_->memory(); }
  std::unique_ptr<MemoryWatch> watchMemory() override { return device_->watchMemory(); }
  std::optional<double> energy() override { return device_->energy(); }
  Environment environment() override { return device_->environment(); }
  std::optional<GpuState> state() override { return device_->state(); }
  std::vector<std::pair<std::string, std::string>> facts() override { return device_->facts(); }

 private:
  std::unique_ptr<Device> device_;
};

}  // namespace runtime
