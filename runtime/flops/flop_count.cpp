#include "runtime/flops/flop_count.h"

#include "runtime/dispatch/interceptor.h"
#include "runtime/flops/call_flops.h"

namespace runtime {
namespace {

/// Adds up the operations of calls. What a counted call calls itself is not counted.
class FlopCounter : public Interceptor {
 public:
  void call(InterceptedCall& call) override {
    const std::optional<CallFlops> flops = flopsOf(call.op().operator_name().name, call.arguments());
    call.carryOut(flops ? Inner::Unseen : Inner::Seen);
    if (flops) found[flops->precision] += flops->flops;
  }

  FlopCount found;
};

}  // namespace

FlopCount countFlops(const std::function<void()>& work) {
  FlopCounter counter;
  const Interception interception(counter);
  work();
  return std::move(counter.found);
}

}  // namespace runtime
