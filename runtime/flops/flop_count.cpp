#include "runtime/flops/flop_count.h"

#include <c10/core/impl/LocalDispatchKeySet.h>
#include <torch/library.h>

#include <mutex>

#include "runtime/flops/call_flops.h"

namespace runtime {
namespace {

/// A key of dispatch that torch leaves to others. It lies below autograd and autocast: calls that reach it have the dtypes in
/// which they are computed, and those of backward passes are among them.
constexpr c10::DispatchKey countingKey = c10::DispatchKey::Fake;

/// What the count that runs has found; backward passes add to it on threads of their own.
std::mutex counting;
FlopCount* count = nullptr;

/// Makes a call, and counts it. What a counted call calls itself is not.
void countedCall(const c10::OperatorHandle& op, c10::DispatchKeySet keys, torch::jit::Stack* stack) {
  const c10::DispatchKeySet below = keys & c10::DispatchKeySet(c10::DispatchKeySet::FULL_AFTER, countingKey);
  const c10::ArrayRef<c10::IValue> arguments = torch::jit::last(*stack, op.schema().arguments().size());
  const std::optional<CallFlops> flops =
      flopsOf(op.operator_name().name, c10::ArrayRef<const c10::IValue>(arguments.data(), arguments.size()));
  if (!flops) return op.redispatchBoxed(below, stack);
  const c10::impl::ExcludeDispatchKeyGuard uncounted(countingKey);
  op.redispatchBoxed(below, stack);
  const std::lock_guard<std::mutex> lock(counting);
  (*count)[flops->precision] += flops->flops;
}

/// While it lives, calls of this thread are counted.
class Counting {
 public:
  explicit Counting(FlopCount& found) {
    count = &found;
    library_.fallback(torch::CppFunction::makeFromBoxedFunction<&countedCall>());
  }
  ~Counting() { count = nullptr; }
  Counting(const Counting&) = delete;
  Counting& operator=(const Counting&) = delete;

 private:
  torch::Library library_{torch::Library::IMPL, "_", countingKey, __FILE__, __LINE__};
  c10::impl::IncludeDispatchKeyGuard included_{countingKey};
};

}  // namespace

FlopCount countFlops(const std::function<void()>& work) {
  FlopCount found;
  const Counting guard(found);
  work();
  return found;
}

}  // namespace runtime
