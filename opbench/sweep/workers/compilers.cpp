#include "opbench/sweep/workers/compilers.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "ir/error.h"

namespace opbench {
namespace {

constexpr int mostLosses = 3;  // of processes in one slot, one after another

}  // namespace

Compilers::Compilers(Agenda& agenda, std::string program, std::vector<std::vector<std::string>> arguments, double timeout)
    : agenda_(agenda), program_(std::move(program)), timeout_(timeout) {
  for (std::vector<std::string>& each : arguments) start(slots_.emplace_back(Slot{std::move(each)}));
}

int Compilers::onGpu() const {
  return std::accumulate(slots_.begin(), slots_.end(), 0, [](int sum, const Slot& slot) { return sum + slot.onGpu; });
}

void Compilers::start(Slot& slot) const {
  slot.onGpu = 0;
  slot.process.emplace(program_, slot.arguments);
  if (!target_.empty()) slot.process->send(target_);
}

void Compilers::open(const ir::Target& target, bool shares) {
  if (!target_.empty()) return;
  target_ = toLine(target);
  shares_ = shares;
  for (Slot& slot : slots_) slot.process->send(target_);
}

bool Compilers::isCompiling() const {
  return std::any_of(slots_.begin(), slots_.end(), [](const Slot& slot) { return slot.job.has_value(); });
}

size_t Compilers::waiting() const {
  const auto busy = std::count_if(slots_.begin(), slots_.end(), [](const Slot& slot) { return slot.job.has_value(); });
  return ready_.size() + static_cast<size_t>(busy);
}

bool Compilers::hasMore() {
  if (agenda_.isInterrupted()) return false;
  if (!upcoming_ && ready_.empty() && !isCompiling()) upcoming_ = agenda_.next();
  return upcoming_ || !ready_.empty() || isCompiling();
}

void Compilers::work(bool isTiming) {
  if (!isOpen() || agenda_.isInterrupted()) return;
  if (shares_) {
    if (isTiming) return;
    if (waiting() == 0) batch_ = most();
  }
  for (Slot& slot : slots_) {
    if (slot.job) continue;
    if (shares_ ? batch_ == 0 : waiting() >= most()) return;
    if (!upcoming_) upcoming_ = agenda_.next();
    if (!upcoming_) return;
    if (shares_) --batch_;
    hand(slot);
  }
}

void Compilers::hand(Slot& slot) {
  slot.job = std::exchange(upcoming_, std::nullopt);
  slot.deadline = deadlineAfter(timeout_);
  slot.process->send(toLine(*slot.job));
}

std::optional<Job> Compilers::next() {
  if (agenda_.isInterrupted()) return std::nullopt;
  if (!ready_.empty()) return std::move(ready_.extract(ready_.begin()).mapped());
  if (isOpen()) return std::nullopt;
  return upcoming_ ? std::exchange(upcoming_, std::nullopt) : agenda_.next();
}

void Compilers::watch(std::vector<pollfd>& files, Clock::time_point& deadline) const {
  for (const Slot& slot : slots_) {
    if (!slot.job) continue;
    files.push_back({slot.process->channel(), POLLIN, 0});
    if (slot.process->errors() >= 0) files.push_back({slot.process->errors(), POLLIN, 0});
    deadline = std::min(deadline, slot.deadline);
  }
}

void Compilers::attend() {
  for (Slot& slot : slots_)
    if (slot.job) attend(slot);
  const bool isAnyLost = std::any_of(slots_.begin(), slots_.end(), [](const Slot& slot) { return !slot.process; });
  if (!isAnyLost) return;
  std::erase_if(slots_, [](const Slot& slot) { return !slot.process; });
  if (!slots_.empty()) return;
  std::replace(lastLoss_.begin(), lastLoss_.end(), '\n', ' ');
  agenda_.complain(fmt::format("compiler processes keep crashing, falling back to compiling in the worker: {}", lastLoss_));
}

void Compilers::attend(Slot& slot) {
  if (!slot.process->hear()) return lose(slot, slot.process->ending());
  if (const auto line = slot.process->line()) return hear(slot, *line);
  if (slot.process->floods()) return lose(slot, "wrote too much to standard output or error");
  if (Clock::now() >= slot.deadline) lose(slot, fmt::format("timed out after {} s", timeout_));
}

void Compilers::hear(Slot& slot, const std::string& line) {
  try {
    finish(slot, compiledOf(line));
  } catch (const ir::Error&) {
    lose(slot, "sent an unreadable reply");
  }
}

void Compilers::finish(Slot& slot, std::optional<Compilation> compilation) {
  slot.losses = 0;
  if (compilation && compilation->inductor) slot.onGpu = compilation->inductor->onGpu;
  slot.job->compilation = std::move(compilation);
  const int index = slot.job->index;
  ready_.emplace(index, *std::exchange(slot.job, std::nullopt));
}

void Compilers::lose(Slot& slot, const std::string& how) {
  lastLoss_ = how;
  const int losses = slot.losses + 1;
  finish(slot, Compilation{0, false, "", how});
  slot.losses = losses;
  slot.process.reset();
  if (losses < mostLosses) start(slot);
}

}  // namespace opbench
