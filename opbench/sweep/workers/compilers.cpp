#include "opbench/sweep/workers/compilers.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "ir/error.h"

namespace opbench {
namespace {

constexpr int mostLosses = 3;  // of processes in one place, one after another

}  // namespace

Compilers::Compilers(Agenda& agenda, int number, std::vector<std::string> arguments, double timeout)
    : agenda_(agenda), arguments_(std::move(arguments)), timeout_(timeout) {
  places_.resize(static_cast<size_t>(number));
  for (Place& place : places_) start(place);
}

void Compilers::start(Place& place) const {
  place.process.emplace(arguments_);
  if (!target_.empty()) place.process->send(target_);
}

void Compilers::open(const ir::Target& target, bool shares) {
  if (!target_.empty()) return;
  target_ = toLine(target);
  shares_ = shares;
  for (Place& place : places_) place.process->send(target_);
}

bool Compilers::isCompiling() const {
  return std::any_of(places_.begin(), places_.end(), [](const Place& place) { return place.job.has_value(); });
}

size_t Compilers::ahead() const {
  const auto busy = std::count_if(places_.begin(), places_.end(), [](const Place& place) { return place.job.has_value(); });
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
    if (ahead() == 0) batch_ = most();
  }
  for (Place& place : places_) {
    if (place.job) continue;
    if (shares_ ? batch_ == 0 : ahead() >= most()) return;
    if (!upcoming_) upcoming_ = agenda_.next();
    if (!upcoming_) return;
    if (shares_) --batch_;
    hand(place);
  }
}

void Compilers::hand(Place& place) {
  place.job = std::exchange(upcoming_, std::nullopt);
  place.deadline = deadlineAfter(timeout_);
  place.process->send(toLine(*place.job));
}

std::optional<Job> Compilers::next() {
  if (agenda_.isInterrupted()) return std::nullopt;
  if (!ready_.empty()) return std::move(ready_.extract(ready_.begin()).mapped());
  if (isOpen()) return std::nullopt;
  return upcoming_ ? std::exchange(upcoming_, std::nullopt) : agenda_.next();
}

void Compilers::watch(std::vector<pollfd>& files, Clock::time_point& deadline) const {
  for (const Place& place : places_) {
    if (!place.job) continue;
    files.push_back({place.process->channel(), POLLIN, 0});
    if (place.process->errors() >= 0) files.push_back({place.process->errors(), POLLIN, 0});
    deadline = std::min(deadline, place.deadline);
  }
}

void Compilers::attend() {
  for (Place& place : places_)
    if (place.job) attend(place);
  const bool isAnyLost = std::any_of(places_.begin(), places_.end(), [](const Place& place) { return !place.process; });
  if (!isAnyLost) return;
  std::erase_if(places_, [](const Place& place) { return !place.process; });
  if (places_.empty()) agenda_.complain("compilers end as soon as they start: samples are compiled when their turn comes");
}

void Compilers::attend(Place& place) {
  if (!place.process->hear()) return lose(place, place.process->ending());
  if (const auto line = place.process->line()) return hear(place, *line);
  if (place.process->floods()) return lose(place, "it wrote without end");
  if (Clock::now() >= place.deadline) lose(place, fmt::format("it takes longer than {} s", timeout_));
}

void Compilers::hear(Place& place, const std::string& line) {
  try {
    finish(place, compiledOf(line));
  } catch (const ir::Error&) {
    lose(place, "it answered with what is no reply");
  }
}

void Compilers::finish(Place& place, std::optional<Compilation> compilation) {
  place.losses = 0;
  place.job->ahead = std::move(compilation);
  const int index = place.job->index;
  ready_.emplace(index, *std::exchange(place.job, std::nullopt));
}

void Compilers::lose(Place& place, const std::string& how) {
  const int losses = place.losses + 1;
  finish(place, Compilation{0, false, "", how});
  place.losses = losses;
  place.process.reset();
  if (losses < mostLosses) start(place);
}

}  // namespace opbench
