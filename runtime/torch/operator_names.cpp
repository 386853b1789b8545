#include "runtime/torch/operator_names.h"

#include <ATen/core/dispatch/Dispatcher.h>

#include <algorithm>
#include <utility>

#include "inputs/operator_name.h"
#include "runtime/torch/schema.h"

namespace runtime {

std::vector<std::string> operatorNames() {
  std::vector<std::string> names;
  for (const c10::OperatorName& name : c10::Dispatcher::singleton().getAllOpNames()) {
    if (!c10::Dispatcher::singleton().findSchema(name)) continue;
    std::string text = recordedName(name);
    if (!inputs::refusalOf(text) && inputs::isCall(text)) names.push_back(std::move(text));
  }
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace runtime
