#include "opbench/sweep/workers/worker.h"

#include <unistd.h>

#include "opbench/process/channel.h"
#include "opbench/sweep/agenda.h"
#include "opbench/sweep/sample_runner.h"
#include "runtime/devices/open.h"

namespace opbench {
namespace {

/// The jobs that the supervisor hands over, as raceHere sees them.
class Orders : public Agenda {
 public:
  void begin(const Ready& ready) override { Channel::send(toLine(ready)); }
  std::optional<Job> next() override {
    const auto line = channel_.receive();
    return line ? std::optional(jobOf(*line)) : std::nullopt;
  }
  void start(Job&) override {}
  bool isInterrupted() const override { return false; }
  void take(const Finished& finished) override { Channel::send(toLine(finished)); }
  void complain(const std::string&) override {}

 private:
  Channel channel_;
};

void refuse(const Refused& refused) { Channel::send(toLine(refused)); }

}  // namespace

void work(const Options& options) {
  Orders orders;
  try {
    raceHere(orders, options);
  } catch (const runtime::NoDevice& error) {
    refuse({error.what(), true, false});
  } catch (const ir::Error& error) {
    refuse({error.what(), false, error.kind() == ir::ErrorKind::Input});
  } catch (const std::exception& error) {
    refuse({error.what(), false, false});
  }
  // Damage that a sample did to the process or the device may show once more where all is taken down.
  ::_exit(0);
}

}  // namespace opbench
