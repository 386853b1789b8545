#include "runtime/capture/choices.h"

#include <ATen/Context.h>

namespace runtime {

PortableOperators::PortableOperators() : before_(current()) { choose({}); }

PortableOperators::~PortableOperators() { choose(before_); }

PortableOperators::Choice PortableOperators::current() {
  const at::Context& context = at::globalContext();
  return {context.userEnabledCuDNN(), context.userEnabledMkldnn(), context.userEnabledFlashSDP(),
          context.userEnabledMemEfficientSDP(), context.userEnabledCuDNNSDP()};
}

void PortableOperators::choose(const Choice& choice) {
  at::Context& context = at::globalContext();
  context.setUserEnabledCuDNN(choice.cudnn);
  context.setUserEnabledMkldnn(choice.oneDnn);
  context.setSDPUseFlash(choice.flash);
  context.setSDPUseMemEfficient(choice.efficient);
  context.setSDPUseCuDNN(choice.cudnnAttention);
}

RepeatableCudnn::RepeatableCudnn() : before_(at::globalContext().deterministicCuDNN()) {
  at::globalContext().setDeterministicCuDNN(true);
}

RepeatableCudnn::~RepeatableCudnn() { at::globalContext().setDeterministicCuDNN(before_); }

}  // namespace runtime
