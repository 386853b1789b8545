#include "runtime/capture/audit.h"

#include <ATen/Functions.h>
#include <ATen/core/Tensor.h>
#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

namespace runtime {
namespace {

/// A tensor's whole memory.
at::Tensor bytesOf(const at::Tensor& tensor) {
  const at::Tensor bytes = at::empty({0}, tensor.options().dtype(at::kByte));
  return bytes.set_(tensor.storage(), 0, {static_cast<int64_t>(tensor.storage().nbytes())}, {1});
}

}  // namespace

ArgumentAudit::ArgumentAudit(const c10::FunctionSchema& schema, const torch::jit::Stack& arguments, const Effects& effects) {
  std::unordered_set<const c10::StorageImpl*> written;
  for (const int i : effects.written)
    for (const at::Tensor& tensor : tensorsIn(arguments[static_cast<size_t>(i)]))
      written.insert(tensor.storage().unsafeGetStorageImpl());
  for (size_t i = 0; i < arguments.size(); ++i)
    for (const at::Tensor& tensor : tensorsIn(arguments[i])) {
      if (!written.insert(tensor.storage().unsafeGetStorageImpl()).second) continue;
      const at::Tensor bytes = bytesOf(tensor);
      kept_.push_back({fmt::format("{} writes argument '{}' and does not say so", recordedName(schema.operator_name()),
                                   schema.arguments()[i].name()),
                       bytes, bytes.clone()});
    }
}

void ArgumentAudit::compare(std::vector<std::string>& undeclared) const {
  for (const Kept& kept : kept_) {
    const bool isNew = std::find(undeclared.begin(), undeclared.end(), kept.message) == undeclared.end();
    if (isNew && !kept.bytes.equal(kept.before)) undeclared.push_back(kept.message);
  }
}

}  // namespace runtime
